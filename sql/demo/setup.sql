-- The generator of the demo rows: a schema of its own, made anew on every run and dropped by teardown.sql.
--
-- Every demo row is a pure function of an entity's name and an index. There is no random() and no now():
-- the same call makes the same row in any slice, any order and any process. "Today" is 2026-03-01T12:00:00Z.
--
-- How it works:
--   1. pick() turns a name and an index into a number; weighted() turns that number into a word.
--   2. Word lists are tables of slots: a name with twice the weight owns twice as many slots.
--   3. Households are the costly part, a DIN check has 42 rows. So at most 500 of them are worked out here once,
--      and every contact is given one of the 500.
--   4. demo.people() lists leads with the person behind each; the insert_demo_*.sql files select from it.
--
-- People, streets and insurers are invented. Mail addresses end in example.org, .com or .net (RFC 2606).
-- Phone numbers are those set aside for films in Germany, or start with +49199, which is given to no line.
drop schema if exists demo cascade;
create schema demo;
comment on schema demo is 'Generator of demo rows. Holds no row that the service reads; may be dropped at any time.';

-- Functions ------------------------------------------------------------------------------------------

-- md5, because hashtext() may change between versions of PostgreSQL.
create function demo.pick(seed text, n bigint, modulus bigint) returns integer
  language sql immutable parallel safe
  return (('x' || substr(md5(seed || ':' || n::text), 1, 8))::bit(32)::bigint % modulus)::integer;
comment on function demo.pick is 'A number from 0 to modulus - 1 that depends on nothing but the arguments.';

create function demo.weighted(roll integer, words text[], starts integer[]) returns text
  language sql immutable parallel safe
  return words[width_bucket(roll, starts)];
comment on function demo.weighted is 'The word whose range holds the roll: word i begins at starts[i].';

-- Version 8 and variant 8 to b, as RFC 9562 wants them: a bare md5 is refused by strict readers of UUIDs.
create function demo.uuid(entity text, n bigint) returns uuid
  language sql immutable parallel safe
  return overlay(
    overlay(md5('demo:' || entity || ':' || n::text) placing '8' from 13 for 1)
    placing substr('89ab', (1 + n % 4)::integer, 1) from 17 for 1)::uuid;
comment on function demo.uuid is 'The UUID of row n of an entity.';

