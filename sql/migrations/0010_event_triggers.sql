-- What turns changes into events. Every function runs once per statement over all rows it changed, so a
-- bulk write of 100,000 rows stays one insert. TimeZone is pinned: moments inside payloads look the same
-- whatever the writer's session has set; and search_path, so that no temporary table takes an event.
-- redact_income (0016) has cleaned a row before it comes here. What was stored before may still hold income: a
-- change of nothing but that is no change.

create function event_links(lead_id uuid, session_id uuid) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('lead_id', lead_id, 'session_id', session_id);
comment on function event_links is 'The links member of the envelope.';

-- For producers inside their own transaction. Refuses a type outside the enumeration.
create function emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) returns uuid
  language plpgsql set search_path = public, pg_temp as $$
declare
  version text;
  event_id uuid;
begin
  select event_types.schema_version into version from event_types where event_types.event_type = emit_event.event_type;
  if version is null then
    raise exception 'There is no event type %', emit_event.event_type
      using errcode = 'invalid_parameter_value', hint = 'select event_type from event_types';
  end if;
  if jsonb_typeof(emit_event.data) is distinct from 'object' then
    raise exception 'data of an event must be a JSON object' using errcode = 'invalid_parameter_value';
  end if;
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  values (
    emit_event.event_type, version, emit_event.object_type, emit_event.object_id,
    event_links((emit_event.links ->> 'lead_id')::uuid, (emit_event.links ->> 'session_id')::uuid), redact_income(emit_event.data))
  returning event_outbox.id into event_id;
  return event_id;
end
$$;
comment on function emit_event is 'Puts an event of a known type into the feed, in the caller''s transaction; returns its id.';

-- Wakes the sequencer if it sleeps. While it works nobody notifies: NOTIFY takes a lock of the whole
-- cluster until the commit is done, which under load would halve the writers' rate.
create function wake_sequencer() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if (select idle from feed) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$$;
create trigger event_outbox_wake after insert on event_outbox
  for each statement execute function wake_sequencer();

-- leads: lead.created, lead.stage_changed, lead.archived

create function emit_lead_created() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'lead.created', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
    jsonb_build_object(
      'lead_id', new_rows.id, 'name', new_rows.name, 'email', new_rows.email, 'phone', new_rows.phone,
      'source_type', new_rows.source_type, 'status', new_rows.status, 'product_domain', new_rows.product_domain)
  from new_rows;
  if exists (select from new_rows where new_rows.archived_at is not null) then
    insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
    select 'lead.archived', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    from new_rows
    where new_rows.archived_at is not null;
  end if;
  return null;
end
$$;
create trigger leads_emit_created after insert on leads
  referencing new table as new_rows for each statement execute function emit_lead_created();

create function emit_lead_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'lead.stage_changed' as event_type,
      jsonb_build_object(
        'lead_id', new_rows.id, 'status_before', old_rows.status, 'status_after', new_rows.status,
        'trigger', nullif(current_setting('app.trigger', true), '')) as data
    where new_rows.status <> old_rows.status
    union all
    select 'lead.archived',
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    where new_rows.archived_at is not null and old_rows.archived_at is null
  ) as change;
  return null;
end
$$;
create trigger leads_emit_changed after update on leads
  referencing old table as old_rows new table as new_rows for each statement execute function emit_lead_changed();

-- lead_analyses: analysis.completed, din.check_completed

