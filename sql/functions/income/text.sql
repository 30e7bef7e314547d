-- Texts without raw income.
--
-- @needs income/lexicon, income/words

-- Every amount in a text becomes [entfernt]: with a currency or a unit, three digits or more, two decimals, a
-- range, a number in words. Percentages, dates, and years after seit, ab, Stand and the like stay: U+FDD1
-- between their digits keeps them from being found. A phone number goes as a whole, never half of it.
create or replace function scrub_amounts(value text) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  currency constant text := '(€|eur(os?)?(?![a-zäöüß])|chf|usd|\$)';
  unit constant text := '(tsd\.?|tausend|teur|t€|k€|keur|mio\.?|mrd\.?|million(en)?|hundert|thousand|grand(?![a-z])|k(?![a-z0-9äöüß])|t(?![a-z0-9äöüß]))';
  separator constant text := '([ .,''’‘´`·_\u00a0\u202f]|''''|&nbsp;|&thinsp;|[.] )';
  grouped constant text := '[0-9]{1,3}(' || separator || '[0-9]{3})+([.,][0-9]{1,2})?(?![0-9])';
  -- 3 2 0 0, 2-8-5-0, 3 . 2 0 0
  apart constant text := '[0-9](( |-| [.,] )[0-9]){2,}(?![0-9])';
  figure constant text := '(' || grouped || '|[0-9]+([.,][0-9]+)*(e[0-9]+)?)';
  large constant text := '(' || grouped || '|[0-9]{3,}([.,][0-9]+)*|[0-9]+[.,][0-9]{2}(?![0-9])|[0-9]+([.,][0-9]+)?e[0-9]+|[0-9]+[kt][0-9]{1,3}(?![0-9a-z]))';
  until constant text := '\s?(-|–|—|bis( zu)?|und|to)\s?';
  cipher constant text := '(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)';
  spelled constant text := '(ein|eine|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(ö|oe)lf|[a-zäöüß]*zig|[a-zäöüß]*(ß|ss)ig|[a-zäöüß]*zehn|[a-z]*halb|'
    || 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]*teen|(twen|thir|for|fif|six|seven|eigh|nine)ty)';
  marked text := value;
begin
  -- Asked for first, because compiling the pattern anew costs more than the whole look.
  if position('%' in marked) > 0 or position('rozent' in marked) > 0 or position('ROZENT' in marked) > 0 then
    marked := regexp_replace(marked, '([0-9])([0-9]?)([0-9]?)(?=([.,][0-9]+)?\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3', 'gi');
    marked := regexp_replace(marked, '([.,])([0-9])([0-9]?)([0-9]?)(?=\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3\ufdd1\\4', 'gi');
  end if;
  if marked like '%.19%' or marked like '%.20%' then
    marked := regexp_replace(marked, '\m([0-3]?)([0-9])\.([01]?)([0-9])\.([12])([0-9])([0-9])([0-9])(?![0-9])', e'\\1\ufdd1\\2.\ufdd1\\3\ufdd1\\4.\ufdd1\\5\ufdd1\\6\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  if marked like '%19__-%' or marked like '%20__-%' then
    marked := regexp_replace(marked, '\m([12])([0-9])([0-9])([0-9])-([01])([0-9])-([0-3])([0-9])(?![0-9])', e'\\1\ufdd1\\2\ufdd1\\3\ufdd1\\4-\ufdd1\\5\ufdd1\\6-\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  marked := regexp_replace(marked,
    '(\m(?:seit|ab|in|anfang|mitte|ende|stand:?|jahre?|januar|februar|m(?:ä|ae)rz|april|mai|juni|juli|august|september|oktober|november|dezember)\s+)(19|20)([0-9])([0-9])(?![0-9]|[.,_''’][0-9]|\s?(?:€|eur|k\M|netto|brutto|-|–|bis\M|und\M|to\M))',
    e'\\1\\2\ufdd1\\3\ufdd1\\4', 'gi');
  marked := regexp_replace(marked,
    '(\+|\m0)[0-9][-0-9 /()]{5,}[0-9]'
    || '|' || currency || '\s?' || figure || '(' || until || figure || ')?(,-+|,–)?(\s?' || unit || ')?(\s?' || currency || ')?'
    || '|' || figure || '(\s?' || unit || ')?(\s?' || currency || ')?' || until || figure || '(,-+|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || figure || '(,-+|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || apart || '|' || figure || until || large || '(,-+|,–)?|' || large || '(,-+|,–)?'
    || '|((' || spelled || '|komma|point|[0-9]+)[- ]){0,4}[a-zäöüß]*(hundert|tausend|million(en)?|thousand|hundred|grand(?![a-z]))[a-zäöüß]*([- ](und[- ]|and[- ])?' || spelled || '(?![a-zäöüß]))?(\s?' || currency || ')?'
    || '|(' || spelled || '[- ])?' || spelled || '\s?(' || currency || '|k(?![a-z0-9äöüß]))'
    || '|\m' || cipher || '([- ]?(komma )?' || cipher || ')+\M',
    '[entfernt]', 'gi');
  return replace(marked, e'\ufdd1', '');
end
$$;
comment on function scrub_amounts is 'A text with every amount of money replaced by [entfernt].';

-- Whether there is anything in a text that could be an amount; most texts of a document have none.
create or replace function has_amount(value text) returns boolean
  language sql immutable parallel safe strict
  return value ~ '[0-9]' collate "C" or value ~* ('hundert|tausend|million|hundred|thousand|grand|(z|ß|ss)ig|zehn|(elf|zw(ö|oe)lf)\s?(€|eur)|(teen|ty)\s?(k|€|eur|usd|grand)|'
      || '\m(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)([- ]?(komma )?(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null))+\M') collate "C"
    or is_exotic(value) and income_plain(value) ~ '[0-9]';
comment on function has_amount is 'Whether a text has a digit or a number in words.';

-- The same for very long texts, faster and coarser: every number goes, dates and percentages too.
create or replace function scrub_numbers(value text) returns text
  language sql immutable parallel safe strict
  return regexp_replace(
    regexp_replace(value, '[0-9][0-9.,]*', '[entfernt]', 'g'),
    '[a-zäöüß]*(hundert|tausend|million)[a-zäöüß]*', '[entfernt]', 'gi');
comment on function scrub_numbers is 'A text with every number replaced by [entfernt].';

-- The pieces that were found in the whole document tell the sentences of a long text apart.
create or replace function scrub_income_text(value text, everywhere boolean, hits text[]) returns text
  language plpgsql immutable strict as $$
declare
  written constant text := income_plain(value);
  long constant boolean := length(written) > 5000;
  cleaned text;
begin
  if not everywhere and not long and not is_income_text(income_fold(written)) then
    return value;
  end if;
  with sentences as materialized (
    select * from income_sentences(written, long, everywhere, hits)
  ),
  total as (
    select coalesce(sum(size), 0) > 20000 as large from sentences where concerned or answer
  )
  select string_agg(
      case
        when not concerned and not answer then sentence
        when large or size > 5000 then scrub_numbers(sentence)
        when answer or everywhere or is_income_text(income_fold(sentence)) then scrub_amounts(sentence)
        else sentence
      end, '' order by place)
    into cleaned
    from sentences cross join total;
  return case when cleaned = written then value else cleaned end;
end
$$;
comment on function scrub_income_text(text, boolean, text[]) is 'A text without the amounts in its sentences about income, or in all of them.';

-- A text by itself: JSON inside it is a document, everything else is sentences.
create or replace function redact_income_text(value text, everywhere boolean, depth integer, hits text[]) returns text
  language plpgsql immutable strict as $$
declare
  blanks constant text := e' \t\n\r';
  inner_document jsonb;
  cleaned jsonb;
  written text := value;
  scrubbed text;
begin
  if left(ltrim(value, blanks), 1) in ('[', '{', '"') and right(rtrim(value, blanks), 1) in (']', '}', '"') then
    begin
      inner_document := value::jsonb;
    exception when others then
      inner_document := null;
    end;
    if jsonb_typeof(inner_document) = 'string' then
      cleaned := to_jsonb(redact_income_text(inner_document #>> '{}', everywhere, depth + 1, hits));
    elsif inner_document is not null then
      cleaned := redact_income_document(inner_document, case when everywhere then 2 else 0 end, depth + 1, income_hits(inner_document::text));
    end if;
    if inner_document is not null then
      return case when cleaned = inner_document then value else cleaned::text end;
    end if;
  end if;
  -- What is left of a number may be an amount by itself: 190 of 127.0.0.1900 EUR.
  for round in 1..4 loop
    scrubbed := scrub_income_text(written, everywhere, hits);
    exit when scrubbed = written;
    written := scrubbed;
    exit when written !~ '[[:alnum:]][.,]?\[entfernt\]|\[entfernt\][.,]?[[:alnum:]]';
  end loop;
  return written;
end
$$;
comment on function redact_income_text(text, boolean, integer, text[]) is 'A text without the raw income in it, also where it is JSON.';

-- A text that is nothing but an amount: what a cell or an answer holds.
create or replace function is_amount_alone(value text) returns boolean
  language sql immutable parallel safe strict
  return has_amount(value) and (value ~ '^[^[:alpha:]]*[0-9][^[:alpha:]]*$' or scrub_amounts(income_plain(value)) ~ '^\W*(ca|etwa|rund)?\W*\[entfernt\]\W*(netto|brutto|im monat|mtl|pa|p\.a)?\W*$');
comment on function is_amount_alone is 'Whether a text is an amount and nothing else.';

-- The last question of a text, when it is about an income: what follows is its answer.
create or replace function asks_for_income(value text) returns boolean
  language plpgsql immutable parallel safe strict as $$
declare
  question constant text := substring(right(value, 1000) from '([^.!?\n]*)\?[^?]*$');
begin
  return question is not null and is_income_text(income_fold(question));
end
$$;
comment on function asks_for_income is 'Whether a text ends by asking for an income.';

-- "Und wie viel genau?" goes on with the question before it.
create or replace function is_further_question(sentence text) returns boolean
  language sql immutable parallel safe strict
  return sentence ~* '^\W*((kunde|kundin|berater|beraterin|agent|client|[a-z])\s*:)?\W*((und|also|na|and|so)\W+)*(wie ?viel|genau|ungef(ä|ae)hr|how much|roughly|exactly)( denn| genau| ungef(ä|ae)hr| exactly)?\W*$';
comment on function is_further_question is 'Whether a question only asks on.';

-- Sentences of one text, each with whether it is the answer to a question about an income: one of the three
-- sentences after it, up to the first with an amount.
create or replace function income_sentences(written text, long boolean, everywhere boolean, hits text[])
  returns table (sentence text, place bigint, size integer, concerned boolean, answer boolean)
  language sql immutable
begin atomic
  with sentences as materialized (
    select split.sentence, split.place,
      everywhere or not long or is_hit(split.sentence, hits) as hit,
      rtrim(split.sentence, e' \n\t"”)') like '%?' and (length(split.sentence) > 60 or not is_further_question(split.sentence)) as question
    from string_to_table(
      regexp_replace(
        regexp_replace(written, '([.!?]["”)]?\s+(?=[A-ZÄÖÜ])|[^:\s]\s*\n\s*\n)', e'\\1\ufdd0', 'g'),
        '(\m(?:ca|inkl|incl|exkl|zzgl|bzw|mtl|j(?:ä|ae)hrl|max|min|mind|evtl|ggf|etc|usw|tsd|mio|mrd|nr|dr|hr|fr|tel|str|lt|gem|abz|[a-z])\.\s+)\ufdd0', '\1', 'gi'),
      e'\ufdd0') with ordinality as split (sentence, place)
  ),
  counted as (
    select sentences.*, count(*) filter (where sentences.question) over before as questions
    from sentences window before as (order by sentences.place)
  ),
  asked as (
    select counted.*,
      first_value(counted.question and counted.hit) over turn as asked,
      first_value(counted.sentence) over turn as opening,
      row_number() over turn as step
    from counted window turn as (partition by counted.questions order by counted.place)
  ),
  amounts as (
    -- Asked of few sentences only: it is the dearest question.
    select asked.*, case when asked.hit or asked.asked and asked.step <= 4 then has_amount(asked.sentence) else false end as amount
    from asked
  ),
  followed as (
    -- An answer that was cleaned before is one, so that a second time changes nothing.
    select amounts.*,
      amounts.asked and amounts.step between 2 and 4
        and count(*) filter (where (amounts.amount or position('[entfernt]' in amounts.sentence) > 0) and not amounts.question) over (partition by amounts.questions order by amounts.place) = 1 as first
    from amounts
  )
  select followed.sentence, followed.place,
    case when followed.amount then length(replace(followed.sentence, '[entfernt]', '')) end,
    followed.amount and followed.hit,
    followed.amount and followed.first and (long or asks_for_income(followed.opening))
  from followed;
end;
comment on function income_sentences is 'The sentences of a text, and which of them are to be cleaned.';
