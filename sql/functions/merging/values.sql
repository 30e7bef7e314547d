-- Fields and provenance of two household records as one; the rule is in moments.sql.
--
-- @needs merging/moments

-- Deeper than 64 levels an object is one field: no profile is that deep, and the stack is not endless.
create or replace function unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
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
  return case when other_value_wins(mine, theirs, path, mine_moments, theirs_moments) then theirs else coalesce(mine, theirs) end;
end
$$;
comment on function unite_values is 'One field of two profiles as one; path leads to it.';

create or replace function unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb) returns jsonb
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
        when other_value_wins((mine).haushalt #> entries.place, (theirs).haushalt #> entries.place, entries.path, mine_moments, theirs_moments)
          then (theirs).provenance -> entries.name
        else (mine).provenance -> entries.name
      end as entry
    from entries
  )
  select jsonb_object_agg(chosen.name, chosen.entry) filter (where chosen.entry is not null)
  from chosen;
end;
comment on function unite_provenance is 'The provenance of two united records.';
