-- Which function runs when a row is written, by table.
--
-- BEFORE triggers run by their names: …_documents refuses a document before …_income looks at it, and …_income
-- cleans a row before …_projection looks at it and …_touch compares it. AFTER triggers make events of what was
-- stored. Those of documents and income are enabled always: rows that come by logical replication, or with
-- session_replication_role = replica, are held to them too, and make no events.
--
-- Every column that people or models fill with text is under the rule of income, be it one word. Addresses and keys
-- are not: a mail address, a phone number or a link with digits removed would be another one.
--
-- @needs documents/bounds, documents/flat, documents/uri, events/advisory_docs, events/analyses, events/appointments
-- @needs events/haushalte, events/leads
-- @needs events/meetings, events/signals, feed/log, hooks/subscriptions, identity/aliases, income/rows
-- @needs tables/keys, tables/rows

create trigger leads_emit_created after insert on leads
  referencing new table as new_rows for each statement execute function emit_lead_created();
create trigger leads_emit_changed after update on leads
  referencing old table as old_rows new table as new_rows for each statement execute function emit_lead_changed();
create trigger leads_key before update of id on leads
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger leads_documents before insert or update of parsed_data on leads
  for each row when (not are_bounded(new.parsed_data))
  execute function refuse_unbounded('parsed_data');
alter table leads enable always trigger leads_documents;
create trigger leads_income before insert or update of
    name, status, source_type, archive_reason_code, product_domain on leads
  for each row when (concerns_income(concat_ws(' ', new.name, new.status, new.source_type, new.archive_reason_code,
    new.product_domain)))
  execute function redact_row('name', 'status', 'source_type', 'archive_reason_code', 'product_domain');
alter table leads enable always trigger leads_income;
create trigger leads_income_documents before insert or update of
    parsed_data on leads
  for each row when (concerns_income(concat_ws(' ', new.parsed_data)))
  execute function redact_row('parsed_data');
alter table leads enable always trigger leads_income_documents;

create trigger lead_analyses_emit_completed after insert on lead_analyses
  referencing new table as new_rows for each statement execute function emit_analysis_completed();
create trigger lead_analyses_emit_checked after update on lead_analyses
  referencing old table as old_rows new table as new_rows for each statement execute function emit_analysis_checked();
create trigger lead_analyses_key before update of id on lead_analyses
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger lead_analyses_documents before insert or update of analysis, analysis_v2, din_check on lead_analyses
  for each row when (not are_bounded(new.analysis, new.analysis_v2, new.din_check))
  execute function refuse_unbounded('analysis', 'analysis_v2', 'din_check');
alter table lead_analyses enable always trigger lead_analyses_documents;
create trigger lead_analyses_income before insert or update of
    analysis, analysis_v2, din_check on lead_analyses
  for each row when (concerns_income(concat_ws(' ', new.analysis, new.analysis_v2, new.din_check)))
  execute function redact_row('analysis', 'analysis_v2', 'din_check');
alter table lead_analyses enable always trigger lead_analyses_income;
create trigger lead_analyses_projection before insert or update of analysis, analysis_v2, din_check on lead_analyses
  for each row execute function project_lead_analysis();

create trigger haushalte_emit_created after insert on haushalte
  referencing new table as new_rows for each statement execute function emit_haushalt_created();
create trigger haushalte_emit_changed after update on haushalte
  referencing old table as old_rows new table as new_rows for each statement execute function emit_haushalt_changed();
create trigger haushalte_touch before update of haushalt, provenance, din_check, empfehlungen_aktuell,
  quelle on haushalte
  for each row
  when (
    (old.haushalt, old.provenance, old.din_check, old.empfehlungen_aktuell, old.quelle)
      is distinct from (new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell, new.quelle))
  execute function touch_updated_at();
create trigger haushalte_key before update of kontakt_key on haushalte
  for each row when (new.kontakt_key <> old.kontakt_key) execute function refuse_key_change();
create trigger haushalte_documents before insert or update of haushalt, provenance, din_check,
  empfehlungen_aktuell on haushalte
  for each row when (not are_bounded(new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell))
  execute function refuse_unbounded('haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell');
alter table haushalte enable always trigger haushalte_documents;
create trigger haushalte_income before insert or update of
    haushalt, provenance, din_check, empfehlungen_aktuell on haushalte
  for each row when (concerns_income(concat_ws(' ', new.haushalt, new.provenance, new.din_check,
    new.empfehlungen_aktuell)))
  execute function redact_row('haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell');
alter table haushalte enable always trigger haushalte_income;
create trigger haushalte_income_quelle before insert or update of
    quelle on haushalte
  for each row when (concerns_income(concat_ws(' ', new.quelle)))
  execute function redact_row('quelle');
alter table haushalte enable always trigger haushalte_income_quelle;

create trigger kontakt_aliases_flat_on_insert after insert on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();
create trigger kontakt_aliases_flat_on_update after update on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();

create trigger appointments_emit_created after insert on appointments
  referencing new table as new_rows for each statement execute function emit_appointment_created();
create trigger appointments_emit_changed after update on appointments
  referencing old table as old_rows new table as new_rows for each statement
    execute function emit_appointment_changed();
