-- Events of household records: haushalt.updated, din.check_completed.

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

create or replace function emit_haushalt_created() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, null) as data
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$$;
revoke execute on function emit_haushalt_created from public;

create or replace function emit_haushalt_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  join old_rows on old_rows.kontakt_key = new_rows.kontakt_key
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, before.haushalt) as data
    from (select redact_income(old_rows.haushalt) as haushalt) as before
    where new_rows.haushalt <> old_rows.haushalt and new_rows.haushalt <> before.haushalt
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
      and new_rows.din_check is distinct from old_rows.din_check
      and new_rows.din_check is distinct from redact_income(old_rows.din_check)
  ) as change;
  return null;
end
$$;
revoke execute on function emit_haushalt_changed from public;
