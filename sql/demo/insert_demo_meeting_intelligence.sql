-- Makes what was found in the meetings of one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set
--
-- Needs setup.sql and the appointments of the slice. Only ready and failed meetings have a row.
prepare insert_demo_meeting_intelligence (integer, integer, integer) as
with finished as (
  select made.number, made.intelligence_status = 'ready' as ready,
    least(made.starts_at + make_interval(mins => 65 + demo.pick('meeting.delay', made.number, 40)), demo.today()) as created_at
  from demo.appointments($1, $2, $3) as made
  where made.intelligence_status in ('ready', 'failed')
  offset 0
)
insert into meeting_intelligence (
  appointment_id, status, failure_reason, overall_score, customer_persona, conversation_type, summary, next_steps, results, created_at)
select
  demo.uuid('appointment', finished.number),
  case when finished.ready then 'ready' else 'failed' end,
  case when not finished.ready then demo.weighted(
    demo.pick('meeting.failure', finished.number, 100), '{no_recording,too_short,transcription_failed,no_consent}', '{0,45,70,90}') end,
  case when finished.ready then meeting_results.overall_score end,
  case when finished.ready then demo.weighted(
    demo.pick('meeting.persona', finished.number, 100), array['sicherheitsorientiert', 'preisbewusst', 'delegierend', 'gut informiert', null], '{0,35,60,75,92}') end,
  case when finished.ready then demo.weighted(
    demo.pick('meeting.type', finished.number, 100), '{erstgespraech,beratung,folgetermin,service}', '{0,40,75,92}') end,
  case when finished.ready then
    (array['Der Kunde möchte seine Absicherung ordnen.', 'Im Mittelpunkt stand die Vorsorge für das Alter.', 'Anlass war der Kauf einer Wohnung.', 'Besprochen wurde das Ergebnis der DIN-Analyse.'])[1 + demo.pick('meeting.opening', finished.number, 4)]
    || ' '
    || (array['Mehrere Verträge sind älter als zehn Jahre.', 'Beim Schutz der Arbeitskraft besteht eine Lücke.', 'Der Hausratschutz passt nicht mehr zur Wohnfläche.', 'Die Haftpflicht ist in Ordnung.', 'Offen blieb die Frage der Pflege.'])[1 + demo.pick('meeting.middle', finished.number, 5)]
    || ' '
    || (array['Die Stimmung war freundlich.', 'Der Kunde will sich mit seiner Partnerin abstimmen.', 'Ein Folgetermin ist vereinbart.'])[1 + demo.pick('meeting.ending', finished.number, 3)] end,
  case when finished.ready then
    (array['["Angebot zusammenstellen", "Folgetermin vereinbaren"]', '["Unterlagen anfordern"]', '["Vollmacht einholen", "Bestand abfragen", "Angebot zusammenstellen"]', '[]']::jsonb[])[1 + demo.pick('meeting.steps', finished.number, 4)] end,
  case when finished.ready then replace(meeting_results.results, '@generated_at@', demo.iso(finished.created_at))::jsonb else '[]' end,
  finished.created_at
from finished
join demo.meeting_results on meeting_results.variant = demo.pick('meeting.results', finished.number, 200)
on conflict do nothing;
