-- Applies the income rule to the next household records in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? key of the last row looked at; null: from the first
-- $2 limit
--
-- @uses haushalte_pkey
prepare update_haushalte_income (text, integer) as
with batch as (
  select haushalte.kontakt_key
  from haushalte
  where $1 is null or haushalte.kontakt_key > $1
  order by haushalte.kontakt_key
  limit $2
),
changed as (
  update haushalte
  set (quelle, haushalt, provenance, din_check, empfehlungen_aktuell) = (
    select cleaned.quelle, cleaned.haushalt, cleaned.provenance, cleaned.din_check, cleaned.empfehlungen_aktuell
    from jsonb_populate_record(haushalte, income_changes(to_jsonb(haushalte),
      '{quelle,haushalt,provenance,din_check,empfehlungen_aktuell}')) as cleaned)
  from batch
  where haushalte.kontakt_key = batch.kontakt_key
    and income_changes(to_jsonb(haushalte),
      '{quelle,haushalt,provenance,din_check,empfehlungen_aktuell}') <> '{}'
  returning haushalte.kontakt_key
)
select
  (select batch.kontakt_key from batch order by batch.kontakt_key desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