create trigger appointments_key before update of id on appointments
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger appointments_encode before insert or update of meeting_url on appointments
  for each row when (not is_uri(new.meeting_url) and new.meeting_url !~ '[[:space:]]')
    execute function encode_meeting_url();
create trigger appointments_income before insert or update of
    title, status, platform, customer_display_name, source, intelligence_status on appointments
  for each row when (concerns_income(concat_ws(' ', new.title, new.status, new.platform,
    new.customer_display_name, new.source, new.intelligence_status)))
  execute function redact_row('title', 'status', 'platform', 'customer_display_name', 'source', 'intelligence_status');
alter table appointments enable always trigger appointments_income;

create trigger meeting_intelligence_emit_found after insert on meeting_intelligence
  referencing new table as new_rows for each statement execute function emit_meeting_found();
create trigger meeting_intelligence_emit_changed after update on meeting_intelligence
  referencing old table as old_rows new table as new_rows for each statement execute function emit_meeting_changed();
create trigger meeting_intelligence_key before update of appointment_id on meeting_intelligence
  for each row when (new.appointment_id <> old.appointment_id) execute function refuse_key_change();
create trigger meeting_intelligence_documents before insert or update of next_steps, results on meeting_intelligence
  for each row when (not are_bounded(new.next_steps, new.results))
  execute function refuse_unbounded('next_steps', 'results');
alter table meeting_intelligence enable always trigger meeting_intelligence_documents;
create trigger meeting_intelligence_income before insert or update of
    failure_reason, customer_persona, conversation_type, summary, next_steps, results on meeting_intelligence
  for each row when (concerns_income(concat_ws(' ', new.failure_reason, new.customer_persona,
    new.conversation_type, new.summary, new.next_steps, new.results)))
  execute function redact_row(
    'failure_reason', 'customer_persona', 'conversation_type', 'summary', 'next_steps', 'results');
alter table meeting_intelligence enable always trigger meeting_intelligence_income;

create trigger signals_emit_opened after insert on signals
  referencing new table as new_rows for each statement execute function emit_signal_opened();
create trigger signals_emit_changed after update on signals
  referencing old table as old_rows new table as new_rows for each statement execute function emit_signal_changed();
create trigger signals_touch before update of kind, title, status, score, lead_id, kontakt_key, quelle,
  outcome on signals
  for each row
  when (
    (old.kind, old.title, old.status, old.score, old.lead_id, old.kontakt_key, old.quelle, old.outcome)
      is distinct from (new.kind, new.title, new.status, new.score, new.lead_id, new.kontakt_key, new.quelle,
        new.outcome))
  execute function touch_updated_at();
create trigger signals_key before update of id on signals
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger signals_income before insert or update of
    kind, title, quelle, outcome on signals
  for each row when (concerns_income(concat_ws(' ', new.kind, new.title, new.quelle, new.outcome)))
  execute function redact_row('kind', 'title', 'quelle', 'outcome');
alter table signals enable always trigger signals_income;

create trigger advisory_docs_emit_created after insert on advisory_docs
  referencing new table as new_rows for each statement execute function emit_advisory_doc_created();
create trigger advisory_docs_emit_changed after update on advisory_docs
  referencing old table as old_rows new table as new_rows for each statement
    execute function emit_advisory_doc_changed();
create trigger advisory_docs_key before update of id on advisory_docs
  for each row when (new.id <> old.id) execute function refuse_key_change();
create trigger advisory_docs_income before insert or update of
    title on advisory_docs
  for each row when (concerns_income(concat_ws(' ', new.title)))
  execute function redact_row('title');
alter table advisory_docs enable always trigger advisory_docs_income;

create trigger events_transaction before insert on events
  for each statement execute function draw_transaction_id();
create trigger events_income before insert on events
  for each row when (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)' or new.object_type ~ '[0-9]')
  execute function redact_row('object_type', 'object_id');
alter table events enable always trigger events_income;
create trigger events_wake after insert on events
  for each statement execute function wake_sequencer();

create trigger hook_subscriptions_begin before insert on hook_subscriptions
  for each row execute function begin_subscription();
create trigger hook_subscriptions_version before update on hook_subscriptions
  for each row when (current_setting('app.recording', true) is distinct from 'on')
  execute function raise_subscription_version();
create trigger hook_subscriptions_changed after insert or update or delete on hook_subscriptions
  for each statement when (current_setting('app.recording', true) is distinct from 'on')
  execute function notify_hooks_changed();
create trigger hook_subscriptions_left after update of deleted_at on hook_subscriptions
  for each row when (new.deleted_at is not null) execute function drop_outstanding();
create trigger hook_subscriptions_deleted after delete on hook_subscriptions
  for each row execute function drop_outstanding();
create trigger hook_subscriptions_failing after update of consecutive_failures on hook_subscriptions
  for each row when (new.consecutive_failures > old.consecutive_failures) execute function note_hook_failures();

-- Every process keeps all keys in memory and reads them again when this fires. Not on last_used_at:
-- that is written every minute and changes nothing about who may enter.
create trigger api_keys_changed
  after insert or delete or truncate or update of digest, scopes, expires_at, revoked_at on api_keys
  for each statement execute function notify_api_keys_changed();