create function din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object(
    'channel', channel,
    'quelle', quelle,
    'kontakt_key', kontakt_key,
    'params_version', din_check #>> '{bewertung,params_version}',
    'luecken_nach_stufe', luecken_nach_stufe(din_check),
    'unbekannt_anzahl', case when jsonb_typeof(din_check #> '{bewertung,unbekannt_in_analyse}') = 'array'
      then jsonb_array_length(din_check #> '{bewertung,unbekannt_in_analyse}') else 0 end);
comment on function din_check_payload is 'data of din.check_completed.';

create function emit_analysis_completed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, change.schema_version, 'analysis', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), change.data
  from new_rows
  cross join lateral (
    select 'analysis.completed' as event_type, '2' as schema_version,
      jsonb_build_object(
        'channel', new_rows.channel,
        'analysis_schema_version', new_rows.analysis_schema_version,
        'analysis', coalesce(new_rows.analysis_v2, '{}')
          || case when new_rows.din_check is null then '{}' else jsonb_build_object('din_check', new_rows.din_check) end) as data
    union all
    select 'din.check_completed', '1', din_check_payload(new_rows.channel, null, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$$;
create trigger lead_analyses_emit_completed after insert on lead_analyses
  referencing new table as new_rows for each statement execute function emit_analysis_completed();

create function emit_analysis_checked() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'din.check_completed', '1', 'analysis', new_rows.id, event_links(new_rows.lead_id, new_rows.session_id),
    din_check_payload(new_rows.channel, null, new_rows.kontakt_key, new_rows.din_check)
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  where new_rows.din_check is not null
    and new_rows.din_check is distinct from old_rows.din_check
    and new_rows.din_check is distinct from redact_income(old_rows.din_check);
  return null;
end
$$;
create trigger lead_analyses_emit_checked after update on lead_analyses
  referencing old table as old_rows new table as new_rows for each statement execute function emit_analysis_checked();

-- haushalte: haushalt.updated, din.check_completed

create function changed_sections(before jsonb, after jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select coalesce(jsonb_agg(section.name order by section.name), '[]')
  from (
    select jsonb_object_keys(coalesce(before, '{}') || after) as name
  ) as section
  where before -> section.name is distinct from after -> section.name;
end;
comment on function changed_sections is 'The top-level members in which two documents differ, sorted.';

create function haushalt_payload(haushalt haushalte, before jsonb) returns jsonb
  language sql stable parallel safe
begin atomic
  select jsonb_build_object(
    'kontakt_key', (haushalt).kontakt_key,
    'quelle', (haushalt).quelle,
    'geaenderte_abschnitte', changed_sections(before, (haushalt).haushalt),
    'vertraege_anzahl', (haushalt).vertraege_anzahl,
    'luecken_anzahl', (
      select coalesce(sum((stufe ->> 'anzahl')::integer), 0)
      from jsonb_array_elements((haushalt).luecken_nach_stufe) as stufe
    ));
end;
comment on function haushalt_payload is 'data of haushalt.updated; before is the profile as it was, null for a new one.';

create function emit_haushalt_created() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, null) as data
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$$;
create trigger haushalte_emit_created after insert on haushalte
  referencing new table as new_rows for each statement execute function emit_haushalt_created();

create function emit_haushalt_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  join old_rows on old_rows.kontakt_key = new_rows.kontakt_key
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, before.haushalt) as data
    from (select redact_income(old_rows.haushalt) as haushalt) as before
    where new_rows.haushalt <> old_rows.haushalt and new_rows.haushalt <> before.haushalt
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
      and new_rows.din_check is distinct from old_rows.din_check
      and new_rows.din_check is distinct from redact_income(old_rows.din_check)
  ) as change;
  return null;
end
$$;
create trigger haushalte_emit_changed after update on haushalte
  referencing old table as old_rows new table as new_rows for each statement execute function emit_haushalt_changed();

-- appointments: appointment.scheduled, appointment.cancelled, appointment.updated

create function appointment_payload(appointment appointments) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'appointment_id', (appointment).id,
    'title', (appointment).title,
    'starts_at', (appointment).starts_at,
    'ends_at', (appointment).ends_at,
    'platform', (appointment).platform,
    'meeting_url', (appointment).meeting_url,
    'customer_display_name', (appointment).customer_display_name,
    'source', (appointment).source);
comment on function appointment_payload is 'data of the appointment events.';

create function emit_appointment_created() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  cross join lateral (
    select 'appointment.scheduled' as event_type
    union all
    select 'appointment.cancelled' where new_rows.status = 'cancelled'
  ) as change;
  return null;
end
$$;
create trigger appointments_emit_created after insert on appointments
  referencing new table as new_rows for each statement execute function emit_appointment_created();

create function emit_appointment_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'appointment.updated' as event_type
    where (new_rows.title, new_rows.starts_at, new_rows.ends_at, new_rows.platform, new_rows.meeting_url)
      is distinct from (old_rows.title, old_rows.starts_at, old_rows.ends_at, old_rows.platform, old_rows.meeting_url)
    union all
    select 'appointment.cancelled'
    where new_rows.status = 'cancelled' and old_rows.status <> 'cancelled'
  ) as change;
  return null;
