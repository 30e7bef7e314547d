-- Merging contacts: the only way an alias comes to be. Aliases stay flat, one hop from alias to survivor.

-- First how two household records become one; pure functions over documents. Mine is the survivor's record, theirs the
-- other one:
--   * A field is a scalar, a list, or an object that a provenance names as one and names nothing inside. Other
--     objects are united member by member.
--   * The moment of a field is the member stand of its entry in provenance. An entry is named by its path
--     ("haushalt.personen[0].beruf"). Of a list, the newest entry at it or inside it counts; of a field without an entry
--     of its own, the entry of what contains it. No entry, or none with a moment: older than everything.
--   * A field that is absent or null is filled from the other record. Else the newer moment wins. Of equal moments
--     mine wins, unless it is empty.
--   * Contracts are the same if sparte, versicherer and vertragsnummer are, upper and lower case and punctuation aside;
--     without a sparte, or with neither of the others, only if they are equal. The second of two such contracts is the
--     same as the other record's second. The same contract is united member by member, all others are kept.
--   * A provenance entry goes with the value that it describes.
--   * The DIN check is the one with the newer erstellt_am, mine if equal. It describes one of the two profiles, until the
--     platform computes a new one. The recommendations are those made from it.
--   * quelle is that of the record that changed last.

-- ISO 8601, anything else is no moment.
create function iso_moment(value text) returns timestamptz
  language plpgsql stable strict set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  if value ~ '^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$' then
    return value::timestamptz;
  end if;
  return null;
exception
  when data_exception then
    return null;
end
$$;
comment on function iso_moment is 'The moment an ISO 8601 text names, in UTC where it has no offset; null where it names none.';

-- Worked out once per record, because every field asks: own is the moment of each entry by its path, inside the
-- newest of all entries inside a path, for every path that contains one. Null where there is none.
create function provenance_moments(provenance jsonb) returns jsonb
  language sql stable
begin atomic
  with entries as materialized (
    select entry.key as path, extract(epoch from iso_moment(entry.value ->> 'stand')) as moment
    from jsonb_each(provenance) as entry
  ),
  -- Deeper than 200 levels no field is ever asked for.
  containers as (
    select array_to_string(steps.names[1:level], '') as path, max(entries.moment) as moment
    from entries
    cross join lateral (select regexp_split_to_array(entries.path, '(?=[.[])') as names) as steps
    -- A name may be empty: then the path of what contains it is as well.
    cross join lateral generate_series(case when entries.path ~ '^[.[]' then 0 else 1 end, least(cardinality(steps.names) - 1, 200)) as level
    group by array_to_string(steps.names[1:level], '')
  )
  select jsonb_build_object(
    'own', (select coalesce(jsonb_object_agg(entries.path, entries.moment), '{}') from entries),
    'inside', (select coalesce(jsonb_object_agg(containers.path, containers.moment), '{}') from containers));
end;
comment on function provenance_moments is 'The moments of a provenance in seconds, by path: of the entries themselves, and of what is inside a path.';

create function field_moment(moments jsonb, path text) returns numeric
  language plpgsql immutable parallel safe as $$
declare
  moment constant numeric := greatest((moments -> 'own' ->> path)::numeric, (moments -> 'inside' ->> path)::numeric);
  container text := path;
begin
  -- Without one of its own the nearest container's counts.
  while moment is null loop
    container := substring(container from '^(.*)[.[]');
    exit when container is null;
    if moments -> 'own' ? container then
      return coalesce((moments -> 'own' ->> container)::numeric, '-infinity');
    end if;
  end loop;
  return coalesce(moment, '-infinity');
end
$$;
comment on function field_moment is 'How new a field is, in seconds; -infinity where provenance does not say.';

create function is_unknown(value jsonb) returns boolean
  language sql immutable parallel safe
  return value is null or value = 'null';
comment on function is_unknown is 'Whether a field is absent or null.';

create function theirs_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) returns boolean
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  ahead constant numeric := case when is_unknown(mine) or is_unknown(theirs) then 0
    else field_moment(theirs_moments, path) - field_moment(mine_moments, path) end;
begin
  return case
    when is_unknown(theirs) then false
    when is_unknown(mine) then true
    -- Both -infinity: their difference is no number.
    when ahead <> 0 and ahead <> 'NaN' then ahead > 0
    else mine in ('[]', '{}')
  end;
end
$$;
comment on function theirs_wins is 'Whether the other record''s value of a field is taken.';

