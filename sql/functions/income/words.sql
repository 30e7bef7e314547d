-- The words of income in names and texts.
--
-- @needs income/lexicon, income/registry, income/schema

-- Words of income by themselves; the callers' look tells most texts apart before.
create or replace function income_words(folded text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  form constant text := income_form(folded);
begin
  if folded ~ ('(^|[^a-z0-9])(' || income_schema_names() || ')($|[^a-z0-9])') collate "C" then
    return true;
  end if;
  return exists (
    select from (
      select distinct replace(spotted[1], '-', '') as word
      from regexp_matches(form collate "C", '([a-z]*(?:' || income_parts() || ')[a-z-]*)', 'g') as spotted
    ) as candidate
    where income_word_class(candidate.word) = 'income');
end
$$;
comment on function income_words is 'Whether a folded text has a word that names what a person receives.';

-- netto and brutto in a part of a sentence that is about nothing with a price of its own.
create or replace function income_measure(folded text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  form constant text := income_form(folded);
  word text;
  class text;
  measured boolean := false;
begin
  if form !~ 'netto|brutto|\m(?:net|gross?)\M' collate "C" then
    return false;
  end if;
  for word in select distinct replace(spotted[1], '-', '') from regexp_matches(form, '[a-z][a-z-]*', 'g') as spotted loop
    class := coalesce(income_whole() ->> word, (income_head(word)).class);
    if class = 'priced' then
      return false;
    end if;
    measured := measured or class = 'measure' or (position('netto' in word) > 0 or position('brutto' in word) > 0) and income_word_class(word) = 'measure';
  end loop;
  return measured;
end
$$;
comment on function income_measure is 'Whether netto or brutto stands for an income in a folded name or part of a sentence.';

-- A member's name, part by part. Units, periods and persons say nothing; after a preposition stands what the
-- head is made of (einkuenfte_aus_vermietung, prozent_vom_netto).
create or replace function is_income_name(name text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  -- A capital letter begins a word, unless all of them are.
  form constant text := income_form(income_fold(
    case when lower(name) in (name, upper(name)) then name else regexp_replace(income_plain(name), '([a-zäöüß0-9])([A-ZÄÖÜ])', '\1 \2', 'g') end));
  word text;
  class text;
  last text;
  joined text := '';
  words integer := 0;
  measured boolean := false;
  received boolean := false;
begin
  foreach word in array string_to_array(translate(form, '_-./:,;[](){}<>$*&|+=#"''?!', rpad('', 28)), ' ') loop
    if not income_whole() ? word then
      word := translate(word, '0123456789', '');
    end if;
    continue when word = '';
    class := income_word_class(word);
    if class = 'measure' then
      measured := true;
    elsif word = any (income_received()) then
      received := true;
    elsif class = 'not' then
      return false;
    elsif class = 'preposition' then
      exit when joined <> '' or measured;
    elsif class is distinct from 'neutral' then
      joined := joined || word;
      words := words + 1;
      last := case when class is null or class = 'open' then last else class end;
    end if;
  end loop;
  class := case when words > 1 then income_word_class(joined) else last end;
  last := case when class in ('income', 'priced', 'stays', 'claim') then class else last end;
  if last is null or last = 'bound' then
    -- kinder_geld, kranken_tage_geld: a name that is one word, taken apart.
    class := income_word_class(regexp_replace(form, '[^a-z]+', '', 'g'));
    last := case when class in ('income', 'priced', 'stays') and form !~ '[^a-z](aus|von|vom|vor|of|from|pro|per)[^a-z]' collate "C" then class else last end;
  end if;
  if last is distinct from 'income' and income_fold(name) ~ ('^(' || income_schema_names() || ')$') collate "C" then
    return true;
  end if;
  return case last
    when 'income' then true
    when 'claim' then received or measured
    when 'priced' then false
    when 'stays' then false
    when 'bound' then false
    else measured
  end;
end
$$;
comment on function is_income_name is 'Whether a member is named after an income.';

-- A text: any word of it, or netto and brutto in a part of it that is about nothing else.
create or replace function is_income_text(folded text) returns boolean
  language plpgsql immutable parallel safe strict as $$
begin
  -- An address may have any word in it.
  if position('@' in folded) > 0 and folded ~ '^\s*[^\s@]+@[^\s@]+\s*$' then
    return false;
  end if;
  return income_words(folded)
    or income_form(folded) ~ income_phrases() collate "C"
    or folded ~ 'netto|brutto|\m(?:net|gross?)\M' collate "C" and exists (
      select from regexp_split_to_table(folded, '[,;]\s') as part where income_measure(part));
end
$$;
comment on function is_income_text is 'Whether a folded text speaks of an income.';

create or replace function income_form(folded text) returns text
  language sql immutable parallel safe strict
  -- netto and brutto end in o: what follows them begins anew.
  return replace(replace(replace(replace(replace(replace(folded, 'ttoe', 'tto-e'), 'ae', 'a'), 'oe', 'o'), 'ue', 'u'), 'ss', 's'), 'tto-e', 'ttoe');
comment on function income_form is 'The form in which words are looked up: one spelling for ä, ae and a, for ß, ss and s.';

-- The longest last part of a word that the registry knows: as it stands, or without its inflection.
create or replace function income_head(word text, out class text, out size integer)
  language plpgsql immutable parallel safe strict as $$
declare
  ending constant integer := length(word) - length(rtrim(word, 'ensr'));
begin
  for span in reverse least(length(word), 28) .. 3 loop
    class := income_forms() ->> right(word, span);
    if class is null and span - ending >= 4 then
      class := income_heads() ->> left(right(word, span), span - ending);
    end if;
    if class is not null then
      size := span;
      return;
    end if;
  end loop;
end
$$;
comment on function income_head is 'The class and the length of the last part of a word that the registry knows.';

-- A word in income_form, of letters alone.
create or replace function income_word_class(word text) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  rest text := word;
  measured boolean := false;
  head record;
begin
  if income_whole() ? word then
    return income_whole() ->> word;
  end if;
  if word like any (income_beginnings()) then
    return 'stays';
  end if;
  while rest <> '' loop
    head := income_head(rest);
    if head.class = 'measure' then
      measured := true;
    elsif head.class in ('income', 'priced', 'stays', 'claim') then
      return case when head.class = 'claim' and measured then 'income' else head.class end;
    elsif head.class is null and income_whole() ->> rtrim(rest, 's') = 'neutral' then
      exit;
    elsif head.class is null then
      return case
        when rest like any (income_strong()) then 'income'
        when measured then 'measure'
        -- Bruttosozialprodukt: what is measured is no income that the registry knows.
        when rest like 'netto%' or rest like 'brutto%' then 'bound'
      end;
    end if;
    rest := left(rest, -head.size);
  end loop;
  return case when measured then 'measure' else 'open' end;
end
$$;
comment on function income_word_class is 'The class of a word: income, claim, measure, bound, priced, stays, not, neutral, preposition, open; null: unknown.';

-- What a sibling, the head of a column or a question is called: a name, or a few words of text.
create or replace function is_income_label(label text) returns boolean
  language plpgsql immutable parallel safe strict as $$
begin
  if position(' ' in label) = 0 then
    return position('@' in label) = 0 and is_income_name(label);
  end if;
  return is_income_text(income_fold(label)) or length(label) <= 40 and is_income_name(label);
end
$$;
comment on function is_income_label is 'Whether a label names an income.';

-- The members by which an object says what its amounts are. A person may be called Lohn: where an object has what
-- only persons have, its name says nothing.
create or replace function names_an_income(document jsonb, hits text[]) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  -- One inside the other, the cheapest question first: the planner would order them otherwise.
  return exists (
    select from jsonb_each(document) as member
    where case
      when jsonb_typeof(member.value) = 'string' and is_hit(member.value::text, hits) then
        case
          when regexp_replace(income_fold(member.key), '[^a-z]+', '', 'g') = any (
            (case when document ?| '{rolle,alter,geburtsdatum,adresse,kontakt,vorname,nachname,email,telefon,phone}' then '{art,' else '{art,name,' end || 'typ,type,label,titel,title,feld,feldname,field,fieldkey,fieldname,pfad,path,thema,topic,quelle,source,bezeichnung,beschreibung,description,kategorie,category,schlussel,schluessel,key,merkmal,attribut,attribute,kennzahl,position,posten,frage,question,q,prompt}')::text[])
          then is_income_label(member.value #>> '{}')
        end
    end);
end
$$;
comment on function names_an_income is 'Whether an object is named after an income by one of its own members.';
