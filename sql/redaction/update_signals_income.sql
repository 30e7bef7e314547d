-- Applies the income rule to the next signals in the order of their keys, and says how far it came.
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
  set
    kind = redact_income(signals.kind),
    title = redact_income(signals.title),
    quelle = redact_income(signals.quelle),
    outcome = redact_income(signals.outcome)
  from batch
  where signals.id = batch.id
    and (signals.kind, signals.title, signals.quelle, signals.outcome) is distinct from
      (redact_income(signals.kind), redact_income(signals.title), redact_income(signals.quelle), redact_income(signals.outcome))
  returning signals.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