-- Deeper than 64 levels an object is one field: no profile is that deep, and the stack is not endless.
create function unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) returns jsonb
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
begin
  if mine = theirs then
    return mine;
  end if;
  if path = 'vertraege' and jsonb_typeof(mine) = 'array' and jsonb_typeof(theirs) = 'array' then
    return (
      select coalesce(jsonb_agg(unite_values(mine -> place, theirs -> place, format('vertraege[%s]', place), mine_moments, theirs_moments) order by place), '[]')
      from generate_series(0, greatest(jsonb_array_length(mine), jsonb_array_length(theirs)) - 1) as place);
  end if;
  if jsonb_typeof(mine) = 'object' and jsonb_typeof(theirs) = 'object'
    and cardinality(string_to_array(path, '.')) <= 64
    and (
      path ~ '^vertraege\[\d+\]$' or mine_moments -> 'inside' ? path or theirs_moments -> 'inside' ? path
      or not (mine_moments -> 'own' ? path or theirs_moments -> 'own' ? path)) then
    return (
      select coalesce(jsonb_object_agg(
        name, unite_values(mine -> name, theirs -> name, concat_ws('.', nullif(path, ''), name), mine_moments, theirs_moments)), '{}')
      from jsonb_object_keys(mine || theirs) as name);
  end if;
  return case when theirs_wins(mine, theirs, path, mine_moments, theirs_moments) then theirs else coalesce(mine, theirs) end;
end
$$;
comment on function unite_values is 'One field of two profiles as one; path leads to it.';

create function unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb) returns jsonb
  language sql immutable
begin atomic
  with entries as (
    select name, string_to_array(translate(field.path, '[]', '.'), '.') as place, field.path
    from jsonb_object_keys(coalesce((mine).provenance, '{}') || coalesce((theirs).provenance, '{}')) as name
    -- Of an entry inside a list the field is the list, for a list is taken whole.
    cross join lateral (select substring(name from '^(?:vertraege\[\d+\])?[^\[]*') as path) as field
  ),
  chosen as (
    select entries.name,
      case
        when is_unknown((mine).haushalt #> entries.place) and is_unknown((theirs).haushalt #> entries.place)
          then coalesce((mine).provenance -> entries.name, (theirs).provenance -> entries.name)
        when theirs_wins((mine).haushalt #> entries.place, (theirs).haushalt #> entries.place, entries.path, mine_moments, theirs_moments)
          then (theirs).provenance -> entries.name
        else (mine).provenance -> entries.name
      end as entry
    from entries
  )
  select jsonb_object_agg(chosen.name, chosen.entry) filter (where chosen.entry is not null)
  from chosen;
end;
comment on function unite_provenance is 'The provenance of two united records.';

create function vertrag_identity(vertrag jsonb) returns text
  language sql immutable parallel safe
begin atomic
  with named as (
    select member, nullif(regexp_replace(search_form(normalize(vertrag ->> member, nfkc)), '[[:space:][:punct:]]', '', 'g'), '') as value
    from unnest(array['sparte', 'versicherer', 'vertragsnummer']) as member
  )
  select case
    when count(named.value) >= 2 and bool_or(named.member = 'sparte' and named.value is not null)
      then jsonb_object_agg(named.member, named.value)::text
    else vertrag::text
  end
  from named;
end;
comment on function vertrag_identity is 'What two records call the same contract by.';

create function vertraege_places(mine jsonb, theirs jsonb) returns integer[]
  language sql immutable parallel safe
begin atomic
  with contracts as (
    select named.is_mine, named.place, named.identity,
      row_number() over (partition by named.is_mine, named.identity order by named.place) as turn
    from (
      select lists.is_mine, contract.ordinality::integer - 1 as place, vertrag_identity(contract.value) as identity
      from (values (true, mine), (false, theirs)) as lists (is_mine, vertraege)
      cross join lateral jsonb_array_elements(lists.vertraege) with ordinality as contract
      offset 0
    ) as named
  ),
  placed as (
    select contracts.place as their_place, same.place,
      count(*) filter (where same.place is null) over (order by contracts.place) as nth_new
    from contracts
    left join contracts as same on same.is_mine and same.identity = contracts.identity and same.turn = contracts.turn
    where not contracts.is_mine
  )
  select coalesce(array_agg(coalesce(placed.place, jsonb_array_length(mine) + placed.nth_new::integer - 1) order by placed.their_place), '{}')
  from placed;
end;
comment on function vertraege_places is 'Where each of their contracts stands in the united list, which begins with mine.';

-- Provenance and DIN checks point at contracts by their place: "vertraege[1]".
create function renumber_vertraege(document jsonb, places integer[]) returns jsonb
  language sql immutable parallel safe
begin atomic
  select string_agg(
      case
        when pointer.place is null then part.value
        else '"vertraege[' || coalesce(places[pointer.place + 1], pointer.place)::text || substr(part.value, length('"vertraege[' || pointer.place::text) + 1)
      end, '' order by part.position)::jsonb
  from regexp_split_to_table(document::text, '(?="vertraege\[\d)') with ordinality as part (value, position)
  cross join lateral (select substring(part.value from '^"vertraege\[(0|[1-9]\d{0,5})\]')::integer as place) as pointer;
end;
comment on function renumber_vertraege is 'A document whose pointers at contracts follow them to their new places.';

create function renumbered_haushalt(theirs haushalte, places integer[]) returns haushalte
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
begin
  theirs.haushalt := jsonb_set(theirs.haushalt, '{vertraege}', (
    select coalesce(jsonb_agg(coalesce(theirs.haushalt -> 'vertraege' -> (array_position(places, place) - 1), 'null') order by place), '[]')
    from generate_series(0, (select max(place) from unnest(places) as place)) as place));
  theirs.provenance := renumber_vertraege(theirs.provenance, places);
  theirs.din_check := renumber_vertraege(theirs.din_check, places);
  theirs.empfehlungen_aktuell := renumber_vertraege(theirs.empfehlungen_aktuell, places);
  return theirs;
end
$$;
comment on function renumbered_haushalt is 'A record with its contracts moved to their places in the united list.';

create function unite_haushalte(mine haushalte, theirs haushalte) returns haushalte
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
create function unite_records(survivor text) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  mine haushalte;
  theirs haushalte;
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
  delete from haushalte
  where haushalte.kontakt_key in (select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor);
end
$$;
comment on function unite_records is 'A piece of merge_kontakte: unites the household records of a contact.';

create function canonical_kontakt_key(identity text) returns text
  language plpgsql stable strict set search_path = public, pg_temp as $$
declare
  own_key constant text := kontakt_key(identity);
begin
  return coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = own_key), own_key);
