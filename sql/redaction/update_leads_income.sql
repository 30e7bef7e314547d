-- Applies the income rule to the next leads in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses leads_pkey
prepare update_leads_income (text, integer) as
with batch as (
  select leads.id
  from leads
  where $1 is null or leads.id > $1::uuid
  order by leads.id
  limit $2
),
changed as (
  update leads
  set (name, status, source_type, archive_reason_code, product_domain, parsed_data) = (
    select cleaned.name, cleaned.status, cleaned.source_type, cleaned.archive_reason_code, cleaned.product_domain,
      cleaned.parsed_data
    from jsonb_populate_record(leads, income_changes(to_jsonb(leads),
      '{name,status,source_type,archive_reason_code,product_domain,parsed_data}')) as cleaned)
  from batch
  where leads.id = batch.id
    and income_changes(to_jsonb(leads),
      '{name,status,source_type,archive_reason_code,product_domain,parsed_data}') <> '{}'
  returning leads.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
