-- Applies the income rule to the next waiting events in the order of their keys, and says how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
-- Uses event_outbox_pkey.
--
-- $1 after_key  outbox id of the last row looked at; null: from the first
-- $2 limit
prepare update_event_outbox_income (text, integer) as
with batch as (
  select event_outbox.outbox_id
  from event_outbox
  where $1 is null or event_outbox.outbox_id > $1::bigint
  order by event_outbox.outbox_id
  limit $2
),
changed as (
  update event_outbox
  set data = redact_income(event_outbox.data)
  from batch
  where event_outbox.outbox_id = batch.outbox_id
    and event_outbox.data <> redact_income(event_outbox.data)
  returning event_outbox.outbox_id
)
select
  (select batch.outbox_id::text from batch order by batch.outbox_id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