create function demo.edge_uuid(entity text, n integer) returns uuid
  language sql immutable parallel safe
  return ('ed9e000' || case entity
    when 'lead' then '1' when 'analysis' then '2' when 'appointment' then '3'
    when 'signal' then '4' when 'advisory_doc' then '5' end
    || '-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid;
comment on function demo.edge_uuid is 'The UUID of an edge row, easy to tell apart: ed9e000<entity>-0000-8000-8000-<n>.';

create function demo.today() returns timestamptz
  language sql immutable parallel safe
  return timestamptz '2026-03-01T12:00:00Z';
comment on function demo.today is 'The fixed present of the demo rows. Only upcoming appointments lie after it.';

-- Not to_jsonb(timestamptz): that writes in the time zone of the session. Here and below, functions are stable
-- where they call one that is, so that the planner can inline them; they depend on no setting all the same.
create function demo.iso(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
comment on function demo.iso is 'ISO 8601 in UTC, whole seconds.';

create function demo.mail_form(name text) returns text
  language sql immutable parallel safe
  return regexp_replace(lower(translate(
    regexp_replace(normalize(
      replace(replace(replace(replace(replace(replace(replace(name, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'),
        'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'), 'ß', 'ss'), nfd),
      '[\u0300-\u036f]', '', 'g'),
    'łŁđĐı', 'lLdDi')), '[^a-z]', '', 'g');
comment on function demo.mail_form is 'A name as it is written in a mail address: a to z only.';

-- Names ----------------------------------------------------------------------------------------------

-- The most frequent first. Each origin has 2,000 slots, shared out by 1 / (rank + 8), which is Zipf's law
-- with its steep start taken off.
create function demo.slots_of(words text[]) returns table (slot integer, word text, mail text)
  language sql immutable
begin atomic
  with ranked as (
    select ranks.word, ranks.rank, 1.0 / (ranks.rank + 8) as weight
    from unnest(words) with ordinality as ranks (word, rank)
  ),
  -- Materialized: each word has its form worked out once, not once for each slot.
  shares as materialized (
    select ranked.word, demo.mail_form(ranked.word) as mail,
      floor(2000 * (sum(ranked.weight) over (order by ranked.rank) - ranked.weight) / sum(ranked.weight) over ())::integer as first_slot,
      floor(2000 * sum(ranked.weight) over (order by ranked.rank) / sum(ranked.weight) over ())::integer as next_slot
    from ranked
  )
  select generate_series(shares.first_slot, shares.next_slot - 1), shares.word, shares.mail
  from shares;
end;

create table demo.first_names (
  origin text not null,
  slot integer not null,
  name text not null,
  mail text not null,
  primary key (origin, slot)
);

insert into demo.first_names (origin, slot, name, mail)
select lists.origin, slots.slot, slots.word, slots.mail
from (values
  ('de', 'Thomas,Michael,Andreas,Sabine,Stefan,Susanne,Christian,Claudia,Peter,Petra,Anna,Martin,Julia,Daniel,Nicole,Markus,Katrin,Alexander,Stefanie,Frank,Andrea,Matthias,Sandra,Jan,Laura,Tobias,Lena,Sebastian,Birgit,Jürgen,Melanie,Florian,Christina,Wolfgang,Martina,Philipp,Katharina,Klaus,Monika,Lukas,Sarah,Felix,Lisa,Jens,Heike,Uwe,Anja,Tim,Silke,Ralf,Marie,Dirk,Ute,Oliver,Tanja,Maximilian,Sophie,Jonas,Gabriele,Dennis,Karin,Marcel,Simone,Patrick,Kerstin,Benjamin,Johanna,Simon,Angelika,Holger,Nadine,David,Ulrike,Bernd,Jessica,Torsten,Franziska,Fabian,Renate,Sven,Hannah,Leon,Barbara,Jörg,Vanessa,Paul,Brigitte,Marco,Theresa,Manfred,Carina,Niklas,Anke,Dieter,Jana,Helmut,Antje,Björn,Manuela,Moritz,Regina,Kai,Maria,Günter,Eva,Lars,Ingrid,Werner,Miriam,Elias,Cornelia,Rainer,Annika,Carsten,Ursula,Robert,Pia,Gerhard,Lea,Noah,Clara,Henrik,Greta,Emil,Frieda,Rüdiger,Käthe,Götz,Änne,Jasper'),
  ('tr', 'Ayşe,Mehmet,Fatma,Mustafa,Emine,Ahmet,Zeynep,Ali,Elif,Hüseyin,Gülay,İbrahim,Özlem,Yusuf'),
  ('pl', 'Agnieszka,Piotr,Katarzyna,Krzysztof,Małgorzata,Paweł,Joanna,Tomasz,Ewa,Michał,Beata,Grzegorz,Zofia,Łukasz'),
  ('ru', 'Olga,Sergej,Elena,Dmitri,Natalja,Viktor,Irina,Wladimir,Tatjana,Igor,Ludmila,Alexej,Oksana,Jewgeni'),
  ('ar', 'Mohammed,Fatima,Omar,Aisha,Khaled,Layla,Hassan,Mariam,Youssef,Noor,Samir,Rania,Tarek,Huda'),
  ('vi', 'Thị Lan,Văn Minh,Thu Hà,Đức,Thị Hoa,Quang,Mai,Tuấn,Hương,Hải,Linh,Dũng,Ngọc,Anh')
) as lists (origin, words)
cross join demo.slots_of(string_to_array(lists.words, ',')) as slots;

create table demo.last_names (
  origin text not null,
  slot integer not null,
  name text not null,
  mail text not null,
  primary key (origin, slot)
);

insert into demo.last_names (origin, slot, name, mail)
select lists.origin, slots.slot, slots.word, slots.mail
from (values
  ('de', 'Müller,Schmidt,Schneider,Fischer,Weber,Meyer,Wagner,Becker,Schulz,Hoffmann,Schäfer,Koch,Bauer,Richter,Klein,Wolf,Schröder,Neumann,Schwarz,Zimmermann,Braun,Krüger,Hofmann,Hartmann,Lange,Schmitt,Werner,Schmitz,Krause,Meier,Lehmann,Schmid,Schulze,Maier,Köhler,Herrmann,König,Walter,Mayer,Huber,Kaiser,Fuchs,Peters,Lang,Scholz,Möller,Weiß,Jung,Hahn,Schubert,Vogel,Friedrich,Keller,Günther,Frank,Berger,Winkler,Roth,Beck,Lorenz,Baumann,Franke,Albrecht,Schuster,Simon,Ludwig,Böhm,Winter,Kraus,Martin,Schumacher,Krämer,Vogt,Stein,Jäger,Otto,Sommer,Groß,Seidel,Heinrich,Brandt,Haas,Schreiber,Graf,Schulte,Dietrich,Ziegler,Kuhn,Kühn,Pohl,Engel,Horn,Busch,Bergmann,Thomas,Voigt,Sauer,Arnold,Wolff,Pfeiffer,Ernst,Lindner,Hübner,Kramer,Franz,Beyer,Wenzel,Jansen,Arndt,Peter,Barth,Hermann,Riedel,Ebert,Böhme,Moser,Nagel,Grimm,Brinkmann,Rademacher,Langer,Hein,Schlüter,Geiger,Ulrich,Bock,Kurz,Wendt,Stark,Kirchner,Lenz,Ott,Reuter,Kunz,Marx,Bender,Steiner,Wirth,Eckert,Ritter,Naumann,Brunner,Wilhelm,Mohr,Hess,Bachmann,Gebhardt,Kaufmann,Noack,Röder,Pfaff,Steffen,Zander,Fiedler,Hecht,Krieger,Harms,Anders,Blum,Straub,Feldmann,Hansen,Petersen,Andresen,Lorenzen,Thiel,Gerlach,Fritsch,Dörr,Reimann,Metzger,Kessler,Rupp,Probst,Wiese,Strobel,Henkel,Köster,Ahrens,Reinhardt,Heller,Opitz,Sander,Bosch,Knoll,Kern,Haupt,Rieger,Baum,Siebert,Hammer,Vetter,Erdmann,Sturm,Rausch,Witt,Buchholz,Jahn,Brenner,Heinz,Adler,Menzel,Kowalski,Seifert,Rösch,Burger,Specht,Diehl,Funke,Link,Hartwig,Blank,Linke,Popp,Eichhorn,Wegner,Gärtner,Bürger,Dahl,Nowak,Ehlers,Merz,Heil,Born,Schütz,Kolb,Rau,Schade,Freund,Held,Zeller,Heine,Drescher,Freitag,Löffler,Hirsch,Lutz,Mertens,Forster,Göbel,Wulf,Kiefer,Jacobs,Fink,Moritz,Rose,Ackermann,Kruse,Wild,Kaminski,Falk,Appel,Bayer,Körner,Pieper,Hoppe,Stephan,Thiele,Preuß,Paul,Fritz,Schilling,Hagen,Bähr,Bartsch,Nickel,Bach,Singer,Wimmer,Renner,Eder,Zink,Prinz,Konrad,Krug,Hauser,Dorn,Weigel,Schramm,Unger,Römer,Orth,Nolte,Döring,Gruber,Trautmann,Oberländer,Wächter,Löwe,Küster,Rößler,Thoma'),
  ('tr', 'Yılmaz,Kaya,Demir,Çelik,Şahin,Yıldız,Öztürk,Aydın,Arslan,Doğan,Kılıç,Aslan,Çetin,Koç,Kurt,Özdemir,Polat,Aksoy,Güneş,Bulut,Erdoğan,Karaca'),
  ('pl', 'Nowakowski,Wiśniewski,Wójcik,Kowalczyk,Lewandowski,Zieliński,Szymański,Woźniak,Dąbrowski,Kozłowski,Jankowski,Mazur,Krawczyk,Piotrowski,Grabowski,Pawłowski,Michalski,Król,Wieczorek,Jabłoński,Wróbel,Majewski'),
  ('ru', 'Iwanow,Smirnow,Petrow,Sokolow,Popow,Lebedew,Koslow,Nowikow,Morosow,Wolkow,Pawlow,Fedorow,Orlow,Makarow,Sacharow,Romanow,Kusnezow,Bogdanow,Schukow,Winogradow,Baranow,Kalinin'),
  ('ar', 'Al-Masri,Haddad,Khalil,Nasser,Ibrahim,Saleh,Mansour,Hamdan,Aziz,Farouk,Darwish,Suleiman,Hakim,Qasim,Najjar,Shaheen,Othman,Barakat,Jaber,Karim,Al-Hassan,Zein'),
  ('vi', 'Nguyễn,Trần,Lê,Phạm,Hoàng,Huỳnh,Phan,Vũ,Võ,Đặng,Bùi,Đỗ,Hồ,Ngô,Dương,Lý,Đinh,Trịnh,Đoàn,Lâm,Mạc,Tạ')
) as lists (origin, words)
cross join demo.slots_of(string_to_array(lists.words, ',')) as slots;

-- Addresses ------------------------------------------------------------------------------------------

-- Real pairs of postal code and town; the streets are invented, so no address is a real one.
create table demo.places (
  slot integer primary key,
  plz text not null,
  ort text not null
);

insert into demo.places (slot, plz, ort)
select (pairs.position - 1)::integer, left(pairs.pair, 5), substr(pairs.pair, 7)
from unnest(string_to_array('10115 Berlin,10243 Berlin,10439 Berlin,10557 Berlin,10625 Berlin,10777 Berlin,10965 Berlin,12043 Berlin,12163 Berlin,13086 Berlin,13353 Berlin,14059 Berlin,20095 Hamburg,20144 Hamburg,20253 Hamburg,20359 Hamburg,21073 Hamburg,22041 Hamburg,22299 Hamburg,22765 Hamburg,80331 München,80469 München,80636 München,80799 München,80939 München,81241 München,81369 München,81667 München,81925 München,50667 Köln,50674 Köln,50823 Köln,50937 Köln,51063 Köln,60311 Frankfurt am Main,60316 Frankfurt am Main,60486 Frankfurt am Main,60594 Frankfurt am Main,70173 Stuttgart,70178 Stuttgart,70372 Stuttgart,70565 Stuttgart,40213 Düsseldorf,40227 Düsseldorf,40477 Düsseldorf,40547 Düsseldorf,44135 Dortmund,44227 Dortmund,45127 Essen,45130 Essen,04103 Leipzig,04229 Leipzig,04315 Leipzig,28195 Bremen,28203 Bremen,28757 Bremen,01067 Dresden,01099 Dresden,01309 Dresden,30159 Hannover,30161 Hannover,30449 Hannover,90402 Nürnberg,90459 Nürnberg,47051 Duisburg,44787 Bochum,42103 Wuppertal,33602 Bielefeld,53111 Bonn,53225 Bonn,48143 Münster,76131 Karlsruhe,68159 Mannheim,86150 Augsburg,65183 Wiesbaden,41061 Mönchengladbach,45879 Gelsenkirchen,38100 Braunschweig,09111 Chemnitz,24103 Kiel,52062 Aachen,06108 Halle (Saale),39104 Magdeburg,79098 Freiburg im Breisgau,47798 Krefeld,55116 Mainz,23552 Lübeck,99084 Erfurt,46045 Oberhausen,18055 Rostock,34117 Kassel,58095 Hagen,66111 Saarbrücken,14467 Potsdam,67059 Ludwigshafen am Rhein,26122 Oldenburg,51373 Leverkusen,49074 Osnabrück,42651 Solingen,69117 Heidelberg,64283 Darmstadt,93047 Regensburg,97070 Würzburg,85049 Ingolstadt,89073 Ulm,74072 Heilbronn,75172 Pforzheim,38440 Wolfsburg,37073 Göttingen,72764 Reutlingen,56068 Koblenz,28865 Lilienthal,07743 Jena,54290 Trier,19053 Schwerin,17489 Greifswald,03046 Cottbus,95444 Bayreuth,88045 Friedrichshafen,25980 Sylt,82467 Garmisch-Partenkirchen', ','))
  with ordinality as pairs (pair, position);

create table demo.streets (
  slot integer primary key,
  name text not null
);

insert into demo.streets (slot, name)
select (names.position - 1)::integer, names.name
from unnest(string_to_array('Am Kastanienhang,Lindenblickweg,Zum Silberbach,Holunderzeile,Kranichsteig,An der alten Drahtzieherei,Mohnblütenweg,Fuchsbauring,Seglerhofstraße,Am Mühlenwinkel,Rotbuchengasse,Eisvogelweg,Glockentalstraße,Im Apfelgrund,Kupferhammerzeile,Schwalbenflugweg,Ziegelhofplatz,Am Wacholderrain,Sternwartenstieg,Leinpfadgasse,Hirschsprungallee,Zur Windrose,Haselnussgang,Brombeerkamp,Turmfalkenstraße,Im Rosenwinkel,Postreiterweg,Am Steinbruchsee,Kornblumenzeile,Uhrmachergang', ','))
  with ordinality as names (name, position);

-- Time -----------------------------------------------------------------------------------------------

-- Two years of days in 10,000 slots. A day owns slots by its weight: 2 % more each month, few on weekends.
create table demo.calendar (
  slot integer primary key,
  day date not null
);

insert into demo.calendar (slot, day)
with days as (
  select date '2024-03-01' + number as day,
    power(1.02, number / 30.4)
      * (array[1.15, 1.1, 1.05, 1.0, 0.9, 0.4, 0.3])[extract(isodow from date '2024-03-01' + number)::integer] as weight
  from generate_series(0, date '2026-02-28' - date '2024-03-01') as number
),
shares as (
  select days.day,
    floor(10000 * (sum(days.weight) over (order by days.day) - days.weight) / sum(days.weight) over ())::integer as first_slot,
    floor(10000 * sum(days.weight) over (order by days.day) / sum(days.weight) over ())::integer as next_slot
  from days
)
select generate_series(shares.first_slot, shares.next_slot - 1), shares.day
from shares;

create table demo.hours (
  slot integer primary key,
  hour integer not null
);

insert into demo.hours (slot, hour)
with shares as (
  select weights.position - 1 as hour, weights.weight,
    (sum(weights.weight) over (order by weights.position) - weights.weight)::integer as first_slot
  from unnest(array[3, 2, 1, 1, 2, 6, 18, 40, 75, 95, 100, 92, 70, 73, 83, 81, 72, 58, 48, 42, 20, 10, 5, 3])
    with ordinality as weights (weight, position)
)
select shares.first_slot + step, shares.hour
from shares
cross join generate_series(0, shares.weight - 1) as step;
comment on table demo.hours is 'Hours of the day in Berlin: 1,000 slots, most of them in working hours.';

-- What a lead has ------------------------------------------------------------------------------------

-- Of 50 leads in a row 41 are new people and 9 come from a person who wrote shortly before.
create function demo.comes_again(n bigint) returns boolean
  language sql immutable parallel safe
  return n % 50 in (0, 6, 12, 17, 23, 28, 34, 39, 45);
comment on function demo.comes_again is 'Whether lead n comes from a person who is known already.';

-- Above 100,000 leads fewer of them were analysed: an analysis weighs 24 KB.
create function demo.has_analysis(n bigint, leads_total integer) returns boolean
  language sql immutable parallel safe
  return demo.pick('analysis', n, 1000) < case when leads_total > 100000 then 96 else 335 end;
comment on function demo.has_analysis is 'Whether lead n was analysed.';

-- Above 100,000 leads half as many.
create function demo.appointments_of(n bigint, leads_total integer) returns integer
  language sql immutable parallel safe
  return demo.weighted(demo.pick('appointments', n, 100), '{0,1,2,3}',
    case when leads_total > 100000 then array[0, 77, 95, 98] else array[0, 58, 86, 96] end)::integer;
comment on function demo.appointments_of is 'How many appointments lead n has.';

create function demo.signals_of(n bigint, leads_total integer) returns integer
  language sql immutable parallel safe
  return demo.weighted(demo.pick('signals', n, 100), '{0,1,2,3,4}',
    case when leads_total > 100000 then array[0, 38, 74, 90, 98] else array[0, 30, 65, 87, 98] end)::integer;
comment on function demo.signals_of is 'How many signals lead n has.';

-- Three of five leads that got an offer or signed.
create function demo.has_advisory_doc(n bigint) returns boolean
  language sql immutable parallel safe
  return demo.pick('lead.status', n, 100) between 79 and 94 and demo.pick('advisory_doc', n, 100) < 60;
comment on function demo.has_advisory_doc is 'Whether lead n has an advisory document.';

-- How many identity keys one person has: one 88 %, two 9 %, three 2.2 %, four to six 0.8 %.
-- One of 250 keys, like a shared office, is an edge row.
create function demo.component_size(person bigint) returns integer
  language sql immutable parallel safe
  return demo.weighted(demo.pick('kontakt.size', person, 1000), '{1,2,3,4,5,6}', '{0,880,970,992,996,999}')::integer;
comment on function demo.component_size is 'Identity keys of one person: the surviving key and its aliases.';

create function demo.has_rows(entity text, n bigint, leads_total integer) returns boolean
  language sql immutable parallel safe
  return case entity
    when 'lead' then true
    when 'kontakt' then not demo.comes_again(n)
    when 'alias' then not demo.comes_again(n) and demo.component_size(n) > 1
    when 'analysis' then demo.has_analysis(n, leads_total)
    when 'appointment' then demo.appointments_of(n, leads_total) > 0
    when 'signal' then demo.signals_of(n, leads_total) > 0
    when 'advisory_doc' then demo.has_advisory_doc(n)
  end;
comment on function demo.has_rows is 'Whether there is any row of an entity for lead n.';

-- Leads and the people behind them -------------------------------------------------------------------

-- Only leads with rows of the entity: working out names for the others would take most of the time.
-- Two imports of 8 % each fill ten minutes apiece; each begins with up to 500 leads of the same moment.
create function demo.leads(entity text, first_lead integer, last_lead integer, leads_total integer)
returns table (n bigint, person bigint, imported boolean, created_at timestamptz)
  language sql stable parallel safe
begin atomic
  with imports as materialized (
    select leads_total * 40::bigint / 100 as first_after, leads_total * 48::bigint / 100 as first_until,
      leads_total * 80::bigint / 100 as second_after, leads_total * 88::bigint / 100 as second_until
  ),
  numbered as materialized (
    select numbers.n,
      case when demo.comes_again(numbers.n)
        then numbers.n - 1 - demo.pick('lead.repeat', numbers.n, 4) else numbers.n end as person,
      -- Place in the import, from 0; null: not imported.
      case
        when numbers.n > imports.first_after and numbers.n <= imports.first_until then numbers.n - imports.first_after - 1
        when numbers.n > imports.second_after and numbers.n <= imports.second_until then numbers.n - imports.second_after - 1
      end as place,
      imports.first_until - imports.first_after as import_size,
      -- How many leads came one by one up to here: they follow the calendar.
      numbers.n
        - greatest(least(numbers.n, imports.first_until) - imports.first_after, 0)
        - greatest(least(numbers.n, imports.second_until) - imports.second_after, 0) as arrived,
      greatest(leads_total - (imports.first_until - imports.first_after) - (imports.second_until - imports.second_after), 1) as arrivals
    from generate_series(first_lead::bigint, last_lead::bigint) as numbers (n)
    cross join imports
    where demo.has_rows(entity, numbers.n, leads_total)
  )
  select numbered.n, numbered.person, numbered.place is not null,
    case
      when numbered.place is null then
        (calendar.day + make_interval(hours => hours.hour, secs => demo.pick('lead.second', numbered.n, 3600))) at time zone 'Europe/Berlin'
      when numbered.place < 500 then
        (calendar.day + interval '21 hours') at time zone 'Europe/Berlin'
      else
        (calendar.day + interval '21 hours'
          + make_interval(secs => 30 * (1 + 19 * (numbered.place - 500) / greatest(numbered.import_size - 500, 1)))) at time zone 'Europe/Berlin'
    end
  from numbered
  left join demo.calendar on calendar.slot = numbered.arrived * 9999 / numbered.arrivals
  left join demo.hours on hours.slot = demo.pick('lead.hour', numbered.n, 1000);
end;
comment on function demo.leads is 'Leads of a slice that have rows of an entity: who is behind each and when it came. person = n: the first lead of that person.';

-- Both 67 %, mail only 19 %, phone only 11 %, neither 3 %.
-- Few numbers are set aside for films, so more than 5,000 leads get numbers of the kind +49199 and 8 digits.
create function demo.people(entity text, first_lead integer, last_lead integer, leads_total integer)
returns table (
  n bigint, person bigint, imported boolean, created_at timestamptz,
  name text, first_name text, last_name text, email text, phone text, kontakt_key text,
  strasse text, plz text, ort text, household integer
)
  language sql stable parallel safe
begin atomic
  with rolled as (
    select leads.n, leads.person, leads.imported, leads.created_at,
      demo.weighted(demo.pick('person.origin', leads.person, 1000), '{de,tr,pl,ru,ar,vi}', '{0,880,920,950,975,990}') as origin,
      demo.pick('person.contact', leads.person, 100) as contact
    from demo.leads(entity, first_lead, last_lead, leads_total) as leads
    -- Keeps the planner from writing each of these out wherever it is used.
    offset 0
  ),
  named as (
    select rolled.n, rolled.person, rolled.imported, rolled.created_at, first_names.name as first_name, last_names.name as last_name,
      case when rolled.contact < 86 then
        demo.weighted(
          demo.pick('person.mail', rolled.person, 100),
          array[
            first_names.mail || '.' || last_names.mail,
            left(first_names.mail, 1) || '.' || last_names.mail,
            last_names.mail || '.' || first_names.mail,
            first_names.mail || '_' || last_names.mail,
            last_names.mail
          ],
          '{0,45,65,80,90}')
        || rolled.person::text || '@example.'
        || demo.weighted(demo.pick('person.domain', rolled.person, 100), '{org,com,net}', '{0,50,80}')
      end as email,
      case
        when rolled.contact >= 67 and rolled.contact < 86 or rolled.contact >= 97 then null
        when leads_total > 5000 then '+49199' || lpad(((rolled.person * 7654321 + 1234567) % 100000000)::text, 8, '0')
        when rolled.person <= 500 and rolled.person % 5 = 0 then '+4917139200' || lpad((rolled.person / 5 % 100)::text, 2, '0')
        else (array['+493023125', '+496990009', '+494066969', '+492214710', '+498999998'])[(rolled.person * 2741 % 5000 / 1000 + 1)::integer]
          || lpad((rolled.person * 2741 % 1000)::text, 3, '0')
      end as phone
    from rolled
    left join demo.first_names on first_names.origin = rolled.origin and first_names.slot = demo.pick('person.first_name', rolled.person, 2000)
    left join demo.last_names on last_names.origin = rolled.origin and last_names.slot = demo.pick('person.last_name', rolled.person, 2000)
    offset 0
  )
  select named.n, named.person, named.imported, named.created_at,
    case
      when demo.pick('person.nameless', named.person, 100) < 2 then null
      when demo.pick('person.title', named.person, 100) < 2 then 'Dr. ' || named.first_name || ' ' || named.last_name
      else named.first_name || ' ' || named.last_name
    end,
    named.first_name, named.last_name, named.email, named.phone,
    coalesce('email:' || named.email, 'phone:' || named.phone, 'lead:' || demo.uuid('lead', named.person)::text),
    streets.name || ' ' || (1 + demo.pick('person.number', named.person, 120))::text,
    places.plz, places.ort,
    demo.pick('person.household', named.person, 500)
  from named
  left join demo.places on places.slot = demo.pick('person.place', named.person, 121)
  left join demo.streets on streets.slot = demo.pick('person.street', named.person, 30);
end;
comment on function demo.people is 'Leads of a slice that have rows of an entity, with name, contact data, address and household of the person behind each.';

-- Every tenth lead has none.
create function demo.product_domain(n bigint) returns text
  language sql immutable parallel safe
  return demo.weighted(
    demo.pick('lead.product_domain', n, 100),
    array['altersvorsorge', 'berufsunfaehigkeit', 'krankenversicherung', 'privathaftpflicht', 'kfz', 'wohngebaeude',
      'risikoleben', 'hausrat', 'rechtsschutz', 'pflege', 'unfall', null],
    '{0,18,34,46,55,63,69,75,80,85,87,90}');
comment on function demo.product_domain is 'The product a lead asks for: the name of a fragment of the analysis form; null: none named.';

-- Households -----------------------------------------------------------------------------------------

create function demo.occupation(person text, variant bigint, age integer) returns text
  language sql immutable parallel safe
  return case
    when age < 25 then demo.weighted(demo.pick('occupation.' || person, variant, 100), '{auszubildend,student,angestellt}', '{0,30,60}')
    when age >= 67 then demo.weighted(demo.pick('occupation.' || person, variant, 100), '{rentner,pensionaer}', '{0,93}')
    when age >= 63 then demo.weighted(demo.pick('occupation.' || person, variant, 100), '{rentner,angestellt,selbststaendig}', '{0,40,88}')
    else demo.weighted(
      demo.pick('occupation.' || person, variant, 100),
      array['angestellt', 'oeffentlicher_dienst', 'beamter_lebenszeit', 'beamter_probe', 'richter', 'soldat', 'selbststaendig', 'freiberuflich',
        'geschaeftsfuehrer_gesellschafter', 'elternzeit', 'hausfrau_hausmann', 'arbeitssuchend', 'erwerbsgemindert', 'unbekannt'],
      '{0,64,73,78,79,80,81,88,91,93,95,97,98,99}')
  end;

create function demo.health_cover(person text, variant bigint, occupation text) returns text
  language sql immutable parallel safe
  return case
    when occupation in ('beamter_lebenszeit', 'beamter_probe', 'richter', 'pensionaer') then
      demo.weighted(demo.pick('health.' || person, variant, 100), '{pkv_beihilfe,gkv_freiwillig}', '{0,88}')
    when occupation = 'soldat' then 'heilfuersorge'
    when occupation = 'rentner' then
      demo.weighted(demo.pick('health.' || person, variant, 100), '{gkv_kvdr,pkv,gkv_freiwillig}', '{0,88,94}')
    when occupation in ('selbststaendig', 'freiberuflich', 'geschaeftsfuehrer_gesellschafter') then
      demo.weighted(demo.pick('health.' || person, variant, 100), '{gkv_freiwillig,pkv,ohne}', '{0,54,98}')
    when occupation in ('student', 'hausfrau_hausmann', 'elternzeit') then
      demo.weighted(demo.pick('health.' || person, variant, 100), '{gkv_familie,gkv_pflicht}', '{0,55}')
    when occupation = 'unbekannt' then 'unbekannt'
    else demo.weighted(demo.pick('health.' || person, variant, 100), '{gkv_pflicht,gkv_freiwillig,pkv,unbekannt}', '{0,88,95,99}')
  end;

-- Shares of the types, of 500: GDV special evaluation 2018 of 40.6 million households.
-- lebensstandard is the monthly target of need level 2. It is drawn, not computed from any income.
create table demo.households as
select variants.variant, types.typ, ages.alter, ages.partner_alter, ages.kinder, bonds.beziehung,
  work.taetigkeit, work.partner_taetigkeit,
  demo.health_cover('kunde', variants.variant, work.taetigkeit) as kv,
  demo.health_cover('partner', variants.variant, work.partner_taetigkeit) as partner_kv,
  work.taetigkeit in ('selbststaendig', 'freiberuflich', 'geschaeftsfuehrer_gesellschafter') as selbststaendig,
  work.taetigkeit in ('beamter_lebenszeit', 'beamter_probe', 'richter', 'soldat', 'pensionaer') as dienst,
  work.taetigkeit in ('rentner', 'pensionaer') as ruhestand,
  ages.alter - 18 as erwachsen_jahre,
  housing.wohnstatus, housing.eigentum, homes.gebaeudeart, homes.wohnflaeche, homes.baujahr,
  homes.wohnflaeche * (2200 + 100 * demo.pick('home.price', variants.variant, 20)) / 1000 * 1000 as gebaeudewert,
  housing.eigentum and homes.baujahr < 2000 and demo.pick('home.oil', variants.variant, 100) < 30 as oeltank,
  housing.eigentum and homes.gebaeudeart <> 'eigentumswohnung' and demo.pick('home.solar', variants.variant, 100) < 24 as photovoltaik,
  housing.eigentum and demo.pick('home.site', variants.variant, 100) < 4 as baut,
  things.auto, things.autowert, things.hund, things.pferd, things.katze, things.drohne, things.boot, things.jagd,
  money.vermietet_wert, money.darlehen, money.zinsbindung_bis, money.ratenkredit, money.liquide, money.wertpapiere,
  money.ziel, money.zielbetrag, money.zieljahr,
  1600 + case when ages.partner_alter is not null then 500 else 0 end + 100 * demo.pick('money.need', variants.variant, 24) as lebensstandard,
  700 + 50 * demo.pick('money.pension', variants.variant, 20) as rentenanspruch
from (
  -- Of a small demo only those that its people and the edge rows have; without update_demo_size.sql, or of a large one, all.
  select numbers.variant
  from generate_series(0::bigint, 499) as numbers (variant)
  where coalesce(nullif(current_setting('demo.leads_total', true), '')::integer, 5000) >= 5000
    or numbers.variant in (300, 370)
    or numbers.variant in (
      select demo.pick('person.household', people.person, 500)
      from generate_series(1, nullif(current_setting('demo.leads_total', true), '')::integer) as people (person))
) as variants
cross join lateral (
  select demo.weighted(variants.variant::integer, '{alleinlebend,alleinerziehend,paar_ohne_kind,paar_mit_kind,sonstiger}', '{0,207,222,364,434}') as typ
) as types
cross join lateral (
  select drawn.alter,
    case when types.typ like 'paar%' then greatest(20, drawn.alter - 4 + demo.pick('age.partner', variants.variant, 9)) end as partner_alter,
    case types.typ
      when 'alleinerziehend' then demo.weighted(demo.pick('children', variants.variant, 100), '{1,2,3}', '{0,60,90}')::integer
      when 'paar_mit_kind' then demo.weighted(demo.pick('children', variants.variant, 100), '{1,2,3,4}', '{0,42,82,96}')::integer
      else 0
    end as kinder
  from (
    select case types.typ
      when 'alleinlebend' then 20 + demo.pick('age', variants.variant, 62)
      when 'alleinerziehend' then 26 + demo.pick('age', variants.variant, 26)
      when 'paar_ohne_kind' then 24 + demo.pick('age', variants.variant, 56)
      when 'paar_mit_kind' then 27 + demo.pick('age', variants.variant, 27)
      else 20 + demo.pick('age', variants.variant, 50)
    end as alter
  ) as drawn
) as ages
cross join lateral (
  select case
    when ages.partner_alter is not null then
      demo.weighted(demo.pick('bond', variants.variant, 100), '{verheiratet,partnerschaft,eingetragene_lebenspartnerschaft}', '{0,70,97}')
    when types.typ = 'alleinerziehend' then
      demo.weighted(demo.pick('bond', variants.variant, 100), '{ledig,geschieden,getrennt_lebend,verwitwet}', '{0,45,80,93}')
    when ages.alter < 35 then demo.weighted(demo.pick('bond', variants.variant, 100), '{ledig,partnerschaft}', '{0,85}')
    when ages.alter < 65 then demo.weighted(demo.pick('bond', variants.variant, 100), '{ledig,geschieden,getrennt_lebend,unbekannt}', '{0,60,90,97}')
    else demo.weighted(demo.pick('bond', variants.variant, 100), '{verwitwet,geschieden,ledig}', '{0,50,80}')
  end as beziehung
) as bonds
cross join lateral (
  select demo.occupation('kunde', variants.variant, ages.alter) as taetigkeit,
    case when ages.partner_alter is not null then demo.occupation('partner', variants.variant, ages.partner_alter) end as partner_taetigkeit
) as work
cross join lateral (
  select drawn.eigentum,
    case
      when drawn.eigentum then 'eigentum_selbstgenutzt'
      when ages.alter < 27 then demo.weighted(demo.pick('home.young', variants.variant, 100), '{miete,bei_eltern,wohngemeinschaft}', '{0,55,75}')
      else 'miete'
    end as wohnstatus
  from (
    select ages.alter >= 27 and demo.pick('home', variants.variant, 100) < case types.typ
      when 'alleinlebend' then 36 when 'alleinerziehend' then 28 when 'sonstiger' then 48 else 64 end as eigentum
  ) as drawn
) as housing
cross join lateral (
  select case
      when housing.eigentum then demo.weighted(
        demo.pick('home.kind', variants.variant, 100),
        '{einfamilienhaus,reihenhaus,doppelhaushaelfte,eigentumswohnung,mehrfamilienhaus}', '{0,40,58,72,95}')
      else demo.weighted(demo.pick('home.kind', variants.variant, 100), '{mehrfamilienhaus,einfamilienhaus,reihenhaus}', '{0,88,94}')
    end as gebaeudeart,
    30 + 18 * (1 + ages.kinder + (ages.partner_alter is not null)::integer) + demo.pick('home.size', variants.variant, 35)
      + case when housing.eigentum then 30 else 0 end as wohnflaeche,
    1905 + demo.pick('home.year', variants.variant, 118) as baujahr
) as homes
cross join lateral (
  select demo.pick('thing.car', variants.variant, 100) < case when types.typ = 'alleinlebend' then 74 else 94 end as auto,
    4000 + 500 * demo.pick('thing.car_value', variants.variant, 60) as autowert,
    demo.pick('thing.dog', variants.variant, 100) < 18 as hund,
    demo.pick('thing.horse', variants.variant, 100) < 2 as pferd,
    demo.pick('thing.cat', variants.variant, 100) < 22 as katze,
    demo.pick('thing.drone', variants.variant, 100) < 3 as drohne,
    demo.pick('thing.boat', variants.variant, 100) < 2 as boot,
    demo.pick('thing.hunt', variants.variant, 100) < 1 as jagd
) as things
cross join lateral (
  select case when ages.alter > 35 and demo.pick('money.let', variants.variant, 100) < 9
      then 120000 + 10000 * demo.pick('money.let_value', variants.variant, 25) end as vermietet_wert,
    case when loans.darlehen then 40000 + 5000 * demo.pick('money.loan_left', variants.variant, 70) end as darlehen,
    case when loans.darlehen then make_date(2026 + demo.pick('money.loan_year', variants.variant, 14), 1 + demo.pick('money.loan_month', variants.variant, 12), 28) end as zinsbindung_bis,
    case when demo.pick('money.credit', variants.variant, 100) < 17 then 1500 + 500 * demo.pick('money.credit_left', variants.variant, 40) end as ratenkredit,
    500 * demo.pick('money.cash', variants.variant, 50) as liquide,
    case when demo.pick('money.funds', variants.variant, 100) < 45 then 1000 * (1 + demo.pick('money.funds_value', variants.variant, 60)) end as wertpapiere,
    case
      when not housing.eigentum and ages.alter < 46 and demo.pick('goal.home', variants.variant, 100) < 40 then 'Eigenheim'
      when demo.pick('goal', variants.variant, 100) < 42 then
        demo.weighted(demo.pick('goal.kind', variants.variant, 5), '{Weltreise,Wohnmobil,"Früher in den Ruhestand",Renovierung,"Neues Auto"}', '{0,1,2,3,4}')
    end as ziel,
    10000 + 5000 * demo.pick('goal.amount', variants.variant, 10) as zielbetrag,
    2028 + demo.pick('goal.year', variants.variant, 12) as zieljahr
  from (select housing.eigentum and ages.alter < 68 and demo.pick('money.loan', variants.variant, 100) < 62 as darlehen) as loans
) as money;
alter table demo.households add primary key (variant);
analyze demo.households;
comment on table demo.households is 'Up to five hundred households in which everything fits together: ages, work, home, property, debts.';

-- Contracts ------------------------------------------------------------------------------------------

-- Chances in percent follow GDV 2018 and EVS 2013, a tenth higher: who has a broker is better insured.
-- wert is the cover in the unit of the topic that counts it; null where only yes or no counts.
create table demo.contracts as
with offered as (
  select households.variant, households.alter, households.erwachsen_jahre,
    offers.place, offers.sparte, offers.branche, offers.wert, offers.beitrag, offers.leistungen
  from demo.households
  cross join lateral (
    select case when households.alter between 25 and 45 then 150 else 60 end * case households.typ
        when 'paar_mit_kind' then 46 when 'alleinerziehend' then 26 when 'paar_ohne_kind' then 28 when 'sonstiger' then 20 else 24 end / 100 as arbeitskraft,
      500 + 100 * demo.pick('cover.work', households.variant, 20) as rente,
      households.lebensstandard * 48 / 10000 * 10000 + 50000 * demo.pick('cover.death', households.variant, 5) as todesfall,
      20 + 10 * demo.pick('cover.sick', households.variant, 10) as tagegeld,
      100 + 25 * demo.pick('cover.pension', households.variant, 20) as zusatzrente,
      households.wohnflaeche * (550 + 50 * demo.pick('cover.contents', households.variant, 8)) as hausratsumme
  ) as covers
  cross join lateral (values
    (1, 'privathaftpflicht', 'sach', case households.typ when 'alleinlebend' then 81 when 'alleinerziehend' then 85 else 97 end,
      1000000 * (array[3, 5, 10, 10, 15, 20, 50])[1 + demo.pick('cover.liability', households.variant, 7)], 68.40,
      jsonb_build_object('forderungsausfall', demo.pick('cover.liability_more', households.variant, 2) = 0, 'mietsachschaeden', true)),
    (2, 'hausrat', 'sach', 85, covers.hausratsumme, 94.20, jsonb_build_object('wohnflaeche_qm', households.wohnflaeche, 'unterversicherungsverzicht', true)),
    (3, 'wohngebaeude', 'sach', case when households.eigentum then 97 else 0 end,
      households.gebaeudewert / 10 * (array[8, 10, 10, 10, 11])[1 + demo.pick('cover.building', households.variant, 5)], 412.80,
      jsonb_build_object('gefahren', array['feuer', 'leitungswasser', 'sturm_hagel'])),
    (4, 'elementar', 'sach', case when households.eigentum then 38 else 0 end, null, 96.00, '{}'),
    (5, 'kfz_haftpflicht', 'sach', case when households.auto then 99 else 0 end, 100000000, 318.60,
      jsonb_build_object('sf_klasse_haftpflicht', 'SF' || (1 + demo.pick('cover.sf', households.variant, 35))::text, 'deckung', 'haftpflicht')),
    (6, 'kfz_kasko', 'sach', case when households.auto and households.autowert > 8000 then 82 else 0 end, households.autowert, 276.10,
      jsonb_build_object('deckung', 'vollkasko', 'selbstbeteiligung_vk_eur', 300)),
    (7, 'rechtsschutz', 'sach', 51, null, 248.90, jsonb_build_object('bausteine', array['privat', 'beruf', 'verkehr'], 'selbstbeteiligung_eur', 150)),
    (8, 'unfall', 'sach', 45, 25000 * (2 + demo.pick('cover.accident', households.variant, 13)), 118.30, jsonb_build_object('progression_prozent', 225)),
    (9, 'tierhalterhaftpflicht', 'sach', case when households.hund or households.pferd then 82 else 0 end, 10000000, 61.50, '{}'),
    (10, 'haus_grundbesitzerhaftpflicht', 'sach', case when households.vermietet_wert is not null then 66 else 0 end, 10000000, 54.00, '{}'),
    (11, 'gewaesserschadenhaftpflicht', 'sach', case when households.oeltank then 58 else 0 end, 10000000, 39.90, '{}'),
    (12, 'photovoltaik', 'sach', case when households.photovoltaik then 52 else 0 end, 10000000, 88.00, '{}'),
    (13, 'bauherrenhaftpflicht', 'sach', case when households.baut then 60 else 0 end, 5000000, 120.00, '{}'),
    (14, 'bauleistung', 'sach', case when households.baut then 45 else 0 end, 250000, 340.00, '{}'),
    (15, 'jagdhaftpflicht', 'sach', case when households.jagd then 100 else 0 end, 3000000, 42.00, '{}'),
    (16, 'drohnenhaftpflicht', 'sach', case when households.drohne then 45 else 0 end, 3000000, 35.70, '{}'),
    (17, 'wassersporthaftpflicht', 'sach', case when households.boot then 70 else 0 end, 3000000, 74.00, '{}'),
    (18, 'berufsunfaehigkeit', 'leben', case when households.ruhestand or households.dienst then 0 else covers.arbeitskraft end, covers.rente, 742.80,
      jsonb_build_object('endalter', 67, 'dynamik_prozent', demo.pick('cover.rise', households.variant, 4))),
    (19, 'dienstunfaehigkeit', 'leben', case when households.dienst and not households.ruhestand then 52 else 0 end, covers.rente, 690.00, jsonb_build_object('endalter', 65)),
    (20, 'risikoleben', 'leben', case when households.alter > 65 then 2 when households.kinder > 0 or households.darlehen is not null then 44 else 7 end,
      covers.todesfall, 186.40, jsonb_build_object('verlauf', case when households.darlehen is null then 'konstant' else 'annuitaetisch_fallend' end)),
    (21, 'kapitalleben', 'leben', case when households.alter > 42 then 20 else 0 end, 15000 + 5000 * demo.pick('cover.life', households.variant, 8), 816.00, '{}'),
    (22, 'bav', 'leben', case when households.ruhestand or households.selbststaendig or households.dienst then 0 else 38 end, covers.zusatzrente, 1200.00, '{}'),
    (23, 'riester', 'leben', case when households.alter between 25 and 62 and not households.selbststaendig then 28 else 0 end, covers.zusatzrente / 2, 925.00, '{}'),
    (24, 'basisrente', 'leben', case when households.selbststaendig then 34 else 2 end, covers.zusatzrente * 2, 2400.00, '{}'),
    (25, 'private_rente', 'leben', case when households.ruhestand then 6 else 25 end, covers.zusatzrente, 1440.00, '{}'),
    (26, 'fondssparplan', 'leben', 20, 2000 + 1000 * demo.pick('cover.saving', households.variant, 18), 1200.00, '{}'),
    (27, 'bausparvertrag', 'leben', 24, 5000 + 2500 * demo.pick('cover.building_saving', households.variant, 12), 600.00, '{}'),
    (28, 'krankenvoll_pkv', 'kranken', case when households.kv in ('pkv', 'pkv_beihilfe') then 100 else 0 end, null, 5180.40,
      jsonb_build_object('system', case households.kv when 'pkv_beihilfe' then 'beihilfe' else 'pkv' end)),
    (29, 'krankenzusatz_zahn', 'kranken', case when households.kv like 'gkv%' then 33 else 0 end, null, 214.80, jsonb_build_object('zahn_erstattung_prozent', 90)),
    (30, 'krankenzusatz_stationaer', 'kranken', case when households.kv like 'gkv%' then 12 else 0 end, null, 402.00, jsonb_build_object('stationaer_unterbringung', 'zweibett')),
    (31, 'krankentagegeld', 'kranken', case when households.ruhestand then 0 when households.selbststaendig then 56 else 9 end, 30 * covers.tagegeld, 168.00,
      jsonb_build_object('krankentagegeld_eur_tag', covers.tagegeld, 'krankentagegeld_ab_tag', 43)),
    (32, 'auslandsreisekranken', 'kranken', 48, null, 19.80, '{}'),
    (33, 'pflegezusatz', 'kranken', case when households.alter > 40 then 10 else 3 end, 600 + 100 * demo.pick('cover.care', households.variant, 10), 264.00,
      jsonb_build_object('art', 'pflegetagegeld')),
    (34, 'kinderinvaliditaet', 'sach', case when households.kinder > 0 then 19 else 0 end, 100000, 144.00, '{}'),
    (35, 'schutzbrief', 'sach', case when households.auto then 22 else 0 end, null, 12.00, '{}'),
    (36, 'cyber', 'sach', 4, null, 58.80, '{}')
  ) as offers (place, sparte, branche, chance, wert, beitrag, leistungen)
  where demo.pick('contract.' || offers.sparte, households.variant, 100) < offers.chance
),
-- A contract in twenty has a predecessor that was given up.
taken as (
  select offered.variant, offered.place, offered.sparte, offered.branche, offered.wert, offered.beitrag, offered.leistungen, offered.alter, offered.erwachsen_jahre,
    false as former, offered.sparte as seed
  from offered
  union all
  select offered.variant, offered.place, offered.sparte, offered.branche, offered.wert, offered.beitrag, offered.leistungen, offered.alter, offered.erwachsen_jahre,
    true, offered.sparte || '.former'
  from offered
  where demo.pick('contract.former.' || offered.sparte, offered.variant, 100) < 5
)
select taken.variant,
  (row_number() over (partition by taken.variant order by taken.place, taken.former) - 1)::integer as place,
  taken.sparte, taken.wert,
  demo.weighted(demo.pick('contract.insurer.' || taken.seed, taken.variant, 100), case taken.branche
    when 'sach' then array['Nordlicht Versicherung AG', 'Elbsegel Versicherung AG', 'Lindentor Versicherung', 'Deichwall Sach AG', 'Fuchsbau Direkt', 'Birkenfels Versicherungsverein']
    when 'leben' then array['Harzquell Leben AG', 'Sonnenwall Leben', 'Kranichhof Vorsorge AG', 'Alpentor Leben', 'Rheinbogen Lebensversicherung', 'Waldkauz Vorsorge']
    else array['Talwacht Kranken AG', 'Möwenstein Krankenversicherung', 'Spreewacht Kranken', 'Taunusring Gesundheit', 'Auental Kranken', 'Föhrenhain Kranken']
  end, '{0,30,52,70,84,93}') as versicherer,
  case
    when taken.former then 'gekuendigt'
    when taken.branche = 'leben' then
      demo.weighted(demo.pick('contract.status.' || taken.seed, taken.variant, 100), '{aktiv,beitragsfrei,angebot,beantragt,ruhend,unbekannt}', '{0,86,93,96,98,99}')
    else demo.weighted(demo.pick('contract.status.' || taken.seed, taken.variant, 100), '{aktiv,gekuendigt,beantragt,angebot,abgelaufen}', '{0,94,96,98,99}')
  end as status,
  upper(left(taken.sparte, 2)) || '-' || lpad(demo.pick('contract.number.' || taken.seed, taken.variant, 100000000)::text, 8, '0') as vertragsnummer,
  date '2024-02-01' - demo.pick('contract.start.' || taken.seed, taken.variant, 365 * greatest(1, least(12, taken.erwachsen_jahre)))
    - case when taken.former then 1500 else 0 end as beginn,
  round(taken.beitrag * (70 + demo.pick('contract.price.' || taken.seed, taken.variant, 80)) / 100, 2) as beitrag,
  demo.weighted(demo.pick('contract.terms.' || taken.seed, taken.variant, 100), '{jaehrlich,monatlich,vierteljaehrlich,halbjaehrlich}', '{0,40,80,92}') as zahlweise,
  demo.weighted(demo.pick('contract.origin.' || taken.seed, taken.variant, 100), '{gespraech,dokument,crm_import,manuell}', '{0,45,70,92}') as quelle,
  taken.leistungen || case when taken.wert is null or taken.sparte = 'krankentagegeld' then '{}' else jsonb_build_object(case taken.sparte
    when 'hausrat' then 'versicherungssumme_eur' when 'wohngebaeude' then 'versicherungssumme_eur'
    when 'berufsunfaehigkeit' then 'rente_monat_eur' when 'dienstunfaehigkeit' then 'rente_monat_eur'
    when 'risikoleben' then 'todesfallsumme_eur' when 'kapitalleben' then 'todesfallsumme_eur' when 'unfall' then 'vollinvaliditaet_eur'
    when 'pflegezusatz' then 'leistung_pg_5_eur'
    when 'bav' then 'garantierte_rente_eur' when 'riester' then 'garantierte_rente_eur' when 'basisrente' then 'garantierte_rente_eur' when 'private_rente' then 'garantierte_rente_eur'
    when 'fondssparplan' then 'guthaben_eur' when 'bausparvertrag' then 'guthaben_eur'
    else 'deckungssumme_eur' end, taken.wert) end as leistungen
from taken;
alter table demo.contracts add primary key (variant, place);
analyze demo.contracts;
comment on table demo.contracts is 'Contracts of the households; place is the index in the array vertraege.';

-- DIN check ------------------------------------------------------------------------------------------

-- Topics after DIN 77230. Ranks 16 to 38 and 40 to 42 are our guess at the order, good enough for demo rows.
create table demo.topics (
  rang integer primary key,
  name text not null unique,
  stufe integer not null,
  typ text not null,
  einheit text not null,
  beschreibung text not null,
  sparten text[] not null
);
comment on column demo.topics.sparten is 'Branches whose contracts count towards the target.';

insert into demo.topics (rang, name, stufe, typ, einheit, beschreibung, sparten) values
  (1, 'Kostenrisiko Krankheit (Grundschutz)', 1, 'deckung_ja_nein', 'ja_nein', 'Krankenversicherung vorhanden', '{krankenvoll_pkv}'),
  (2, 'Allgemeines Haftungsrisiko', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{privathaftpflicht}'),
  (3, 'Arbeitskraftverlust Erwerbsunfähigkeit (Grundschutz)', 1, 'mindestbedarf', 'eur_monat', 'orientiert am gesetzlichen Mindestlohn', '{berufsunfaehigkeit,dienstunfaehigkeit}'),
  (4, 'Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz)', 1, 'mindestbedarf', 'eur_monat', 'orientiert am gesetzlichen Mindestlohn', '{berufsunfaehigkeit,dienstunfaehigkeit}'),
  (5, 'Arbeitskraftverlust Arbeitsunfähigkeit (Grundschutz)', 1, 'mindestbedarf', 'eur_monat', 'orientiert am gesetzlichen Mindestlohn', '{krankentagegeld}'),
  (6, 'Kostenrisiko Pflegebedürftigkeit (Grundschutz)', 1, 'mindestbedarf', 'eur_monat', 'Eigenanteil im Pflegeheim, Grundbetrag', '{pflegezusatz}'),
  (7, 'Todesfallbedingte finanzielle Einbußen (Grundschutz)', 1, 'mindestbedarf', 'eur', 'Mindestbedarf der Hinterbliebenen für fünf Jahre', '{risikoleben,kapitalleben}'),
  (8, 'Haftungsrisiko Kraftfahrzeuge', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{kfz_haftpflicht}'),
  (9, 'Haftungsrisiko private Tierhaltung', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{tierhalterhaftpflicht}'),
  (10, 'Haftungsrisiko Haus- und Grundbesitz', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{haus_grundbesitzerhaftpflicht}'),
  (11, 'Haftungsrisiko Bau und Sanierung', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{bauherrenhaftpflicht}'),
  (12, 'Haftungsrisiko Gewässerschäden', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{gewaesserschadenhaftpflicht}'),
  (13, 'Haftungsrisiko Photovoltaikanlage', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{photovoltaik}'),
  (14, 'Haftungsrisiko Jagd', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{jagdhaftpflicht}'),
  (15, 'Haftungsrisiko Luftfahrzeuge', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{drohnenhaftpflicht}'),
  (16, 'Haftungsrisiko Wasserfahrzeuge', 1, 'absolut', 'eur', 'Mindestdeckungssumme', '{wassersporthaftpflicht}'),
  (17, 'Sachwertrisiko Wohngebäude', 1, 'anteil_sachwert', 'eur', 'Wiederherstellungswert des Gebäudes', '{wohngebaeude}'),
  (18, 'Sachwertrisiko Gebäude im Bau', 1, 'anteil_sachwert', 'eur', 'Bausumme', '{bauleistung}'),
  (19, 'Kostenrisiko Krankheit im Ausland', 1, 'deckung_ja_nein', 'ja_nein', 'Auslandsreisekrankenversicherung vorhanden', '{auslandsreisekranken,krankenvoll_pkv}'),
  (20, 'Liquiditätsreserve (Grundbedarf)', 1, 'mindestbedarf', 'eur', 'drei Monate Grundbedarf', '{}'),
  (21, 'Altersvorsorge (Grundbedarf)', 1, 'mindestbedarf', 'eur_monat', 'orientiert am gesetzlichen Mindestlohn', '{bav,riester,basisrente,private_rente}'),
  (22, 'Verschuldung', 1, 'restschuld', 'eur', 'offene Ratenkredite', '{}'),
  (23, 'Arbeitskraftverlust Erwerbsunfähigkeit (Lebensstandard)', 2, 'anteil_netto', 'eur_monat', 'Anteil des Bedarfs zum Erhalt des Lebensstandards', '{berufsunfaehigkeit,dienstunfaehigkeit}'),
  (24, 'Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Lebensstandard)', 2, 'anteil_netto', 'eur_monat', 'Anteil des Bedarfs zum Erhalt des Lebensstandards', '{berufsunfaehigkeit,dienstunfaehigkeit}'),
  (25, 'Arbeitskraftverlust Arbeitsunfähigkeit (Lebensstandard)', 2, 'anteil_netto', 'eur_monat', 'Anteil des Bedarfs zum Erhalt des Lebensstandards', '{krankentagegeld}'),
  (26, 'Kostenrisiko Pflegebedürftigkeit (Lebensstandard)', 2, 'absolut', 'eur_monat', 'Eigenanteil im Pflegeheim, gehobene Unterbringung', '{pflegezusatz}'),
  (27, 'Todesfallbedingte finanzielle Einbußen (Lebensstandard)', 2, 'anteil_netto', 'eur', 'Bedarf der Hinterbliebenen für fünf Jahre und Restschuld', '{risikoleben,kapitalleben}'),
  (28, 'Unfallfolgen / Invalidität Erwachsene', 2, 'absolut', 'eur', 'Kapital bei Vollinvalidität', '{unfall}'),
  (29, 'Invalidität Kinder', 2, 'absolut', 'eur', 'Kapital bei Invalidität eines Kindes', '{kinderinvaliditaet}'),
  (30, 'Sachwertrisiko Hausrat', 2, 'anteil_sachwert', 'eur', 'Hausratwert nach Wohnfläche', '{hausrat}'),
  (31, 'Sachwertrisiko Kraftfahrzeug', 2, 'anteil_sachwert', 'eur', 'Zeitwert des Fahrzeugs', '{kfz_kasko}'),
  (32, 'Kostenrisiko Rechtsstreitigkeiten', 2, 'deckung_ja_nein', 'ja_nein', 'Rechtsschutzversicherung vorhanden', '{rechtsschutz}'),
  (33, 'Liquiditätsreserve (Lebensstandard)', 2, 'monatsausgaben', 'eur', 'drei Monate Lebensstandard', '{}'),
  (34, 'Zinsänderungsrisiko Immobiliendarlehen', 2, 'restschuld', 'eur', 'Teil der Restschuld bei Ablauf der Zinsbindung', '{bausparvertrag}'),
  (35, 'Altersvorsorge (Lebensstandard)', 2, 'anteil_netto', 'eur_monat', 'Anteil des Bedarfs zum Erhalt des Lebensstandards', '{bav,riester,basisrente,private_rente}'),
  (36, 'Ersatzbeschaffung Kraftfahrzeug', 2, 'absolut', 'eur', 'Rücklage für ein Ersatzfahrzeug', '{}'),
  (37, 'Instandhaltung selbstgenutzte Immobilie', 2, 'anteil_sachwert', 'eur', 'Rücklage nach Wohnfläche und Baujahr', '{bausparvertrag}'),
  (38, 'Ausbildung der Kinder', 2, 'sparziel', 'eur', 'Rücklage je Kind', '{fondssparplan}'),
  (39, 'Zahnersatz', 2, 'deckung_ja_nein', 'ja_nein', 'Zusatzversicherung für Zahnersatz vorhanden', '{krankenzusatz_zahn,krankenvoll_pkv}'),
  (40, 'Stationäre Komfortleistungen', 2, 'deckung_ja_nein', 'ja_nein', 'Wahlleistungen im Krankenhaus vorhanden', '{krankenzusatz_stationaer,krankenvoll_pkv}'),
  (41, 'Eigenkapital selbstgenutztes Wohneigentum', 3, 'sparziel', 'eur', 'vom Kunden genanntes Eigenkapital', '{bausparvertrag,fondssparplan}'),
  (42, 'Individuelle Sparziele', 3, 'sparziel', 'eur', 'vom Kunden genanntes Ziel', '{fondssparplan}');

-- Which topic concerns a household, who said so, and the target in the topic's unit.
-- 1450 stands for the monthly need that the norm derives from the minimum wage.
create table demo.needs as
select households.variant, rules.rang, rules.relevant, rules.quelle, rules.soll::numeric as soll
from demo.households
cross join lateral (
  select not households.ruhestand as arbeitet, households.partner_alter is not null or households.kinder > 0 as angehoerige,
    households.darlehen is not null and households.zinsbindung_bis < date '2032-01-01' as zinsrisiko
) as facts
cross join lateral (values
  (1, true, 'regel', null),
  (2, true, 'regel', 10000000),
  (3, facts.arbeitet, 'regel', 1450),
  (4, facts.arbeitet, 'regel', 1450),
  (5, facts.arbeitet, 'regel', 1450),
  (6, true, 'regel', 1500),
  (7, facts.angehoerige, 'regel', 1450 * 12 * 5),
  (8, households.auto, 'kundenangabe', 100000000),
  (9, households.hund or households.pferd, 'kundenangabe', 10000000),
  (10, households.vermietet_wert is not null, 'kundenangabe', 10000000),
  (11, households.baut, 'kundenangabe', 5000000),
  (12, households.oeltank, 'kundenangabe', 10000000),
  (13, households.photovoltaik, 'kundenangabe', 10000000),
  (14, households.jagd, 'kundenangabe', 3000000),
  (15, households.drohne, 'kundenangabe', 3000000),
  (16, households.boot, 'kundenangabe', 3000000),
  (17, households.eigentum, 'regel', households.gebaeudewert),
  (18, households.baut, 'kundenangabe', 250000),
  (19, true, 'annahme', null),
  (20, true, 'regel', 1450 * 3),
  (21, facts.arbeitet, 'regel', 1450),
  (22, households.ratenkredit is not null, 'kundenangabe', households.ratenkredit),
  (23, facts.arbeitet, 'regel', households.lebensstandard),
  (24, facts.arbeitet, 'regel', households.lebensstandard),
  (25, facts.arbeitet, 'regel', households.lebensstandard),
  (26, true, 'regel', 3000),
  (27, facts.angehoerige, 'regel', households.lebensstandard * 12 * 5 + coalesce(households.darlehen, 0)),
  (28, households.alter < 75, 'regel', 200000),
  (29, households.kinder > 0, 'regel', 100000),
  (30, households.wohnstatus <> 'bei_eltern', 'regel', households.wohnflaeche * 650),
  (31, households.auto and households.autowert > 8000, 'regel', households.autowert),
  (32, true, 'annahme', null),
  (33, true, 'regel', households.lebensstandard * 3),
  (34, facts.zinsrisiko, 'regel', households.darlehen / 4),
  (35, facts.arbeitet, 'regel', households.lebensstandard),
  (36, households.auto, 'annahme', 12000),
  (37, households.eigentum, 'regel', households.wohnflaeche * (2020 - least(households.baujahr, 2015)) * 3),
  (38, households.kinder > 0, 'regel', households.kinder * 15000),
  (39, households.kv <> 'heilfuersorge', 'annahme', null),
  (40, demo.pick('need.comfort', households.variant, 100) < 45, 'berater', null),
  (41, coalesce(households.ziel = 'Eigenheim', false), 'kundenangabe', households.zielbetrag),
  (42, coalesce(households.ziel <> 'Eigenheim', false), 'kundenangabe', households.zielbetrag)
) as rules (rang, relevant, quelle, soll);
alter table demo.needs add primary key (variant, rang);
analyze demo.needs;
comment on table demo.needs is 'The 42 topics for each household: does it concern them, and the target.';

-- What counts towards a target: contracts, statutory cover, assets.
create table demo.provisions as
select contracts.variant, topics.rang, 'vertrag' as typ, 'vertraege[' || contracts.place::text || ']' as pfad,
  contracts.versicherer as bezeichnung, contracts.wert::numeric as wert
from demo.contracts
join demo.topics on contracts.sparte = any (topics.sparten)
where contracts.status in ('aktiv', 'beitragsfrei')
union all
select households.variant, sources.rang, sources.typ, sources.pfad, sources.bezeichnung, sources.wert::numeric
from demo.households
cross join lateral (values
  (1, households.kv like 'gkv%' or households.kv = 'heilfuersorge', 'gesetzlich', null, 'gesetzliche Krankenversicherung', null),
  (3, not households.selbststaendig, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch * 8 / 100 * 10),
  (4, households.dienst, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch * 8 / 100 * 10),
  (5, not households.selbststaendig, 'gesetzlich', null, 'Leistung der gesetzlichen Absicherung', households.lebensstandard * 7 / 100 * 10),
  (6, true, 'gesetzlich', null, 'Pflegepflichtversicherung', 805),
  (20, households.liquide > 0, 'vermoegen', 'haushalt.vermoegen[0]', 'liquide Mittel', households.liquide),
  (21, true, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch),
  (22, households.liquide > 0, 'vermoegen', 'haushalt.vermoegen[0]', 'liquide Mittel', households.liquide),
  (23, not households.selbststaendig, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch * 8 / 100 * 10),
  (24, households.dienst, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch * 8 / 100 * 10),
  (25, not households.selbststaendig, 'gesetzlich', null, 'Leistung der gesetzlichen Absicherung', households.lebensstandard * 7 / 100 * 10),
  (26, true, 'gesetzlich', null, 'Pflegepflichtversicherung', 805),
  (33, households.liquide > 0, 'vermoegen', 'haushalt.vermoegen[0]', 'liquide Mittel', households.liquide),
  (35, true, 'gesetzlich', null, 'Anspruch gesetzliche Absicherung', households.rentenanspruch),
  (36, households.wertpapiere is not null, 'vermoegen', 'haushalt.vermoegen[1]', 'Wertpapiere', households.wertpapiere),
  (38, households.wertpapiere is not null, 'vermoegen', 'haushalt.vermoegen[1]', 'Wertpapiere', households.wertpapiere),
  (41, households.wertpapiere is not null, 'vermoegen', 'haushalt.vermoegen[1]', 'Wertpapiere', households.wertpapiere),
  (42, households.wertpapiere is not null, 'vermoegen', 'haushalt.vermoegen[1]', 'Wertpapiere', households.wertpapiere)
) as sources (rang, counts, typ, pfad, bezeichnung, wert)
where sources.counts;
comment on table demo.provisions is 'What each household has towards each topic.';

-- The 42 rows of every household. Of the relevant topics 4 % are unresolved, 2 % were left out of the check.
create table demo.check_rows as
with covered as (
  select provisions.variant, provisions.rang, sum(provisions.wert) as ist, bool_or(provisions.typ = 'vertrag') as durch_vertrag,
    -- A source is a pointer or an object; both forms occur in the wild, so both occur here.
    jsonb_agg(
      case when provisions.typ = 'vertrag' and provisions.rang % 2 = 0 then to_jsonb(provisions.pfad)
        else jsonb_strip_nulls(jsonb_build_object(
          'typ', provisions.typ, 'pfad', provisions.pfad, 'bezeichnung', provisions.bezeichnung, 'wert_eur', provisions.wert)) end
      order by provisions.typ, provisions.pfad) as quellen
  from demo.provisions
  group by provisions.variant, provisions.rang
),
rated as (
  select needs.variant, needs.rang, needs.relevant, needs.soll, covered.ist, covered.quellen,
    case when covered.durch_vertrag and needs.quelle <> 'kundenangabe' and needs.rang % 3 = 0 then 'vertrag' else needs.quelle end as quelle,
    demo.pick('check.scope', 100 * needs.variant + needs.rang, 100) as scope,
    case
      when not needs.relevant then 'nicht_relevant'
      when demo.pick('check.scope', 100 * needs.variant + needs.rang, 100) < 6 then 'unbekannt'
      when covered.quellen is null then 'luecke'
      when topics.typ = 'deckung_ja_nein' then 'erfuellt'
      when covered.ist >= 3 * needs.soll and topics.typ in ('anteil_sachwert', 'absolut') and topics.stufe = 2 then 'ueberversorgt'
      when covered.ist >= needs.soll then 'erfuellt'
      else 'teilweise'
    end as status
  from demo.needs
  join demo.topics on topics.rang = needs.rang
  left join covered on covered.variant = needs.variant and covered.rang = needs.rang
)
select rated.variant, rated.rang, topics.name, topics.stufe, rated.status,
  case when rated.relevant then rated.scope >= 2 else rated.rang not in (14, 15, 16) end as in_analyse,
  jsonb_build_object(
    'rang', rated.rang::text,
    'name', topics.name,
    'bedarfsstufe', topics.stufe,
    'in_analyse', case when rated.relevant then rated.scope >= 2 else rated.rang not in (14, 15, 16) end,
    'relevant', rated.relevant,
    'relevanz_quelle', case when rated.status = 'unbekannt' and rated.scope < 4 then 'unbekannt' else rated.quelle end,
    'status', rated.status,
    'sollwert', case when rated.relevant then jsonb_build_object(
      'typ', topics.typ, 'wert_eur', rated.soll, 'einheit', topics.einheit, 'beschreibung', topics.beschreibung) end,
    'istwert', case
      when not rated.relevant then null
      when rated.status = 'unbekannt' then jsonb_build_object('wert_eur', null, 'beschreibung', 'im Gespräch nicht geklärt', 'quellen', '[]'::jsonb)
      else jsonb_build_object(
        'wert_eur', case when topics.typ = 'deckung_ja_nein' then null else coalesce(rated.ist, 0) end,
        'beschreibung', case when rated.quellen is null then 'keine Absicherung bekannt' end,
        'quellen', coalesce(rated.quellen, '[]'))
    end) as zeile
from rated
join demo.topics on topics.rang = rated.rang;
alter table demo.check_rows add primary key (variant, rang);
-- The documents of its rows take long, and no join asks for them.
analyze demo.check_rows (variant, rang, in_analyse, status);
comment on table demo.check_rows is 'DIN check of the households, one row per topic.';

create table demo.checks as
with gaps as (
  select check_rows.variant, check_rows.rang, check_rows.name, check_rows.stufe,
    row_number() over (partition by check_rows.variant order by check_rows.rang) as place
  from demo.check_rows
  where check_rows.in_analyse and check_rows.status in ('luecke', 'teilweise')
),
gap_lists as (
  select households.variant, levels.stufe, count(gaps.rang)::integer as anzahl,
    coalesce(jsonb_agg(gaps.name order by gaps.rang) filter (where gaps.rang is not null), '[]') as themen,
    coalesce(string_agg(gaps.name, '; ' order by gaps.rang), '') as namen
  from demo.households
  cross join generate_series(1, 3) as levels (stufe)
  left join gaps on gaps.variant = households.variant and gaps.stufe = levels.stufe
  group by households.variant, levels.stufe
),
levels as (
  select gap_lists.variant,
    jsonb_agg(jsonb_build_object('stufe', gap_lists.stufe, 'themen', gap_lists.themen) order by gap_lists.stufe) as luecken_nach_stufe,
    jsonb_object_agg('din_luecken_stufe_' || gap_lists.stufe::text || '_anzahl', gap_lists.anzahl)
      || jsonb_object_agg('din_luecken_stufe_' || gap_lists.stufe::text || '_themen', gap_lists.namen) as flach
  from gap_lists
  group by gap_lists.variant
),
measures as (
  select gaps.variant,
    jsonb_agg(jsonb_build_object(
      'thema', gaps.name, 'bedarfsstufe', gaps.stufe, 'prioritaet', gaps.place,
      'massnahme', (array['Angebot einholen', 'Bestehenden Vertrag anpassen', 'Im nächsten Termin besprechen', 'Unterlagen anfordern'])[1 + gaps.rang % 4])
      order by gaps.place) as massnahmen
  from gaps
  where gaps.place <= 4
  group by gaps.variant
),
lists as (
  select check_rows.variant,
    jsonb_agg(check_rows.zeile order by check_rows.rang) as zeilen,
    coalesce(jsonb_agg(check_rows.name order by check_rows.rang) filter (where check_rows.in_analyse and check_rows.status = 'unbekannt'), '[]') as unbekannt
  from demo.check_rows
  group by check_rows.variant
)
select lists.variant, lists.zeilen, levels.luecken_nach_stufe, lists.unbekannt as unbekannt_in_analyse,
  levels.flach || jsonb_build_object('din_unbekannt_anzahl', jsonb_array_length(lists.unbekannt)) as flach,
  coalesce(measures.massnahmen, '[]') as massnahmen
from lists
join levels on levels.variant = lists.variant
left join measures on measures.variant = lists.variant;
comment on table demo.checks is 'DIN check of the households: the parts of the document, its columns of the flat projection, and what to do about the first gaps.';

create function demo.params_version(at timestamptz) returns text
  language sql immutable parallel safe
  return case when at < timestamptz '2025-07-01T00:00:00Z' then '2025.1' when at < timestamptz '2026-01-01T00:00:00Z' then '2025.2' else '2026.1' end;
comment on function demo.params_version is 'Version of the parameters that a check of that time was made with.';

-- Complete for each version, so that a row only puts its time in front: building it anew takes four times as long. Not
-- compressed, because each is read many times.
create table demo.assessments (
  variant bigint,
  params_version text,
  bewertung jsonb,
  primary key (variant, params_version)
);
alter table demo.assessments alter column bewertung set storage external;
insert into demo.assessments (variant, params_version, bewertung)
select checks.variant, versions.params_version,
  jsonb_build_object(
    'params_version', versions.params_version, 'engine_version', '1.4.2', 'zeilen', checks.zeilen,
    'luecken_nach_stufe', checks.luecken_nach_stufe, 'unbekannt_in_analyse', checks.unbekannt_in_analyse) as bewertung
from demo.checks
cross join (values ('2025.1'), ('2025.2'), ('2026.1')) as versions (params_version);
analyze demo.assessments;

create function demo.din_check(at timestamptz, bewertung jsonb) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object('erstellt_am', demo.iso(at), 'bewertung', bewertung);
comment on function demo.din_check is 'A DIN check document.';

-- Documents ------------------------------------------------------------------------------------------

create function demo.has_income(occupation text) returns boolean
  language sql immutable parallel safe
  return occupation not in ('student', 'schueler', 'hausfrau_hausmann', 'arbeitssuchend', 'nicht_erwerbstaetig');

-- The parts of a household's documents that are the same for everybody who is given this household.
create table demo.documents (
  variant bigint primary key,
  alter integer not null,
  haushalt jsonb not null,
  vertraege jsonb not null,
  vertraege_kurz jsonb not null,
  neuberechnung jsonb not null,
  flach jsonb not null,
  massnahmen jsonb not null
);
comment on column demo.documents.haushalt is 'The member haushalt of the form din_core_v2.';
comment on column demo.documents.vertraege_kurz is 'Contracts without terms, for household records in very large sets.';
comment on column demo.documents.neuberechnung is 'The whole DIN check as it was computed anew for everybody when the parameters of 2026 came.';
comment on column demo.documents.flach is 'The flat projection but for the columns about the person, the time and the parameters.';
comment on column demo.documents.massnahmen is 'What to do about the first gaps.';

insert into demo.documents (
  variant, alter, haushalt, vertraege, vertraege_kurz, neuberechnung, flach, massnahmen)
with profiles as (
  select households.variant,
    jsonb_build_object(
      'haushaltsgroesse', case when households.typ = 'sonstiger' then 2 + demo.pick('doc.size', households.variant, 3)
        else 1 + households.kinder + (households.partner_alter is not null)::integer end,
      'kinder_anzahl', households.kinder,
      'beziehungsstatus', households.beziehung,
      'personen',
        jsonb_build_array(jsonb_build_object(
          'rolle', 'kunde', 'alter', households.alter, 'taetigkeitsstatus', households.taetigkeit, 'kv_status', households.kv,
          'eigenes_einkommen_vorhanden', demo.has_income(households.taetigkeit),
          'raucher', demo.pick('doc.smoker', households.variant, 100) < 21))
        || case when households.partner_alter is null then '[]' else jsonb_build_array(jsonb_build_object(
          'rolle', 'partner', 'alter', households.partner_alter, 'taetigkeitsstatus', households.partner_taetigkeit, 'kv_status', households.partner_kv,
          'eigenes_einkommen_vorhanden', demo.has_income(households.partner_taetigkeit))) end
        || (select coalesce(jsonb_agg(jsonb_build_object(
              'rolle', 'kind', 'alter', demo.pick('doc.child', 10 * households.variant + child, least(18, households.alter - 20)),
              'kv_status', case when households.kv in ('pkv', 'pkv_beihilfe') then households.kv else 'gkv_familie' end,
              'wirtschaftlich_abhaengig', true) order by child), '[]')
            from generate_series(1, households.kinder) as child)
        || case when households.typ = 'sonstiger' then jsonb_build_array(jsonb_build_object(
          'rolle', 'sonstige', 'alter', 30 + demo.pick('doc.other', households.variant, 50))) else '[]' end,
      'wohnsituation', jsonb_build_object(
        'wohnstatus', households.wohnstatus, 'gebaeudeart', households.gebaeudeart, 'wohnflaeche_qm', households.wohnflaeche,
        'baujahr', households.baujahr, 'oeltank_vorhanden', households.oeltank, 'photovoltaik_vorhanden', households.photovoltaik),
      'immobilien',
        case when households.eigentum then jsonb_build_array(jsonb_build_object('nutzung', 'selbstgenutzt', 'wert_eur', households.gebaeudewert)) else '[]' end
        || case when households.vermietet_wert is null then '[]' else jsonb_build_array(jsonb_build_object('nutzung', 'vermietet', 'wert_eur', households.vermietet_wert)) end,
      'fahrzeuge',
        case when households.auto then jsonb_build_array(jsonb_build_object('art', 'pkw', 'anzahl', 1 + demo.pick('doc.cars', households.variant, 5) / 4)) else '[]' end
        || case when households.drohne then '[{"art": "drohne", "anzahl": 1}]'::jsonb else '[]' end
        || case when households.boot then '[{"art": "boot", "anzahl": 1}]'::jsonb else '[]' end,
      'tiere',
        case when households.hund then '[{"art": "hund", "anzahl": 1}]'::jsonb else '[]' end
        || case when households.pferd then '[{"art": "pferd", "anzahl": 1}]'::jsonb else '[]' end
        || case when households.katze then '[{"art": "katze", "anzahl": 2}]'::jsonb else '[]' end,
      'verbindlichkeiten',
        case when households.darlehen is null then '[]' else jsonb_build_array(jsonb_build_object(
          'art', 'immobiliendarlehen', 'restschuld_eur', households.darlehen, 'rate_monat_eur', households.darlehen / 2200 * 10,
          'zinsbindung_bis', households.zinsbindung_bis)) end
        || case when households.ratenkredit is null then '[]' else jsonb_build_array(jsonb_build_object(
          'art', 'ratenkredit', 'restschuld_eur', households.ratenkredit, 'rate_monat_eur', 50 + households.ratenkredit / 400 * 10)) end,
      'vermoegen',
        jsonb_build_array(jsonb_build_object('art', 'liquide_mittel', 'wert_eur', households.liquide))
        || case when households.wertpapiere is null then '[]' else jsonb_build_array(jsonb_build_object('art', 'wertpapiere', 'wert_eur', households.wertpapiere)) end,
      'ziele', case when households.ziel is null then '[]' else jsonb_build_array(jsonb_build_object(
        'bezeichnung', households.ziel, 'zielbetrag_eur', households.zielbetrag, 'zieljahr', households.zieljahr)) end
    ) as haushalt
  from demo.households
),
contract_lists as (
  select contracts.variant,
    jsonb_agg(jsonb_build_object(
      'sparte', contracts.sparte, 'versicherer', contracts.versicherer, 'status', contracts.status,
      'vertragsnummer', contracts.vertragsnummer, 'beginn', contracts.beginn, 'beitrag_eur', contracts.beitrag,
      'zahlweise', contracts.zahlweise, 'quelle', contracts.quelle, 'leistungen', contracts.leistungen) order by contracts.place) as vertraege,
    jsonb_agg(jsonb_build_object(
      'sparte', contracts.sparte, 'versicherer', contracts.versicherer, 'status', contracts.status) order by contracts.place) as vertraege_kurz,
    count(*)::integer as anzahl,
    string_agg(contracts.sparte, ', ' order by contracts.place) as sparten
  from demo.contracts
  group by contracts.variant
),
-- Several contracts of one branch: the active first, then the newest, then in text order.
first_contracts as (
  select distinct on (contracts.variant, contracts.sparte)
    contracts.variant, contracts.sparte, contracts.versicherer, contracts.status
  from demo.contracts
  order by contracts.variant, contracts.sparte, contracts.status = 'aktiv' desc, contracts.beginn desc, contracts.versicherer
),
flat_contracts as (
  select households.variant,
    jsonb_object_agg('vertrag_' || branches.sparte || '_vorhanden', coalesce(first_contracts.status = 'aktiv', false))
      || jsonb_object_agg('vertrag_' || branches.sparte || '_versicherer', first_contracts.versicherer)
      || jsonb_object_agg('vertrag_' || branches.sparte || '_status', first_contracts.status) as flach
  from demo.households
  cross join unnest(array['privathaftpflicht', 'hausrat', 'wohngebaeude', 'berufsunfaehigkeit', 'risikoleben', 'rechtsschutz',
    'kfz_haftpflicht', 'unfall', 'pflegezusatz']) as branches (sparte)
  left join first_contracts on first_contracts.variant = households.variant and first_contracts.sparte = branches.sparte
  group by households.variant
)
select households.variant, households.alter, profiles.haushalt,
  coalesce(contract_lists.vertraege, '[]'), coalesce(contract_lists.vertraege_kurz, '[]'),
  demo.din_check(timestamptz '2026-01-05T03:00:00Z', assessments.bewertung),
  flat_contracts.flach || checks.flach || jsonb_build_object(
    'kunde_alter', households.alter,
    'haushaltsgroesse', profiles.haushalt -> 'haushaltsgroesse',
    'kinder_anzahl', households.kinder,
    'beziehungsstatus', households.beziehung,
    'kunde_taetigkeitsstatus', households.taetigkeit,
    'kunde_kv_status', households.kv,
    'kunde_eigenes_einkommen_vorhanden', demo.has_income(households.taetigkeit),
    'partner_alter', households.partner_alter,
    'partner_taetigkeitsstatus', case when households.partner_alter is not null then households.partner_taetigkeit end,
    'partner_kv_status', case when households.partner_alter is not null then households.partner_kv end,
    'wohnstatus', households.wohnstatus,
    'vertraege_anzahl', coalesce(contract_lists.anzahl, 0),
    'vertraege_sparten', coalesce(contract_lists.sparten, '')),
  checks.massnahmen
from demo.households
join profiles on profiles.variant = households.variant
join demo.checks on checks.variant = households.variant
join demo.assessments on assessments.variant = households.variant and assessments.params_version = '2026.1'
join flat_contracts on flat_contracts.variant = households.variant
left join contract_lists on contract_lists.variant = households.variant;

-- On 2026-03-01 the person is as old as the household says.
create function demo.kunde(person bigint, name text, alter integer, strasse text, plz text, ort text, telefon text, email text) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'name', name,
    'alter', alter,
    'geburtsdatum', make_date(2026 - alter, 2, 15) - demo.pick('person.birthday', person, 330),
    'adresse', jsonb_build_object('strasse', strasse, 'plz', plz, 'ort', ort, 'land', 'DE'),
    'kontakt', jsonb_build_object('telefon', telefon, 'email', email));
comment on function demo.kunde is 'The member kunde of the form din_core_v2.';

-- What a person wants of a product: ten forms of each fragment.
create table demo.product_wishes as
select wishes.fragment, slots.slot, wishes.wish
from generate_series(0::bigint, 9) as slots (slot)
cross join lateral (values
  ('berufsunfaehigkeit', jsonb_build_object('rente_monat_eur', 1000 + 200 * slots.slot, 'endalter', 67, 'dynamik_prozent', slots.slot % 4,
    'nachversicherung', true, 'abstrakte_verweisung_verzicht', true, 'au_klausel', slots.slot % 2 = 0, 'karenz_monate', 0,
    'beruf_taetigkeitsanteil_buero_prozent', 10 * slots.slot, 'personalverantwortung', slots.slot > 6, 'vorerkrankungen', slots.slot = 3, 'risikozuschlag', null)),
  ('privathaftpflicht', jsonb_build_object('deckungssumme_eur', 10000000 * (1 + slots.slot % 5), 'selbstbeteiligung_eur', 150 * (slots.slot % 2),
    'tarifkreis', (array['single', 'single_mit_kind', 'paar', 'familie'])[1 + slots.slot % 4], 'forderungsausfall', true, 'mietsachschaeden', true,
    'schluesselverlust', slots.slot % 3 = 0, 'gefaelligkeitsschaeden', true, 'deliktunfaehige_kinder', slots.slot % 4 = 3)),
  ('krankenversicherung', jsonb_build_object('system', (array['gkv', 'pkv', 'beihilfe'])[1 + slots.slot % 3], 'kasse', 'Kasse am Lindentor', 'selbstbehalt_eur', 300 * (slots.slot % 4),
    'krankentagegeld_eur_tag', 40 + 10 * slots.slot, 'krankentagegeld_ab_tag', 43, 'zahn_erstattung_prozent', 70 + 5 * (slots.slot % 5),
    'stationaer_unterbringung', (array['mehrbett', 'zweibett', 'einbett'])[1 + slots.slot % 3], 'chefarzt', slots.slot % 2 = 0, 'beihilfesatz_prozent', null, 'vorerkrankungen', slots.slot = 5)),
  ('altersvorsorge', jsonb_build_object('rentenbeginn_alter', 63 + slots.slot % 5, 'gesetzliche_rente_prognose_eur', 900 + 85 * slots.slot, 'renteninformation_stand', '2023-07-01',
    'schicht_1_rente_eur', 50 * slots.slot, 'schicht_2_rente_eur', 40 * slots.slot, 'schicht_3_rente_eur', 30 * slots.slot, 'wunschrente_eur', 1800 + 150 * slots.slot,
    'bav_vorhanden', slots.slot % 2 = 0, 'riester_vorhanden', slots.slot % 3 = 0, 'basisrente_vorhanden', slots.slot % 5 = 0, 'sparrate_monat_eur', 50 + 25 * slots.slot,
    'risikoneigung', (array['sicherheit', 'ausgewogen', 'chance'])[1 + slots.slot % 3])),
  ('wohngebaeude', jsonb_build_object('wert_1914_mark', 18000 + 1500 * slots.slot, 'versicherungssumme_eur', 320000 + 40000 * slots.slot,
    'gefahren', array['feuer', 'leitungswasser', 'sturm_hagel', 'elementar'], 'elementar_zone', 1 + slots.slot % 4, 'baujahr', 1930 + 9 * slots.slot, 'wohnflaeche_qm', 95 + 12 * slots.slot,
    'unterversicherungsverzicht', true, 'grobe_fahrlaessigkeit_verzicht', slots.slot % 2 = 0, 'selbstbeteiligung_eur', 250 * (slots.slot % 3))),
  ('hausrat', jsonb_build_object('versicherungssumme_eur', 32500 + 6500 * slots.slot, 'wohnflaeche_qm', 50 + 10 * slots.slot, 'summe_je_qm_eur', 650, 'unterversicherungsverzicht', true,
    'fahrraddiebstahl_eur', 500 * slots.slot, 'elementar', slots.slot % 2 = 0, 'glas', slots.slot % 3 = 0, 'selbstbeteiligung_eur', 0)),
  ('kfz', jsonb_build_object('fahrzeugart', (array['pkw', 'motorrad', 'wohnmobil', 'transporter'])[1 + slots.slot % 4], 'hsn', '0' || (500 + 7 * slots.slot)::text, 'tsn', 'AB' || slots.slot::text,
    'erstzulassung', make_date(2013 + slots.slot::integer, 4, 1), 'deckung', (array['haftpflicht', 'teilkasko', 'vollkasko'])[1 + slots.slot % 3], 'sf_klasse_haftpflicht', 'SF' || (2 * slots.slot + 1)::text,
    'sf_klasse_vollkasko', 'SF' || (2 * slots.slot + 1)::text, 'km_jahr', 6000 + 2000 * slots.slot, 'fahrerkreis', (array['einzelfahrer', 'partner', 'familie', 'beliebig'])[1 + slots.slot % 4],
    'selbstbeteiligung_tk_eur', 150, 'selbstbeteiligung_vk_eur', 300, 'werkstattbindung', slots.slot % 2 = 1)),
  ('rechtsschutz', jsonb_build_object('bausteine', array['privat', 'beruf', 'verkehr'], 'versicherungssumme_eur', 1000000, 'selbstbeteiligung_eur', 150 + 50 * (slots.slot % 4),
    'wartezeit_monate', 3, 'laufende_streitigkeit', slots.slot = 7)),
  ('risikoleben', jsonb_build_object('todesfallsumme_eur', 100000 + 50000 * slots.slot, 'verlauf', (array['konstant', 'linear_fallend', 'annuitaetisch_fallend'])[1 + slots.slot % 3], 'endalter', 60 + slots.slot,
    'bezugsberechtigt', (array['partner', 'kinder', 'bank'])[1 + slots.slot % 3], 'ueberkreuz', slots.slot % 2 = 0, 'raucher', slots.slot % 5 = 0, 'anlass', (array['familie', 'immobilie', 'partner'])[1 + slots.slot % 3])),
  ('pflege', jsonb_build_object('art', (array['pflegetagegeld', 'pflegerente', 'pflegekosten', 'pflege_bahr'])[1 + slots.slot % 4], 'leistung_pg_1_eur', 100, 'leistung_pg_2_eur', 300 + 30 * slots.slot,
    'leistung_pg_3_eur', 600 + 60 * slots.slot, 'leistung_pg_4_eur', 900 + 90 * slots.slot, 'leistung_pg_5_eur', 1200 + 120 * slots.slot, 'dynamik_prozent', 2, 'vorerkrankungen', slots.slot = 8)),
  ('unfall', jsonb_build_object('grundsumme_eur', 50000 + 10000 * slots.slot, 'progression_prozent', 225 + 125 * (slots.slot % 3), 'vollinvaliditaet_eur', 200000 + 50000 * slots.slot, 'todesfall_eur', 10000,
    'gliedertaxe', (array['gdv', 'verbessert'])[1 + slots.slot % 2], 'personenkreis', (array['kunde', 'partner', 'kind', 'familie'])[1 + slots.slot % 4]))
) as wishes (fragment, wish);
alter table demo.product_wishes add primary key (fragment, slot);



create function demo.quelle(seed text, n bigint) returns text
  language sql immutable parallel safe
  return demo.weighted(demo.pick(seed, n, 100), '{chat,call,crm_import,kontakt_edit,manual_termin}', '{0,28,50,75,90}');
comment on function demo.quelle is 'Origin of a change; half of them do not come from a conversation.';

-- Appointments and what was found in them ------------------------------------------------------------


-- Status follows the fixed present: what is scheduled lies ahead, what is completed or missed lies behind.
create function demo.appointments(first_lead integer, last_lead integer, leads_total integer)
returns table (
  number bigint, n bigint, name text, status text, intelligence_status text, platform text,
  starts_at timestamptz, created_at timestamptz
)
  language sql stable parallel safe
begin atomic
  with drawn as (
    select 10 * people.n + places.place as number, people.n, people.name, people.created_at,
      (people.created_at at time zone 'Europe/Berlin')::date as lead_day,
      -- A lead of the last two days has had no meeting yet.
      case when people.created_at > demo.today() - interval '2 days' then 'scheduled' else demo.weighted(
        demo.pick('appointment.status', 10 * people.n + places.place, 100),
        '{scheduled,completed,cancelled,no_show,rescheduled}', '{0,18,76,90,96}') end as status
    from demo.people('appointment', first_lead, last_lead, leads_total) as people
    cross join generate_series(1, 3) as places (place)
    where places.place <= demo.appointments_of(people.n, leads_total)
    offset 0
  ),
  dated as (
    select drawn.number, drawn.n, drawn.name, drawn.status, drawn.created_at as lead_created_at,
      case
        when drawn.status in ('scheduled', 'rescheduled') then date '2026-03-02' + demo.pick('appointment.day', drawn.number, 45)
        else drawn.lead_day + 1 + demo.pick('appointment.day', drawn.number, least(60, date '2026-02-28' - drawn.lead_day))
      end as day
    from drawn
    offset 0
  ),
  timed as (
    select dated.number, dated.n, dated.name, dated.status, dated.lead_created_at,
      -- Office hours in quarters of an hour; no meeting is on a Sunday.
      (dated.day + case when extract(isodow from dated.day) = 7 then 1 else 0 end
        + make_interval(mins => 540 + 15 * demo.pick('appointment.time', dated.number, 40))) at time zone 'Europe/Berlin' as starts_at
    from dated
    offset 0
  )
  select timed.number, timed.n, timed.name, timed.status,
    case timed.status
      when 'completed' then demo.weighted(demo.pick('appointment.intelligence', timed.number, 100), array['ready', 'failed', 'pending', 'processing', null], '{0,91,95,98,99}')
      when 'no_show' then demo.weighted(demo.pick('appointment.intelligence', timed.number, 100), array[null, 'failed'], '{0,70}')
    end,
    demo.weighted(demo.pick('appointment.platform', timed.number, 100), '{zoom,ms_teams,google_meet,phone,in_person}', '{0,34,56,68,90}'),
    timed.starts_at,
    -- Made between the lead's arrival and the appointment, and never after today.
    timed.lead_created_at + make_interval(secs => demo.pick('appointment.made', timed.number,
      greatest(1, floor(extract(epoch from least(timed.starts_at, demo.today()) - timed.lead_created_at))::bigint)))
  from timed;
end;
comment on function demo.appointments is 'Appointments of a slice of leads.';

-- What the meeting intelligence looks for. Each meeting has six to nine of these.
create table demo.result_fields (
  place integer primary key,
  field_key text not null,
  label text not null,
  kind text not null,
  output_type text not null,
  value_a jsonb not null,
  value_b jsonb not null,
  value_c jsonb not null,
  scored boolean not null,
  rationale text,
  recommendation text
);

insert into demo.result_fields (place, field_key, label, kind, output_type, value_a, value_b, value_c, scored, rationale, recommendation) values
  (1, 'hauptbedarf', 'Hauptbedarf', 'need', 'text', '"Absicherung der Arbeitskraft"', '"Vorsorge für das Alter"', '"Schutz der Familie im Todesfall"', true,
    'Der Kunde kam von sich aus mehrfach auf dieses Thema zurück.', 'Zum nächsten Termin zwei Varianten mitbringen.'),
  (2, 'weitere_bedarfe', 'Weitere Bedarfe', 'need', 'list', '["Zahnersatz", "Rechtsschutz"]', '["Pflege"]', '[]', false, null, null),
  (3, 'einwaende', 'Einwände', 'objection', 'list', '["Beitrag erscheint hoch", "Will erst mit Partner sprechen"]', '["Schlechte Erfahrung mit Vorversicherer"]', '[]', true,
    'Die Einwände wurden angesprochen, aber nicht alle ausgeräumt.', 'Beitragsvergleich nachreichen.'),
  (4, 'abschlusswahrscheinlichkeit', 'Abschlusswahrscheinlichkeit', 'score', 'number', '72', '45.5', '88', true,
    'Konkrete Fragen zum Beginn des Vertrags sprechen dafür.', 'Antrag vorbereiten.'),
  (5, 'entscheider_anwesend', 'Alle Entscheider anwesend', 'fact', 'boolean', 'true', 'false', 'true', false, null, null),
  (6, 'dringlichkeit', 'Dringlichkeit', 'score', 'enum', '"hoch"', '"mittel"', '"niedrig"', true,
    'Es wurde ein fester Stichtag genannt.', 'Innerhalb einer Woche melden.'),
  (7, 'bestehende_vertraege', 'Bestehende Verträge', 'fact', 'object', '{"anzahl": 6, "geprueft": true}', '{"anzahl": 3, "geprueft": false}', '{"anzahl": 9, "geprueft": true}', false, null, null),
  (8, 'gespraechsqualitaet', 'Gesprächsqualität', 'score', 'number', '81', '64', '93', true,
    'Redeanteile waren ausgewogen, Fragen wurden beantwortet.', 'Offene Fragen noch früher stellen.'),
  (9, 'lebensereignis', 'Lebensereignis', 'fact', 'enum', '"hochzeit"', '"hauskauf"', '"keines"', false, null, null),
  (10, 'zufriedenheit', 'Zufriedenheit des Kunden', 'score', 'number', '4', '5', '3', true, 'Der Kunde bedankte sich am Ende ausdrücklich.', null),
  (11, 'vertrauensaufbau', 'Vertrauensaufbau', 'score', 'number', '77', '58', '90', true,
    'Persönliche Themen kamen früh zur Sprache.', 'An das Hobby des Kunden anknüpfen.'),
  (12, 'dokumente_angefordert', 'Angeforderte Dokumente', 'task', 'list', '["Renteninformation", "Policen"]', '["Gesundheitsfragen"]', '["Policen"]', false, null, 'Bis Ende der Woche erinnern.'),
  (13, 'wettbewerb', 'Wettbewerb', 'objection', 'text', '"Vergleicht mit einem Portal"', '"Keiner genannt"', '"Bekannter ist ebenfalls Makler"', false, null, null),
  (14, 'einwilligung_aufzeichnung', 'Einwilligung zur Aufzeichnung', 'fact', 'boolean', 'true', 'true', 'true', false, null, null);

-- 200 result lists as text, so that a row only needs its time put in.
create table demo.meeting_results (
  variant integer primary key,
  overall_score numeric not null,
  results text not null
);

insert into demo.meeting_results (variant, overall_score, results)
select variants.variant::integer,
  round(35 + demo.pick('result.overall', variants.variant, 600) / 10.0, 1),
  (jsonb_agg(jsonb_build_object(
    'field_key', result_fields.field_key,
    'label', result_fields.label,
    'kind', result_fields.kind,
    'output_type', result_fields.output_type,
    'status', case when drawn.missing then 'missing' else 'ready' end,
    'value', case when drawn.missing then 'null' else
      case drawn.choice when 0 then result_fields.value_a when 1 then result_fields.value_b else result_fields.value_c end end,
    'score', case when result_fields.scored and not drawn.missing then drawn.score end,
    'level', case when result_fields.scored and not drawn.missing then case when drawn.score < 40 then 'niedrig' when drawn.score < 70 then 'mittel' else 'hoch' end end,
    'rationale', case when not drawn.missing then result_fields.rationale end,
    'recommendation', case when not drawn.missing then result_fields.recommendation end,
    'generated_at', '@generated_at@') order by result_fields.place))::text
from generate_series(0::bigint, 199) as variants (variant)
cross join demo.result_fields
cross join lateral (
  select demo.pick('result.choice', 100 * variants.variant + result_fields.place, 3) as choice,
    demo.pick('result.missing', 100 * variants.variant + result_fields.place, 100) < 5 as missing,
    15 + demo.pick('result.score', 100 * variants.variant + result_fields.place, 85) as score
) as drawn
where demo.pick('result.chosen', 100 * variants.variant + result_fields.place, 100) < 52
group by variants.variant;

-- Income ---------------------------------------------------------------------------------------------

-- One amount, 31,337.77, in every form in which incomes are written. The edge rows carry it into every column
-- that the rule of the migration 0016 cleans; it must be found nowhere afterwards.
create function demo.income_texts() returns jsonb
  language sql immutable parallel safe
  return '["31.337,77 EUR netto", "31,3k netto", "31-32k brutto", "31 TEUR Jahresbrutto", "€31337", "Gehalt 31.337,77 €",
    "einunddreißigtausenddreihundertsiebenunddreißig Euro netto", "Minijob 31337 €", "Der Kunde verdient 31337.77 im Jahr. Die Wohnung hat 80 qm.",
    "80 % von 31.337,77 EUR Nettoeinkommen", "{\"nettoeinkommen\":31337.77,\"alter\":34}", "Antwort: {\"gehalt\":31337}"]'::jsonb;
comment on function demo.income_texts is 'Texts with an income in them.';

create function demo.income_forms() returns jsonb
  language sql stable parallel safe
begin atomic
  select jsonb_object_agg(names.name, 31337.77)
    || '{"einkommen": {"netto": 31337.77, "brutto": {"jahr": "31337"}}, "einnahmen": [{"art": "Gehalt", "betrag": 31337.77}], "einkommen_historie": [31337, 31337.77],
      "einkommensklasse": "31.337-32.000", "angaben": [{"art": "nettoeinkommen", "wert": 31337.77}, {"label": "Gehalt", "value": "31.337,77 EUR"},
        {"frage": "Wie hoch ist Ihr Nettoeinkommen?", "antwort": "31337 Euro"}, ["Nettoeinkommen", 31337.77]],
      "quellen": [{"typ": "kundenangabe", "pfad": "haushalt.personen[0].nettoeinkommen", "wert_eur": 31337.77}],
      "haushalt.personen[0].nettoeinkommen": {"wert": 31337.77, "quelle": "call"}, "kunde__einkommen__netto": 31337.77,
      "sollwert": {"typ": "anteil_netto", "wert_eur": 2560, "beschreibung": "80 % von 31.337,77 EUR Nettoeinkommen"},
      "personen": [{"rolle": "kunde", "alter": 34, "zv": 31337.77, "einkommen": {"netto_monat_eur": 31337.77}}],
      "eigenes_einkommen_vorhanden": true, "beitrag_netto": 45}'::jsonb
    || jsonb_build_object('texte', demo.income_texts())
  from unnest(string_to_array('bruttoeinkommen,nettoeinkommen,monatsnetto,jahresbrutto,einkommen_netto_monatlich,gehalt,lohn,besoldung,bezuege,Bezüge,'
    || 'haushaltsnettoeinkommen,verdienst,einkommenNetto,einkommenNettoMonatlich,bruttoVorjahresEinkommen,nettoeinkommenMonatlich,bruttoEinkommenLaufendesJahr,'
    || 'einkuenfteAusNebentaetigkeit,einkuenfteAusKapitalvermoegen,unbefristeteZusatzrenten,ehegattenunterhalt,unterhaltseinnahmenMonatlich,'
    || 'mieteinnahmenKaltMonatlich,staatlicheRenteMonatlich,sonstigesEinkommenMonatlich,income_monthly_net_eur,ek_netto,hh_netto,zve,netto,brutto,sold,'
    || 'wehrsold,trinkgeld,honorar,verguetung,privatentnahme,gewinn_vor_steuern,umsatz,tantieme,kindergeld,elterngeld,krankengeld,arbeitslosengeld,'
    || 'buergergeld,bafoeg,wohngeld,unterhalt,nettorente,aktuelle_rente,witwenrente,pensionsbezuege,kapitalertraege,dividenden,zinsertraege,mieteinnahmen,'
    || 'lohnsteuer_eur', ',')) as names (name);
end;
comment on function demo.income_forms is 'A document with an income in every form.';

-- Signals --------------------------------------------------------------------------------------------


-- Scores are 100 x beta(2, 4): many small, few large. beta(2, 4) is the second smallest of five equal draws,
-- so its distribution at x is the chance that at least two of five fall below x.
create table demo.scores (
  slot integer primary key,
  score numeric not null
);

insert into demo.scores (slot, score)
with steps as (
  select round(number / 10.0, 1) as score,
    -- The first slot whose middle is above this share.
    floor(1000 * (1 - power(1 - number / 1000.0, 5) - 5 * number / 1000.0 * power(1 - number / 1000.0, 4)) + 0.5)::integer as next_slot
  from generate_series(0, 1000) as number
)
select generate_series(lag(steps.next_slot, 1, 0) over (order by steps.score), steps.next_slot - 1), steps.score
from steps;

-- Without statistics the planner guesses the size of these tables. Above, tables are analyzed that the next steps join.
analyze demo.first_names;
analyze demo.last_names;
analyze demo.places;
analyze demo.streets;
analyze demo.calendar;
analyze demo.hours;
analyze demo.documents;
analyze demo.product_wishes;
analyze demo.meeting_results;
analyze demo.scores;
