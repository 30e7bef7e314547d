-- What tells apart, quickly, the texts and documents that may concern an income.
--
-- @needs income/schema

-- Letters of other scripts, full-width forms, decomposed umlauts, invisible characters.
create or replace function is_exotic(value text) returns boolean
  language sql immutable parallel safe strict
  return value ~ '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]';
comment on function is_exotic is 'Whether a text has characters that may hide a word or a digit.';

create or replace function income_plain(value text) returns text
  language sql immutable parallel safe
  return case
    when is_exotic(value)
      then translate(normalize(value, nfkc),
        '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙٬٫' || e'\u2032\u02bc\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufdd0\ufdd1\ufe0e\ufe0f\u20e3',
        '01234567890123456789012345678901234567890123456789''.''''')
    else value
  end;
comment on function income_plain is 'A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.';

create or replace function income_fold(value text) returns text
  language sql immutable parallel safe
  return lower(translate(income_plain(value), 'äöüÄÖÜßéèêáàâ', 'aouaouseeeaaa') collate "C");
comment on function income_fold is 'The form in which words are compared: lower case, umlauts as a, o, u.';

-- Words that say so in some contexts only: an old-age pension that is received, net alone.
create or replace function income_context() returns text
  language sql immutable parallel safe
  return '(?:be|hr|en|nd)sold|(?:lle|ene|nde|wen|wer|sen|atliche|lte|ige)[rsn]?[-_ ]?rente|zrente|renten?[-_ ]?(?:bez|erh|aus|akt|lau|emp|sta)|'
    || '(?:^|[^a-z]|\\[bfnrt])(?:sol[di]|alg|zve)|(?:^|[^a-z.@]|\\[bfnrt])(?:net|gross)[^a-z]|(?:net|ross)[-_ ]?(?:amo|eur|per|pay|mon|ann)|'
    || '[-_ ]pay|(?:a|per|each|every) (?:year|month|week|hour)|die hand|nach hause|' || income_schema_look();
comment on function income_context is 'The parts of income_look that are two words, or whose pieces are frequent elsewhere.';

-- What the quick check looks for: a text without any of it has no income. A line's end is written as \n in a document.
create or replace function income_look() returns text
  language sql immutable parallel safe
  return 'eink(?:om|[uüÜ])|einna|geh(?:[äÄ]|a[el])|l(?:o|[öÖ])e?hn|bez(?:ieh|og|[uüÜ]e?ge)|bekom|verdi|verg[uüÜ]|gage|wage|honor|netto|brutto|'
    || 'sal(?:ar|[äÄ]r|aer)|income|earn|revenu|pay[rcs]|(?:base|nual|thly|arly|ekly|urly|time|home|sick)pay|takeho|stipen|monthl|annual|yearl|'
    || '[rnskzl]geld|flegeg|hartz|ialhilf|baf[oöÖ]|zuschu|ntsch[aäÄ]|unterh|t_?entn|tantie|abfin|gratif|dividen|aussch[uüÜ]|alimen|alimon|remuner|profit|turnov|'
    || '[lstr]_?ertr|gewin|ums[aäÄ]|berschu|pension|ruheg|'
    || 'erh(?:[äÄ]|ae)lt|_erhalt|kriegt|ausgez|[in]-?job|steuernd|kirchens|solida|alabga|gsbeitr|einkomme?nsteu|ohnsteu|'
    || 'ntgelt|bonu|boni|fixum|sonderz|istungspr|folgspr|nachtspr|beiterpr|leichspr|kaufspr|heitspr|haltspr|ebspr|umspr|onspr|onapr|sbeteil|zulag|zuwend|standshilf|beihilf|sachbez|ngsbezug|entnahm|zahlbetr|gratui|severan|allowan|support|benefit|compens|zusch(?:l[aäÄ]|u)|gsgeb|di[äÄ]ten|diaeten|diaten|apanag|\\u|'
    || income_context();
comment on function income_look is 'Parts of the words of income in any spelling, as a pattern for ~*.';

-- The same parts one by one, in lower case: whatever matches income_look has a piece of one of these lists.
create or replace function income_pieces() returns text[]
  language sql immutable parallel safe
  return '{einkom,einku,einkü,einna,gehä,gehae,gehal,lohn,loehn,löhn,löehn,bezieh,bezog,bezuge,bezuege,bezüge,bezüege,bekom,verdi,
    vergu,vergü,gage,wage,honor,netto,brutto,salar,salär,salaer,income,earn,revenu,payr,payc,pays,basepay,nualpay,thlypay,
    arlypay,eklypay,urlypay,timepay,homepay,sickpay,takeho,stipen,monthl,annual,yearl,rgeld,ngeld,sgeld,kgeld,zgeld,lgeld,
    flegeg,hartz,ialhilf,bafo,bafö,zuschu,ntscha,ntschä,unterh,tentn,t_entn,tantie,abfin,gratif,dividen,ausschu,ausschü,
    alimen,alimon,remuner,profit,turnov,lertr,sertr,tertr,rertr,l_ertr,s_ertr,t_ertr,r_ertr,gewin,umsa,umsä,berschu,pension,
    ruheg,erhält,erhaelt,_erhalt,kriegt,ausgez,ijob,njob,i-job,n-job,steuernd,kirchens,solida,alabga,gsbeitr,einkommnsteu,
    ohnsteu,ntgelt,bonu,boni,fixum,sonderz,istungspr,folgspr,nachtspr,beiterpr,leichspr,kaufspr,heitspr,haltspr,ebspr,umspr,
    onspr,onapr,sbeteil,zulag,zuwend,standshilf,beihilf,sachbez,ngsbezug,entnahm,zahlbetr,gratui,severan,allowan,support,
    benefit,compens,zuschl,gsgeb,diäten,diaeten,diaten,apanag,\\u}'::text[];
comment on function income_pieces is 'Pieces of text of which whatever matches income_look has one, unless it has one of income_context_pieces.';

create or replace function income_context_pieces() returns text[]
  language sql immutable parallel safe
  return '{sold,-pay,_pay," pay",netpay,rosspay,netamo,rossamo,net-amo,ross-amo,net_amo,ross_amo,net amo,ross amo,neteur,rosseur,
    net-eur,ross-eur,net_eur,ross_eur,net eur,ross eur,netper,rossper,net-per,ross-per,net_per,ross_per,net per,ross per,
    netmon,rossmon,net-mon,ross-mon,net_mon,ross_mon,net mon,ross mon,netann,rossann,net-ann,ross-ann,net_ann,ross_ann,
    net ann,ross ann,a year,a month,a week,a hour,per year,per month,per week,per hour,each year,each month,each week,
    each hour,every year,every month,every week,every hour,rente,die hand,nach hause,soli,alg,zve,net,gross}'::text[] || income_schema_signs();
comment on function income_context_pieces is 'Pieces of text of which whatever matches income_context has one.';

create or replace function income_lower(written text) returns text
  language sql immutable parallel safe strict
  return replace(replace(replace(lower(written collate "C"), 'Ä', 'ä'), 'Ö', 'ö'), 'Ü', 'ü');
comment on function income_lower is 'A text in lower case, the same in every database.';

-- What the schemas and insurers themselves write with such a word in it.
create or replace function without_harmless(written text) returns text
  language sql immutable parallel safe strict
  return regexp_replace(written, income_schema_harmless() || '|mindestlohn|beziehung|risikozuschl', ' ', 'gi');
comment on function without_harmless is 'The text of a document without the words that sound like an income and are known to be none.';

-- Each part of the document once, because names and values come again and again: what stands between quotes, and in a
-- document of 50 KB and more what stands between blanks. Pieces of two words are looked for there where one pattern finds any.
create or replace function income_hits(written text) returns text[]
  language plpgsql immutable parallel safe as $$
declare
  look constant text := '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]|' || income_look();
  exotic boolean;
  long boolean;
  rest text;
  parts text;
  in_context text;
  spaced boolean;
begin
  -- The one look that most documents cost.
  if written !~* look collate "C" then
    return '{}';
  end if;
  exotic := is_exotic(written);
  long := length(written) >= 50000;
  rest := case when exotic then income_plain(written) else written end collate "C";
  if not long then
    -- Most often it is nothing but what the schemas themselves call harmless.
    rest := without_harmless(rest);
  else
    rest := income_lower(rest);
  end if;
  parts := (
    select income_lower(string_agg(each.part, '"'))
    from (select distinct unnest(string_to_array(rest, case when long then ' ' else '"' end)) as part) as each);
  if not long and parts !~* look collate "C" then
    return '{}';
  end if;
  if long then
    spaced := rest ~ ' pay|(?:net|ross|ome) (?:amo|eur|per|mon|ann)|(?:a|per|each|every) (?:year|month|week|hour)|die hand|nach hause|rente (?:bez|erh|aus|akt|lau|emp|sta)';
  else
    in_context := (select string_agg(spotted[1], '"') from regexp_matches(parts, income_context(), 'g') as spotted);
  end if;
  return array(
    select '' where exotic
    union all
    select '%' || replace(piece, '\', '\\') || '%' from unnest(income_pieces()) as piece where position(piece in parts) > 0
    union all
    select '%' || piece || '%' from unnest(income_context_pieces()) as piece
    where case
      when not long then position(piece in in_context) > 0
      when position(' ' in piece) > 0 then spaced and position(piece in rest) > 0
      else position(piece in parts) > 0
    end);
end
$$;
comment on function income_hits is 'Pieces of the words of income in a document''s text, as patterns; none where nothing need be removed.';

create or replace function is_hit(written text, hits text[]) returns boolean
  language sql immutable parallel safe
  return hits <> '{}' and (income_lower(written) like any (hits) or '' = any (hits) and is_exotic(written));
comment on function is_hit is 'Whether a part of a document may concern an income.';

create or replace function is_clean(written text, hits text[]) returns boolean
  language sql immutable parallel safe
  return not is_hit(written, hits) and position('personen' in written) = 0;
comment on function is_clean is 'Whether a part of a document that is not below an income stays as it is.';
