-- Rows without raw income, before they are stored.
--
-- @needs income/document, tables/personal

-- What triggers ask first: most rows concern no income, and this is all that they cost.
create or replace function concerns_income(written text) returns boolean
  language plpgsql immutable parallel safe strict
  set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return is_exotic(written) or has_income_piece(income_lower(written));
end
$$;
comment on function concerns_income is 'Whether a text may hold an income.';

-- A result entry has every member: what goes from it becomes null.
create or replace function keep_result_values(results jsonb, cleaned jsonb) returns jsonb
  language plpgsql immutable strict set search_path = public, pg_temp as $$
begin
  if cleaned = results or jsonb_typeof(results) <> 'array' then
    return cleaned;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(entry.value) = 'object' and jsonb_typeof(entry.clean) = 'object' then (
        select coalesce(jsonb_object_agg(kept.name, null), '{}')
        from unnest('{value,score}'::text[]) as kept (name) where entry.value ? kept.name) || entry.clean
      else entry.clean end
      order by entry.position)
    from rows from (jsonb_array_elements(results), jsonb_array_elements(cleaned))
      with ordinality as entry (value, clean, position));
end
$$;
comment on function keep_result_values is 'Cleaned result entries, each with a value again, be it null.';

-- Ids, identity keys, addresses, links and moments in the data of an event stay, whatever a title next to them says: an
-- erasure finds an event by them.
create or replace function keep_identifiers(data jsonb, cleaned jsonb) returns jsonb
  language plpgsql immutable strict set search_path = public, pg_temp set standard_conforming_strings = on as $$
begin
  -- Most events.
  if cleaned = data or jsonb_typeof(data) <> 'object' then
    return cleaned;
  end if;
  return cleaned || (
    select coalesce(jsonb_object_agg(member.key, member.value), '{}')
    from jsonb_each(data) as member
    where jsonb_typeof(member.value) = 'string'
      and member.value #>> '{}' ~* ('^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(email|phone|lead):\S+|https?://\S+'
        || '|[^\s@]+@[^\s@]+|\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?)?)$'));
end
$$;
comment on function keep_identifiers is 'Cleaned data of an event, in which what identifies something is as it was.';

-- The columns of a row are looked through together: a look at a small document costs as much as at a large one.
-- A signal's kind is the name of what its title says (einkommensaenderung: Neu 3.200 statt 2.900).
create or replace function income_changes(given jsonb, columns text[]) returns jsonb
  language plpgsql immutable
  set search_path = public, pg_temp set standard_conforming_strings = on set plan_cache_mode = force_generic_plan as $$
declare
  hits constant text[] := income_hits((select string_agg(given ->> name, e'\n') from unnest(columns) as name));
  named constant boolean := hits <> '{}' and 'kind' = any (columns)
    and coalesce(is_income_label(given ->> 'kind', hits), false);
begin
  if hits = '{}' then
    return '{}';
  end if;
  return (
    select coalesce(jsonb_object_agg(each.name, each.cleaned), '{}')
    from (
      select name,
        case name when 'results' then keep_result_values(given -> name, document)
          when 'data' then keep_identifiers(given -> name, document) else document end as cleaned
      from unnest(columns) as name
      cross join redact_income_document(given -> name,
        case when named and name in ('title', 'outcome') then 'named' else 'open' end::income_mode, 0, hits) as document
    ) as each
    where each.cleaned <> given -> each.name);
end
$$;
comment on function income_changes is 'Those of a row''s columns that hold raw income, with what is left of them.';

create or replace function redact_row() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  changes constant jsonb := income_changes(to_jsonb(new), tg_argv);
begin
  if changes <> '{}' then
    new := jsonb_populate_record(new, changes);
  end if;
  return new;
end
$$;
comment on function redact_row is 'Cleans the columns that its trigger names.';

-- Of rows that were stored with triggers off, or before the rule of today. The rule is asked of each row as it is when
-- it is locked, so that no writer's change is undone.
create or replace function redact_batch(
    wanted text, after_key text, row_limit integer, out last_key text, out seen integer, out changed integer)
  language plpgsql set search_path = public, pg_temp as $$
declare
  listed record;
begin
  select * into strict listed from personal_tables() where table_name = wanted;
  execute format($batch$
    with batch as (
      select %2$I as key from %1$I where $1 is null or %2$I > $1::%3$s order by %2$I limit $2
    ),
    cleaned as (
      update %1$I
      set (%4$s) = (select %4$s from jsonb_populate_record(%1$I, income_changes(to_jsonb(%1$I), $3)))
      from batch
      where %1$I.%2$I = batch.key and income_changes(to_jsonb(%1$I), $3) <> '{}'
      returning batch.key
    )
    select (select batch.key::text from batch order by batch.key desc limit 1),
      (select count(*) from batch), (select count(*) from cleaned)
    $batch$, wanted, listed.key_column, listed.key_type, array_to_string(listed.texts, ', '))
    into last_key, seen, changed
    using after_key, row_limit, listed.texts;
end
$$;
comment on function redact_batch is
  'Applies the rule to the rows of a table behind a key, or to the first; last_key is null where there are none.';
revoke execute on function redact_batch from public;
