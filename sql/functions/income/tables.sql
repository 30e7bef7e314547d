-- Incomes whose name stands apart from their amount: below the head of a table, or after a question.
--
-- @needs income/amounts, income/meaning, income/text

create or replace function income_siblings() returns text[]
  language sql immutable parallel safe
  return '{art,typ,type,kind,label,titel,title,feld,feldname,field,fieldkey,fieldname,pfad,path,thema,topic,quelle,
    source,bezeichnung,beschreibung,description,kategorie,category,schlussel,schluessel,key,merkmal,attribut,attribute,
    kennzahl,position,posten,frage,question,q,prompt}'::text[];
comment on function income_siblings is 'Members by which an object says what its amounts are.';

-- A person may be called Lohn: where an object has what only persons have, its name says nothing.
create or replace function names_an_income(document jsonb, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
declare
  person constant boolean :=
    document ?| '{rolle,alter,geburtsdatum,adresse,kontakt,vorname,nachname,email,telefon,phone}';
begin
  -- One inside the other, the cheapest question first: the planner would order them otherwise.
  return exists (
    select from jsonb_each(document) as member
    where case when jsonb_typeof(member.value) = 'string' and is_hit(member.value::text, hits) then
      case when income_key(member.key) = any (income_siblings()) or income_key(member.key) = 'name' and not person then
        is_income_label(member.value #>> '{}', hits)
      end
    end);
end
$$;
comment on function names_an_income is 'Whether an object is named after an income by one of its own members.';

create or replace function is_amount_value(value jsonb) returns boolean
  language sql immutable parallel safe
  return case jsonb_typeof(value)
    when 'number' then true
    when 'string' then is_amount_alone(value #>> '{}') and not is_moment(value #>> '{}')
    else false
  end;
comment on function is_amount_value is 'Whether a value is an amount and nothing else.';

create or replace function is_income_heading(label jsonb, hits text[]) returns boolean
  language plpgsql immutable parallel safe strict as $$
begin
  return jsonb_typeof(label) = 'string' and length(label #>> '{}') <= 100 and is_hit(label::text, hits)
    and not has_amount(label #>> '{}') and position('[entfernt]' in label::text) = 0
    and is_income_label(label #>> '{}', hits);
end
$$;
comment on function is_income_heading is 'Whether a text may be the head of a column of incomes.';

-- The head of a table, be it an array of labels, an array of columns, or labels by the names of members:
-- which places of a row, and which members of it, are incomes.
create or replace function income_columns(head jsonb, hits text[], out places integer[], out names text[])
  language plpgsql immutable parallel safe as $$
begin
  if jsonb_typeof(head) = 'array' then
    select array_agg(element.place::integer - 1) into places
    from jsonb_array_elements(head) with ordinality as element (value, place)
    where case jsonb_typeof(element.value)
        when 'string' then is_income_heading(element.value, hits)
        when 'object' then is_hit(element.value::text, hits) and names_an_income(element.value, hits)
          and not jsonb_path_exists(element.value, '$.* ? (@.type() == "object" || @.type() == "array")')
        else false
      end;
    select array_agg(member.value) into names
    from unnest(places) as place, jsonb_each_text(
      case when jsonb_typeof(head -> place) = 'object' then head -> place else '{}' end) as member
    where length(member.value) between 1 and 60;
  else
    select array_agg(member.key) into names
    from jsonb_each(head) as member
    where is_income_heading(member.value, hits) and income_key(member.key) <> all (income_siblings())
      and income_key(member.key) not in ('name', 'text', 'notiz', 'status');
  end if;
end
$$;
comment on function income_columns is 'The columns of a table that are incomes, by the table''s head.';

-- Rows below such a head. A cell becomes null, so that the others keep their places.
create or replace function blank_income_cells(
    part jsonb, places integer[], names text[], width integer, nested boolean, depth integer) returns jsonb
  language plpgsql immutable as $$
begin
  if depth > 4 then
    return part;
  elsif jsonb_typeof(part) = 'object' then
    return (
      select coalesce(
        jsonb_object_agg(member.key, blank_income_cells(member.value, places, names, width, false, depth + 1)), '{}')
      from jsonb_each(part) as member
      where not (member.key = any (names) and is_amount_value(member.value)));
  elsif jsonb_typeof(part) <> 'array' then
    return part;
  end if;
  return (
    select coalesce(jsonb_agg(
      case
        when jsonb_typeof(cell.value) in ('object', 'array')
          then blank_income_cells(cell.value, places, names, width, true, depth + 1)
        when cell.place - 1 = any (places) and (nested or jsonb_array_length(part) = width)
          and is_amount_value(cell.value) then 'null'
        else cell.value
      end order by cell.place), '[]')
    from jsonb_array_elements(part) with ordinality as cell (value, place));
end
$$;
comment on function blank_income_cells is 'Rows of a table without the amounts in its income columns.';

create or replace function is_table_head(key text, value jsonb, hits text[]) returns boolean
  language sql immutable parallel safe
  return case
    -- Labels alone are a head under any name; objects are one where they are called so.
    when jsonb_typeof(value) = 'array' and jsonb_typeof(value -> 0) = 'string'
      then jsonb_array_length(value) <= 200 and is_hit(value::text, hits)
    when jsonb_typeof(value) in ('array', 'object') then
      regexp_replace(income_fold(key), '^(table)?_?', '') like any ('{head%,kopf%,col%,spalte%,field%,feld%,label%,
        kateg%,categ%,titl%,titel%,uebersch%,uberschr%,schema%,key%,name%,serie%,dimension%,legend%,merkmal%,
        frage%,question%}')
      and not jsonb_path_exists(value, 'lax $[*].* ? (@.type() == "object" || @.type() == "array")')
      and is_hit(value::text, hits)
    else false
  end;
comment on function is_table_head is 'Whether a member is the head of a table whose rows are next to it.';

-- An object whose members are a table's head and its rows; an array whose first row is the head.
create or replace function redact_income_table(node jsonb, hits text[]) returns jsonb
  language plpgsql immutable as $$
declare
  cleaned jsonb := node;
  found record;
  head record;
begin
  if jsonb_typeof(node) = 'array' then
    if jsonb_typeof(node -> 0) is distinct from 'array' or jsonb_array_length(node) < 2
      or not is_hit((node -> 0)::text, hits) or exists (
        select from jsonb_array_elements(node -> 0) as cell
        where jsonb_typeof(cell) <> 'string' or has_amount(cell #>> '{}')) then
      return node;
    end if;
    head := income_columns(node -> 0, hits);
    return case when head.places is null then node else jsonb_build_array(node -> 0)
      || blank_income_cells(node - 0, head.places, '{}', jsonb_array_length(node -> 0), true, 0) end;
  end if;
  for found in
    select member.key, member.value from jsonb_each(node) as member where is_table_head(member.key, member.value, hits)
  loop
    head := income_columns(found.value, hits);
    continue when head.places is null and head.names is null;
    select jsonb_object_agg(member.key,
        case when member.key = found.key or jsonb_typeof(member.value) not in ('array', 'object') then member.value
        else blank_income_cells(member.value, head.places, coalesce(head.names, '{}'),
          case jsonb_typeof(found.value) when 'array' then jsonb_array_length(found.value) end, false, 0) end)
      into cleaned from jsonb_each(cleaned) as member;
  end loop;
  return cleaned;
end
$$;
comment on function redact_income_table is 'A table without the amounts in its income columns; anything else as it is.';

-- Turns of a conversation: which elements of an array answer a question about an income. One of the next three
-- does, up to the first with an amount or another question.
create or replace function income_answers(turns jsonb, hits text[]) returns boolean[]
  language plpgsql immutable as $$
declare
  answers boolean[] := '{}';
  said text;
  waiting integer := 0;
begin
  for said in
    select coalesce(case jsonb_typeof(element)
      when 'string' then element #>> '{}'
      when 'object' then (
        select string_agg(member.value #>> '{}', chr(10)) from jsonb_each(element) as member
        where jsonb_typeof(member.value) = 'string'
          and income_key(member.key) <> all ('{speaker,sprecher,role,rolle,von,name}'))
    end, '')
    from jsonb_array_elements(turns) as element
  loop
    answers := answers || (waiting > 0 and position('?' in said) = 0);
    if position('?' in said) > 0 then
      waiting := case
        when is_hit(said, hits) and asks_for_income(said, hits) then 3
        when is_further_question(income_question(said) || '?') then waiting
        else 0
      end;
    elsif waiting > 0 then
      -- An answer that was cleaned before is one, so that a second time changes nothing. The speaker is no part of it.
      waiting := case
        when said = '' or position('[entfernt]' in said) > 0 or has_amount(
          regexp_replace(said, '^[^:' || chr(10) || ']*:', '')) then 0
        else waiting - 1
      end;
    end if;
  end loop;
  return answers;
end
$$;
comment on function income_answers is 'For each element of an array, whether it answers a question about an income.';
