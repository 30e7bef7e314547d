-- Makes the sales signals of one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set: 1.2 signals per lead, above 100,000 leads 1.0
--
-- Needs setup.sql and the leads of the slice. Every tenth signal knows only the contact, not the lead.
prepare insert_demo_signals (integer, integer, integer) as
with drawn as (
  select 10 * people.n + places.place as number, people.n, people.name, people.kontakt_key, people.imported, people.created_at,
    demo.weighted(
      demo.pick('signal.kind', 10 * people.n + places.place, 100),
      '{deckungsluecke,vertragsablauf,cross_sell,beitragsanpassung,kuendigungsfrist,lebensereignis,rueckruf_ueberfaellig,zinsbindung_ende}',
      '{0,26,42,58,70,80,88,95}') as kind,
    demo.weighted(
      demo.pick('signal.status', 10 * people.n + places.place, 100), '{open,done,dismissed,resolved}', '{0,45,70,88}') as status,
    greatest(2, floor(extract(epoch from demo.today() - people.created_at))::bigint) / 2 as half_age
  from demo.people('signal', $1, $2, $3) as people
  cross join generate_series(1, 4) as places (place)
  where places.place <= demo.signals_of(people.n, $3)
  offset 0
),
detected as (
  select drawn.number, drawn.n, drawn.name, drawn.kontakt_key, drawn.imported, drawn.kind, drawn.status, drawn.half_age,
    drawn.created_at + make_interval(secs => demo.pick('signal.detected', drawn.number, drawn.half_age)) as detected_at
  from drawn
  offset 0
)
insert into signals (id, kind, title, status, score, lead_id, detected_at, updated_at, kontakt_key, quelle, outcome)
select
  demo.uuid('signal', detected.number),
  detected.kind,
  case detected.kind
    when 'deckungsluecke' then (array['Lücke bei der Arbeitskraft', 'Keine private Haftpflicht bekannt', 'Hausratsumme zu niedrig', 'Altersvorsorge unter Ziel'])[1 + demo.pick('signal.title', detected.number, 4)]
    when 'vertragsablauf' then (array['Vertrag läuft aus', 'Befristung endet in drei Monaten'])[1 + demo.pick('signal.title', detected.number, 2)]
    when 'cross_sell' then (array['Zahnzusatz passt zum Bestand', 'Rechtsschutz fehlt im Bestand', 'Pflege noch nie besprochen'])[1 + demo.pick('signal.title', detected.number, 3)]
    when 'beitragsanpassung' then 'Beitrag steigt zur Hauptfälligkeit'
    when 'kuendigungsfrist' then 'Kündigungsfrist endet bald'
    when 'lebensereignis' then (array['Umzug erwähnt', 'Heirat erwähnt', 'Kind unterwegs'])[1 + demo.pick('signal.title', detected.number, 3)]
    when 'rueckruf_ueberfaellig' then 'Rückruf überfällig'
    else 'Zinsbindung endet'
  end || case when detected.name is not null and demo.pick('signal.named', detected.number, 100) < 40 then ': ' || detected.name else '' end,
  detected.status,
  scores.score,
  case when demo.pick('signal.alone', detected.number, 10) > 0 then demo.uuid('lead', detected.n) end,
  detected.detected_at,
  case when detected.status = 'open' then detected.detected_at
    else detected.detected_at + make_interval(secs => demo.pick('signal.updated', detected.number, detected.half_age)) end,
  detected.kontakt_key,
  case when detected.imported then 'crm_import' else demo.quelle('signal.quelle', detected.number) end,
  case when detected.status = 'done' then demo.weighted(
    demo.pick('signal.outcome', detected.number, 100), array['termin_vereinbart', 'abschluss', 'kein_bedarf', 'nicht_erreicht', null], '{0,35,55,78,92}') end
from detected
join demo.scores on scores.slot = demo.pick('signal.score', detected.number, 1000)
on conflict do nothing;
