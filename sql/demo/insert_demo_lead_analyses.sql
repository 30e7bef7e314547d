-- Makes the DIN needs analyses of one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set: a third of the leads has an analysis, above 100,000 a tenth
--
-- Needs setup.sql and the leads of the slice. One analysed lead in twenty was analysed in both channels.
prepare insert_demo_lead_analyses (integer, integer, integer) as
with analysed as (
  select people.n, people.person, people.name, people.email, people.phone, people.kontakt_key,
    people.strasse, people.plz, people.ort, people.household, times.time,
    (demo.pick('analysis.channel', people.n, 100) < 55) = (times.time = 1) as chat,
    coalesce(demo.product_domain(people.n), 'altersvorsorge') as fragment,
    -- The second follows the first within two days.
    people.created_at + make_interval(secs => least(
      floor(extract(epoch from demo.today() - people.created_at))::bigint - 60,
      600 + demo.pick('analysis.after', people.n, 800000) + (times.time - 1) * demo.pick('analysis.again_after', people.n, 172800))) as created_at
  from demo.people('analysis', $1, $2, $3) as people
  cross join generate_series(1, 2) as times (time)
  where times.time = 1 or demo.pick('analysis.again', people.n, 100) < 5
  offset 0
)
insert into lead_analyses (
  id, lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check, created_at, session_id, kontakt_key)
select
  demo.uuid('analysis', 10 * analysed.n + analysed.time),
  demo.uuid('lead', analysed.n),
  case when analysed.chat then 'chat' else 'call' end,
  case when analysed.chat then 'chat_' else 'call_' end || lpad((10 * analysed.n + analysed.time)::text, 9, '0'),
  'din_core_v2+' || analysed.fragment || '_v1',
  documents.flach || jsonb_build_object(
    'analyse_version', 'din_core_v2',
    'analyse_erstellt_am', demo.iso(analysed.created_at),
    'kunde_name', analysed.name,
    'kunde_strasse', analysed.strasse,
    'kunde_plz', analysed.plz,
    'kunde_ort', analysed.ort,
    'kunde_telefon', analysed.phone,
    'kunde_email', analysed.email,
    'din_params_version', demo.params_version(analysed.created_at)),
  jsonb_build_object(
    'meta', jsonb_build_object('version', 'din_core_v2', 'erstellt_am', demo.iso(analysed.created_at)),
    'kunde', demo.kunde(analysed.person, analysed.name, documents.alter, analysed.strasse, analysed.plz, analysed.ort, analysed.phone, analysed.email),
    'haushalt', documents.haushalt,
    'vertraege', documents.vertraege,
    'produkte', jsonb_build_object(analysed.fragment, product_wishes.wish)),
  demo.din_check(analysed.created_at, assessments.bewertung),
  analysed.created_at,
  demo.uuid('session', analysed.n),
  analysed.kontakt_key
from analysed
join demo.documents on documents.variant = analysed.household
join demo.assessments on assessments.variant = analysed.household
  and assessments.params_version = demo.params_version(analysed.created_at)
join demo.product_wishes on product_wishes.fragment = analysed.fragment
  and product_wishes.slot = demo.pick('analysis.wish', analysed.n, 10)
on conflict do nothing;
