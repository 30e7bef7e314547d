-- Says for this transaction how many leads there will be: setup.sql works out the households of these alone.
--
-- $1 leads_total
prepare update_demo_size (integer) as
select set_config('demo.leads_total', $1::text, true) as leads_total;
