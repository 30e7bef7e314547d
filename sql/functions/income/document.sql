-- Raw income never reaches the disk: triggers rewrite the documents before a row is stored. What a person
-- receives goes; needs, claims, insured benefits, contributions, expenses, assets, debts and booleans stay.
-- The rule, in the order in which it is asked, and the function that asks:
--   known    a path of the published schema: flagged fields go, other numbers stay      income_schema
--   name     an unknown member named after an income keeps booleans, nulls and
--            texts without a number                                                     is_income_name
--   sibling  next to a name, label or path of an income the amounts go, on known
--            paths too                                                                  names_an_income
--   zone     below personen, and below whatever is named after an income, unknown
--            numbers go                                                                 income_member_mode
--   text     in a sentence about an income every amount becomes [entfernt]; JSON
--            inside a text is a document                                                redact_income_text
-- Everything else stays as it is. Each is asked only of parts that have one of the pieces in hits (income_hits).
--
-- @needs income/amounts, income/meaning, income/schema, income/tables, income/text

-- What a person has towards a target may be the income itself: then every source of it is an income, or one
-- of them has the same value.
create or replace function is_income_istwert(istwert jsonb, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  return (
    select coalesce(
      bool_and(source.income) or bool_or(source.income and source.wert = istwert -> 'wert_eur'), false)
    from (
      select entry -> 'wert_eur' as wert,
        case jsonb_typeof(entry)
          when 'object' then names_an_income(entry, hits)
          when 'string' then is_income_text(income_plain(entry #>> '{}'), hits)
          else false
        end as income
      from jsonb_array_elements(
        case when jsonb_typeof(istwert -> 'quellen') = 'array' then istwert -> 'quellen' else '[]' end) as entry
    ) as source);
end
$$;
comment on function is_income_istwert is 'Whether the actual value of a DIN row is nothing but an income.';

-- A member whose path is not published: income when it, or a part of it where it is written as a path, is named after
-- one; zone for a path below personen; else as its surroundings are.
create or replace function income_key_mode(key text, mode income_mode, hits text[]) returns income_mode
  language plpgsql immutable as $$
declare
  parts text[];
  known jsonb := income_schema();
begin
  if key = translate(key, '[]./', '') and position('__' in key) = 0 then
    return case when is_hit('"' || key || '"', hits) and is_income_name(key) then 'income' else mode end;
  end if;
  parts := array(
    select part from string_to_table(translate(replace(key, '__', '.'), '[]/:>', '.....'), '.') as part
    where translate(part, '0123456789*$', '') <> '');
  for position in 1 .. cardinality(parts) loop
    known := case when jsonb_typeof(known) = 'object' then known -> parts[position] end;
    if known = '"x"' then
      return 'income';
    end if;
  end loop;
  if known is null and is_hit(key, hits) and exists (
      select from unnest(parts) as part where is_income_name(part)) then
    return 'income';
  end if;
  return case when 'personen' = any (parts) and (known is null or jsonb_typeof(known) = 'object')
    then greatest(mode, 'zone') else mode end;
end
$$;
comment on function income_key_mode is 'The mode in which an unpublished member is redacted, by its name.';

-- {"rente": {"status": "laufend", "betrag": 1310}}, {"base": 61000, "bonus": 9000}
create or replace function is_paid(key text, node jsonb) returns boolean
  language plpgsql immutable as $$
begin
  return node ?| '{base,basis,fix}' and node ?| '{bonus,variable,variabel}'
    or is_income_name(key || '_laufend') and exists (
      select from jsonb_each(node) as member
      where income_key(member.key) ~ '^(bezieht|bezogen|bezug|erhalt|ausgezahlt|received)'
        or jsonb_typeof(member.value) = 'string' and income_key(member.key) in ('status', 'art', 'typ', 'type', 'stand')
          and income_lower(member.value #>> '{}') ~ '(laufend|bezogen|bezieht|in zahlung|ausgezahlt|received|paid)');
end
$$;
comment on function is_paid is 'Whether the members of an object say that it is received now.';

create or replace function income_member_mode(key text, value jsonb, known jsonb, mode income_mode, named boolean,
    hits text[]) returns income_mode
  language plpgsql immutable as $$
declare
  object constant boolean := jsonb_typeof(value) = 'object';
begin
  if key = 'sollwert' and object and mode < 'income' then
    return mode;
  end if;
  mode := case when named then 'named' else mode end;
  if known = '"b"' then
    return greatest(mode, income_key_mode(key, mode, hits));
  elsif known = '"x"' or mode = 'income' then
    return 'income';
  elsif named and income_key(key) ~ ('^(wert|betrag|summe|value|amount|hohe|hoehe|monat|jahr|jaehr|min|max|von|bis'
      '|antwort|answer|angabe|eur|brutto|netto|zahl|base|basis|fix|haupt|a$)') then
    return 'income';
  elsif key = 'istwert' and object and mode in ('open', 'zone') and is_income_istwert(value, hits) then
    return 'named';
  elsif object and jsonb_typeof(known) is distinct from 'object' and pg_column_size(value) < 2000
    and is_hit(key || value, hits) and is_paid(key, value) then
    return 'income';
  elsif known is null then
    mode := income_key_mode(key, mode, hits);
  end if;
  return case when key = 'personen' then greatest(mode, 'zone') else mode end;
end
$$;
comment on function income_member_mode is 'The mode in which a member is redacted.';

create or replace function redact_income_leaf(leaf jsonb, known jsonb, mode income_mode, depth integer, hits text[])
  returns jsonb
  language plpgsql immutable as $$
declare
  written text;
  cleaned text;
begin
  if jsonb_typeof(leaf) = 'number' then
    return case when mode = 'open' or mode < 'income' and known = '"n"' then leaf end;
  elsif jsonb_typeof(leaf) <> 'string' or mode = 'open' and not is_hit(leaf::text, hits) then
    return leaf;
  end if;
  written := leaf #>> '{}';
  if not has_amount(written) or is_moment(written) then
    return leaf;
  elsif mode = 'income' then
    return null;
  elsif mode = 'zone' and jsonb_typeof(known) is distinct from 'string'
    and left(ltrim(written, income_blanks()), 2) collate "C" !~ '^(0[0-9]|[+])'
    and btrim(scrub_amounts(written), income_blanks()) = '[entfernt]' then
    return null;
  elsif mode = 'zone' and not is_hit(leaf::text, hits) then
    return leaf;
  end if;
  cleaned := redact_income_text(written, mode = 'named', depth, hits);
  return case when cleaned = written then leaf else to_jsonb(cleaned) end;
end
$$;
comment on function redact_income_leaf is 'A number or a text without raw income; null when it goes.';

-- Null means that the value goes, and the member or element with it.
create or replace function redact_income_node(
    node jsonb, known jsonb, mode income_mode, exempt boolean, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  kind constant text := jsonb_typeof(node);
  -- Deeper than a document nests on purpose. Each level writes anew what is below it.
  deep constant boolean := depth > 64 or depth > 10 and pg_column_size(node) > 64000;
  given jsonb := node;
  named boolean;
  result jsonb;
begin
  if kind not in ('object', 'array') then
    return redact_income_leaf(node, known, mode, depth, hits);
  end if;
  -- Most parts of a document are left after one look. Large ones far down are looked at in their parts: a look at
  -- every level would read the document once per level.
  if mode = 'open' and (depth < 3 or deep or pg_column_size(node) < 2000) and not is_hit(node::text, hits) then
    return node;
  elsif deep then
    return 'null';
  end if;
  -- A head and its rows are two.
  if mode < 'income' and hits <> '{}' and (kind = 'array' or jsonb_array_length(
      jsonb_path_query_array(node, 'strict $.* ? (@.type() == "object" || @.type() == "array")')) > 1) then
    given := redact_income_table(node, hits);
  end if;
  if kind = 'object' then
    named := mode = 'named' or mode < 'named' and not exempt and hits <> '{}' and names_an_income(given, hits);
    select coalesce(jsonb_object_agg(member.key, member.clean), '{}') into result
    from (
      select each.key, redact_income_member(each.key, each.value,
        case when jsonb_typeof(known) = 'object' then known -> each.key end, mode, named, depth, hits) as clean
      from jsonb_each(given) as each
      offset 0
    ) as member
    where member.clean is not null;
  else
    result := redact_income_array(given, known, mode, depth, hits);
  end if;
  return case when mode = 'income' and result in ('{}', '[]') then null else result end;
end
$$;
comment on function redact_income_node is 'A part of a document without raw income; null when it goes.';

-- Years are no amounts; below an income they may be, as in the answers to choose from.
create or replace function is_amount_name(name text, mode income_mode, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
declare
  plain constant text := income_plain(translate(name, '_', ' '));
begin
  if translate(name, '123456789', '000000000') not like '%00%' then
    return false;
  elsif mode = 'income' and name !~ '[a-z]_?(19|20)[0-9]{2}$' then
    return scrub_amounts(income_plain(name)) <> income_plain(name);
  end if;
  return is_hit('"' || name || '"', hits) and is_income_text(plain, hits)
    and scrub_amounts(regexp_replace(plain, '(^|[^0-9])(19|20)[0-9]{2}($|[^0-9])', '', 'g')) like '%[entfernt]%';
end
$$;
comment on function is_amount_name is 'Whether a member''s name holds the amount of an income.';

create or replace function redact_income_member(
    key text, value jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  kind constant text := jsonb_typeof(value);
begin
  -- A number goes by the name itself.
  if kind <> 'number' and is_amount_name(key, mode, hits) then
    return null;
  elsif kind in ('boolean', 'null') then
    return value;
  -- A score of an income field rates it from 0 to 100; what is beyond is the income itself.
  elsif named and key = 'score' and kind = 'number' then
    return case when value::numeric between 0 and 100 then value end;
  -- Most members of a person: published, and no word of income.
  elsif mode < 'named' and not named and known in ('"n"', '"s"')
      and (kind = 'number' or kind = 'string' and not is_hit(value::text, hits))
    or mode = 'open' and not named and known is distinct from '"x"' and pg_column_size(value) < 2000
      and not is_hit(key || '"' || value, hits) then
    return value;
  end if;
  mode := income_member_mode(key, value, known, mode, named, hits);
  return redact_income_node(value,
    case when mode < 'income' then coalesce(known, case when key = 'personen' then income_schema() -> key end) end,
    mode, key in ('sollwert', 'istwert'), depth + 1, hits);
end
$$;
comment on function redact_income_member is 'A member''s value without raw income; null when the member goes.';

create or replace function redact_income_array(
    node jsonb, known jsonb, mode income_mode, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  named boolean := false;
  answers boolean[] := '{}';
begin
  -- ["Nettoeinkommen", 3200]: the name is an element.
  if mode = 'open' and jsonb_array_length(node) <= 20 then
    for place in 0 .. jsonb_array_length(node) - 1 loop
      exit when named;
      named := jsonb_typeof(node -> place) = 'string' and length(node ->> place) <= 100
        and is_hit((node -> place)::text, hits) and is_income_label(node ->> place, hits);
    end loop;
  end if;
  if mode < 'named' and hits <> '{}' and position('?' in node::text) > 0 then
    answers := income_answers(node, hits);
  end if;
  return (
    select coalesce(jsonb_agg(element.clean order by element.place), '[]')
    from (
      -- An answer that goes becomes null: else the next turn would be one, a second time.
      select entry.place, coalesce(redact_income_node(entry.value, known,
        case
          when answers[entry.place] then 'named'
          when named and jsonb_typeof(entry.value) in ('number', 'string') then 'zone'
          else mode
        end, false, depth + 1, hits), case when answers[entry.place] then 'null'::jsonb end) as clean
      from jsonb_array_elements(node) with ordinality as entry (value, place)
      offset 0
    ) as element
    where element.clean is not null);
end
$$;
comment on function redact_income_array is 'An array without raw income.';

create or replace function redact_income_document(document jsonb, mode income_mode, depth integer, hits text[])
  returns jsonb
  language sql immutable strict
  return case when mode = 'open' and hits = '{}' then document
    else coalesce(redact_income_node(document, income_schema(), mode, false, depth, hits), 'null') end;
comment on function redact_income_document is 'A document without raw income, in a mode and at a depth.';

-- One plan for all documents: many writers ask for a new one for each, and planning takes longer than the work.
create or replace function redact_income(document jsonb) returns jsonb
  language plpgsql immutable strict
  set search_path = public, pg_temp set standard_conforming_strings = on set plan_cache_mode = force_generic_plan as $$
begin
  return redact_income_document(document, 'open', 0, income_hits(document::text));
end
$$;
comment on function redact_income(jsonb) is 'A document without the raw income amounts of persons; idempotent.';

create or replace function redact_income(document text) returns text
  language plpgsql immutable strict
  set search_path = public, pg_temp set standard_conforming_strings = on set plan_cache_mode = force_generic_plan as $$
declare
  hits text[];
begin
  if not has_amount(document) then
    return document;
  end if;
  hits := income_hits(document);
  return case when hits = '{}' then document else redact_income_text(document, false, 0, hits) end;
end
$$;
comment on function redact_income(text) is 'A text without the raw income amounts of persons; idempotent.';
