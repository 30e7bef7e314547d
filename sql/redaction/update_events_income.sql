-- Applies the income rule to the next events of the log in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? log_id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses events_pkey
prepare update_events_income (text, integer) as
with batch as (
  select events.log_id
  from events
  where $1 is null or events.log_id > $1::bigint
  order by events.log_id
  limit $2
),
changed as (
  update events
  set
    object_type = redact_income(events.object_type),
    object_id = redact_income(events.object_id),
    data = redact_event_data(events.data)
  from batch
  where events.log_id = batch.log_id
    and (events.object_type, events.object_id, events.data) is distinct from
      (redact_income(events.object_type), redact_income(events.object_id), redact_event_data(events.data))
  returning events.log_id
)
select
  (select batch.log_id::text from batch order by batch.log_id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
