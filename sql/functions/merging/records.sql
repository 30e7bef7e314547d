-- Two household records as one, section by section: the sections of a profile are the top-level members of haushalt.
-- The platform computes profiles, so nothing deeper is united.
--
-- @needs documents/results

-- A section that is null is none.
create or replace function unite_sections(older jsonb, newer jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select coalesce(older, '{}') || coalesce(jsonb_object_agg(section.key, section.value), '{}')
  from jsonb_each(newer) as section
  where section.value <> 'null' or not coalesce(older, '{}') ? section.key;
end;
comment on function unite_sections is 'The sections of the newer profile, and those that only the older one has.';

-- Entries are named by path: kunde.adresse, vertraege[0].
create or replace function unite_provenance(older haushalte, newer haushalte) returns jsonb
  language sql immutable parallel safe
begin atomic
  select nullif(coalesce(jsonb_object_agg(entry.key, entry.value), '{}') || coalesce((newer).provenance, '{}'), '{}')
  from jsonb_each((older).provenance) as entry
  where coalesce((newer).haushalt -> substring(entry.key from '^[^.[]+'), 'null') = 'null';
end;
comment on function unite_provenance is
  'The entries of the newer record, and those of sections that only the older one has.';

create or replace function din_check_moment(din_check jsonb) returns timestamptz
  language sql immutable parallel safe
  return case
    when din_check is null then null
    when is_date_time(din_check ->> 'erstellt_am') then (din_check ->> 'erstellt_am')::timestamptz
    else '-infinity'
  end;
comment on function din_check_moment is 'When a DIN check was made; -infinity where it does not have a moment.';

create or replace function unite_haushalte(older haushalte, newer haushalte) returns haushalte
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  united haushalte := newer;
begin
  united.haushalt := unite_sections(older.haushalt, newer.haushalt);
  united.provenance := unite_provenance(older, newer);
  united.quelle := coalesce(newer.quelle, older.quelle);
  -- A check stays with the recommendations that were made from it.
  if newer.din_check is null or din_check_moment(older.din_check) > din_check_moment(newer.din_check) then
    united.din_check := older.din_check;
    united.empfehlungen_aktuell := coalesce(older.empfehlungen_aktuell, newer.empfehlungen_aktuell);
  else
    united.empfehlungen_aktuell := coalesce(newer.empfehlungen_aktuell, older.empfehlungen_aktuell);
  end if;
  return united;
end
$$;
comment on function unite_haushalte is 'Two household records as one, under the key of the newer.';

-- All records of a contact become one, under its surviving key. One write, so that subscribers see one change. A writer
-- may insert the survivor's record meanwhile: then it is united as well.
create or replace function unite_records(survivor text) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  mine haushalte;
  theirs haushalte;
  united_keys text[] := '{}';
begin
  loop
    select haushalte.* into mine from haushalte where haushalte.kontakt_key = survivor for update;
    for theirs in
      select haushalte.*
      from haushalte
      where haushalte.kontakt_key in (
        select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor)
      order by haushalte.updated_at desc, haushalte.kontakt_key
      for update
    loop
      united_keys := united_keys || theirs.kontakt_key;
      mine := case
        when mine.kontakt_key is null then theirs
        when theirs.updated_at > mine.updated_at then unite_haushalte(mine, theirs)
        else unite_haushalte(theirs, mine)
      end;
    end loop;
    exit when mine.kontakt_key is null;
    update haushalte
    set (haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at) =
      (mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle, now())
    where haushalte.kontakt_key = survivor;
    exit when found;
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle)
    values (survivor, mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle)
    on conflict do nothing;
    exit when found;
  end loop;
  -- Not what a writer has stored under an alias since: the next merge unites that.
  delete from haushalte where haushalte.kontakt_key = any (united_keys);
end
$$;
comment on function unite_records is 'Called by merge_kontakte: unites the household records of a contact.';
