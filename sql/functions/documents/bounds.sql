-- Which free-form documents may be stored: what every JSON parser can read, and what a page of rows can carry.

-- A row holds at most 256 KiB of documents as JSON text, a document at most 64 levels. A number that no double can hold
-- (RFC 8259, 6) has 200 digits in a row, as has a fraction that long; a text may have them too, and is looked at below.
create or replace function are_bounded(variadic documents jsonb[]) returns boolean
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  document jsonb;
  written text;
  bytes integer := 0;
begin
  foreach document in array documents loop
    written := document::text;
    bytes := bytes + coalesce(octet_length(written), 0);
    if bytes > 262144 or written ~ '[0-9]{100}[0-9]{100}'
      or jsonb_path_exists(document, 'strict $.**{64} ? (@.type() == "object" || @.type() == "array")') then
      return false;
    end if;
  end loop;
  return true;
end
$$;
comment on function are_bounded is
  'Whether documents may be stored in one row. False also where a text has 200 digits.';

-- Breadth first, so that what is deeper than the bound is never entered.
create or replace function document_fault(name text, document jsonb) returns text
  language sql immutable parallel safe
begin atomic
  with recursive members (path, value, level) as (
    select name, document, 1
    union all
    select members.path || inside.step, inside.value, members.level + 1
    from members
    cross join lateral (
      select '.' || member.key as step, member.value
      from jsonb_each(case when jsonb_typeof(members.value) = 'object' then members.value end) as member
      union all
      select '[' || element.place - 1 || ']', element.value
      from jsonb_array_elements(case when jsonb_typeof(members.value) = 'array' then members.value end)
        with ordinality as element (value, place)
    ) as inside
    where members.level <= 64 and jsonb_typeof(members.value) in ('object', 'array')
  )
  select case when level > 64 then left(path, 300) || ' is deeper than 64 levels'
    else left(path, 300) || ' is a number that no double can hold (RFC 8259, 6)' end
  from members
  where level > 64 and jsonb_typeof(value) in ('object', 'array')
    or jsonb_typeof(value) = 'number'
      and (abs(value::numeric) > 1.7976931348623157e308 or scale(value::numeric) > 400)
  order by level
  limit 1;
end;
comment on function document_fault is
  'Where a document is deeper than 64 levels or has a number beyond a double; null: nowhere.';

create or replace function require_bounded(names text[], variadic documents jsonb[]) returns void
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  bytes constant bigint := (select sum(octet_length(document::text)) from unnest(documents) as document);
  fault constant text := case
    when bytes > 262144 then
      format('%s: %s bytes of JSON, a row holds at most 262144', array_to_string(names, ' + '), bytes)
    else (
      select document_fault(named.name, named.document)
      from unnest(names, documents) as named (name, document)
      where document_fault(named.name, named.document) is not null
      limit 1) end;
begin
  if fault is not null then
    raise exception '%', fault using errcode = 'check_violation';
  end if;
end
$$;
comment on function require_bounded is
  'Fails with 23514 and the path of the member where documents may not be stored in one row.';

-- The columns of free-form documents of each table. Called where are_bounded is false.
create or replace function refuse_unbounded() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  given constant jsonb := to_jsonb(new);
begin
  perform require_bounded(tg_argv, variadic array(
    select given -> named.name from unnest(tg_argv) with ordinality as named (name, place) order by named.place));
  return new;
end
$$;
