-- How two household records become one; pure functions over documents. Mine is the survivor's record, theirs the
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
create or replace function iso_moment(value text) returns timestamptz
  language plpgsql stable strict set timezone = 'UTC'
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
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
create or replace function provenance_moments(provenance jsonb) returns jsonb
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

create or replace function field_moment(moments jsonb, path text) returns numeric
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

create or replace function is_unknown(value jsonb) returns boolean
  language sql immutable parallel safe
  return value is null or value = 'null';
comment on function is_unknown is 'Whether a field is absent or null.';

create or replace function other_value_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) returns boolean
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
comment on function other_value_wins is 'Whether the other record''s value of a field is taken.';
