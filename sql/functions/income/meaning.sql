-- Whether a word, a name, a label or a text is about an income.
--
-- @needs income/phrases, income/schema, income/words

-- The longest last part of a word that is listed: as it stands, or without its inflection.
create or replace function income_head(word text, out class text, out size integer)
  language plpgsql immutable parallel safe strict as $$
declare
  ending constant integer := length(word) - length(rtrim(word, 'ensr'));
begin
  for span in reverse least(length(word), 28) .. 3 loop
    class := income_lexicon() ->> ('form ' || right(word, span));
    if class is null and span - ending >= 4 then
      class := income_lexicon() ->> ('head ' || left(right(word, span), span - ending));
    end if;
    if class is not null then
      size := span;
      return;
    end if;
  end loop;
end
$$;
comment on function income_head is 'The class and the length of the last part of a word that is listed.';

-- A word in income_form, of letters alone.
create or replace function income_word_class(word text) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  whole constant text := income_lexicon() ->> ('word ' || word);
  rest text := word;
  measured boolean := false;
  head record;
begin
  if whole is not null then
    return whole;
  end if;
  if word like any (income_patterns('beginning')) then
    return 'stays';
  end if;
  while rest <> '' loop
    head := income_head(rest);
    if head.class = 'measure' then
      measured := true;
    elsif head.class in ('income', 'priced', 'stays', 'claim') then
      return case when head.class = 'claim' and measured then 'income' else head.class end;
    elsif head.class is null and income_lexicon() ->> ('word ' || rtrim(rest, 's')) = 'neutral' then
      exit;
    elsif head.class is null then
      return case
        when rest like any (income_patterns('part')) then 'income'
        when measured then 'measure'
        -- Bruttosozialprodukt: what is measured is no income that is listed.
        when rest like any ('{neto%,bruto%}') then 'bound'
      end;
    end if;
    rest := left(rest, -head.size);
  end loop;
  return case when measured then 'measure' else 'open' end;
end
$$;
comment on function income_word_class is
  'The class of a word, as in income_words; bound, or null, where it is unknown.';

-- netto and brutto in a part of a sentence that is about nothing with a price of its own.
create or replace function income_measure(words text[]) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  word text;
  class text;
  measured boolean := false;
begin
  foreach word in array words loop
    continue when word = '';
    class := coalesce(income_lexicon() ->> ('word ' || word), (income_head(word)).class);
    if class = 'priced' then
      return false;
    end if;
    measured := measured or class = 'measure'
      or (position('neto' in word) > 0 or position('bruto' in word) > 0) and income_word_class(word) = 'measure';
  end loop;
  return measured;
end
$$;
comment on function income_measure is 'Whether netto or brutto stands for an income in these words.';

create or replace function income_split(lowered text) returns text[]
  language sql immutable parallel safe
  return string_to_array(
    translate(lowered, e' \n\t_./:,;[](){}<>$*&|+=#"''?!%€0123456789-', repeat(' ', 39)), ' ');
comment on function income_split is 'The words of a text; a hyphen joins two.';

