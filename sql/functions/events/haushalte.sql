-- Events of household records: haushalt.updated, din.check_completed.
--
-- @needs events/analyses

create or replace function changed_sections(before jsonb, after jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select coalesce(jsonb_agg(section.name order by section.name), '[]')
  from (
    select jsonb_object_keys(coalesce(before, '{}') || after) as name
  ) as section
  where before -> section.name is distinct from after -> section.name;
end;
comment on function changed_sections is 'The top-level members in which two documents differ, sorted.';

create or replace function haushalt_payload(haushalt haushalte, before jsonb) returns jsonb
  language sql stable parallel safe
begin atomic
  select jsonb_build_object(
    'kontakt_key', (haushalt).kontakt_key,
    'quelle', (haushalt).quelle,
    'geaenderte_abschnitte', changed_sections(before, (haushalt).haushalt),
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
comment on function haushalte_events is 'The events of a row that was changed, or of a new one: then before is null.';