end
$$;
create trigger appointments_emit_changed after update on appointments
  referencing old table as old_rows new table as new_rows for each statement execute function emit_appointment_changed();

-- meeting_intelligence: meeting.intelligence_ready, meeting.intelligence_failed

create function meeting_payload(found meeting_intelligence) returns jsonb
  language sql stable parallel safe
  return case when (found).status = 'ready' then
    jsonb_build_object(
      'appointment_id', (found).appointment_id, 'summary', (found).summary, 'next_steps', (found).next_steps,
      'overall_score', (found).overall_score, 'results', (found).results)
  else
    jsonb_build_object('appointment_id', (found).appointment_id, 'failure_reason', (found).failure_reason)
  end;
comment on function meeting_payload is 'data of meeting.intelligence_ready or meeting.intelligence_failed.';

create function emit_meeting_found() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows;
  return null;
end
$$;
create trigger meeting_intelligence_emit_found after insert on meeting_intelligence
  referencing new table as new_rows for each statement execute function emit_meeting_found();

create function emit_meeting_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows
  join old_rows on old_rows.appointment_id = new_rows.appointment_id
  where new_rows.status <> old_rows.status;
  return null;
end
$$;
create trigger meeting_intelligence_emit_changed after update on meeting_intelligence
  referencing old table as old_rows new table as new_rows for each statement execute function emit_meeting_changed();

-- signals: signal.opened, signal.status_changed, signal.outcome_recorded

create function signal_payload(signal signals) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object(
    'signal_id', (signal).id, 'kind', (signal).kind, 'title', (signal).title, 'score', (signal).score,
    'status', (signal).status, 'kontakt_key', (signal).kontakt_key, 'lead_id', (signal).lead_id, 'quelle', (signal).quelle);
comment on function signal_payload is 'data of signal.opened and signal.status_changed.';

create function emit_signal_opened() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'signal', new_rows.id, event_links(new_rows.lead_id, null), change.data
  from new_rows
  cross join lateral (
    select 'signal.opened' as event_type, signal_payload(new_rows) as data
    union all
    select 'signal.outcome_recorded', signal_payload(new_rows) || jsonb_build_object('outcome', new_rows.outcome)
    where new_rows.outcome is not null
  ) as change;
  return null;
end
$$;
create trigger signals_emit_opened after insert on signals
  referencing new table as new_rows for each statement execute function emit_signal_opened();

create function emit_signal_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'signal', new_rows.id, event_links(new_rows.lead_id, null), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'signal.status_changed' as event_type, signal_payload(new_rows) as data
    where new_rows.status <> old_rows.status
    union all
    select 'signal.outcome_recorded', signal_payload(new_rows) || jsonb_build_object('outcome', new_rows.outcome)
    where new_rows.outcome is not null and new_rows.outcome is distinct from old_rows.outcome
  ) as change;
  return null;
end
$$;
create trigger signals_emit_changed after update on signals
  referencing old table as old_rows new table as new_rows for each statement execute function emit_signal_changed();

-- advisory_docs: advisory_doc.approved, advisory_doc.sent

create function emit_advisory_doc_created() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title) || change.moment
  from new_rows
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', new_rows.approved_at) as moment
    where new_rows.approved_at is not null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', new_rows.sent_at)
    where new_rows.sent_at is not null
  ) as change;
  return null;
end
$$;
create trigger advisory_docs_emit_created after insert on advisory_docs
  referencing new table as new_rows for each statement execute function emit_advisory_doc_created();

create function emit_advisory_doc_changed() returns trigger
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title) || change.moment
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', new_rows.approved_at) as moment
    where new_rows.approved_at is not null and old_rows.approved_at is null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', new_rows.sent_at)
    where new_rows.sent_at is not null and old_rows.sent_at is null
  ) as change;
  return null;
end
$$;
create trigger advisory_docs_emit_changed after update on advisory_docs
  referencing old table as old_rows new table as new_rows for each statement execute function emit_advisory_doc_changed();
