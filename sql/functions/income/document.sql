-- Raw income never reaches the disk: triggers rewrite the documents before a row is stored. What a person
-- receives goes; needs, claims, insured benefits, contributions, expenses, assets, debts and booleans stay.
-- The rule, in the order in which it is asked, and the function that asks:
--   known    a path of the published schema: flagged fields go, other numbers stay      income_schema
--   name     an unknown member named after an income keeps booleans, nulls and
--            texts without a number                                                     is_income_name
--   sibling  next to a name, label or path of an income the amounts go, on known
--            paths too                                                                  names_an_income
--   zone     below personen, and below whatever is named after an income, unknown
--            numbers go                                                                 redact_income_member
--   text     in a sentence about an income every amount becomes [entfernt]; JSON
--            inside a text is a document                                                redact_income_text
-- Everything else stays as it is. Texts are written in and compared as ASCII: umlauts as a, o, u, and what
-- writes them out (ae) is allowed for in the patterns, so that the rule is the same under every collation.
--
-- redact_income(jsonb) takes a document, redact_income(text) a text. income_hits looks first whether there is anything to
-- remove: in most there is not.
--
-- @needs income/lexicon, income/text, income/words, income/tables

-- What a person has towards a target may be the income itself: then every source of it is an income, or one
-- of them has the same value.
create or replace function is_income_istwert(istwert jsonb, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  return (
    select coalesce(bool_and(source.income) or bool_or(source.income and source.wert = istwert -> 'wert_eur'), false)
    from (
      select entry -> 'wert_eur' as wert,
        case jsonb_typeof(entry)
          when 'object' then names_an_income(entry, hits)
          when 'string' then is_income_text(income_fold(entry #>> '{}'))
          else false
        end as income
      from jsonb_array_elements(case when jsonb_typeof(istwert -> 'quellen') = 'array' then istwert -> 'quellen' else '[]' end) as entry
    ) as source);
end
$$;
comment on function is_income_istwert is 'Whether the actual value of a DIN row is nothing but an income.';

-- How a member is treated whose path is not published: 3 when it, or a part of it where it is written as a
-- path, is named after an income; 1 for a path below personen; else as its surroundings are.
create or replace function income_key_mode(key text, mode integer, hits text[]) returns integer
  language plpgsql immutable as $$
declare
  parts text[];
  known jsonb := income_schema();
begin
  if key = translate(key, '[]./', '') and position('__' in key) = 0 then
    return case when is_hit('"' || key || '"', hits) and is_income_name(key) then 3 else mode end;
  end if;
  parts := array(
    select part from string_to_table(translate(replace(key, '__', '.'), '[]/:>', '.....'), '.') as part
    where translate(part, '0123456789*$', '') <> '');
  for position in 1 .. cardinality(parts) loop
    known := case when jsonb_typeof(known) = 'object' then known -> parts[position] end;
    if known = '"x"' then
      return 3;
    end if;
  end loop;
  if known is null and is_hit(key, hits) and exists (select from unnest(parts) as part where is_income_name(part)) then
    return 3;
  end if;
  return case when 'personen' = any (parts) and (known is null or jsonb_typeof(known) = 'object') then greatest(mode, 1) else mode end;
end
$$;
comment on function income_key_mode is 'The mode in which an unpublished member is redacted, by its name.';

-- Modes, each stricter than the one before:
--   0  open: names, siblings and texts decide
--   1  zone: unknown numbers go, and unknown texts that are nothing but an amount
--   2  named: the object says that it is about an income; every amount in its texts goes as well
--   3  income: only booleans, nulls and texts without a number stay
-- Null means that the value goes, and the member or element with it.
create or replace function redact_income_member(key text, value jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  kind constant text := jsonb_typeof(value);
  inner_mode integer := case when named then 2 else mode end;
begin
  -- Most members of a person: published, and no word of income anywhere.
  if hits = '{}' and mode < 2 and (kind = 'number' and known = '"n"' or kind = 'string' and known in ('"s"', '"n"')) then
    return value;
  end if;
  -- A score of an income field rates it from 0 to 100; what is beyond is the income itself.
  if named and key = 'score' and kind = 'number' and value::numeric not between 0 and 100 then
    return null;
  end if;
  if key = 'sollwert' and kind = 'object' and mode < 3 then
    inner_mode := mode;
  elsif known = '"b"' and kind <> 'boolean' then
    inner_mode := greatest(inner_mode, income_key_mode(key, inner_mode, hits));
  elsif known = '"x"' or inner_mode = 3 then
    inner_mode := 3;
  elsif named and regexp_replace(income_fold(key), '[^a-z]+', '', 'g') ~ '^(wert|betrag|summe|value|amount|hohe|hoehe|monat|jahr|jaehr|min|max|von|bis|antwort|answer|angabe|eur|brutto|netto|zahl|a$)' then
    inner_mode := 3;
  elsif key = 'istwert' and kind = 'object' and inner_mode in (0, 1) and is_income_istwert(value, hits) then
    inner_mode := 2;
  elsif known is null and inner_mode < 3 then
    inner_mode := income_key_mode(key, inner_mode, hits);
  end if;
  if key = 'personen' then
    inner_mode := greatest(inner_mode, 1);
  end if;
  return redact_income_node(value, case when inner_mode < 3 then coalesce(known, case when key = 'personen' then income_schema() -> key end) end, inner_mode, key in ('sollwert', 'istwert'), depth + 1, hits);
end
$$;
comment on function redact_income_member is 'A member''s value without raw income; null when the member goes.';

-- Comparisons where a pattern would do: a session keeps 32 patterns compiled, and a document asks for most of them.
create or replace function begins_as_phone(written text) returns boolean
  language sql immutable parallel safe strict
  return left(written, 1) = '+' or left(written, 2) collate "C" between '00' and '09';
comment on function begins_as_phone is 'Whether a text begins as a phone number does.';

create or replace function redact_income_leaf(leaf jsonb, known jsonb, mode integer, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  blanks constant text := e' \t\n\r\f\u000b\u00a0';
  written text;
  cleaned text;
begin
  if jsonb_typeof(leaf) = 'number' then
    return case when mode = 0 or mode < 3 and known = '"n"' then leaf end;
  end if;
  written := leaf #>> '{}';
  -- Most texts have no word of income: asked for first, because it takes a µs.
  if jsonb_typeof(leaf) <> 'string' or mode = 0 and is_clean(leaf::text, hits) then
    return leaf;
  end if;
  -- A date or a moment is no amount.
  if not has_amount(written) or written like '____-__-__%' and written ~ '^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$' then
    return leaf;
  end if;
  if mode = 3 then
    return null;
  end if;
  if mode = 1 and jsonb_typeof(known) is distinct from 'string' and not begins_as_phone(ltrim(written, blanks)) and btrim(scrub_amounts(written), blanks) = '[entfernt]' then
    return null;
  end if;
  if mode = 1 and is_clean(leaf::text, hits) then
    return leaf;
  end if;
  cleaned := redact_income_text(written, mode = 2, depth, hits);
  return case when cleaned = written then leaf else to_jsonb(cleaned) end;
end
$$;
comment on function redact_income_leaf is 'A number or a text without raw income; null when it goes.';

create or replace function redact_income_node(node jsonb, known jsonb, mode integer, exempt boolean, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  kind constant text := jsonb_typeof(node);
  given jsonb := node;
  written text;
  result jsonb;
begin
  -- Deeper than a document nests on purpose, and short of what the server's stack holds.
  if depth > 64 then
    return 'null';
  end if;
  if kind <> 'object' and kind <> 'array' then
    return redact_income_leaf(node, known, mode, depth, hits);
  end if;
  -- Most parts of a document have no word of income, and are left after one look. Large ones far down are looked at in
  -- their parts: a look at every level would read the document once per level.
  if mode = 0 and (hits = '{}' and depth < 4 or depth in (1, 2) or pg_column_size(node) < 2000 or depth = 64) then
    written := case when hits <> '{}' and pg_column_size(node) >= 2000 then without_harmless(node::text) else node::text end;
    if is_clean(written, hits) then
      return node;
    end if;
  end if;
  -- A head and its rows are two.
  if mode < 3 and hits <> '{}' and (kind = 'array' or jsonb_path_exists(node, 'strict $.* ? (@.type() == "object" || @.type() == "array")')) then
    given := redact_income_table(node, hits);
  end if;
  if kind = 'object' then
    result := redact_income_object(given, known, mode,
      mode = 2 or mode in (0, 1) and not exempt and hits <> '{}' and names_an_income(given, hits), depth, hits);
  else
    result := redact_income_array(given, known, mode, depth, hits);
  end if;
  return case when mode = 3 and result in ('{}', '[]') then null else result end;
end
$$;
comment on function redact_income_node is 'A part of a document without raw income; null when it goes.';

-- A whole document, also one that was found inside a text.
create or replace function redact_income_document(document jsonb, mode integer, depth integer, hits text[]) returns jsonb
  language plpgsql immutable strict as $$
begin
  if mode = 0 and hits = '{}' and position('personen' in document::text) = 0 then
    return document;
  end if;
  return coalesce(redact_income_node(document, income_schema(), mode, false, depth, hits), 'null');
end
$$;
comment on function redact_income_document is 'A document without raw income, in a mode and at a depth.';

-- One plan for all documents: many writers ask for a new one for each, and planning takes longer than the work.
create or replace function redact_income(document jsonb) returns jsonb
  language plpgsql immutable strict set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  written constant text := document::text;
  hits constant text[] := income_hits(written);
begin
  if hits = '{}' and position('personen' in written) = 0 then
    return document;
  end if;
  return redact_income_document(document, 0, 0, hits);
end
$$;
comment on function redact_income(jsonb) is 'A document without the raw income amounts of persons; idempotent.';

-- The same for a column that is a text.
create or replace function redact_income(document text) returns text
  language plpgsql immutable strict set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  hits text[];
begin
  if not has_amount(document) then
    return document;
  end if;
  hits := income_hits(document);
  if hits = '{}' and position('personen' in document) = 0 then
    return document;
  end if;
  return redact_income_text(document, false, 0, hits);
end
$$;
comment on function redact_income(text) is 'A text without the raw income amounts of persons; idempotent.';

-- A result entry has every member: what goes from it becomes null.
create or replace function keep_result_values(results jsonb, cleaned jsonb) returns jsonb
  language plpgsql immutable strict set search_path = public, pg_temp as $$
begin
  if cleaned = results or jsonb_typeof(results) <> 'array' then
    return cleaned;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(entry.value) = 'object' and jsonb_typeof(entry.clean) = 'object' then
        (select coalesce(jsonb_object_agg(kept.name, null), '{}') from unnest('{value,score}'::text[]) as kept (name) where entry.value ? kept.name) || entry.clean
      else entry.clean end
      order by entry.position)
    from rows from (jsonb_array_elements(results), jsonb_array_elements(cleaned)) with ordinality as entry (value, clean, position));
end
$$;
comment on function keep_result_values is 'Cleaned result entries, each with a value again, be it null.';

create or replace function redact_income_results(results jsonb) returns jsonb
  language sql immutable parallel unsafe strict
  return keep_result_values(results, redact_income(results));
comment on function redact_income_results is 'Result entries of a meeting without raw income; every entry keeps its members.';

-- Years are no amounts; below an income they may be, as in the answers to choose from.
create or replace function is_amount_name(name text, mode integer, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  if translate(name, '123456789', '000000000') not like '%00%' then
    return false;
  end if;
  if mode = 3 then
    return scrub_amounts(income_plain(name)) <> income_plain(name);
  end if;
  return is_hit('"' || name || '"', hits)
    and scrub_amounts(regexp_replace(translate(income_plain(name), '_', ' '), '\m(19|20)[0-9]{2}\M', '', 'g')) ~ '\[entfernt\]'
    and is_income_text(income_fold(translate(name, '_', ' ')));
end
$$;
comment on function is_amount_name is 'Whether a member''s name holds the amount of an income.';

create or replace function redact_income_object(node jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
begin
  return (
    select coalesce(jsonb_object_agg(member.key, member.clean), '{}')
    from (
      select entry.key,
        case
          -- A number goes by the name itself.
          when jsonb_typeof(entry.value) <> 'number' and entry.key <> translate(entry.key, '0123456789', '') and is_amount_name(entry.key, mode, hits) then null
          when jsonb_typeof(entry.value) in ('boolean', 'null') then entry.value
          -- Most members pass here, because a call for each takes longer.
          when mode = 0 and not named and entry.path is distinct from '"x"' and pg_column_size(entry.value) < 2000 and is_clean(entry.key || '"' || entry.value, hits) then entry.value
          else redact_income_member(entry.key, entry.value, entry.path, mode, named, depth, hits)
        end as clean
      from (select each.key, each.value, case when jsonb_typeof(known) = 'object' then known -> each.key end as path from jsonb_each(node) as each) as entry
      offset 0
    ) as member
    where member.clean is not null);
end
$$;
comment on function redact_income_object is 'An object without raw income.';

create or replace function redact_income_array(node jsonb, known jsonb, mode integer, depth integer, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  named boolean;
  answers boolean[] := '{}';
begin
  -- ["Nettoeinkommen", 3200]: the name is an element.
  named := mode = 0 and hits <> '{}' and exists (
    select from jsonb_array_elements(node) as entry
    where case
      when jsonb_typeof(entry) = 'string' and length(entry #>> '{}') <= 100 and is_hit(entry::text, hits)
      then is_income_label(entry #>> '{}')
    end);
  if mode < 2 and hits <> '{}' and position('?' in node::text) > 0 then
    answers := income_answers(node, hits);
  end if;
  return (
    select coalesce(jsonb_agg(element.clean order by element.place), '[]')
    from (
      select entry.place,
        case
          when mode = 0 and not named and answers[entry.place] is not true and pg_column_size(entry.value) < 2000 and is_clean(entry.value::text, hits) then entry.value
          else redact_income_node(entry.value, known,
            case
              when answers[entry.place] then 2
              when named and jsonb_typeof(entry.value) in ('number', 'string') then 1
              else mode
            end, false, depth + 1, hits)
        end as clean
      from jsonb_array_elements(node) with ordinality as entry (value, place)
      offset 0
    ) as element
    where element.clean is not null);
end
$$;
comment on function redact_income_array is 'An array without raw income.';
