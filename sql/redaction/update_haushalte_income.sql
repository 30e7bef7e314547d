-- Applies the income rule to the next household records in the order of their keys, and says how far it came.
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
  set
    quelle = redact_income(haushalte.quelle),
    haushalt = redact_income(haushalte.haushalt),
    provenance = redact_income(haushalte.provenance),
    din_check = redact_income(haushalte.din_check),
    empfehlungen_aktuell = redact_income(haushalte.empfehlungen_aktuell)
  from batch
  where haushalte.kontakt_key = batch.kontakt_key
    and (haushalte.quelle, haushalte.haushalt, haushalte.provenance, haushalte.din_check, haushalte.empfehlungen_aktuell) is distinct from
      (redact_income(haushalte.quelle), redact_income(haushalte.haushalt), redact_income(haushalte.provenance), redact_income(haushalte.din_check), redact_income(haushalte.empfehlungen_aktuell))
  returning haushalte.kontakt_key
)
select
  (select batch.kontakt_key from batch order by batch.kontakt_key desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
