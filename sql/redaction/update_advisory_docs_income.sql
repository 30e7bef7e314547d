-- Applies the income rule to the next advisory documents in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses advisory_docs_pkey
prepare update_advisory_docs_income (text, integer) as
with batch as (
  select advisory_docs.id
  from advisory_docs
  where $1 is null or advisory_docs.id > $1::uuid
  order by advisory_docs.id
  limit $2
),
changed as (
  update advisory_docs
  set (title) = (
    select cleaned.title
    from jsonb_populate_record(advisory_docs, income_changes(to_jsonb(advisory_docs),
      '{title}')) as cleaned)
  from batch
  where advisory_docs.id = batch.id
    and income_changes(to_jsonb(advisory_docs),
      '{title}') <> '{}'
  returning advisory_docs.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
