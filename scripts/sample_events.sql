-- A person from the first lead to the last signal, for the sample events: the triggers make them, as they make live ones.
-- scripts/write_schema.ts runs it and rolls it back.
do $$
declare
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
      "params_version": "2026.1", "engine_version": "1.4.2", "unbekannt_in_analyse": [],
      "zeilen": [{
        "rang": "2", "name": "Allgemeines Haftungsrisiko", "bedarfsstufe": 1, "in_analyse": true, "relevant": true,
        "relevanz_quelle": "regel", "status": "luecke",
        "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
        "istwert": {"wert_eur": 0, "beschreibung": null, "quellen": []}}],
      "luecken_nach_stufe": [
        {"stufe": 1, "themen": ["Allgemeines Haftungsrisiko"]},
        {"stufe": 2, "themen": []}, {"stufe": 3, "themen": []}]}}';
  -- With an income, like the conversations that real ones come from: the samples show what the rule leaves.
  profile constant jsonb := '{
    "kunde": {"name": "Beispiel Person", "alter": 34,
      "adresse": {"strasse": "Musterweg 12", "plz": "10115", "ort": "Berlin"},
      "kontakt": {"telefon": "+49 30 23125042", "email": "beispiel.person@sample.example.org"}},
    "haushalt": {"haushaltsgroesse": 1, "kinder_anzahl": 0, "beziehungsstatus": "ledig", "personen": [{
      "rolle": "kunde", "alter": 34, "taetigkeitsstatus": "angestellt", "kv_status": "gkv_pflicht",
      "eigenes_einkommen_vorhanden": true, "einkommen": {"netto_monat_eur": 31337.77}}]},
    "vertraege": [{"sparte": "hausrat", "versicherer": "Muster Versicherung AG", "status": "aktiv"}]}';
begin
  perform set_config('app.trigger', 'dashboard', true);
  insert into leads (id, name, email, phone, source_type, product_domain, session_id)
  values (sample_lead, 'Beispiel Person', 'beispiel.person@sample.example.org', '+49 30 23125042', 'website_form',
    'privathaftpflicht', sample_session);
  update leads set status = 'contacted' where id = sample_lead;
  update leads set archived_at = sample_moment, archive_reason_code = 'not_reachable' where id = sample_lead;
  insert into lead_analyses (id, lead_id, channel, source_id, analysis_schema_version, analysis_v2, din_check,
    session_id, kontakt_key)
  values (sample_analysis, sample_lead, 'call', 'call-4711', 'din_core_v2+privathaftpflicht_v1',
    '{"meta": {"version": "din_core_v2", "erstellt_am": "2026-01-15T09:00:00Z"}}' || profile, check_document,
    sample_session, kontakt);
  insert into haushalte (kontakt_key, haushalt, quelle) values (kontakt, profile, 'call');
  perform merge_kontakte('phone:+493023125042', kontakt);
  insert into appointments (id, title, platform, meeting_url, starts_at, ends_at, customer_display_name, source,
    lead_id, session_id)
  values (sample_appointment, 'Beratung Haftpflicht', 'zoom', 'https://meet.example.com/j/4711', sample_moment,
    sample_moment + interval '45 minutes', 'Beispiel Person', 'calendar', sample_lead, sample_session);
  update appointments set starts_at = starts_at + interval '1 day', ends_at = ends_at + interval '1 day'
  where id = sample_appointment;
  update appointments set status = 'cancelled' where id = sample_appointment;
  insert into meeting_intelligence (appointment_id, status, failure_reason)
  values (sample_appointment, 'failed', 'no_audio');
  update meeting_intelligence
  set status = 'ready', overall_score = 78.5, summary = 'Die Haftpflicht fehlt; ein Angebot ist gewünscht.',
    next_steps = '["Angebot Privathaftpflicht senden"]',
    results = '[{"field_key": "abschlussbereitschaft", "label": "Abschlussbereitschaft", "kind": "scored",
      "output_type": "number", "status": "ready", "value": 8, "score": 8, "level": "hoch",
      "rationale": "Fragt nach dem Beginn.", "recommendation": "Zeitnah nachfassen.",
      "generated_at": "2026-01-15T10:00:00Z"}]'
  where appointment_id = sample_appointment;
  insert into advisory_docs (id, lead_id, title, approved_at)
  values (sample_doc, sample_lead, 'Beratungsdokumentation Haftpflicht', sample_moment);
  update advisory_docs set sent_at = sample_moment + interval '1 hour' where id = sample_doc;
  insert into signals (id, kind, title, score, lead_id, kontakt_key, quelle)
  values (sample_signal, 'deckungsluecke', 'Privathaftpflicht fehlt', 82.5, sample_lead, kontakt, 'call');
  update signals set status = 'done', outcome = 'verkauft' where id = sample_signal;
end
$$;
