-- Applies the income rule to the next appointments in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses appointments_pkey
prepare update_appointments_income (text, integer) as
with batch as (
  select appointments.id
  from appointments
  where $1 is null or appointments.id > $1::uuid
  order by appointments.id
  limit $2
),
changed as (
  update appointments
  set (title, status, platform, customer_display_name, source, intelligence_status) = (
    select cleaned.title, cleaned.status, cleaned.platform, cleaned.customer_display_name, cleaned.source,
      cleaned.intelligence_status
    from jsonb_populate_record(appointments, income_changes(to_jsonb(appointments),
      '{title,status,platform,customer_display_name,source,intelligence_status}')) as cleaned)
  from batch
  where appointments.id = batch.id
    and income_changes(to_jsonb(appointments),
      '{title,status,platform,customer_display_name,source,intelligence_status}') <> '{}'
  returning appointments.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
