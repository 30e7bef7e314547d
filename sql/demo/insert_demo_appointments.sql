-- Makes the appointments of one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set: 0.6 appointments per lead, above 100,000 leads 0.3
--
-- Needs setup.sql and the leads of the slice. Every sixteenth stands without a lead.
prepare insert_demo_appointments (integer, integer, integer) as
insert into appointments (
  id, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status,
  created_at, lead_id, session_id)
select
  demo.uuid('appointment', made.number),
  case when demo.pick('appointment.untitled', made.number, 100) >= 4 then
    demo.weighted(
      demo.pick('appointment.title', made.number, 100),
      array['Erstgespräch', 'Beratung Altersvorsorge', 'Vertragscheck', 'DIN-Analyse besprechen', 'Jahresgespräch', 'Angebot besprechen'],
      '{0,30,46,62,78,90}')
    || coalesce(' mit ' || made.name, '') end,
  made.status,
  made.platform,
  case made.platform
    when 'zoom' then 'https://zoom.example.org/j/' || (10000000000 + made.number)::text
    when 'ms_teams' then 'https://teams.example.org/l/meetup/' || substr(md5('meeting:' || made.number::text), 1, 16)
    when 'google_meet' then 'https://meet.example.org/' || translate(substr(md5('meeting:' || made.number::text), 1, 10), '0123456789', 'ghijklmnop')
  end,
  made.starts_at,
  case when demo.pick('appointment.open', made.number, 100) >= 3 then
    made.starts_at + make_interval(mins => (array[30, 45, 60, 60, 90])[1 + demo.pick('appointment.length', made.number, 5)]) end,
  made.name,
  demo.weighted(demo.pick('appointment.source', made.number, 100), array['calendar', 'booking_link', 'chat', 'manual_termin', null], '{0,35,60,78,93}'),
  made.intelligence_status,
  made.created_at,
  case when demo.pick('appointment.alone', made.number, 16) > 0 then demo.uuid('lead', made.n) end,
  case when demo.pick('appointment.session', made.number, 100) < 40 then demo.uuid('session', made.n) end
from demo.appointments($1, $2, $3) as made
on conflict do nothing;
