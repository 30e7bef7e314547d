-- Contracts of two household records: which are the same, and where they go.
--
-- @needs identity/text

create or replace function vertrag_identity(vertrag jsonb) returns text
  language sql immutable parallel safe
begin atomic
  with named as (
    select member, nullif(regexp_replace(lower_form(normalize(vertrag ->> member, nfkc)), '[[:space:][:punct:]]', '', 'g'), '') as value
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

create or replace function vertraege_places(mine jsonb, theirs jsonb) returns integer[]
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
create or replace function renumber_vertraege(document jsonb, places integer[]) returns jsonb
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

create or replace function renumbered_haushalt(theirs haushalte, places integer[]) returns haushalte
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
