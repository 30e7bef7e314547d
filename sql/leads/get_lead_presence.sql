-- Whether the workspace holds any lead: demo data goes into an empty one only.
--
-- @uses leads_pkey
prepare get_lead_presence as
select exists (select from leads) as present;
