-- Every column that people or models fill with text is under the rule, be it one word. Addresses and keys are
-- not: a mail address, a phone number or a link with digits removed would be another one.
--
-- @needs income/text
-- @needs income/triggers

drop trigger leads_income on leads;
create trigger leads_income before insert or update of name, status, source_type, archive_reason_code, product_domain, parsed_data on leads
  for each row when (
    new.parsed_data is not null
    or has_amount(concat_ws(e'\n', new.name, new.status, new.source_type, new.archive_reason_code, new.product_domain)))
  execute function redact_lead();
create trigger appointments_income before insert or update of title, status, platform, customer_display_name, source, intelligence_status on appointments
  for each row when (has_amount(concat_ws(e'\n', new.title, new.status, new.platform, new.customer_display_name, new.source, new.intelligence_status)))
  execute function redact_appointment();
create trigger signals_income before insert or update of kind, title, quelle, outcome on signals
  for each row when (has_amount(concat_ws(e'\n', new.kind, new.title, new.quelle, new.outcome)))
  execute function redact_signal();
create trigger advisory_docs_income before insert or update of title on advisory_docs
  for each row when (has_amount(new.title)) execute function redact_advisory_doc();
create trigger haushalte_income_quelle before insert or update of quelle on haushalte
  for each row when (has_amount(new.quelle)) execute function redact_haushalt_quelle();
drop trigger meeting_intelligence_income on meeting_intelligence;
create trigger meeting_intelligence_income before insert or update of failure_reason, customer_persona, conversation_type, summary, next_steps, results on meeting_intelligence
  for each row execute function redact_meeting_intelligence();
create trigger events_income before insert on events
  for each row when (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)' or new.object_type ~ '[0-9]')
  execute function redact_event_object();
