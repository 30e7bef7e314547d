-- Phrases that speak of an income without its name, or have its name and do not; and the quick look at a text.
--
-- @needs income/schema, income/words

-- Each sign is a piece of lower-case text without which the phrase cannot be there. The patterns of class income match
-- income_form of a text; what those of class stays match is passed over.
create or replace function income_phrases()
  returns table (class text, kind text, signs text, pattern text, example text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('income', 'takes home', 'hause|heim|die hand',
      'auf die hand|nach hause (bring|nimm|geh|komm|trag|hat|nehm)'
        || '|(bring|geht|gehe|komm|nimm|trag)[a-z]* .{0,40}(nach hause|\mheim\M)', 'Mein Mann bringt 31337 heim.'),
    ('income', 'earns a year', ' year| month| week| hour|annually|yearly|monthly|p.a.',
      '\m(make|makes|making|made|earn|earns|earned|get|gets|getting) .{0,30}'
        || '((a|per|each|every) (year|month|week|hour)|annually|yearly|monthly|p\.a\.)', 'She makes 31,337 a year'),
    ('income', 'pay for a time', 'pay',
      '(base|net|gross|annual|monthly|hourly|weekly|yearly|home)[- ]pay($|[^a-z])', 'base pay 31337'),
    ('income', 'receives a pension', 'rente',
      '(bezieh|bezog|bekomm|krieg|erhalt|ausgezahlt)[a-z]*( .*)? [a-z]*rente'
        || '|rente[ :,].*(bezieh|bezog|bekomm|krieg|erhalt|ausgezahlt)'
        || '|(aktuelle|bezogene|laufende|staatliche|ausgezahlte|derzeitige)[rns]?[-_ ]renten?'
        || '|rente[ :,(]+(laufend|lauft|in zahlung)', 'gesetzliche Rente, laufend: 31337'),
    ('income', 'is paid by an employer', 'bekom|krieg|zahlt|überw|ueberw|komm',
      '(bekomm|krieg|zahlt)[a-z]* .*(\m(chef|firma|arbeit|arbeitgeber|betrieb|arbeitsamt|jobcenter)\M)'
        || '|(bekomm|krieg)[a-z]* .*\muberwiesen|komm[a-z]* .*\mkonto\M.*\m(chef|firma|arbeitgeber)\M',
      'Ich krieg vom Chef 31337.'),
    ('income', 'is left after deductions', 'nach abz|nach st',
      'nach (den |allen )?(abzug[a-z]*|steuern?) .*(bleib|ubrig|verfugung|raus)[a-z]*'
        || '|(bleib|ubrig|verfugung)[a-z]* .*nach (den |allen )?(abzug|steuer)', 'Nach Abzügen bleiben mir 31337.'),
    ('income', 'the rate of a freelancer', 'ensatz|essatz',
      '(stundensatz|tagessatz)[a-z ]* (freelancer|freiberuf|selbst)', 'Stundensatz als Freelancer 95 €'),
    ('income', 'is paid by a company of his own', 'zahl|entn| aus der | aus dem | aus mein| aus sein| aus ihr',
      'zahl(e|t|en)? (sich|mir|uns)\M.*\maus\M|\m(entnimmt|entnehme|entnehmen)\M'
        || '|(ziehe?|zieht|nehme?|nimmt) .{0,40}aus (der|dem|meiner|meinem|seiner|ihrer) '
        || '(gmbh|firma|praxis|kanzlei|betrieb|unternehmen)', 'Er zahlt sich als Geschäftsführer 31337 aus.'),
    ('income', 'comes in', ' rein| raus|herein|heraus',
      '(hab|habe|haben|hat|komm|kommt|kommen|krieg|bekomm|bring|hole?|mach)[a-z]* (.{0,60} )?'
        || '(rein|raus|herein|heraus)\M(?! ?(geh|muss|zahl)).{0,20}(monat|jahr|netto|$|[.!?])'
        || '|(monat|jahr).{0,30}\m(rein|raus|herein|heraus)'
        || '(kommt|bekomm[a-z]*)?(?! ?(geh|muss|zahl))($|[ .!?])', 'Ich hab so 31337 raus im Monat'),
    ('income', 'comes to by work', 'komm',
      '(arbeit|halbtags|teilzeit|vollzeit|schicht|job|stunden).*\mkomm(e|t|en)? (wir |ich |sie |er )?'
        || '(so |ca\.? |etwa |ungefahr |rund )*auf\M', 'Sie arbeitet halbtags und kommt auf 31337.'),
    ('stays', 'a need', 'absicher|schutz|ausfall|verlust|wegfall|erhalt',
      '(absicherung|absichern|sicherung|schutz|ausfall|verlust|wegfall|erhalt) '
        || '(des|der|eines|ihres|seines|meines|deren|von|vom)( [a-z]+)? '
        || '[a-z-]*(einkommens?|gehalts?|lohn(es|s)?|verdienste?s?)\M',
      'Absicherung des Einkommens mit 1.500 Euro BU-Rente'),
    ('stays', 'a name', 'frau|herr|hr.|fr.|famil|dr.',
      '\m(frau|herrn?|hr\.|fr\.|familie|dr\.) (lohn|gehalt|sold|pension|gewinn|honorar|netto)\M',
      'Frau Lohn, Hausnummer 12, 50667 Köln')
  ) as list (class, kind, signs, pattern, example);