create or replace function is_income_phrase(lowered text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  steps constant text[] := income_phrase_steps('income');
begin
  for step in 1 .. array_length(steps, 1) loop
    if position(steps[step][1] in lowered) > 0 and income_form(income_fold(lowered)) ~ steps[step][2] collate "C" then
      return true;
    end if;
  end loop;
  return false;
end
$$;
comment on function is_income_phrase is 'Whether a text has a phrase that speaks of an income.';

create or replace function without_look_alikes(lowered text) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  steps constant text[] := income_phrase_steps('stays');
begin
  for step in 1 .. array_length(steps, 1) loop
    if position(steps[step][1] in lowered) > 0 then
      lowered := regexp_replace(lowered, steps[step][2], ' ', 'g');
    end if;
  end loop;
  return lowered;
end
$$;
comment on function without_look_alikes is 'A text without phrases that only seem to speak of an income.';

-- A text: any word or phrase of it, or netto and brutto in a part of it that is about nothing else.
create or replace function is_income_text(written text, hits text[]) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  lowered text := income_lower(written);
  chunk text;
  word text;
  class text;
  measured boolean := false;
begin
  -- An address may have any word in it.
  if not lowered like any (hits) or position('@' in lowered) > 0 and lowered ~ '^[ ]*[^ @]+@[^ @]+[ ]*$' then
    return false;
  end if;
  lowered := without_look_alikes(lowered);
  foreach chunk in array string_to_array(lowered, ' ') loop
    continue when not chunk like any (hits);
    foreach word in array income_split(chunk) loop
      class := income_word_class(income_form(income_fold(word)));
      if class = 'income' then
        return true;
      end if;
      measured := measured or class = 'measure';
    end loop;
  end loop;
  if is_income_phrase(lowered) or lowered like '%eur%'
      and lowered ~ ('(^|[^a-z])(' || income_schema_names() || ')($|[^a-z])') collate "C" then
    return true;
  end if;
  return measured and exists (
    select from regexp_split_to_table(income_form(income_fold(lowered)), '[,;] ') as part
    where income_measure(income_split(part)));
end
$$;
comment on function is_income_text is 'Whether a text speaks of an income.';

-- A capital letter begins a word, unless all of them are.
create or replace function income_name_words(name text) returns text
  language sql immutable parallel safe
  return case when lower(name) in (name, upper(name)) then name
    else regexp_replace(income_plain(name), '([a-zäöüß0-9])([A-ZÄÖÜ])', '\1 \2', 'g') end;
comment on function income_name_words is 'A name with a blank before each word.';

-- A member's name, part by part. Units, periods and persons say nothing; after a preposition stands what the
-- head is made of (einkuenfte_aus_vermietung, prozent_vom_netto).
create or replace function is_income_name(name text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  form constant text := income_form(income_fold(income_name_words(name)));
  word text;
  class text;
  last text;
  joined text := '';
  words integer := 0;
  measured boolean := false;
  received boolean := false;
begin
  foreach word in array string_to_array(translate(form, '_-./:,;[](){}<>$*&|+=#"''?!', repeat(' ', 28)), ' ') loop
    if not income_lexicon() ? ('word ' || word) then
      word := translate(word, '0123456789', '');
    end if;
    continue when word = '';
    class := income_word_class(word);
    if class = 'measure' then
      measured := true;
    elsif word = any (income_word_list('received')) then
      received := true;
    elsif class = 'stops' then
      return false;
    elsif class = 'preposition' then
      exit when joined <> '' or measured;
    elsif class is distinct from 'neutral' then
      joined := joined || word;
      words := words + 1;
      last := case when class is null or class = 'open' then last else class end;
    end if;
  end loop;
  last := income_name_class(form, joined, words, last);
  return case when last = 'income' or form ~ ('^(' || income_form(income_schema_names()) || ')$') collate "C" then true
    when last = 'claim' then received or measured
    when last in ('priced', 'stays', 'bound') then false
    else measured
  end;
end
$$;
comment on function is_income_name is 'Whether a member is named after an income.';

-- kinder_geld, kranken_tage_geld: a name that is one word, taken apart.
create or replace function income_name_class(form text, joined text, words integer, last text) returns text
  language plpgsql immutable parallel safe as $$
declare
  class text := case when words > 1 then income_word_class(joined) else last end;
  decided constant text := case when class in ('income', 'priced', 'stays', 'claim') then class else last end;
begin
  if decided is not null and decided <> 'bound' then
    return decided;
  end if;
  class := income_word_class(regexp_replace(form, '[^a-z]+', '', 'g'));
  return case
    when class in ('income', 'priced', 'stays') and form !~ '[^a-z](aus|von|vom|vor|of|from|pro|per)[^a-z]' collate "C"
      then class
    else decided
  end;
end
$$;
comment on function income_name_class is 'The class of the last word of a name, or of all its words together.';

-- What a sibling, the head of a column or a question is called: a name, or a few words of text.
create or replace function is_income_label(label text, hits text[]) returns boolean
  language plpgsql immutable parallel safe strict as $$
begin
  if position(' ' in label) = 0 then
    return position('@' in label) = 0 and label !~ '[.][a-z]{3,4}$' and is_income_name(label);
  end if;
  return is_income_text(income_plain(label), hits) or length(label) <= 40 and is_income_name(label);
end
$$;
comment on function is_income_label is 'Whether a label names an income.';

create or replace function income_key(key text) returns text
  language sql immutable parallel safe
  return translate(income_fold(key), '_- ./:[]()0123456789', '');
comment on function income_key is 'A member''s name without what is no letter.';
