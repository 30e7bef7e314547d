-- Applies the income rule to the next events of the feed in the order of their keys, and says how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
-- Uses events_pkey.
--
-- $1 after_key  cursor of the last row looked at; null: from the first
-- $2 limit
prepare update_events_income (text, integer) as
with batch as (
  select events.cursor
  from events
  where $1 is null or events.cursor > $1::bigint
  order by events.cursor
  limit $2
),
changed as (
  update events
  set data = redact_income(events.data)
  from batch
  where events.cursor = batch.cursor
    and events.data <> redact_income(events.data)
  returning events.cursor
)
select
  (select batch.cursor::text from batch order by batch.cursor desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