end;
comment on function income_phrases is 'Phrases that speak of an income, or only seem to, with an example of each.';

create or replace function income_phrase_steps(class text) returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(array[sign,
    case when income_phrase_steps.class = 'income' then income_form(pattern) else pattern end])
  from income_phrases() as list, string_to_table(signs, '|') as sign
  where list.class = income_phrase_steps.class;
end;
comment on function income_phrase_steps is 'Each sign of the phrases of a class, with the phrase''s pattern.';

-- A document without any of these concerns no income. Wider than the rule: what has one is only looked at closer.
create or replace function income_pieces() returns text[]
  language sql immutable parallel safe
begin atomic
  with pieces as (
    select distinct replace(piece, '+', ' ') as piece from string_to_table(
      'personen eink einna eikom enkom gehä gehae gehal gehat gehl geahl lohn löhn loehn lonh bezug bezüg bezueg '
      'bezog bezie bekom verdi ferdi vedien vergü vergu hono gage wage netto neto brutto bruto salar salär salaer '
      'income earn revenu payr payc pays takeh stipen annual monthl yearl rgeld ngeld sgeld kgeld zgeld lgeld '
      'flegeg hartz ialhilf bafo bafö zuschu zuschl ntschä ntscha unterh entn tantie abfin gratif dividen aussch '
      'alimen alimon remuner profit turnov lertr sertr tertr rertr l_ertr s_ertr t_ertr r_ertr gewin umsa umsä '
      'berschu pension ruheg erhält erhaelt _erhalt kriegt ausgez ijob njob i-job n-job steuernd kirchens solida '
      'alabga gsbeitr ohnsteu ntgelt bonu boni fixum sonderz istungspr folgspr nachtspr beiterpr leichspr kaufspr '
      'heitspr haltspr ebspr umspr onspr onapr sbeteil zulag zuwend standshilf beihilf sachbez zahlbetr gratui '
      'severan allowan support benefit compens gsgeb diät diaet diat apanag sold rente soli alg zve net gross u00 '
      'jae ' || (
        select string_agg(replace(replace(signs, ' ', '+'), '|', ' '), ' ')
        from income_phrases() where class = 'income')
        -- Flagged fields: betrag[-_ .]?monat[-_ .]?eur
        || ' ' || (
          select string_agg(split_part(name, '[', 1), ' ') from string_to_table(income_schema_names(), '|') as name),
      ' ') as piece
  )
  select array_agg(piece) from pieces
  where not exists (
    select from pieces as other where other.piece <> pieces.piece and position(other.piece in pieces.piece) > 0);
end;
comment on function income_pieces is 'Pieces of text of which whatever concerns an income has one, in lower case.';

-- As bytes: LIKE is more than twice as fast on them.
create or replace function income_piece_patterns() returns bytea[]
  language sql immutable parallel safe
begin atomic
  select array_agg(convert_to('%' || piece || '%', 'UTF8')) from unnest(income_pieces()) as piece;
end;
comment on function income_piece_patterns is 'The pieces as patterns for LIKE.';

create or replace function has_income_piece(lowered text) returns boolean
  language sql immutable parallel safe
  return convert_to(lowered, 'UTF8') like any (income_piece_patterns());
comment on function has_income_piece is 'Whether a text in lower case may concern an income.';

-- Asked once for a document, and passed on to all who look at a part of it.
create or replace function income_hits(written text) returns text[]
  language plpgsql immutable parallel safe as $$
declare
  exotic constant boolean := is_exotic(written);
  lowered constant text := income_lower(case when exotic then income_plain(written) else written end);
begin
  -- Of a long document all pieces are looked for at once.
  if length(lowered) < 5000 and not has_income_piece(lowered) then
    return '{}';
  end if;
  return array(
    select '' where exotic
    union all
    select '%' || piece || '%' from unnest(income_pieces()) as piece where position(piece in lowered) > 0);
end
$$;
comment on function income_hits is
  'The pieces that a document has, as patterns for LIKE; none where nothing need be removed.';

create or replace function is_hit(written text, hits text[]) returns boolean
  language sql immutable parallel safe
  return hits <> '{}' and (income_lower(written) like any (hits) or '' = any (hits) and is_exotic(written));
comment on function is_hit is 'Whether a part of a document may concern an income.';
