-- Makes the household records of the people who first appear in one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set; above 100,000 contracts come without terms and fewer records have a DIN check
--
-- Needs setup.sql. A record stands under the surviving key, so merged keys have none of their own.
-- Parameters of 2026 came on 2026-01-05: records not touched since were checked anew at that moment.
prepare insert_demo_haushalte (integer, integer, integer) as
with owners as (
  select people.person, people.name, people.email, people.phone, people.kontakt_key, people.strasse, people.plz, people.ort, people.household,
    case when people.imported then 'crm_import' else demo.quelle('haushalt.quelle', people.person) end as quelle,
    -- A person who was analysed has a check, and so do some of the others.
    demo.has_analysis(people.n, $3)
      or demo.pick('haushalt.check', people.person, 100) < case when $3 > 100000 then 5 else 50 end as checked,
    people.created_at,
    people.created_at + make_interval(secs => demo.pick(
      'haushalt.updated', people.person, greatest(1, floor(extract(epoch from demo.today() - people.created_at))::bigint))) as updated_at
  from demo.people('kontakt', $1, $2, $3) as people
  offset 0
)
insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at)
select
  owners.kontakt_key,
  jsonb_build_object(
    'meta', jsonb_build_object('version', 'din_core_v2', 'erstellt_am', demo.iso(owners.updated_at)),
    'kunde', demo.kunde(owners.person, owners.name, documents.alter, owners.strasse, owners.plz, owners.ort, owners.phone, owners.email),
    'haushalt', documents.haushalt,
    'vertraege', case when $3 > 100000 then documents.vertraege_kurz else documents.vertraege end),
  jsonb_build_object(
    'kunde.name', jsonb_build_object('quelle', owners.quelle, 'stand', demo.iso(owners.created_at)),
    'kunde.kontakt.email', jsonb_build_object('quelle', owners.quelle, 'stand', demo.iso(owners.created_at)),
    'kunde.adresse', jsonb_build_object('quelle', demo.quelle('haushalt.adresse', owners.person), 'stand', demo.iso(owners.updated_at)),
    'haushalt.personen', jsonb_build_object('quelle', demo.quelle('haushalt.personen', owners.person), 'stand', demo.iso(owners.updated_at)),
    'haushalt.wohnsituation', jsonb_build_object('quelle', demo.quelle('haushalt.wohnsituation', owners.person), 'stand', demo.iso(owners.created_at)),
    'vertraege[0]', jsonb_build_object('quelle', demo.quelle('haushalt.vertraege', owners.person), 'stand', demo.iso(owners.updated_at))),
  case
    when not owners.checked then null
    -- Copied as it lies there, compressed: that is four times faster than making it.
    when owners.updated_at < timestamptz '2026-01-05T03:00:00Z' then documents.neuberechnung
    else demo.din_check(owners.updated_at, assessments.bewertung)
  end,
  case when owners.checked then
    jsonb_build_object('stand', demo.iso(owners.updated_at), 'empfehlungen', documents.massnahmen) end,
  owners.quelle,
  owners.updated_at
from owners
join demo.documents on documents.variant = owners.household
join demo.assessments on assessments.variant = owners.household
  and assessments.params_version = demo.params_version(owners.updated_at)
on conflict do nothing;
