-- What all keys together asked for in 24 hours: how much was answered, refused, and refused by the limit.
--
-- Reads the whole table: a workspace has tens of keys, each with some rows an hour.
-- @not_null answered, refused, limited: sums
prepare get_usage as
select
  coalesce(sum(key_usage.requests) filter (where key_usage.code = ''), 0)::integer as answered,
  coalesce(sum(key_usage.requests) filter (where key_usage.code not in ('', 'rate_limited')), 0)::integer as refused,
  coalesce(sum(key_usage.requests) filter (where key_usage.code = 'rate_limited'), 0)::integer as limited
from key_usage
where key_usage.hour > now() - interval '24 hours';
