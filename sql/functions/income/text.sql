-- Texts without raw income.
--
-- @needs income/amounts, income/meaning, income/phrases

-- A full stop ends a sentence before a capital letter, unless it ends an abbreviation.
create or replace function income_sentences(written text) returns text[]
  language sql immutable parallel safe
  return case
    when written ~ '[.!?]["”)]?\s|\n' then string_to_array(regexp_replace(
      regexp_replace(written, '([.!?]["”)]?\s+(?=[A-ZÄÖÜ])|[^:\s]\s*\n\s*\n)', e'\\1\ufdd0', 'g'),
      '(\m(ca|inkl|incl|exkl|zzgl|bzw|mtl|j(ä|ae)hrl|max|min|mind|evtl|ggf|etc|usw|tsd|mio|mrd|nr|dr|hr|fr|tel|str'
        || '|lt|gem|abz|[a-z])\.\s+)\ufdd0', '\1', 'gi'), e'\ufdd0')
    else array[written]
  end;
comment on function income_sentences is 'The sentences of a text.';

-- "Und wie viel genau?" goes on with the question before it.
create or replace function is_further_question(sentence text) returns boolean
  language sql immutable parallel safe
  return length(sentence) <= 60 and sentence collate "und-x-icu" ~* (
    '^\W*((kunde|kundin|berater|beraterin|agent|client|[a-z])\s*:)?\W*'
    || '((und|also|na|and|so)\W+)*(wie ?viel|genau|ungef(ä|ae)hr|how much|roughly|exactly)'
    || '( denn| genau| ungef(ä|ae)hr| exactly)?\W*$');
comment on function is_further_question is 'Whether a question only asks on.';

create or replace function income_question(value text) returns text
  language sql immutable parallel safe
  return substring(right(value, 1000) from '([^.!?\n]*)\?[^?]*$');
comment on function income_question is 'The last question of a text.';

create or replace function asks_for_income(value text, hits text[]) returns boolean
  language sql immutable parallel safe
  return is_income_text(coalesce(income_question(value), ''), hits);
comment on function asks_for_income is 'Whether a text ends by asking for an income.';

-- In a sentence about an income every amount goes; so does the first one in the three sentences after a question about
-- it. In very long texts every number does, dates and percentages too: that is faster.
create or replace function scrub_income_text(value text, everywhere boolean, hits text[]) returns text
  language plpgsql immutable strict as $$
declare
  written constant text := income_plain(value);
  sentences text[] := income_sentences(written);
  coarse boolean := length(written) > 20000;
  waiting integer := 0;
  concerned boolean;
  sentence text;
begin
  if array_length(sentences, 1) is null then
    return value;
  end if;
  for place in 1 .. array_length(sentences, 1) loop
    sentence := sentences[place];
    concerned := everywhere or is_income_text(sentence, hits);
    if position('?' in right(rtrim(sentence, income_blanks() || '"”)'), 1)) > 0 then
      if asks_for_income(sentence, hits) then
        waiting := 4;
      elsif not is_further_question(sentence) then
        waiting := 0;
      end if;
    end if;
    if (concerned or waiting between 1 and 3) and (position('[entfernt]' in sentence) > 0 or has_amount(sentence)) then
      sentences[place] := case when coarse or length(sentence) > 5000
        then regexp_replace(regexp_replace(sentence, '[0-9][0-9.,]*', '[entfernt]', 'g'),
          '[a-zäöüß]*(hundert|tausend|million)[a-zäöüß]*', '[entfernt]', 'gi') else scrub_amounts(sentence) end;
      waiting := case when waiting between 1 and 3 then 0 else waiting end;
    end if;
    waiting := greatest(waiting - 1, 0);
  end loop;
  return case when array_to_string(sentences, '') = written then value else array_to_string(sentences, '') end;
end
$$;
comment on function scrub_income_text is 'A text without the amounts in its sentences about income, or in all of them.';

create or replace function redact_income_text(value text, everywhere boolean, depth integer, hits text[]) returns text
  language plpgsql immutable strict as $$
declare
  given jsonb;
  cleaned jsonb;
begin
  if left(ltrim(value, income_blanks()), 1) in ('[', '{', '"')
      and right(rtrim(value, income_blanks()), 1) in (']', '}', '"') then
    begin
      given := value::jsonb;
    exception when others then
      given := null;
    end;
    if jsonb_typeof(given) = 'string' then
      cleaned := to_jsonb(redact_income_text(given #>> '{}', everywhere, depth + 1, hits));
    elsif given is not null then
      cleaned := redact_income_document(given,
        case when everywhere then 'named' else 'open' end::income_mode, depth + 1,
        -- Its letters may have been escaped.
        case when '%u00%' = any (hits) then income_hits(given::text) else hits end);
    end if;
    if given is not null then
      return case when cleaned = given then value else cleaned::text end;
    end if;
  end if;
  return scrub_income_text(value, everywhere, hits);
end
$$;
comment on function redact_income_text is 'A text without the raw income in it, also where it is JSON.';

create or replace function is_moment(value text) returns boolean
  language sql immutable parallel safe
  return value like '____-__-__%' and value ~ ('^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]'
    '([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$');
comment on function is_moment is 'Whether a text is a date or a moment.';

-- What a cell or an answer holds.
create or replace function is_amount_alone(value text) returns boolean
  language sql immutable parallel safe
  return has_amount(value) and (value collate "und-x-icu" ~ '^[^[:alpha:]]*[0-9][^[:alpha:]]*$'
    or scrub_amounts(income_plain(value))
      ~ '^\W*(ca|etwa|rund)?\W*\[entfernt\]\W*(netto|brutto|im monat|mtl|pa|p\.a)?\W*$');
comment on function is_amount_alone is 'Whether a text is an amount and nothing else.';
