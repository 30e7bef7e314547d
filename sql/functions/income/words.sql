-- The words of income. Words are compared in income_form: lower case, one spelling for ä, ae and a, no double letters.
-- A word is looked for only where a text has one of income_pieces (phrases.sql): a new word needs its piece there.
--
-- @needs income/schema

-- Letters of other scripts, full-width forms, decomposed umlauts, invisible characters.
create or replace function is_exotic(value text) returns boolean
  language sql immutable parallel safe
  return value ~ '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]';
comment on function is_exotic is 'Whether a text has characters that may hide a word or a digit.';

create or replace function income_plain(value text) returns text
  language sql immutable parallel safe
  return case
    when is_exotic(value) then translate(normalize(value, nfkc),
      '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९'
      '০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙٬٫' || e'\u2032\u02bc'
        || e'\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufdd0\ufdd1\ufdd2\ufe0e\ufe0f\u20e3',
      '01234567890123456789012345678901234567890123456789''.''''')
    else value
  end;
comment on function income_plain is
  'A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.';

create or replace function income_blanks() returns text
  language sql immutable parallel safe
  return e' \t\n\r\f\u000b\u00a0';
comment on function income_blanks is 'Characters that say nothing around a text.';

create or replace function income_fold(value text) returns text
  language sql immutable parallel safe
  return lower(translate(income_plain(value), 'äöüÄÖÜßéèêáàâ', 'aouaouseeeaaa') collate "C");
comment on function income_fold is 'A text in lower case, with umlauts as a, o, u.';

create or replace function income_lower(written text) returns text
  language sql immutable parallel safe
  return replace(replace(replace(lower(written collate "C"), 'Ä', 'ä'), 'Ö', 'ö'), 'Ü', 'ü');
comment on function income_lower is 'A text in lower case, the same in every database.';

-- netto and brutto end in o: what follows them begins anew. Transcripts double letters and leave them out (Gehaltt).
create or replace function income_form(folded text) returns text
  language sql immutable parallel safe
  return replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    folded, 'ttoe', 'to-e'), 'ae', 'a'), 'oe', 'o'), 'ue', 'u'), 'to-e', 'toe'),
    'ss', 's'), 'tt', 't'), 'mm', 'm'), 'nn', 'n'), 'll', 'l'), 'ieh', 'ie');
comment on function income_form is 'The form in which the words of a folded text are looked up.';

-- What a word is, and what its example is as the name of a number: it goes with income, and stays with the others.
-- place: head, the last part of a compound in any inflection; form, such a part as it stands; word, a whole word;
-- received, makes an income of a claim; beginning, first part of a compound; part, anywhere in a word.
-- class: income; claim, an income where it is received now; measure, an income unless something with a price is
-- named; open, the part before it decides; priced and stays, never an income; neutral, passed over;
-- preposition, ends a name; stops, makes a target or a count of the name.
create or replace function income_words() returns table (place text, class text, example text, words text)
  language sql immutable parallel safe
begin atomic
  select * from (values
    ('head', 'income', 'grundgehalt', 'einkommen einkunft einkünfte einnahme gehalt lohn löhne besoldung wehrsold '
      'ehrensold grundsold bezüge verdienst entgelt salär salary salaries income earning revenue payroll paycheck '
      'payslip remuneration stipend stipendium stipendien honorarium monatsgage jahresgage eink'),
    ('head', 'income', 'weihnachtsgeld', 'kindergeld elterngeld mutterschaftsgeld kurzarbeitergeld krankengeld '
      'arbeitslosengeld bürgergeld wohngeld pflegegeld weihnachtsgeld urlaubsgeld trinkgeld taschengeld '
      'übergangsgeld insolvenzgeld sitzungsgeld verletztengeld blindengeld betreuungsgeld ruhegeld '
      'übergangsgebührnisse sozialhilfe bafög gründungszuschuss aufwandsentschädigung kinderzuschlag unterhalt '
      'alimente honorar vergütung privatentnahme tantieme abfindung gratifikation dividende ausschüttung'),
    ('head', 'income', 'mietertrag', 'kapitalertrag zinsertrag mietertrag pachtertrag wertpapierertrag gewinn umsatz '
      'jahresüberschuss pension witwenrente witwerrente waisenrente nettorente bruttorente zusatzrente minijob '
      'midijob nebenjob zuversteuerndes lohnsteuer einkommensteuer kirchensteuer solidaritätszuschlag sozialabgabe '
      'sozialversicherungsbeitrag'),
    ('head', 'income', 'jahresbonus', 'bonus boni fixum sonderzahlung leistungsprämie erfolgsprämie '
      'weihnachtsprämie mitarbeiterprämie ausgleichsprämie gehaltsprämie verkaufsprämie anwesenheitsprämie '
      'erfolgsbeteiligung entlohnung schichtzuschlag nachtzuschlag feiertagszuschlag sonntagszuschlag familienzuschlag '
      'ortszuschlag überstundenzuschlag diäten apanage rentenbezug alimony takehome profit turnover dividend zulage '
      'witwengeld waisengeld sozialgeld karenzgeld ausbildungsgeld familienbeihilfe notstandshilfe sonderzuwendung '
      'jubiläumszuwendung rentenzahlbetrag versorgungsbezug sachbezug lohnersatzleistung gewinnentnahme eigenentnahme '
      'einnahmenüberschuss abschlussbonus sozialversicherungsbrutto steuerbrutto svbrutto umsatzprämie '
      'vertriebsprämie jubiläumsprämie inflationsprämie coronaprämie gratuity unemploymentbenefit childbenefit '
      'childallowance housingallowance housingbenefit totalcompensation annualcompensation employeecompensation '
      'severance childsupport dividendenertrag'),
    ('head', 'claim', 'altersrente_aktuell', 'rente altersrente betriebsrente erwerbsminderungsrente'),
    ('head', 'open', 'gehaltshoehe', 'höhe betrag summe wert klasse band spanne niveau historie verlauf entwicklung '
      'situation verhältnis nachweis angabe bescheinigung abrechnung mitteilung erhöhung steigerung anpassung '
      'zahlung auszahlung eingang zufluss bestandteil komponente aufstellung übersicht jahr monat woche stunde '
      'monatlich jährlich vorjahr euro gesamt liste feld information profil durchschnitt mittelwert schätzung '
      'struktur range amount value level history statement eintrag position bescheid gespräch streifen tüte '
      'verhandlung zettel vorschuss plus'),
    ('head', 'measure', 'monatsnetto', 'netto brutto'),
    ('head', 'priced', 'nettobeitrag', 'beitrag prämie premium sparrate rate tarif police prämienzahlung einzahlung '
      'zuzahlung contribution product produkt wertschöpfung'),
    ('head', 'priced', 'nettokaltmiete', 'preis kosten gebühr courtage provision rechnung faktura angebot reparatur '
      'schaden schäden miete pacht leasing umlage ausgabe aufwand aufwendung anschaffung price cost fee invoice '
      'charge discount rabatt skonto umsatzsteuer mehrwertsteuer payment'),
    ('head', 'priced', 'bruttorendite', 'rendite verzinsung zins zinsen rückkauf ablauf yield'),
    ('head', 'priced', 'nettodeckung', 'deckung deckungssumme leistung versicherung versicherungssumme erstattung '
      'entschädigung selbstbeteiligung selbstbehalt absicherung coverage cover deductible'),
    ('head', 'priced', 'nettovermoegen', 'vermögen guthaben sachwert inventar inventarwert gebäudewert fahrzeugwert '
      'zeitwert depot darlehen kredit hypothek restschuld mortgage loan asset debt verkehrswert neuwert '
      'wiederbeschaffung versicherungswert abschreibung warenwert lagerwert'),
    ('head', 'priced', 'einkommensluecke', 'fläche gewicht volumen tonnage energie kalorien registertonne weight area '
      'volume floor rauminhalt prozent quote anteil faktor ratio percent bedarf lücke wunsch gap need'),
    ('head', 'stays', 'einkommensausfall', 'bedürfnis sicherung schutz ausfall verlust fortzahlung umwandlung '
      'verzicht vorstellung prognose grenze limit freibetrag pfändung minimum wunschrente anspruch anwartschaft '
      'vorsorge einbuße minderung risiko hürde shortfall'),
    ('head', 'stays', 'unterhaltspflicht', 'unterhaltszahlung unterhaltsleistung unterhaltsschuld unterhaltskosten '
      'verpflichtung pflicht schulden lebensunterhalt konto konten sparplan'),
    ('head', 'stays', 'krankentagegeld', 'tagegeld pflegemonatsgeld sterbegeld ausfallgeld ersatz versichert '
      'schutzbrief baustein paket berufsunfähigkeitsrente unfallrente pflegerente hinterbliebenenrente leibrente '
      'garantierente mindestrente zielrente rentenfaktor grundfähigkeitsrente riesterrente rüruprente basisrente '
      'privatrente burente'),
    ('head', 'stays', 'treuebonus', 'schadenfreiheitsbonus treuebonus neukundenbonus wechselbonus tarifbonus '
      'kassenbonus vorsorgebonus gesundheitsbonus rabattbonus sofortbonus beitragsbonus schlussbonus schlussgewinn '
      'überschussbonus zinsbonus willkommensbonus cashback bonusmalus bonusheft gewinnbeteiligung gewinnanteil '
      'überschussbeteiligung gewinnverwendung gewinnspiel gewinnchance gewinnwarnung hauptgewinn lottogewinn '
      'kursgewinn buchgewinn kontogewinn zugewinn raumgewinn zeitgewinn informationsgewinn erkenntnisgewinn '
      'punktgewinn kundengewinn flächengewinn bonusklasse'),
    ('head', 'stays', 'gehaltsempfaenger', 'empfänger bezieher nehmer geber arbeitnehmer arbeitgeber millionär '
      'buchhalter buchhaltung buchhalterin büro stelle pensionär soldat referent berater beraterin anwalt arzt '
      'ärztin kanzlei handwerker verein gesellschaft unternehmen abteilung berechtigte berechtigter partei mensch '
      'gruppe träger inhaber rechner steuerhilfeverein steuerhilfe pflichtiger schuldner gläubiger pfleger'),
    ('head', 'stays', 'gehaltsantrag', 'erklärung formular antrag vertrag vereinbarung vertragswerk ordnung '
      'verordnung gesetz unterlage dokument ordner brief schreiben ausdruck kopie akte datei fragebogen beleg quittung '
      'beratung analyse check vergleich test frage thema titel wort text name bezeichnung kategorie kennzeichen nummer '
      'nr kennung code schlüssel schlüsselnummer link url reference tabelle'),
    ('head', 'stays', 'gehaltsstufe', 'tag datum termin beginn ende eintritt alter lebensalter frist stufe status '
      'stand art typ form modus regelung steuerklasse periode turnus fälligkeit zyklus anzahl zahl häufigkeit index '
      'punkt punkte score note version satz ziel zeit dauer schuld bestand zuwachs point day days bracket cap date '
      'count id number type class'),
    ('head', 'stays', 'lohnbuero_kasse', 'orden kreuz medaille automat hof straße allee weg platz haus gebäude halle '
      'wagen waage maschine anlage gerät kasse kassen fonds stock stiftung börse raum zimmer etage system software '
      'portal modul programm app seite reiter spalte steuer umsatzsteuervoranmeldung spielautomat schein zeichen marke '
      'preisgeld adel dienst zuschuss zuschlag kapital erlös ertrag reichweite berechnung prüfung statistik planung '
      'optimierung sicherheit stabilität schwankung einstufung erfassung hinweis verwendung abtretung schere '
      'ungleichheit politik tax protection replacement continuation fund margin pot'),
    ('head', 'stays', 'mindestlohn', 'belohnung mindestlohn mindesteinkommen mindestgehalt vollmacht iserlohn '
      'heilbronn kobold leopold engagement baggage luggage language sausage elearning learning unterhaltung '
      'unterhaltungselektronik gewähr alkoholgehalt wassergehalt zuckergehalt fettgehalt salzgehalt '
      'feuchtigkeitsgehalt sauerstoffgehalt goldgehalt silbergehalt eiweißgehalt nährstoffgehalt wahrheitsgehalt '
      'informationsgehalt energiegehalt koffeingehalt nikotingehalt schadstoffgehalt säuregehalt kalkgehalt '
      'medikamenteneinnahme tabletteneinnahme arzneimitteleinnahme arzneieinnahme pilleneinnahme nahrungseinnahme '
      'verdauung stromverbrauch pensionskasse pensionierung pensionsalter pensionszusage pensionsrückstellung '
      'pensionspferd pferdepension tierpension hundepension frühstückspension halbpension vollpension '
      'familienpension referenz konferenz transparenz nutzungsentgelt kontoführungsentgelt verwahrentgelt bankentgelt '
      'überziehungsentgelt heimentgelt bettbezüge kissenbezüge sitzbezüge polsterbezüge stoffbezüge querbezüge '
      'wagenumsatz aktienumsatz handelsumsatz energieumsatz grundumsatz lagerumsatz kalorienumsatz'),
    ('head', 'stays', 'riesterzulage', 'riesterzulage kinderzulage altersvorsorgezulage grundzulage sparzulage '
      'forschungszulage investitionszulage eigenheimzulage'),
    ('form', 'stays', 'einnahmezeit', 'gehalten gehaltene gehaltenen gehaltener lohnen lohnt lohnte lohnend lohnende '
      'gewinnen gewinnt gewann bezüglich unterhalten unterhaltsam unterhaltend einnahmezeit einnahmezeiten abhängig '
      'abhängige abhängigen abhängiger abhängiges stark starke starken schwach schwache schwachen arm unabhängig '
      'unabhängige orientiert orientierte bezogen pensioniert pensionierte honoriert gestaffelt gerecht wirksam '
      'wirksame wirksamen frei freie freien los verdiener verdieners verdienern verdienerin gewinner gewinners '
      'gewinnern gewinnung gewinnungen unterhalter unterhalters mieter mietern bezüger bezügern rang rangs pensioner '
      'pensioners'),
    ('form', 'priced', 'miete_kostet', 'rent rents kostet kostete kosteten gekostet'),
    ('form', 'open', 'gehaltsbezug', 'bezug bezugs bezuges'),
    ('form', 'income', 'monatsverdient', 'verdienen verdient verdiene verdiente verdienten verdienend besoldet '
      'entlohnt'),
    ('form', 'income', 'eikommen', 'eikommen enkommen einkommn verdint verdihnt vedient ferdient gehlt geahlt gehatl '
      'lonh'),
    ('word', 'income', 'jae', 'sold gage gagen wage wages alg alg1 algi algii alg2 zve soli hartz hartz4 hartziv earn '
      'earns earned jae'),
    ('word', 'measure', 'net', 'netto brutto net gross'),
    ('word', 'neutral', 'gehalt_partner', 'eur euro euros chf usd tsd teur cent monat monate monats monatlich '
      'monatliche monatlicher monatliches monatlichen mtl jahr jahre jahres jährlich jährliche jährliches '
      'jährlicher jährlichen pa woche wochen wöchentlich stunde stunden stündlich täglich month months monthly '
      'year years yearly annual annually week weekly hour hourly daily current currently total gesamt gesamtes gesamte '
      'aktuell aktuelle aktuelles aktueller derzeit derzeitig derzeitige heute jetzt neu neue neues alt altes alte '
      'vorjahr vorjahres laufendes laufend laufende letztes letzter letzte last letzt vorletzt kunde kunden kundin '
      'partner partners partnerin person personen persönlich persönliches mann ehemann ehefrau frau ehegatte '
      'ehegatten ehepartner kind kinder haushalt haushalts hh familie familien mutter vater eltern client customer '
      'spouse household person1 person2 p k v vn vp der die das des dem den und oder the and or my mein meine sein ihr '
      'sonstige sonstiges sonstiger weitere weiteres andere other eigene eigenes eigener own circa ca geschätzt '
      'geschätztes angegeben angegebenes durchschnittlich durchschnittliches regelmäßig regelmäßiges fest festes '
      'fixes variabel variabler variables monatl jährl rund etwa hauptverdiener hauptverdienerin alleinverdiener '
      'alleinverdienerin zweitverdiener zweitverdienerin mitarbeiter mitarbeiterin arbeitnehmer arbeitnehmerin '
      'antragsteller antragstellerin versicherungsnehmer versicherungsnehmerin'),
    ('word', 'preposition', 'prozent_vom_netto', 'aus von vom vor nach zum zur für for of from per pro als durch bei '
      'beim im in am ab seit bis ohne inkl abzgl exkl zzgl mit auf an über unter trotz'),
    ('word', 'stops', 'ziel_gehalt', 'anzahl zahl prozent ziel wunsch gewünscht gewünschte gewünschtes benötigt '
      'benötigte benötigtes bedarf soll fiktiv fiktives mindest minimum versichert versicherte versichertes '
      'garantiert garantierte prognostiziert prognostizierte prognose kalkuliert geplant geplantes künftig künftige '
      'künftiges erwartet erwartetes desired target required expected insured minimal age zulage zulagen worth'),
    ('word', 'claim', 'net_pay', 'pay'),
    ('received', 'received', 'aktuelle_rente', 'aktuell aktuelle aktueller bezogen bezogene laufend laufende erhalten '
      'erhaltene ausgezahlt ausgezahlte staatlich staatliche derzeit derzeitige heutige gegenwärtige empfangen '
      'empfangene received current überwiesen überwiesene netto brutto net gross base takehome annual monthly yearly '
      'weekly hourly overtime severance holiday sick'),
    ('beginning', 'stays', 'wunschgehalt', 'anzahl prozent ziel wunsch gewünscht benötigt mindest versichert '
      'garantiert geplant'),
    ('part', 'income', 'gehaltsxyz', 'einkommen einkünfte einkunft gehalts besoldung salary income')
  ) as list (place, class, example, words);
end;
comment on function income_words is 'The words that the rule knows, with their classes and an example of each.';

-- Keys are "head stem", "form word", "word word". A stem too short to lose its inflection is listed with each. Written
-- out, because a session compiles each of the expressions that look a word up anew, which is slow.
do $do$
begin
  execute format(
    'create or replace function income_lexicon() returns jsonb language sql immutable parallel safe as %L', format(
      'select %L::jsonb', (
      with each as (
        select place, class, income_form(income_fold(word)) as form
        from income_words(), string_to_table(words, ' ') as word
      ),
      stems as (
        select class, form, rtrim(form, 'ensr') as stem from each where place = 'head'
      ),
      keys as (
        select place || ' ' || form as key, class, 1 as rank from each where place in ('form', 'word')
        union all
        select 'head ' || stem, class, 1 from stems where length(stem) >= 4
        union all
        select 'form ' || form || ending, class, 2
        from stems, unnest('{"",s,es,e,en,n}'::text[]) as ending where length(stem) < 4
      )
      select jsonb_object_agg(first.key, first.class)
      from (select distinct on (key) key, class from keys order by key, rank, class) as first)));
end
$do$;
comment on function income_lexicon is 'The class of each word of income_words, by where it stands.';

create or replace function income_word_list(place text) returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(income_form(income_fold(word)))
  from income_words() as list, string_to_table(list.words, ' ') as word
  where list.place = income_word_list.place;
end;
comment on function income_word_list is 'The words of one place.';

create or replace function income_patterns(place text) returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(case when place = 'part' then '%' else '' end || word || '%')
  from unnest(income_word_list(place)) as word;
end;
comment on function income_patterns is 'The words of one place as patterns for LIKE.';