end
$$;
comment on function canonical_kontakt_key is 'The surviving key of the contact that any spelling of an identity stands for; null where it is none. Writers store under it.';

-- Merges the contact that alias_key stands for into the one canonical_key stands for. Both may be spelled
-- in any form. Merging a contact with itself, again, or the other way round changes nothing and emits nothing.
-- Serialised by one lock: two merges at once could otherwise make a chain or a cycle.
-- Analyses and signals keep the key they were written with, as their events do: every key of a contact leads to it,
-- and rewriting them would move updated_at of signals that did not change.
create function merge_kontakte(alias_key text, canonical_key text) returns boolean
  language plpgsql set search_path = public, pg_temp as $$
declare
  loser text;
  survivor text;
begin
  if kontakt_key(alias_key) is null or kontakt_key(canonical_key) is null then
    raise exception 'merge_kontakte takes two identities: email:, phone: or lead: and a value, in any spelling'
      using errcode = 'invalid_parameter_value';
  end if;
  -- Under a snapshot from before the lock, two merges would not see each other.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'merge_kontakte needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  loser := canonical_kontakt_key(alias_key);
  survivor := canonical_kontakt_key(canonical_key);
  if loser = survivor then
    return false;
  end if;
  update kontakt_aliases set canonical_key = survivor where kontakt_aliases.canonical_key = loser;
  insert into kontakt_aliases (alias_key, canonical_key) values (loser, survivor);
  perform emit_event('kontakt.merged', 'kontakt', survivor, '{}',
    jsonb_build_object('canonical_key', survivor, 'alias_key', loser));
  perform unite_records(survivor);
  return true;
end
$$;
comment on function merge_kontakte is 'Merges one contact into another and unites their household records; returns whether anything changed.';

-- Whoever writes aliases by hand keeps them flat as well.
create function refuse_alias_chain() returns trigger
  language plpgsql
  set search_path = public, pg_temp
  -- In the middle of a bulk load there are no statistics yet, and the planner would walk all aliases for each new one.
  set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  if exists (select from new_rows join kontakt_aliases on kontakt_aliases.alias_key = new_rows.canonical_key)
    or exists (select from new_rows join kontakt_aliases on kontakt_aliases.canonical_key = new_rows.alias_key) then
    raise exception 'an alias leads to a surviving key, never to another alias: use merge_kontakte(alias_key, canonical_key)'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger kontakt_aliases_flat_on_insert after insert on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();
create trigger kontakt_aliases_flat_on_update after update on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();
