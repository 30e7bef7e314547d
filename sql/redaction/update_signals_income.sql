-- Applies the income rule to the next signals in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses signals_pkey
prepare update_signals_income (text, integer) as
with batch as (
  select signals.id
  from signals
  where $1 is null or signals.id > $1::uuid
  order by signals.id
  limit $2
),
changed as (
  update signals
  set (title, kind, quelle, outcome) = (
    select cleaned.title, cleaned.kind, cleaned.quelle, cleaned.outcome
    from jsonb_populate_record(signals, income_changes(to_jsonb(signals),
      '{kind,title,quelle,outcome}')) as cleaned)
  from batch
  where signals.id = batch.id
    and income_changes(to_jsonb(signals),
      '{kind,title,quelle,outcome}') <> '{}'
  returning signals.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
