-- Applies the income rule to the next appointments in the order of their keys, and says how far it came.
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
  set
    title = redact_income(appointments.title),
    status = redact_income(appointments.status),
    platform = redact_income(appointments.platform),
    customer_display_name = redact_income(appointments.customer_display_name),
    source = redact_income(appointments.source),
    intelligence_status = redact_income(appointments.intelligence_status)
  from batch
  where appointments.id = batch.id
    and (appointments.title, appointments.status, appointments.platform, appointments.customer_display_name, appointments.source, appointments.intelligence_status) is distinct from
      (redact_income(appointments.title), redact_income(appointments.status), redact_income(appointments.platform), redact_income(appointments.customer_display_name), redact_income(appointments.source), redact_income(appointments.intelligence_status))
  returning appointments.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
