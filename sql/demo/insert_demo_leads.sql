-- Makes the leads of one slice; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set; ratios and phone numbers depend on it
--
-- Needs setup.sql. Load this first, every other table refers to leads.
prepare insert_demo_leads (integer, integer, integer) as
with drawn as (
  select people.n, people.person, people.imported, people.created_at, people.name, people.first_name, people.last_name,
    people.email, people.phone, people.plz, people.ort,
    demo.weighted(
      demo.pick('lead.status', people.n, 100),
      '{new,contacted,qualified,appointment_scheduled,analysis_done,offer,won,lost}',
      '{0,22,40,54,66,79,87,95}') as status,
    case when people.imported then 'crm_import' else demo.weighted(
      demo.pick('lead.source_type', people.n, 84),
      '{website_form,chat,call,referral,manual_termin,social_ads}',
      '{0,27,49,66,74,80}') end as source_type,
    demo.pick('lead.archived', people.n, 100) < 12 as archived,
    floor(extract(epoch from demo.today() - people.created_at))::bigint as age_seconds,
    -- As typed: +49 30 23125042, 030 23125042, 030/23125042, 0049 30 23125042 or +493023125042.
    demo.pick('lead.spelling', people.n, 5) as spelling,
    case when substr(people.phone, 4, 2) in ('30', '69', '40', '89') then 2 else 3 end as area_digits
  from demo.people('lead', $1, $2, $3) as people
  offset 0
)
insert into leads (
  id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code,
  parsed_data, created_at, product_domain, session_id)
select
  demo.uuid('lead', drawn.n),
  drawn.name,
  case when demo.pick('lead.typed', drawn.n, 100) < 8 then initcap(drawn.email) else drawn.email end,
  case
    when drawn.spelling = 4 then drawn.phone
    else (array['+49 ', '0', '0', '0049 '])[drawn.spelling + 1]
      || substr(drawn.phone, 4, drawn.area_digits)
      || case when drawn.spelling = 2 then '/' else ' ' end
      || substr(drawn.phone, 4 + drawn.area_digits)
  end,
  drawn.status,
  drawn.source_type,
  case when drawn.status <> 'new' then
    drawn.created_at + make_interval(secs => least(drawn.age_seconds, 300 + demo.pick('lead.contacted', drawn.n, 500000))) end,
  case when drawn.archived then
    drawn.created_at + make_interval(secs => demo.pick('lead.archived_after', drawn.n, greatest(drawn.age_seconds, 1))) end,
  case when drawn.archived then
    case
      when drawn.person <> drawn.n then 'duplicate'
      when coalesce(drawn.email, drawn.phone) is null then 'invalid_contact'
      else demo.weighted(
        demo.pick('lead.archive_reason', drawn.n, 100),
        '{no_interest,not_reachable,invalid_contact,won_elsewhere,spam,gdpr_request}',
        '{0,35,67,79,89,97}')
    end
  end,
  case
    when demo.pick('lead.parsed', drawn.n, 100) < 15 then null
    when drawn.imported then jsonb_build_object(
      'crm_id', 'K-' || lpad(drawn.n::text, 7, '0'),
      'nachname', drawn.last_name, 'vorname', drawn.first_name, 'plz', drawn.plz, 'ort', drawn.ort,
      'telefon', drawn.phone, 'email', drawn.email)
    else jsonb_build_object(
      'vorname', drawn.first_name, 'nachname', drawn.last_name, 'plz', drawn.plz, 'ort', drawn.ort,
      'anliegen', demo.weighted(
        demo.pick('lead.wish', drawn.n, 6),
        array[
          'Möchte bestehende Verträge prüfen lassen', 'Fragt nach einem Angebot', 'Bittet um Rückruf am Nachmittag',
          'Hat geheiratet und will den Schutz anpassen', 'Zieht um und braucht neuen Schutz', 'Interessiert sich für Altersvorsorge'],
        '{0,1,2,3,4,5}'),
      'einwilligung_kontakt', demo.pick('lead.consent', drawn.n, 100) < 94)
  end,
  drawn.created_at,
  demo.product_domain(drawn.n),
  case when drawn.source_type in ('chat', 'call') then demo.uuid('session', drawn.n) end
from drawn
on conflict do nothing;
