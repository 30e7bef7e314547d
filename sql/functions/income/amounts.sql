-- Amounts of money in a text, and what only looks like one.
--
-- @needs income/words

-- Steps, in their order. In a pattern and what replaces it: « and » enclose a number that is not decided yet, {n} is
-- such a number, ¤ an amount, {currency}, {unit} and {until} what they say. What is enclosed at the end stays. A step
-- is asked where the text has one of its signs: to ask a pattern costs more than all signs together.
create or replace function income_amounts()
  returns table (step integer, kind text, signs text, pattern text, replacement text, example text, cleaned text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    (1, 'a number with separators', null,
      '(\+|\m0)[0-9][-0-9 /()]{5,}[0-9]|(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?![0-9])'
        || '|[0-9]{1,2}(:[0-9]{2})+|[0-9](( |-| [.,] )[0-9]){2,}(?![0-9])'
        || '|[0-9]{1,3}(([ .,''’‘´`·_\u00a0\u202f]|''''|&nbsp;|&thinsp;|[.] )[0-9]{3})+([.,][0-9]{1,2})?(?![0-9])'
        || '|[0-9]+([.,][0-9]+)*(e[0-9]+)?|[0-9]+[kt][0-9]{1,3}(?![0-9a-zäöüß])|[0-9]*[½¼¾]', '«\&»',
      '3 2 0 0; 3''200; 48,500.00; 0171 3920001', '¤; ¤; ¤; ¤'),
    (2, 'a number without', null, '[0-9]+(e[0-9]+|[kt][0-9]{1,3})?[½¼¾]?', '«\&»', '3200 3k2 1e3', '¤ ¤ ¤'),
    (3, 'a date or a time', '-__-|:__|.__.|._.', '«((19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]'
        || '|[0-3]?[0-9]\.[01]?[0-9]\.(19|20)?[0-9]{2}|[0-9]{1,2}(:[0-9]{2})+)»', '\1',
      'am 01.03.2026 um 15:30', 'am 01.03.2026 um 15:30'),
    (4, 'a day and a month', '.__».|._».|uhr',
      '«([0-3]?[0-9]\.[01]?[0-9])»(\.)|«([0-2]?[0-9]\.[0-5][0-9])»(\s?uhr)', '\1\2\3\4',
      'bis 15.03. um 15.30 Uhr', 'bis 15.03. um 15.30 Uhr'),
    (5, 'a range', '-|–|—|bis|und| to ',
      '«([^»]*)»(,-+|,–)?({until})«([^»]*)»', '«\1\3\5»', '3.000 bis 4.000', '¤'),
    (6, 'a share', '\%|rozent', '«([^»]*)»(\s?(%|prozent))', '\1\2', '80 %, 100 Prozent', '80 %, 100 Prozent'),
    (7, 'a count', 'stunde|std| h|tag|woche|monate|monatsg|jahre|qm|m²|km|kind|person|mal',
      '«([^»]*)»(\s?(-stunden|stunden|std|h|tagen?|wochen|monaten?|monatsgehältern?|jahren?|qm|m²|km|kinder'
        || '|personen|mal)\M)', '\1\2', '38,5 Stunden, 120 qm', '38,5 Stunden, 120 qm'),
    (8, 'with a currency before it', '€|eur|chf|usd|$',
      '({currency})\s?{n}(,-+|,–)?(\s?{unit})?(\s?{currency})?', '¤', '€3, EUR 3 Tsd.', '¤, ¤'),
    (9, 'with a unit or a currency after it',
      '€|$|chf|»_e|»_k|»k|»_t|»t|»e|»_m|»m|»_h|»h|»_g|»g|»,|»_u|»u',
      '{n}(,-+|,–)?\s?({unit}(\s?{currency})?|{currency})', '¤',
      '3,2k, 85 TEUR, 65 €, 3½ Tausend', '¤, ¤, ¤, ¤'),
    (10, 'a year', '«19__»|«20__»',
      '(\m(seit|ab|in|anfang|mitte|ende|stand:?|jahre?|januar|februar|m(ä|ae)rz|april|mai|juni'
        || '|juli|august|september|oktober|november|dezember|bescheid|steuerbescheid)\s+)«((19|20)[0-9]{2})»'
        || '(?!\s?(netto|brutto))', '\1\4', 'seit 2019, Stand 2024', 'seit 2019, Stand 2024'),
    (11, 'a postcode', '«_____»',
      '(«[0-9]{1,4}»\s?[a-z]?,?\s+|\mplz:?\s*)«([0-9]{5})»(?=\s+[a-zäöü]|$)', '\1\2',
      'Hausnummer 12, 50667 Köln', 'Hausnummer 12, 50667 Köln'),
    (12, 'a large number', '«',
      '«([^»]*([0-9]{3}|[.,][0-9]{2}|[0-9][ -][0-9][ -][0-9]|[½¼¾]|[0-9][ekt][0-9])[^»]*'
        || '|[0-9]{1,2},[0-9])»(,-+|,–)?', '¤', '3200; 12,50; 2,6', '¤; ¤; ¤'),
    (13, 'a number before netto or brutto', '»_netto|»_brutto|»netto|»brutto',
      '«[^»]*»(?=\s?(netto|brutto)\M)', '¤', '65 brutto', '¤ brutto'),
    (14, 'a range of amounts', '-|–|—|bis|und| to ', '(¤|{n})({until}¤)+', '¤', '3 € bis 4 €', '¤')
  ) as list (step, kind, signs, pattern, replacement, example, cleaned);
end;
comment on function income_amounts is 'The steps in which amounts are found, with an example of each.';

-- Asked only where a text has the word for a hundred and the like: such a pattern takes longer than all others.
create or replace function income_number_words() returns table (kind text, pattern text, example text)
  language sql immutable parallel safe
begin atomic
  with words (ones, cipher) as (
    values ('(eine?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(ö|oe)lf'
      || '|[a-zäöüß]*(zig|ßig|ssig|zehn|teen|halb)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
      || '|(twen|thir|for|fif|six|seven|eigh|nine)ty)',
      '(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)')
  )
  select list.* from words, lateral (values
    ('thousands', '((' || ones || '|komma|point|{n})[- ])*'
      || '[a-zäöüß]*(hundert|tausend|million(en)?|thousand|hundred|grand\M)[a-zäöüß]*'
      || '([- ](und[- ]|and[- ])?' || ones || '(?![a-zäöüß]))?(\s?{currency})?', 'dreitausendzweihundert Euro'),
    ('with a currency', '(' || ones || '[- ])?' || ones || '\s?({currency}|k\M)', 'fünfzig Euro'),
    ('ciphers', '\m' || cipher || '([- ]?(komma )?' || cipher || ')+\M', 'drei zwo')
  ) as list (kind, pattern, example);
end;
comment on function income_number_words is 'Amounts in words, with an example of each.';

create or replace function income_pattern(pattern text) returns text
  language sql immutable parallel safe
  return translate(replace(replace(replace(replace(pattern, '{n}', '«[^»]*»'),
    '{currency}', '(€|euros?\M|eur\M|chf|usd|\$)'),
    '{unit}', '(tsd\.?|tausend|teur|t€|k€|keur|mio\.?|mrd\.?|million(en)?|hundert|thousand|grand\M|k\M|t\M)'),
    '{until}', '\s?(-|–|—|bis( zu)?|und|to)\s?'), '«»¤', e'\ufdd0\ufdd1\ufdd2');
comment on function income_pattern is 'A pattern with its names resolved.';

create or replace function income_amount_steps() returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(array[income_pattern(pattern), income_pattern(replacement),
      '%' || replace(income_pattern(signs), '|', '%|%') || '%'] order by step)
  from income_amounts();
end;
comment on function income_amount_steps is
  'Of each step the pattern, what replaces it, and its signs as patterns for LIKE.';

create or replace function income_number_word_pattern() returns text
  language sql immutable parallel safe
begin atomic
  select income_pattern(string_agg(pattern, '|')) from income_number_words();
end;
comment on function income_number_word_pattern is 'Amounts in words as one pattern.';

-- Signs before patterns: a comparison costs a tenth of a pattern.
create or replace function has_number_word(value text) returns boolean
  language sql immutable parallel safe
  return income_lower(value) like any ('{%hundert%,%tausend%,%million%,%hundred%,%thousand%,%grand%,%zig%,%ßig%,%ssig%,
      %zehn%,%elf%,%zwölf%,%zwoelf%,%teen%,%ty%,%ein%,%zwei%,%zwo%,%drei%,%vier%,%fünf%,%fuenf%,%sechs%,%sieben%,
      %acht%,%neun%,%null%}')
    and value ~* ('hundert|tausend|million|hundred|thousand|grand|(z|ß|ss)ig|zehn|(elf|zw(ö|oe)lf)\s?(€|eur)'
      '|(teen|ty)\s?(k|€|eur|usd|grand)|\m(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)'
      '([- ]?(komma )?(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null))+\M') collate "C";
comment on function has_number_word is 'Whether a text has an amount in words.';

create or replace function has_amount(value text) returns boolean
  language sql immutable parallel safe
  return value ~ '[0-9½¼¾]' collate "C" or has_number_word(value)
    or is_exotic(value) and income_plain(value) ~ '[0-9]';
comment on function has_amount is 'Whether a text has a digit or a number in words.';

create or replace function scrub_amounts(value text) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  marked text := replace(value, '[entfernt]', income_pattern('¤'));
  steps constant text[] := income_amount_steps();
  lowered text;
begin
  -- The collation makes umlauts letters in every database, also in one with the C locale.
  -- Most numbers have no separators, and the pattern for those that do takes the most time.
  if marked ~ '[0-9][^0-9a-zA-Z]{1,3}[0-9]|[0-9]&|[+]' then
    marked := regexp_replace(marked collate "und-x-icu", steps[1][1], steps[1][2], 'gi');
  else
    marked := regexp_replace(marked collate "und-x-icu", steps[2][1], steps[2][2], 'gi');
  end if;
  if has_number_word(marked) then
    marked := regexp_replace(marked collate "und-x-icu", income_number_word_pattern(), income_pattern('¤'), 'gi');
  end if;
  lowered := income_lower(marked);
  for step in 3 .. array_length(steps, 1) loop
    if lowered like any (string_to_array(steps[step][3], '|')) then
      marked := regexp_replace(marked collate "und-x-icu", steps[step][1], steps[step][2], 'gi');
    end if;
  end loop;
  return replace(translate(marked, income_pattern('«»'), ''), income_pattern('¤'), '[entfernt]');
end
$$;
comment on function scrub_amounts is 'A text with every amount of money replaced by [entfernt].';
