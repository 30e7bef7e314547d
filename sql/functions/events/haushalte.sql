-- Events of household records: haushalt.updated, din.check_completed.
--
-- @needs events/analyses

create or replace function haushalte_events(before haushalte, after haushalte) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'haushalt', (after).kontakt_key::text, event_links(null, null), change.data
  from (
    select 'haushalt.updated', jsonb_build_object(
      'kontakt_key', (after).kontakt_key,
      'quelle', (after).quelle,
      'geaenderte_abschnitte', (
        select coalesce(jsonb_agg(section order by section), '[]')
        from jsonb_object_keys(coalesce(cleaned.haushalt, '{}') || (after).haushalt) as section
        where cleaned.haushalt -> section is distinct from (after).haushalt -> section
      ),
      'vertraege_anzahl', (after).vertraege_anzahl,
      'luecken_anzahl', (
        select coalesce(sum((stufe ->> 'anzahl')::integer), 0)
        from jsonb_array_elements((after).luecken_nach_stufe) as stufe
      ))
    -- With offset 0 it is cleaned once, and only where it changed.
    from (
      select redact_income((before).haushalt) as haushalt
      where (after).haushalt is distinct from (before).haushalt
      offset 0
    ) as cleaned
    where (after).haushalt is distinct from cleaned.haushalt
    union all
    select 'din.check_completed', din_check_payload(null, (after).quelle, (after).kontakt_key, (after).din_check)
    where is_new_check((before).din_check, (after).din_check)
  ) as change (event_type, data);
end;
comment on function haushalte_events is 'Events of a changed row, or of a new one: then before is null.';
