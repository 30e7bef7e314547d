-- Events of household records: haushalt.updated, din.check_completed.
--
-- @needs events/analyses

create or replace function haushalt_payload(haushalt haushalte, before jsonb) returns jsonb
  language sql stable parallel safe
begin atomic
  select jsonb_build_object(
    'kontakt_key', (haushalt).kontakt_key,
    'quelle', (haushalt).quelle,
    'geaenderte_abschnitte', (
      select coalesce(jsonb_agg(section order by section), '[]')
      from jsonb_object_keys(coalesce(before, '{}') || (haushalt).haushalt) as section
      where before -> section is distinct from (haushalt).haushalt -> section
    ),
    'vertraege_anzahl', (haushalt).vertraege_anzahl,
    'luecken_anzahl', (
      select coalesce(sum((stufe ->> 'anzahl')::integer), 0)
      from jsonb_array_elements((haushalt).luecken_nach_stufe) as stufe
    ));
end;
comment on function haushalt_payload is
  'data of haushalt.updated; before is the profile as it was, null for a new one.';

create or replace function haushalte_events(before haushalte, after haushalte) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'haushalt', (after).kontakt_key::text, event_links(null, null), change.data
  from (
    select 'haushalt.updated', haushalt_payload(after, redact_income((before).haushalt))
    where (before).kontakt_key is null
      or (after).haushalt <> (before).haushalt and (after).haushalt <> redact_income((before).haushalt)
    union all
    select 'din.check_completed', din_check_payload(null, (after).quelle, (after).kontakt_key, (after).din_check)
    where is_new_check((before).din_check, (after).din_check)
  ) as change (event_type, data);
end;
comment on function haushalte_events is 'Events of a changed row, or of a new one: then before is null.';
