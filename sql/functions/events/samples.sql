-- The sample events of GET /hooks/sample: made by the functions that make live events, and made anew whenever this file
-- or one of those it needs has changed.
--
-- @needs documents/flat, events/changes, identity/aliases, identity/domains, identity/kontakt_key, income/rows
-- @needs merging/merge_kontakte, tables/locks

-- Everything it writes besides sample_events is gone when it returns; no other transaction sees it before.
create or replace function make_sample_events() returns void
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
declare
  -- Of a log of millions of events only those made here are looked at.
  first_log_id constant bigint := (select last_value from events_log_id_seq);
  sample_lead constant uuid := '00000000-0000-8000-8000-00000000a001';
  sample_session constant uuid := '00000000-0000-8000-8000-00000000a002';
  sample_analysis constant uuid := '00000000-0000-8000-8000-00000000a003';
  sample_appointment constant uuid := '00000000-0000-8000-8000-00000000a004';
  sample_signal constant uuid := '00000000-0000-8000-8000-00000000a005';
  sample_doc constant uuid := '00000000-0000-8000-8000-00000000a006';
  sample_moment constant timestamptz := '2026-01-15T09:00:00Z';
  kontakt constant text := 'email:beispiel.person@sample.example.org';
  check_document constant jsonb := '{
    "erstellt_am": "2026-01-15T09:00:00Z",
    "bewertung": {
      "params_version": "2026.1", "engine_version": "1.4.2",
      "zeilen": [{
        "rang": "2", "name": "Allgemeines Haftungsrisiko", "bedarfsstufe": 1, "in_analyse": true, "relevant": true,
        "relevanz_quelle": "regel", "status": "luecke",
        "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
        "istwert": {"wert_eur": 0, "beschreibung": null, "quellen": []}}],
      "luecken_nach_stufe": [{"stufe": 1, "themen": ["Allgemeines Haftungsrisiko"]}, {"stufe": 2, "themen": []}, {"stufe": 3, "themen": []}],
      "unbekannt_in_analyse": []}}';
  -- With an income, like the conversations that real ones come from: the samples show what the rule leaves.
  profile constant jsonb := '{
    "kunde": {"name": "Beispiel Person", "alter": 34, "adresse": {"strasse": "Musterweg 12", "plz": "10115", "ort": "Berlin"},
      "kontakt": {"telefon": "+49 30 23125042", "email": "beispiel.person@sample.example.org"}},
    "haushalt": {"haushaltsgroesse": 1, "kinder_anzahl": 0, "beziehungsstatus": "ledig", "personen": [
      {"rolle": "kunde", "alter": 34, "taetigkeitsstatus": "angestellt", "kv_status": "gkv_pflicht", "eigenes_einkommen_vorhanden": true,
        "einkommen": {"netto_monat_eur": 31337.77}}]},
    "vertraege": [{"sparte": "hausrat", "versicherer": "Muster Versicherung AG", "status": "aktiv"}]}';
begin
  perform set_config('app.trigger', 'dashboard', true);
  insert into leads (id, name, email, phone, source_type, product_domain, session_id)
    values (sample_lead, 'Beispiel Person', 'beispiel.person@sample.example.org', '+49 30 23125042', 'website_form', 'privathaftpflicht', sample_session);
  update leads set status = 'contacted' where id = sample_lead;
  update leads set archived_at = sample_moment, archive_reason_code = 'not_reachable' where id = sample_lead;
  insert into lead_analyses (id, lead_id, channel, source_id, analysis_schema_version, analysis_v2, din_check, session_id, kontakt_key)
    values (sample_analysis, sample_lead, 'call', 'call-4711', 'din_core_v2+privathaftpflicht_v1',
      '{"meta": {"version": "din_core_v2", "erstellt_am": "2026-01-15T09:00:00Z"}}' || profile, check_document, sample_session, kontakt);
  insert into haushalte (kontakt_key, haushalt, quelle) values (kontakt, profile, 'call');
  perform merge_kontakte('phone:+493023125042', kontakt);
  insert into appointments (id, title, platform, meeting_url, starts_at, ends_at, customer_display_name, source, lead_id, session_id)
    values (sample_appointment, 'Beratung Haftpflicht', 'zoom', 'https://meet.example.com/j/4711', sample_moment, sample_moment + interval '45 minutes',
      'Beispiel Person', 'calendar', sample_lead, sample_session);
  update appointments set starts_at = sample_moment + interval '1 day', ends_at = sample_moment + interval '1 day 45 minutes' where id = sample_appointment;
  update appointments set status = 'cancelled' where id = sample_appointment;
  insert into meeting_intelligence (appointment_id, status, failure_reason) values (sample_appointment, 'failed', 'no_audio');
  update meeting_intelligence set status = 'ready', overall_score = 78.5, summary = 'Die Haftpflicht fehlt; ein Angebot ist gewünscht.',
      next_steps = '["Angebot Privathaftpflicht senden"]',
      results = '[{"field_key": "abschlussbereitschaft", "label": "Abschlussbereitschaft", "kind": "scored", "output_type": "number", "status": "ready", "value": 8,
        "score": 8, "level": "hoch", "rationale": "Fragt nach dem Beginn.", "recommendation": "Zeitnah nachfassen.", "generated_at": "2026-01-15T10:00:00Z"}]'
    where appointment_id = sample_appointment;
  insert into advisory_docs (id, lead_id, title, approved_at) values (sample_doc, sample_lead, 'Beratungsdokumentation Haftpflicht', sample_moment);
  update advisory_docs set sent_at = sample_moment + interval '1 hour' where id = sample_doc;
  insert into signals (id, kind, title, score, lead_id, kontakt_key, quelle)
    values (sample_signal, 'deckungsluecke', 'Privathaftpflicht fehlt', 82.5, sample_lead, kontakt, 'call');
  update signals set status = 'done', outcome = 'verkauft' where id = sample_signal;

  delete from sample_events;
  insert into sample_events (event_type, id, schema_version, occurred_at, object_type, object_id, links, data)
  select distinct on (event_types.position) event_types.event_type,
    ('00000000-0000-8000-8000-' || lpad(event_types.position::text, 12, '0'))::uuid,
    events.schema_version, sample_moment, events.object_type, events.object_id, events.links, events.data
  from events
  join event_types on event_types.event_type = events.event_type
  where events.log_id >= first_log_id and events.xmin = pg_current_xact_id()::xid
  order by event_types.position, events.log_id;

  delete from events where events.log_id >= first_log_id and events.xmin = pg_current_xact_id()::xid;
  delete from advisory_docs where id = sample_doc;
  delete from signals where id = sample_signal;
  delete from appointments where id = sample_appointment;
  delete from kontakt_aliases where canonical_key = kontakt;
  delete from haushalte where kontakt_key = kontakt;
  delete from leads where id = sample_lead;
end
$$;
comment on function make_sample_events is 'Makes the sample events anew, through the triggers that make live ones.';

select make_sample_events();
