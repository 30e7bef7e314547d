-- Two household records as one.
--
-- @needs merging/contracts, merging/values

create or replace function unite_haushalte(mine haushalte, theirs haushalte) returns haushalte
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  united haushalte := mine;
  mine_moments constant jsonb := provenance_moments(mine.provenance);
  theirs_moments jsonb;
  their_check_is_newer boolean;
begin
  if jsonb_typeof(mine.haushalt -> 'vertraege') = 'array' and jsonb_typeof(theirs.haushalt -> 'vertraege') = 'array' then
    theirs := renumbered_haushalt(theirs, vertraege_places(mine.haushalt -> 'vertraege', theirs.haushalt -> 'vertraege'));
  end if;
  theirs_moments := provenance_moments(theirs.provenance);
  their_check_is_newer := theirs.din_check is not null and (mine.din_check is null
    or coalesce(iso_moment(theirs.din_check ->> 'erstellt_am'), '-infinity') > coalesce(iso_moment(mine.din_check ->> 'erstellt_am'), '-infinity'));
  united.haushalt := unite_values(mine.haushalt, theirs.haushalt, '', mine_moments, theirs_moments);
  united.provenance := unite_provenance(mine, theirs, mine_moments, theirs_moments);
  if their_check_is_newer then
    united.din_check := theirs.din_check;
    united.empfehlungen_aktuell := coalesce(theirs.empfehlungen_aktuell, mine.empfehlungen_aktuell);
  else
    united.empfehlungen_aktuell := coalesce(mine.empfehlungen_aktuell, theirs.empfehlungen_aktuell);
  end if;
  united.quelle := case when theirs.updated_at > mine.updated_at then coalesce(theirs.quelle, mine.quelle) else coalesce(mine.quelle, theirs.quelle) end;
  united.updated_at := greatest(mine.updated_at, theirs.updated_at);
  return united;
end
$$;
comment on function unite_haushalte is 'Two household records as one, under the key of the first.';

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
      where haushalte.kontakt_key in (select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor)
      order by haushalte.updated_at desc, haushalte.kontakt_key
      for update
    loop
      united_keys := united_keys || theirs.kontakt_key;
      mine := case when mine.kontakt_key is null then theirs else unite_haushalte(mine, theirs) end;
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
