-- What every writer can rely on: updated_at moves when a row changes, and a row keeps its key for life.

-- Unless the writer sets it: an import may bring its own moments.
create function touch_updated_at() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if new.updated_at = old.updated_at then
    new.updated_at := now();
  end if;
  return new;
end
$$;

create trigger haushalte_touch before update of haushalt, provenance, din_check, empfehlungen_aktuell, quelle on haushalte
  for each row
  when (
    (old.haushalt, old.provenance, old.din_check, old.empfehlungen_aktuell, old.quelle)
      is distinct from (new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell, new.quelle))
  execute function touch_updated_at();
create trigger signals_touch before update of kind, title, status, score, lead_id, kontakt_key, quelle, outcome on signals
  for each row
  when (
    (old.kind, old.title, old.status, old.score, old.lead_id, old.kontakt_key, old.quelle, old.outcome)
      is distinct from (new.kind, new.title, new.status, new.score, new.lead_id, new.kontakt_key, new.quelle, new.outcome))
  execute function touch_updated_at();

-- Events name objects by their keys, and compare a row before and after by its key.
create function refuse_key_change() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a row of % keeps its key for life: insert a new row instead', tg_table_name
    using errcode = 'integrity_constraint_violation';
end
$$;

create trigger leads_key before update of id on leads
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger lead_analyses_key before update of id on lead_analyses
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger haushalte_key before update of kontakt_key on haushalte
  for each row when (new.kontakt_key <> old.kontakt_key) execute function refuse_key_change();
create trigger appointments_key before update of id on appointments
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger meeting_intelligence_key before update of appointment_id on meeting_intelligence
  for each row when (new.appointment_id <> old.appointment_id) execute function refuse_key_change();
create trigger signals_key before update of id on signals
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger advisory_docs_key before update of id on advisory_docs
  for each row when (new.id <> old.id) execute function refuse_key_change();
