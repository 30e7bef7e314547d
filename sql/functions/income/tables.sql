-- Incomes whose name stands apart from their amount: below the head of a table, or after a question.
--
-- @needs income/lexicon, income/text, income/words

-- The head of a table, be it an array of labels, an array of columns, or labels by the names of members:
-- which places of a row, and which members of it, are incomes.
create or replace function income_columns(head jsonb, hits text[], out places integer[], out names text[], out width integer)
  language plpgsql immutable parallel safe as $$
begin
  if jsonb_typeof(head) = 'array' then
    width := jsonb_array_length(head);
    select array_agg(entry.place), array_agg(entry.names) filter (where entry.names is not null)
      into places, names
      from (
        select element.place::integer - 1 as place,
          (select string_agg(member.value, e'\n') from jsonb_each_text(case jsonb_typeof(element.value) when 'object' then element.value else '{}' end) as member where length(member.value) between 1 and 60) as names
        from jsonb_array_elements(head) with ordinality as element (value, place)
        where case jsonb_typeof(element.value)
            when 'string' then length(element.value #>> '{}') <= 100 and is_hit(element.value::text, hits) and not has_amount(element.value #>> '{}') and is_income_label(element.value #>> '{}')
            when 'object' then is_hit(element.value::text, hits) and names_an_income(element.value, hits)
              and not exists (select from jsonb_each(element.value) as cell where jsonb_typeof(cell.value) in ('array', 'object'))
            else false
          end
      ) as entry;
    names := string_to_array(array_to_string(names, e'\n'), e'\n');
  else
    select array_agg(member.key) into names
      from jsonb_each_text(head) as member
      where length(member.value) <= 100 and is_hit(to_jsonb(member.value)::text, hits) and not has_amount(member.value) and is_income_label(member.value)
        and regexp_replace(income_fold(member.key), '[^a-z]+', '', 'g') !~ '^(art|name|typ|type|label|titel|title|feld|field|fieldkey|pfad|path|thema|quelle|source|key|frage|question|text|notiz|status|beschreibung|bezeichnung|kategorie)$';
  end if;
end
$$;
comment on function income_columns is 'The columns of a table that are incomes, by the table''s head.';

-- Rows below such a head. A cell becomes null, so that the others keep their places.
create or replace function blank_income_cells(part jsonb, places integer[], names text[], width integer, nested boolean, depth integer) returns jsonb
  language plpgsql immutable as $$
begin
  if depth > 4 then
    return part;
  end if;
  if jsonb_typeof(part) = 'object' then
    return (
      select coalesce(jsonb_object_agg(member.key, blank_income_cells(member.value, places, names, width, false, depth + 1)), '{}')
      from jsonb_each(part) as member
      where not (member.key = any (names) and (jsonb_typeof(member.value) = 'number' or jsonb_typeof(member.value) = 'string' and is_amount_alone(member.value #>> '{}'))));
  end if;
  if jsonb_typeof(part) <> 'array' then
    return part;
  end if;
  return (
    select coalesce(jsonb_agg(
      case
        when jsonb_typeof(cell.value) in ('object', 'array') then blank_income_cells(cell.value, places, names, width, true, depth + 1)
        when cell.place - 1 = any (places) and (nested or jsonb_array_length(part) = width)
          and (jsonb_typeof(cell.value) = 'number' or jsonb_typeof(cell.value) = 'string' and is_amount_alone(cell.value #>> '{}')) then 'null'
        else cell.value
      end order by cell.place), '[]')
    from jsonb_array_elements(part) with ordinality as cell (value, place));
end
$$;
comment on function blank_income_cells is 'Rows of a table without the amounts in its income columns.';

create or replace function is_table_head(folded text) returns boolean
  language sql immutable parallel safe strict
  return substr(folded, 1 + case when folded like 'table\_%' then 6 when folded like 'table%' then 5 when folded like '\_%' then 1 else 0 end)
    like any ('{head%,kopf%,col%,spalte%,field%,feld%,label%,kateg%,categ%,titl%,titel%,uebersch%,uberschr%,schema%,key%,name%,serie%,dimension%,legend%,merkmal%,frage%,question%}');
comment on function is_table_head is 'Whether a member''s folded name says that it is the head of a table.';

-- An object whose members are a table's head and its rows; an array whose first row is the head.
create or replace function redact_income_table(node jsonb, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  cleaned jsonb := node;
  found record;
  head record;
begin
  if jsonb_typeof(node) = 'array' then
    if jsonb_typeof(node -> 0) is distinct from 'array' or jsonb_array_length(node) < 2 or not is_hit((node -> 0)::text, hits)
      or exists (select from jsonb_array_elements(node -> 0) as cell where jsonb_typeof(cell) <> 'string' or has_amount(cell #>> '{}')) then
      return node;
    end if;
    head := income_columns(node -> 0, hits);
    return case when head.places is null then node
      else jsonb_build_array(node -> 0) || blank_income_cells(node - 0, head.places, '{}', head.width, true, 0) end;
  end if;
  for found in
    select member.key, member.value from jsonb_each(node) as member
    where case
        -- Labels alone are a head under any name; objects are one where they are called so.
        when jsonb_typeof(member.value) = 'array' and jsonb_typeof(member.value -> 0) = 'string' then
          jsonb_array_length(member.value) <= 200 and is_hit(member.value::text, hits)
        when jsonb_typeof(member.value) in ('array', 'object') and is_table_head(income_fold(member.key)) then
          not jsonb_path_exists(member.value, 'lax $[*].* ? (@.type() == "object" || @.type() == "array")') and is_hit(member.value::text, hits)
        else false
      end
  loop
    head := income_columns(found.value, hits);
    continue when head.places is null and head.names is null;
    select jsonb_object_agg(member.key,
        case when member.key = found.key or jsonb_typeof(member.value) not in ('array', 'object') then member.value
        else blank_income_cells(member.value, head.places, coalesce(head.names, '{}'), head.width, false, 0) end)
      into cleaned from jsonb_each(cleaned) as member;
  end loop;
  return cleaned;
end
$$;
comment on function redact_income_table is 'A table without the amounts in its income columns; anything else as it is.';

create or replace function without_speaker(said text) returns text
  language sql immutable parallel safe strict
  return case when position(':' in split_part(said, e'\n', 1)) > 0 then substr(said, position(':' in said) + 1) else said end;
comment on function without_speaker is 'A turn without who says it: what follows the first colon of its first line.';

-- Turns of a conversation: which elements of an array answer a question about an income. One of the next three
-- does, up to the first with an amount or another question.
create or replace function income_answers(turns jsonb, hits text[]) returns boolean[]
  language plpgsql immutable as $$
declare
  answers boolean[] := '{}';
  turn record;
  waiting integer := 0;
begin
  for turn in
    select element.place,
      case jsonb_typeof(element.value)
        when 'string' then element.value #>> '{}'
        when 'object' then (select string_agg(member.value, e'\n') from jsonb_each_text(element.value) as member where jsonb_typeof(element.value -> member.key) in ('string', 'number'))
        else ''
      end as said
    from jsonb_array_elements(turns) with ordinality as element (value, place)
    order by element.place
  loop
    answers := answers || (waiting > 0 and position('?' in turn.said) = 0);
    if position('?' in turn.said) > 0 then
      waiting := case
        when is_hit(turn.said, hits) and asks_for_income(turn.said) then 3
        when is_further_question(substring(right(turn.said, 1000) from '([^.!\n]*\?[^?]*)$')) then waiting
        else 0
      end;
    elsif waiting > 0 then
      -- An answer that was cleaned before is one, so that a second time changes nothing.
      waiting := case when position('[entfernt]' in turn.said) > 0 or has_amount(without_speaker(coalesce(turn.said, ''))) then 0 else waiting - 1 end;
    end if;
  end loop;
  return answers;
end
$$;
comment on function income_answers is 'For each element of an array, whether it answers a question about an income.';
