-- The schema after all migrations, for reading. Generated: bun run schema.
-- psql loads it into an empty database; the service's own way is its command migrate.

-- The body of a function may name what comes later.
SET check_function_bodies = off;

CREATE EXTENSION pg_trgm;

CREATE DOMAIN instant AS timestamp with time zone
  CONSTRAINT instant_check CHECK (VALUE >= '0001-01-01 00:00:00+00'::timestamp with time zone AND VALUE < '10000-01-01 00:00:00+00'::timestamp with time zone);
COMMENT ON DOMAIN instant IS 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

CREATE DOMAIN score AS numeric
  CONSTRAINT score_check CHECK (VALUE >= '-1000000'::integer::numeric AND VALUE <= 1000000::numeric);
COMMENT ON DOMAIN score IS 'A number that JSON can carry: finite, between -1,000,000 and 1,000,000.';

CREATE FUNCTION canonical_kontakt_key(identity text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  own_key constant text := kontakt_key(identity);
begin
  return coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = own_key), own_key);
end
$function$;
COMMENT ON FUNCTION canonical_kontakt_key(identity text) IS 'The surviving key of the contact that any spelling of an identity stands for; null where it is none. Writers store under it.';

CREATE FUNCTION changed_sections(before jsonb, after jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(section.name ORDER BY section.name), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT jsonb_object_keys((COALESCE(changed_sections.before, '{}'::jsonb) || changed_sections.after)) AS name) section
   WHERE ((changed_sections.before -> section.name) IS DISTINCT FROM (changed_sections.after -> section.name));
END;
COMMENT ON FUNCTION changed_sections(before jsonb, after jsonb) IS 'The top-level members in which two documents differ, sorted.';

CREATE FUNCTION deliveries_of(cursors bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
AS $function$
begin
  perform read_all(cardinality(cursors) > 500);
  return query
    select hook_queue.id from hook_queue where hook_queue.cursor = any (cursors)
    union all
    select hook_outcomes.id from hook_outcomes where hook_outcomes.cursor = any (cursors);
end
$function$;
COMMENT ON FUNCTION deliveries_of(cursors bigint[]) IS 'The deliveries of these events.';

CREATE FUNCTION emit_advisory_doc_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_advisory_doc_changed() FROM PUBLIC;

CREATE FUNCTION emit_advisory_doc_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_advisory_doc_created() FROM PUBLIC;

CREATE FUNCTION emit_analysis_checked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_analysis_checked() FROM PUBLIC;

CREATE FUNCTION emit_analysis_completed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_analysis_completed() FROM PUBLIC;

CREATE FUNCTION emit_appointment_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_appointment_changed() FROM PUBLIC;

CREATE FUNCTION emit_appointment_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_appointment_created() FROM PUBLIC;

CREATE FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
COMMENT ON FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) IS 'Puts an event of a known type into the feed, in the caller''s transaction; returns its id.';
REVOKE EXECUTE ON FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) FROM PUBLIC;

CREATE FUNCTION emit_haushalt_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_haushalt_changed() FROM PUBLIC;

CREATE FUNCTION emit_haushalt_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_haushalt_created() FROM PUBLIC;

CREATE FUNCTION emit_lead_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_lead_changed() FROM PUBLIC;

CREATE FUNCTION emit_lead_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_lead_created() FROM PUBLIC;

CREATE FUNCTION emit_meeting_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows
  join old_rows on old_rows.appointment_id = new_rows.appointment_id
  where new_rows.status <> old_rows.status;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_meeting_changed() FROM PUBLIC;

CREATE FUNCTION emit_meeting_found()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into event_outbox (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_meeting_found() FROM PUBLIC;

CREATE FUNCTION emit_signal_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_signal_changed() FROM PUBLIC;

CREATE FUNCTION emit_signal_opened()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_signal_opened() FROM PUBLIC;

CREATE FUNCTION erase_kontakt(identity text)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person record;
  locked uuid[];
  about record;
  delivery_ids bigint[];
begin
  -- Under a snapshot from before the locks it would not see what was written meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erase_kontakt needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  locked := (select found.lead_ids from kontakt_person(identity) as found);
  loop
    perform from leads where leads.id = any (locked) order by leads.id for update;
    person := find_kontakt(identity);
    exit when person.lead_ids = locked;
    locked := person.lead_ids;
  end loop;
  other_leads := leads_shown(person.other_lead_ids, null);
  with
  meetings as (
    delete from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids) returning 1
  ),
  appointments_gone as (
    delete from appointments where appointments.id = any (person.appointment_ids) returning 1
  ),
  signals_gone as (
    delete from signals where signals.id = any (person.signal_ids) returning 1
  ),
  advisory_docs_gone as (
    delete from advisory_docs where advisory_docs.id = any (person.advisory_doc_ids) returning 1
  ),
  analyses as (
    delete from lead_analyses where lead_analyses.id = any (person.analysis_ids) returning 1
  ),
  haushalte_gone as (
    delete from haushalte where haushalte.kontakt_key = any (person.keys) returning 1
  ),
  aliases as (
    delete from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys) returning 1
  ),
  leads_gone as (
    delete from leads where leads.id = any (person.lead_ids) returning 1
  ),
  -- The command redact remembers the key of a row.
  progress as (
    delete from redaction_progress where redaction_progress.after_key = any (person.names)
  )
  select jsonb_build_object(
    'leads', (select count(*) from leads_gone), 'lead_analyses', (select count(*) from analyses),
    'haushalte', (select count(*) from haushalte_gone), 'kontakt_aliases', (select count(*) from aliases),
    'appointments', (select count(*) from appointments_gone), 'meeting_intelligence', (select count(*) from meetings),
    'signals', (select count(*) from signals_gone), 'advisory_docs', (select count(*) from advisory_docs_gone))
  into counts;

  perform from feed for update;
  about := events_about(person.names, person.lead_names, person.sessions::text[], person.keys, person.hints);
  update hook_positions set version = hook_positions.version + 1
    where hook_positions.subscription_id = any (array(
      select hook_queue.subscription_id from hook_queue
      where hook_queue.id = any (array(select deliveries_of(about.cursors))) and hook_queue.due_at is null));
  delivery_ids := lock_deliveries_of(about.cursors);
  -- Asked after the lock: what was recorded up to now counts.
  recipients := recipients_of(delivery_ids);
  with
  attempts as (
    delete from hook_other_attempts where hook_other_attempts.delivery_id = any (delivery_ids) returning 1
  ),
  unsent as (
    delete from hook_queue where hook_queue.id = any (delivery_ids) returning 1
  ),
  ended as (
    delete from hook_outcomes where hook_outcomes.id = any (delivery_ids) returning hook_outcomes.claim
  ),
  sequenced as (
    delete from events where events.cursor = any (about.cursors) returning 1
  ),
  waiting as (
    delete from event_outbox where event_outbox.outbox_id = any (about.outbox_ids) returning 1
  )
  select counts || jsonb_build_object(
    'events', (select count(*) from sequenced) + (select count(*) from waiting),
    'hook_deliveries', (select count(*) from unsent) + (select count(*) from ended),
    'hook_attempts', (select count(*) from attempts) + (select count(ended.claim) from ended))
  into counts;

  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$function$;
COMMENT ON FUNCTION erase_kontakt(identity text) IS 'Erases all that is stored of a person, the feed and deliveries included; tells what went, who had received it, and which leads had one of the keys once. No row where nothing was stored.';
REVOKE EXECUTE ON FUNCTION erase_kontakt(identity text) FROM PUBLIC;

CREATE FUNCTION event_links(lead_id uuid, session_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('lead_id', lead_id, 'session_id', session_id);
COMMENT ON FUNCTION event_links(lead_id uuid, session_id uuid) IS 'The links member of the envelope.';

CREATE FUNCTION events_about(names text[], lead_ids text[], sessions text[], keys text[], hints text[], OUT cursors bigint[], OUT outbox_ids bigint[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
AS $function$
begin
  outbox_ids := array(
    select event_outbox.outbox_id
    from event_outbox
    where is_about(event_outbox.object_id, event_outbox.links, event_outbox.data, names, lead_ids, sessions, keys, hints));
  perform read_all(cardinality(names) > 500);
  cursors := array(
    select events.cursor
    from events
    where is_about(events.object_id, events.links, events.data, names, lead_ids, sessions, keys, hints));
end
$function$;
COMMENT ON FUNCTION events_about(names text[], lead_ids text[], sessions text[], keys text[], hints text[], OUT cursors bigint[], OUT outbox_ids bigint[]) IS 'The events that is_about says yes to, in the feed and on their way there.';

CREATE FUNCTION events_partition_width()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 10000000;
COMMENT ON FUNCTION events_partition_width() IS 'How many cursors a partition of events holds.';

CREATE FUNCTION field_moment(moments jsonb, path text)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  moment constant numeric := greatest((moments -> 'own' ->> path)::numeric, (moments -> 'inside' ->> path)::numeric);
  container text := path;
begin
  -- Without one of its own the nearest container's counts.
  while moment is null loop
    container := substring(container from '^(.*)[.[]');
    exit when container is null;
    if moments -> 'own' ? container then
      return coalesce((moments -> 'own' ->> container)::numeric, '-infinity');
    end if;
  end loop;
  return coalesce(moment, '-infinity');
end
$function$;
COMMENT ON FUNCTION field_moment(moments jsonb, path text) IS 'How new a field is, in seconds; -infinity where provenance does not say.';

CREATE FUNCTION find_kontakt(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[], OUT other_lead_ids uuid[], OUT analysis_ids uuid[], OUT appointment_ids uuid[], OUT signal_ids uuid[], OUT advisory_doc_ids uuid[], OUT sessions uuid[], OUT lead_names text[], OUT names text[], OUT hints text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
AS $function$
declare
  told uuid[];
  created uuid[];
  gone uuid[];
  left_behind uuid[];
begin
  select person.canonical_key, person.keys, person.shared_keys, person.lead_ids
  into canonical_key, keys, shared_keys, lead_ids
  from kontakt_person(identity) as person;
  hints := kontakt_key_hints(keys);
  -- Apart, so that it is looked up in events_names_idx and not by its type.
  with telling as materialized (
    select events.event_type, events.links from events where tells_of(events.data, keys, hints)
    union all
    select event_outbox.event_type, event_outbox.links from event_outbox where tells_of(event_outbox.data, keys, hints)
  )
  select coalesce(array_agg((telling.links ->> 'lead_id')::uuid), '{}'),
    coalesce(array_agg((telling.links ->> 'lead_id')::uuid) filter (where telling.event_type = 'lead.created'), '{}')
  into told, created
  from telling
  where telling.links ->> 'lead_id' is not null;
  other_lead_ids := array(
    select leads.id
    from leads
    where leads.id <> all (lead_ids)
      and leads.id in (
        select unnest(told)
        union
        select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union
        select signals.lead_id from signals where signals.kontakt_key = any (keys)));
  -- Leads that a writer has deleted are still told of by the events of their making.
  gone := array(
    select lead_id
    from (select unnest(created) union select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%') as known (lead_id)
    where not exists (select from leads where leads.id = known.lead_id));
  lead_names := (lead_ids || gone)::text[];
  analysis_ids := array(
    select lead_analyses.id from lead_analyses where lead_analyses.lead_id = any (lead_ids)
    union
    select lead_analyses.id from lead_analyses where lead_analyses.kontakt_key = any (keys));
  -- What deleted leads left behind has lost its lead_id; events still name both.
  perform read_all(cardinality(gone) > 500);
  with
  naming as materialized (
    select events.object_type, events.object_id, events.links
    from events
    where gone <> '{}' and lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = any (gone::text[])
  )
  select
    array(select substr(kontakt_key_lead(naming.object_id), 6)::uuid from naming where naming.object_type in ('appointment', 'signal', 'advisory_doc')),
    array(
      select (naming.links ->> 'session_id')::uuid from naming where naming.links ->> 'session_id' is not null
      union
      select leads.session_id from leads where leads.id = any (lead_ids) and leads.session_id is not null
      union
      select lead_analyses.session_id from lead_analyses where lead_analyses.id = any (analysis_ids) and lead_analyses.session_id is not null)
  into left_behind, sessions;
  perform read_all(false);
  appointment_ids := array(
    select appointments.id from appointments where appointments.lead_id = any (lead_ids)
    union
    select appointments.id from appointments where appointments.session_id = any (sessions) and appointments.lead_id is null
    union
    select appointments.id from appointments where appointments.id = any (left_behind) and appointments.lead_id is null);
  signal_ids := array(
    select signals.id from signals where signals.lead_id = any (lead_ids)
    union
    select signals.id from signals where signals.kontakt_key = any (keys)
    union
    select signals.id from signals where signals.id = any (left_behind) and signals.lead_id is null and signals.kontakt_key is null);
  advisory_doc_ids := array(
    select advisory_docs.id from advisory_docs where advisory_docs.lead_id = any (lead_ids)
    union
    select advisory_docs.id from advisory_docs where advisory_docs.id = any (left_behind) and advisory_docs.lead_id is null);
  names := keys || lead_names || (analysis_ids || appointment_ids || signal_ids || advisory_doc_ids)::text[];
end
$function$;
COMMENT ON FUNCTION find_kontakt(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[], OUT other_lead_ids uuid[], OUT analysis_ids uuid[], OUT appointment_ids uuid[], OUT signal_ids uuid[], OUT advisory_doc_ids uuid[], OUT sessions uuid[], OUT lead_names text[], OUT names text[], OUT hints text[]) IS 'All keys and rows of the person that an identity stands for. lead_names: ids of leads, deleted ones too; names: keys and all ids; sessions: their conversations; hints: those of the keys.';

CREATE FUNCTION flat_person(haushalt jsonb, rolle text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_path_query_first(haushalt, '$."personen"[*]?(@."rolle" == $"rolle")'::jsonpath, jsonb_build_object('rolle', rolle), silent => true);
COMMENT ON FUNCTION flat_person(haushalt jsonb, rolle text) IS 'The first person of a household in a role.';

CREATE FUNCTION flat_value(value jsonb, kind text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((kind = 'integer'::text) AND (jsonb_typeof(value) = 'number'::text)) THEN CASE WHEN (((value)::numeric % (1)::numeric) = (0)::numeric) THEN value ELSE NULL::jsonb END WHEN (jsonb_typeof(value) = kind) THEN value ELSE NULL::jsonb END;
COMMENT ON FUNCTION flat_value(value jsonb, kind text) IS 'A value when it has the type of its column, else null.';

CREATE FUNCTION flat_check(din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT ((jsonb_build_object('din_params_version', flat_value((flat_check.din_check #> '{bewertung,params_version}'::text[]), 'string'::text), 'din_unbekannt_anzahl',
         CASE
             WHEN (jsonb_typeof((flat_check.din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) = 'array'::text) THEN jsonb_array_length((flat_check.din_check #> '{bewertung,unbekannt_in_analyse}'::text[]))
             ELSE NULL::integer
         END) || jsonb_object_agg((('din_luecken_stufe_'::text || (stufen.stufe)::text) || '_anzahl'::text),
         CASE
             WHEN (jsonb_typeof((flat_check.din_check -> 'bewertung'::text)) = 'object'::text) THEN jsonb_array_length(luecken.themen)
             ELSE NULL::integer
         END)) || jsonb_object_agg((('din_luecken_stufe_'::text || (stufen.stufe)::text) || '_themen'::text),
         CASE
             WHEN (jsonb_typeof((flat_check.din_check -> 'bewertung'::text)) = 'object'::text) THEN ( SELECT COALESCE(string_agg(thema.value, '; '::text ORDER BY thema."position"), ''::text) AS "coalesce"
                FROM jsonb_array_elements_text(luecken.themen) WITH ORDINALITY thema(value, "position"))
             ELSE NULL::text
         END))
    FROM (generate_series(1, 3) stufen(stufe)
      CROSS JOIN LATERAL ( SELECT COALESCE(jsonb_path_query_array(flat_check.din_check, '$."bewertung"."luecken_nach_stufe"[*]?(@."stufe" == $"stufe")."themen"[*]'::jsonpath, jsonb_build_object('stufe', stufen.stufe), silent => true), '[]'::jsonb) AS themen) luecken);
END;
COMMENT ON FUNCTION flat_check(din_check jsonb) IS 'The columns of the flat projection about the DIN check.';

CREATE FUNCTION flat_contracts(vertraege jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (jsonb_build_object('vertraege_anzahl', jsonb_array_length(list.vertraege), 'vertraege_sparten', ( SELECT COALESCE(string_agg((contract.value ->> 'sparte'::text), ', '::text ORDER BY contract."position"), ''::text) AS "coalesce"
            FROM jsonb_array_elements(list.vertraege) WITH ORDINALITY contract(value, "position"))) || ( SELECT jsonb_object_agg(branch.name, branch.value) AS jsonb_object_agg
            FROM ((unnest('{privathaftpflicht,hausrat,wohngebaeude,berufsunfaehigkeit,risikoleben,rechtsschutz,kfz_haftpflicht,unfall,pflegezusatz}'::text[]) sparten(sparte)
              LEFT JOIN LATERAL ( SELECT contract.value
                    FROM jsonb_array_elements(list.vertraege) contract(value)
                   WHERE ((contract.value ->> 'sparte'::text) = sparten.sparte)
                   ORDER BY (NOT ((contract.value ->> 'status'::text) IS DISTINCT FROM 'aktiv'::text)) DESC, (contract.value ->> ('beginn'::text COLLATE "C")) DESC NULLS LAST, ((contract.value)::text COLLATE "C")
                  LIMIT 1) first ON (true))
              CROSS JOIN LATERAL ( VALUES ((('vertrag_'::text || sparten.sparte) || '_vorhanden'::text),to_jsonb(((NOT ((first.value ->> 'status'::text) IS DISTINCT FROM 'aktiv'::text)) AND (first.value IS NOT NULL)))), ((('vertrag_'::text || sparten.sparte) || '_versicherer'::text),flat_value((first.value -> 'versicherer'::text), 'string'::text)), ((('vertrag_'::text || sparten.sparte) || '_status'::text),flat_value((first.value -> 'status'::text), 'string'::text))) branch(name, value))))
    FROM ( SELECT
                 CASE
                     WHEN (jsonb_typeof(flat_contracts.vertraege) = 'array'::text) THEN flat_contracts.vertraege
                     ELSE '[]'::jsonb
                 END AS vertraege) list;
END;
COMMENT ON FUNCTION flat_contracts(vertraege jsonb) IS 'The columns of the flat projection about contracts.';

CREATE FUNCTION analysis_flat(analysis_v2 jsonb, din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT ((jsonb_build_object('analyse_version', flat_value((analysis_flat.analysis_v2 #> '{meta,version}'::text[]), 'string'::text), 'analyse_erstellt_am', flat_value((analysis_flat.analysis_v2 #> '{meta,erstellt_am}'::text[]), 'string'::text), 'kunde_name', flat_value((analysis_flat.analysis_v2 #> '{kunde,name}'::text[]), 'string'::text), 'kunde_alter', flat_value((analysis_flat.analysis_v2 #> '{kunde,alter}'::text[]), 'integer'::text), 'kunde_strasse', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,strasse}'::text[]), 'string'::text), 'kunde_plz', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,plz}'::text[]), 'string'::text), 'kunde_ort', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,ort}'::text[]), 'string'::text), 'kunde_telefon', flat_value((analysis_flat.analysis_v2 #> '{kunde,kontakt,telefon}'::text[]), 'string'::text), 'kunde_email', flat_value((analysis_flat.analysis_v2 #> '{kunde,kontakt,email}'::text[]), 'string'::text), 'haushaltsgroesse', flat_value((analysis_flat.analysis_v2 #> '{haushalt,haushaltsgroesse}'::text[]), 'integer'::text), 'kinder_anzahl', flat_value((analysis_flat.analysis_v2 #> '{haushalt,kinder_anzahl}'::text[]), 'integer'::text), 'beziehungsstatus', flat_value((analysis_flat.analysis_v2 #> '{haushalt,beziehungsstatus}'::text[]), 'string'::text), 'kunde_taetigkeitsstatus', flat_value((persons.kunde -> 'taetigkeitsstatus'::text), 'string'::text), 'kunde_kv_status', flat_value((persons.kunde -> 'kv_status'::text), 'string'::text), 'kunde_eigenes_einkommen_vorhanden', flat_value((persons.kunde -> 'eigenes_einkommen_vorhanden'::text), 'boolean'::text), 'partner_alter', flat_value((persons.partner -> 'alter'::text), 'integer'::text), 'partner_taetigkeitsstatus', flat_value((persons.partner -> 'taetigkeitsstatus'::text), 'string'::text), 'partner_kv_status', flat_value((persons.partner -> 'kv_status'::text), 'string'::text), 'wohnstatus', flat_value((analysis_flat.analysis_v2 #> '{haushalt,wohnsituation,wohnstatus}'::text[]), 'string'::text)) || flat_contracts((analysis_flat.analysis_v2 -> 'vertraege'::text))) || flat_check(COALESCE(analysis_flat.din_check, (analysis_flat.analysis_v2 -> 'din_check'::text))))
    FROM ( SELECT flat_person((analysis_flat.analysis_v2 -> 'haushalt'::text), 'kunde'::text) AS kunde,
             flat_person((analysis_flat.analysis_v2 -> 'haushalt'::text), 'partner'::text) AS partner) persons;
END;
COMMENT ON FUNCTION analysis_flat(analysis_v2 jsonb, din_check jsonb) IS 'The flat projection of an analysis: the columns that /schemas/analysis lists, each always present.';

CREATE FUNCTION follow_hook()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into hook_positions (subscription_id) values (new.id)
  -- A subscription that was deleted, and put back.
  on conflict (subscription_id) do update set closed_at = null;
  return null;
end
$function$;

CREATE FUNCTION has_amount(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (value ~* ('[0-9０-９٠-٩۰-۹]|hundert|tausend|million|(z|ß|ss)ig\s?(€|eur)|zehn\s?(€|eur)|(elf|zw(ö|oe)lf)\s?(€|eur)|(z|ß|ss)ig|zehn'::text COLLATE "C"));
COMMENT ON FUNCTION has_amount(value text) IS 'Whether a text has a digit or a number in words.';

CREATE FUNCTION hook_place_is_free(subscriptions_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock('hook_subscriptions'::regclass::bigint);
  return (select count(*) < subscriptions_max from hook_subscriptions);
end
$function$;
COMMENT ON FUNCTION hook_place_is_free(subscriptions_max integer) IS 'Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.';

CREATE FUNCTION identity_text(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN btrim(NORMALIZE(translate(regexp_replace((value COLLATE "C"), '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'::text, ''::text, 'g'::text), e'\u0085   '::text, '    '::text), NFKC), e' \u0009\n\u000b\u000c\u000d'::text);
COMMENT ON FUNCTION identity_text(value text) IS 'A piece of kontakt_key: the text without what nobody sees, in one Unicode form.';

CREATE FUNCTION income_hits(written text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  exotic constant boolean := is_exotic(written);
  rest text := case when exotic then income_plain(written) else written end collate "C";
  found text;
begin
  -- Most often it is nothing but what the schemas themselves call harmless.
  rest := regexp_replace(rest, income_schema_harmless() || '|mindestlohn|beziehung', ' ', 'gi');
  if length(rest) < 50000 then
    -- Each from its first word to the end of the member's name or the text that it stands in.
    found := (select string_agg(look[1], e'\n') from regexp_matches(rest, '(?:' || income_look() || ')[^"]*', 'gi') as look);
  elsif rest ~* income_look() then
    -- A match takes 30 µs, all pieces in a text of 1 MB 150 ms.
    found := rest;
  end if;
  if found is null then
    return '{}';
  end if;
  found := income_lower(found);
  return array(
    select '' where exotic
    union all
    select '%' || replace(piece, '\', '\\') || '%' from unnest(income_pieces()) as piece where position(piece in found) > 0);
end
$function$;
COMMENT ON FUNCTION income_hits(written text) IS 'Pieces of the words of income in a document''s text, as patterns; none where nothing need be removed.';

CREATE FUNCTION income_key_mode(key text, mode integer, hits text[])
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  parts text[];
  known jsonb := income_schema();
begin
  if key !~ '[]./[]|__' then
    return case when is_hit('"' || key || '"', hits) and is_income_name(key) then 3 else mode end;
  end if;
  parts := array(select part from regexp_split_to_table(key, '[]./:>[]+|__') as part where part !~ '^[0-9*$]*$');
  for position in 1 .. cardinality(parts) loop
    known := case when jsonb_typeof(known) = 'object' then known -> parts[position] end;
    if known = '"x"' then
      return 3;
    end if;
  end loop;
  if known is null and is_hit(key, hits) and exists (select from unnest(parts) as part where is_income_name(part)) then
    return 3;
  end if;
  return case when 'personen' = any (parts) and (known is null or jsonb_typeof(known) = 'object') then greatest(mode, 1) else mode end;
end
$function$;
COMMENT ON FUNCTION income_key_mode(key text, mode integer, hits text[]) IS 'The mode in which an unpublished member is redacted, by its name.';

CREATE FUNCTION income_lower(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN replace(replace(replace(lower((written COLLATE "C")), 'Ä'::text, 'ä'::text), 'Ö'::text, 'ö'::text), 'Ü'::text, 'ü'::text);
COMMENT ON FUNCTION income_lower(written text) IS 'A text in lower case, the same in every database.';

CREATE FUNCTION income_measure(folded text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((folded ~ ('netto|brutto'::text COLLATE "C")) AND (folded !~ ((('miete|beitrag|beitrae?g|prae?mie|tarif|preis|kosten|rendite|verzins|zins|police|versicherungs?[^b]|versicherung$|schaden|rechnung|'::text || 'vermoe?gen|(sach|inventar|gebae?ude|fahrzeug|zeit)wert|flae?che|gewicht|darlehen|kredit|deckung|summe|prozent|quote|anteil|faktor|'::text) || 'bedarf|lue?cke|wunsch|absicherung|ausgabe|umlage|ablauf|rue?ckkauf|leistung'::text) COLLATE "C")));
COMMENT ON FUNCTION income_measure(folded text) IS 'Whether netto or brutto stands for an income in a folded name or part of a sentence.';

CREATE FUNCTION income_schema()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"kind": "s", "meta": {"version": "s", "erstellt_am": "s"}, "kunde": {"name": "s", "alter": "n", "adresse": {"ort": "s", "plz": "s", "land": "s", "strasse": "s"}, "kontakt": {"email": "s", "telefon": "s"}, "geburtsdatum": "s"}, "label": "s", "level": "s", "score": "n", "tiere": {"art": "s", "anzahl": "n"}, "value": "s", "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "status": "s", "results": {"kind": "s", "label": "s", "level": "s", "score": "n", "value": "s", "status": "s", "field_key": "s", "rationale": "s", "output_type": "s", "generated_at": "s", "recommendation": "s"}, "analysis": {"meta": {"version": "s", "erstellt_am": "s"}, "kunde": {"name": "s", "alter": "n", "adresse": {"ort": "s", "plz": "s", "land": "s", "strasse": "s"}, "kontakt": {"email": "s", "telefon": "s"}, "geburtsdatum": "s"}, "haushalt": {"tiere": {"art": "s", "anzahl": "n"}, "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "vermoegen": {"art": "s", "wert_eur": "n"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kinder_anzahl": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "beziehungsstatus": "s", "haushaltsgroesse": "n", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}}, "produkte": {"kfz": {"hsn": "s", "tsn": "s", "deckung": "s", "km_jahr": "n", "fahrerkreis": "s", "fahrzeugart": "s", "erstzulassung": "s", "werkstattbindung": "b", "sf_klasse_vollkasko": "s", "sf_klasse_haftpflicht": "s", "selbstbeteiligung_tk_eur": "n", "selbstbeteiligung_vk_eur": "n"}, "pflege": {"art": "s", "dynamik_prozent": "n", "vorerkrankungen": "b", "leistung_pg_1_eur": "n", "leistung_pg_2_eur": "n", "leistung_pg_3_eur": "n", "leistung_pg_4_eur": "n", "leistung_pg_5_eur": "n"}, "unfall": {"gliedertaxe": "s", "personenkreis": "s", "todesfall_eur": "n", "grundsumme_eur": "n", "progression_prozent": "n", "vollinvaliditaet_eur": "n"}, "hausrat": {"glas": "b", "elementar": "b", "wohnflaeche_qm": "n", "summe_je_qm_eur": "n", "fahrraddiebstahl_eur": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b"}, "risikoleben": {"anlass": "s", "raucher": "b", "verlauf": "s", "endalter": "n", "ueberkreuz": "b", "bezugsberechtigt": "s", "todesfallsumme_eur": "n"}, "rechtsschutz": {"bausteine": "s", "wartezeit_monate": "n", "laufende_streitigkeit": "b", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n"}, "wohngebaeude": {"baujahr": "n", "gefahren": "s", "elementar_zone": "n", "wert_1914_mark": "n", "wohnflaeche_qm": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b", "grobe_fahrlaessigkeit_verzicht": "b"}, "altersvorsorge": {"bav_vorhanden": "b", "risikoneigung": "s", "wunschrente_eur": "n", "riester_vorhanden": "b", "rentenbeginn_alter": "n", "sparrate_monat_eur": "n", "schicht_1_rente_eur": "n", "schicht_2_rente_eur": "n", "schicht_3_rente_eur": "n", "basisrente_vorhanden": "b", "renteninformation_stand": "s", "gesetzliche_rente_prognose_eur": "n"}, "privathaftpflicht": {"tarifkreis": "s", "mietsachschaeden": "b", "deckungssumme_eur": "n", "forderungsausfall": "b", "schluesselverlust": "b", "selbstbeteiligung_eur": "n", "deliktunfaehige_kinder": "b", "gefaelligkeitsschaeden": "b"}, "berufsunfaehigkeit": {"endalter": "n", "au_klausel": "b", "karenz_monate": "n", "risikozuschlag": "b", "dynamik_prozent": "n", "rente_monat_eur": "n", "vorerkrankungen": "b", "nachversicherung": "b", "personalverantwortung": "b", "abstrakte_verweisung_verzicht": "b", "beruf_taetigkeitsanteil_buero_prozent": "n"}, "krankenversicherung": {"kasse": "s", "system": "s", "chefarzt": "b", "vorerkrankungen": "b", "selbstbehalt_eur": "n", "beihilfesatz_prozent": "n", "krankentagegeld_ab_tag": "n", "krankentagegeld_eur_tag": "n", "zahn_erstattung_prozent": "n", "stationaer_unterbringung": "s"}}, "din_check": {"bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "erstellt_am": "s"}, "vertraege": {"ablauf": "s", "beginn": "s", "quelle": "s", "sparte": "s", "status": "s", "zahlweise": "s", "leistungen": "s", "beitrag_eur": "n", "versicherer": "s", "vertragsnummer": "s", "versicherte_person": "s"}}, "haushalt": {"tiere": {"art": "s", "anzahl": "n"}, "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "vermoegen": {"art": "s", "wert_eur": "n"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kinder_anzahl": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "beziehungsstatus": "s", "haushaltsgroesse": "n", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "produkte": {"kfz": {"hsn": "s", "tsn": "s", "deckung": "s", "km_jahr": "n", "fahrerkreis": "s", "fahrzeugart": "s", "erstzulassung": "s", "werkstattbindung": "b", "sf_klasse_vollkasko": "s", "sf_klasse_haftpflicht": "s", "selbstbeteiligung_tk_eur": "n", "selbstbeteiligung_vk_eur": "n"}, "pflege": {"art": "s", "dynamik_prozent": "n", "vorerkrankungen": "b", "leistung_pg_1_eur": "n", "leistung_pg_2_eur": "n", "leistung_pg_3_eur": "n", "leistung_pg_4_eur": "n", "leistung_pg_5_eur": "n"}, "unfall": {"gliedertaxe": "s", "personenkreis": "s", "todesfall_eur": "n", "grundsumme_eur": "n", "progression_prozent": "n", "vollinvaliditaet_eur": "n"}, "hausrat": {"glas": "b", "elementar": "b", "wohnflaeche_qm": "n", "summe_je_qm_eur": "n", "fahrraddiebstahl_eur": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b"}, "risikoleben": {"anlass": "s", "raucher": "b", "verlauf": "s", "endalter": "n", "ueberkreuz": "b", "bezugsberechtigt": "s", "todesfallsumme_eur": "n"}, "rechtsschutz": {"bausteine": "s", "wartezeit_monate": "n", "laufende_streitigkeit": "b", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n"}, "wohngebaeude": {"baujahr": "n", "gefahren": "s", "elementar_zone": "n", "wert_1914_mark": "n", "wohnflaeche_qm": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b", "grobe_fahrlaessigkeit_verzicht": "b"}, "altersvorsorge": {"bav_vorhanden": "b", "risikoneigung": "s", "wunschrente_eur": "n", "riester_vorhanden": "b", "rentenbeginn_alter": "n", "sparrate_monat_eur": "n", "schicht_1_rente_eur": "n", "schicht_2_rente_eur": "n", "schicht_3_rente_eur": "n", "basisrente_vorhanden": "b", "renteninformation_stand": "s", "gesetzliche_rente_prognose_eur": "n"}, "privathaftpflicht": {"tarifkreis": "s", "mietsachschaeden": "b", "deckungssumme_eur": "n", "forderungsausfall": "b", "schluesselverlust": "b", "selbstbeteiligung_eur": "n", "deliktunfaehige_kinder": "b", "gefaelligkeitsschaeden": "b"}, "berufsunfaehigkeit": {"endalter": "n", "au_klausel": "b", "karenz_monate": "n", "risikozuschlag": "b", "dynamik_prozent": "n", "rente_monat_eur": "n", "vorerkrankungen": "b", "nachversicherung": "b", "personalverantwortung": "b", "abstrakte_verweisung_verzicht": "b", "beruf_taetigkeitsanteil_buero_prozent": "n"}, "krankenversicherung": {"kasse": "s", "system": "s", "chefarzt": "b", "vorerkrankungen": "b", "selbstbehalt_eur": "n", "beihilfesatz_prozent": "n", "krankentagegeld_ab_tag": "n", "krankentagegeld_eur_tag": "n", "zahn_erstattung_prozent": "n", "stationaer_unterbringung": "s"}}, "bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "din_check": {"bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "erstellt_am": "s"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "field_key": "s", "kunde_ort": "s", "kunde_plz": "s", "rationale": "s", "vermoegen": {"art": "s", "wert_eur": "n"}, "vertraege": {"ablauf": "s", "beginn": "s", "quelle": "s", "sparte": "s", "status": "s", "zahlweise": "s", "leistungen": "s", "beitrag_eur": "n", "versicherer": "s", "vertragsnummer": "s", "versicherte_person": "s"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kunde_name": "s", "wohnstatus": "s", "erstellt_am": "s", "kunde_alter": "n", "kunde_email": "s", "output_type": "s", "generated_at": "s", "kinder_anzahl": "n", "kunde_strasse": "s", "kunde_telefon": "s", "partner_alter": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "recommendation": "s", "analyse_version": "s", "kunde_kv_status": "s", "beziehungsstatus": "s", "haushaltsgroesse": "n", "vertraege_anzahl": "n", "partner_kv_status": "s", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}, "vertraege_sparten": "s", "din_params_version": "s", "analyse_erstellt_am": "s", "din_unbekannt_anzahl": "n", "vertrag_unfall_status": "s", "vertrag_hausrat_status": "s", "kunde_taetigkeitsstatus": "s", "vertrag_unfall_vorhanden": "b", "partner_taetigkeitsstatus": "s", "vertrag_hausrat_vorhanden": "b", "din_luecken_stufe_1_anzahl": "n", "din_luecken_stufe_1_themen": "s", "din_luecken_stufe_2_anzahl": "n", "din_luecken_stufe_2_themen": "s", "din_luecken_stufe_3_anzahl": "n", "din_luecken_stufe_3_themen": "s", "vertrag_risikoleben_status": "s", "vertrag_unfall_versicherer": "s", "vertrag_hausrat_versicherer": "s", "vertrag_pflegezusatz_status": "s", "vertrag_rechtsschutz_status": "s", "vertrag_wohngebaeude_status": "s", "vertrag_risikoleben_vorhanden": "b", "vertrag_kfz_haftpflicht_status": "s", "vertrag_pflegezusatz_vorhanden": "b", "vertrag_rechtsschutz_vorhanden": "b", "vertrag_wohngebaeude_vorhanden": "b", "vertrag_risikoleben_versicherer": "s", "vertrag_pflegezusatz_versicherer": "s", "vertrag_privathaftpflicht_status": "s", "vertrag_rechtsschutz_versicherer": "s", "vertrag_wohngebaeude_versicherer": "s", "kunde_eigenes_einkommen_vorhanden": "b", "vertrag_berufsunfaehigkeit_status": "s", "vertrag_kfz_haftpflicht_vorhanden": "b", "vertrag_kfz_haftpflicht_versicherer": "s", "vertrag_privathaftpflicht_vorhanden": "b", "vertrag_berufsunfaehigkeit_vorhanden": "b", "vertrag_privathaftpflicht_versicherer": "s", "vertrag_berufsunfaehigkeit_versicherer": "s"}'::jsonb;
COMMENT ON FUNCTION income_schema() IS 'The published schemas as a tree of members: n number, s text, b boolean, x raw income. Generated.';

CREATE FUNCTION income_schema_harmless()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '": "anteil_netto"|": "basisrente"|": "pensionaer"|": "pflegerente"|": "private_rente"|": "soldat"|"basisrente_vorhanden": (true|false|null)|"eigenes_einkommen_vorhanden": (true|false|null)|"kunde_eigenes_einkommen_vorhanden": (true|false|null)'::text;
COMMENT ON FUNCTION income_schema_harmless() IS 'What the schemas themselves write with a word of income in it, as a pattern: flags and enumerated values. Generated.';

CREATE FUNCTION income_schema_look()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'betrag[-_ .]?monat[-_ .]?eur'::text;
COMMENT ON FUNCTION income_schema_look() IS 'Names of the flagged fields that have no other word of income in them, as a pattern. Generated.';

CREATE FUNCTION income_look()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((('eink(?:om|[uüÜ])|einna|geh(?:[äÄ]|a[el])|l(?:o|[öÖ])e?hn|(?:be|hr|en)sold|bez(?:ieh|og|[uüÜ]e?ge)|bekom|verdi|verg[uüÜ]|gage|wage|honor|netto|brutto|'::text || 'sala(?:r|er)|income|earnin|revenu|pay[rcs]|(?:net|ross|ome)[-_ ]?pay|(?:net|ross)[-_ ]?(?:amo|eur|per)|stipen|monthl|annual|'::text) || '[rnskz]geld|flegeg|hartz|ialhilf|baf[oöÖ]|zuschu|ntsch[aäÄ]|unterh|t_?entn|tantie|abfin|gratif|dividen|aussch[uüÜ]|'::text) || '[lstr]_?ertr|gewin|ums[aäÄ]|berschu|pension|ruheg|(?:lle|ene|nde|wen|wer|sen|atliche|lte)[-_ ]?rente|zrente|renten?[-_ ]?(?:bez|erh|aus)|'::text) || '[in]-?job|steuernd|kirchens|solida|alabga|gsbeitr|\\u|'::text) || '(?:[^a-z]|\\[bfnrt])(?:sol[di]|alg|zve)|(?:[^a-z.@]|\\[bfnrt])(?:net|gross)[^a-z]|'::text) || income_schema_look());
COMMENT ON FUNCTION income_look() IS 'Parts of the words of income in any spelling, as a pattern for ~*.';

CREATE FUNCTION income_schema_names()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'betrag[-_ .]?monat[-_ .]?eur|brutto[-_ .]?jahr[-_ .]?eur|einkommen|einnahmen|mieteinnahmen[-_ .]?kalt[-_ .]?monat[-_ .]?eur|nebeneinkuenfte[-_ .]?monat[-_ .]?eur|netto[-_ .]?monat[-_ .]?eur|privatentnahme[-_ .]?monat[-_ .]?eur|rente[-_ .]?bezogen[-_ .]?monat[-_ .]?eur'::text;
COMMENT ON FUNCTION income_schema_names() IS 'Names of the flagged fields, as a pattern. Generated.';

CREATE FUNCTION income_schema_signs()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{betrag}'::text[];
COMMENT ON FUNCTION income_schema_signs() IS 'A part of each of these names. Generated.';

CREATE FUNCTION income_pieces()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ('{einkom,einku,einkü,einna,gehä,gehae,gehal,lohn,loehn,löhn,löehn,sold,bezieh,bezog,bezuge,bezuege,bezüge,bezüege,bekom,verdi,vergu,vergü,gage,wage,honor,netto,brutto,salar,salaer,income,earnin,revenu,payr,payc,pays,netpay,rosspay,omepay,net-pay,ross-pay,ome-pay,net_pay,ross_pay,ome_pay,"net pay","ross pay","ome pay",netamo,rossamo,net-amo,ross-amo,net_amo,ross_amo,"net amo","ross amo",neteur,rosseur,net-eur,ross-eur,net_eur,ross_eur,"net eur","ross eur",netper,rossper,net-per,ross-per,net_per,ross_per,"net per","ross per",stipen,monthl,annual,rgeld,ngeld,sgeld,kgeld,zgeld,flegeg,hartz,ialhilf,bafo,bafö,zuschu,ntscha,ntschä,unterh,tentn,t_entn,tantie,abfin,gratif,dividen,ausschu,ausschü,lertr,sertr,tertr,rertr,l_ertr,s_ertr,t_ertr,r_ertr,gewin,umsa,umsä,berschu,pension,ruheg,llerente,enerente,nderente,wenrente,werrente,senrente,atlicherente,lterente,lle-rente,ene-rente,nde-rente,wen-rente,wer-rente,sen-rente,atliche-rente,lte-rente,lle_rente,ene_rente,nde_rente,wen_rente,wer_rente,sen_rente,atliche_rente,lte_rente,"lle rente","ene rente","nde rente","wen rente","wer rente","sen rente","atliche rente","lte rente",zrente,rentebez,renteerh,renteaus,rentenbez,rentenerh,rentenaus,rente-bez,rente-erh,rente-aus,renten-bez,renten-erh,renten-aus,rente_bez,rente_erh,rente_aus,renten_bez,renten_erh,renten_aus,"rente bez","rente erh","rente aus","renten bez","renten erh","renten aus",ijob,njob,i-job,n-job,steuernd,kirchens,solida,alabga,gsbeitr,"\\u",soli,alg,zve,net,gross}'::text[] || income_schema_signs());
COMMENT ON FUNCTION income_pieces() IS 'Pieces of text of which whatever matches income_look has one.';

CREATE FUNCTION income_stems()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((((((((('(einkommen|einkue?nft|einnahm|gehalt|gehae?lter|lohn|loe?hne|besoldung|(wehr|ehren)sold|(^|[^a-z])sold($|[^a-z]|eur|monat)|bezue?ge|verdien|'::text || 'salary|salaries|salaer|income|wage|earning|revenue|pay(roll|check|slip)|(net|gross|takehome|take-home)[-_ ]?pay|stipendi|'::text) || '(^|[^a-z])(jahres|monats)?gagen?($|[^a-z])|'::text) || '(kinder|eltern|mutterschafts|kurzarbeiter|kranken|arbeitslosen|bue?rger|wohn|pflege|weihnachts|urlaubs|trink|taschen|ue?bergangs|insolvenz|sitzungs)geld|'::text) || '(^|[^a-z])alg_?(1|2|i+)($|[^a-z])|hartz|sozialhilfe|bafoe?g|grue?ndungszuschuss|aufwandsentschae?digung|'::text) || 'unterhalt|honorar|vergue?tung|privat_?entnahm|tantiem|abfindung|gratifikation|dividende|ausschue?ttung|'::text) || '(kapital|zins|miet|pacht|wertpapier)_?ertrae?g|gewinn|umsatz|umsae?tze|jahresue?berschuss|pension|ruhegeld|'::text) || '(aktuelle|bezogene|laufende|witwen|witwer|waisen|staatliche|ausgezahlte)[-_ ]?renten?|zusatzrenten|renten?[-_ ]?(bezogen|bezug|bezue?ge|erhalten|ausgezahlt)|'::text) || '(mini|midi|neben)-?job|(^|[^a-z])zve|zu_?versteuernd|kirchensteuer|solidaritae?tszuschlag|(^|[^a-z])soli($|[^a-z])|sozialabgabe|sozialversicherungsbeitr|'::text) || '(^|[^a-z0-9])('::text) || income_schema_names()) || ')($|[^a-z0-9]))'::text);
COMMENT ON FUNCTION income_stems() IS 'Words of income, as a pattern for folded text.';

CREATE FUNCTION income_words(folded text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((folded ~ (income_stems() COLLATE "C")) AND (regexp_replace(regexp_replace(folded, (('gehalten|be-?lohn|mindest-?lohn|lohnt|lohnen|bezue?ger|bezue?glich|verdiener|wagen|(^|[^a-z]|e)learning|yearning|besoldungs(gruppe|stufe|ordnung)|zugewinn|(medikamenten|tabletten|arznei)einnahm|einnahmezeit|'::text || 'lebensunterhalt|unterhaltung|unterhaltsam|unterhaltend|honorar-?(berat|vereinbar|tarif|vertrag|arzt)|vergue?tungsvereinbar|'::text) || 'gewinn(spiel|beteilig|chance|e[nr]|t|ung|quote|warn|verwend)|umsatzsteuer|pension(ae?r|skasse|salter|seintritt|sbeginn|sfonds|ierung|iert|szusage)|paymen'::text), ''::text, 'g'::text), ((((income_stems() || '[a-z0-9_-]*'::text) || '(lue?cke|bedarf|sicherung|versicherung|versichert|schutz|ausfall|verlust|fortzahlung|umwandlung|verzicht|wunsch|prozent|'::text) || 'quote|anteil|konto|beitrag|beitrae?g|prae?mie|pflicht|geleistet|zahlend|ausgabe|anspruch|prognose|grenze|anzahl|datum|zeitpunkt|'::text) || 'steuerklasse|steuer_klasse|rechner|gruppe|stufe|status|stabil|regelmae?ssig|(tag|art|typ)($|[^a-z0-9]))'::text), ' '::text, 'g'::text) ~ (income_stems() COLLATE "C")));
COMMENT ON FUNCTION income_words(folded text) IS 'Whether a folded text has a word that names what a person receives.';

CREATE FUNCTION is_date_time(value text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
    and value::timestamptz >= '0001-01-01T00:00:00Z' and value::timestamptz < '10000-01-01T00:00:00Z';
exception when data_exception then
  return false;
end
$function$;
COMMENT ON FUNCTION is_date_time(value text) IS 'Whether a text is a date-time that the API may deliver as one.';

CREATE FUNCTION is_exotic(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (value ~ '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]'::text);
COMMENT ON FUNCTION is_exotic(value text) IS 'Whether a text has characters that may hide a word or a digit.';

CREATE FUNCTION income_plain(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_exotic(value) THEN translate(NORMALIZE(value, NFKC), ('٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'::text || '­​‌‍‎‏⁠﻿﷐﷑'::text), '01234567890123456789'::text) ELSE value END;
COMMENT ON FUNCTION income_plain(value text) IS 'A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.';

CREATE FUNCTION income_fold(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((translate(income_plain(value), 'äöüÄÖÜßéèêáàâ'::text, 'aouaouseeeaaa'::text) COLLATE "C"));
COMMENT ON FUNCTION income_fold(value text) IS 'The form in which words are compared: lower case, umlauts as a, o, u.';

CREATE FUNCTION is_hit(written text, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((hits <> '{}'::text[]) AND ((income_lower(written) ~~ ANY (hits)) OR ((''::text = ANY (hits)) AND is_exotic(written))));
COMMENT ON FUNCTION is_hit(written text, hits text[]) IS 'Whether a part of a document may concern an income.';

CREATE FUNCTION is_income_istwert(istwert jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return (
    select coalesce(bool_and(source.income) or bool_or(source.income and source.wert = istwert -> 'wert_eur'), false)
    from (
      select entry -> 'wert_eur' as wert,
        case jsonb_typeof(entry)
          when 'object' then names_an_income(entry, hits)
          when 'string' then is_income_text(income_fold(entry #>> '{}'))
          else false
        end as income
      from jsonb_array_elements(case when jsonb_typeof(istwert -> 'quellen') = 'array' then istwert -> 'quellen' else '[]' end) as entry
    ) as source);
end
$function$;
COMMENT ON FUNCTION is_income_istwert(istwert jsonb, hits text[]) IS 'Whether the actual value of a DIN row is nothing but an income.';

CREATE FUNCTION is_income_name(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  folded constant text := regexp_replace(income_fold(name), '[^a-z0-9]+', '', 'g');
begin
  if folded ~ '^(anzahl|zahlder|prozent|ziel|wunsch|gewue?nscht|benoe?tigt)' then
    return false;
  end if;
  return income_measure(folded) or income_words(folded) or folded ~ '^(monthly|annual|yearly)?(net|gross)(monthly|annual|yearly|per[a-z]+|amount|eur)?$';
end
$function$;
COMMENT ON FUNCTION is_income_name(name text) IS 'Whether a member is named after an income.';

CREATE FUNCTION is_income_text(folded text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  -- An address may have any word in it.
  if folded ~ '^\s*[^\s@]+@[^\s@]+\s*$' then
    return false;
  end if;
  return income_words(folded)
    or folded ~ '(bezieh|bezog|bekomm).*rente|rente.*(bezieh|bezog|bekomm)' collate "C"
    or folded ~ 'netto|brutto' collate "C" and exists (
      select from regexp_split_to_table(folded, '[,;]\s') as part where income_measure(part));
end
$function$;
COMMENT ON FUNCTION is_income_text(folded text) IS 'Whether a folded text speaks of an income.';

CREATE FUNCTION is_result_entry(entry jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((jsonb_typeof(entry) = 'object'::text) AND (entry ?& ARRAY['field_key'::text, 'label'::text, 'kind'::text, 'output_type'::text, 'status'::text, 'value'::text, 'score'::text, 'level'::text, 'rationale'::text, 'recommendation'::text, 'generated_at'::text]) AND (jsonb_typeof((entry -> 'field_key'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'label'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'kind'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'output_type'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'status'::text)) = 'string'::text) AND ((jsonb_typeof((entry -> 'score'::text)) = 'null'::text) OR jsonb_path_exists(entry, '$."score"?(@ >= -1000000 && @ <= 1000000)'::jsonpath)) AND (jsonb_typeof((entry -> 'level'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND (jsonb_typeof((entry -> 'rationale'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND (jsonb_typeof((entry -> 'recommendation'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND ((jsonb_typeof((entry -> 'generated_at'::text)) = 'null'::text) OR is_date_time((entry ->> 'generated_at'::text))) AND ((SELECT count(*) AS count FROM jsonb_object_keys(is_result_entry.entry) jsonb_object_keys(jsonb_object_keys)) = 11));
COMMENT ON FUNCTION is_result_entry(entry jsonb) IS 'Whether a JSON value is a result entry with exactly the members the API promises.';

CREATE FUNCTION are_result_entries(results jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((jsonb_typeof(results) = 'array'::text) AND (SELECT COALESCE(bool_and(is_result_entry(entry.value)), true) AS "coalesce" FROM jsonb_array_elements(are_result_entries.results) entry(value)));
COMMENT ON FUNCTION are_result_entries(results jsonb) IS 'Whether a JSON value is an array of result entries.';

CREATE FUNCTION is_unknown(value jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((value IS NULL) OR (value = 'null'::jsonb));
COMMENT ON FUNCTION is_unknown(value jsonb) IS 'Whether a field is absent or null.';

CREATE FUNCTION iso_moment(value text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE STRICT
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if value ~ '^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$' then
    return value::timestamptz;
  end if;
  return null;
exception
  when data_exception then
    return null;
end
$function$;
COMMENT ON FUNCTION iso_moment(value text) IS 'The moment an ISO 8601 text names, in UTC where it has no offset; null where it names none.';

CREATE FUNCTION keep_result_values(results jsonb, cleaned jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if cleaned = results or jsonb_typeof(results) <> 'array' then
    return cleaned;
  end if;
  return (
    select jsonb_agg(
      case when entry.value ? 'value' and jsonb_typeof(entry.clean) = 'object' then '{"value": null}' || entry.clean else entry.clean end
      order by entry.position)
    from rows from (jsonb_array_elements(results), jsonb_array_elements(cleaned)) with ordinality as entry (value, clean, position));
end
$function$;
COMMENT ON FUNCTION keep_result_values(results jsonb, cleaned jsonb) IS 'Cleaned result entries, each with a value again, be it null.';

CREATE FUNCTION kontakt_holdings(identity text)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person record;
  about record;
  delivery_ids bigint[];
begin
  person := find_kontakt(identity);
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  other_leads := leads_shown(person.other_lead_ids, null);
  about := events_about(person.names, person.lead_names, person.sessions::text[], person.keys, person.hints);
  delivery_ids := array(select deliveries_of(about.cursors));
  recipients := recipients_of(delivery_ids);
  counts := jsonb_build_object(
    'leads', cardinality(person.lead_ids),
    'lead_analyses', cardinality(person.analysis_ids),
    'haushalte', (select count(*) from haushalte where haushalte.kontakt_key = any (person.keys)),
    'kontakt_aliases', (select count(*) from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys)),
    'appointments', cardinality(person.appointment_ids),
    'meeting_intelligence', (select count(*) from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids)),
    'signals', cardinality(person.signal_ids),
    'advisory_docs', cardinality(person.advisory_doc_ids),
    'events', cardinality(about.cursors) + cardinality(about.outbox_ids),
    'hook_deliveries', cardinality(delivery_ids),
    'hook_attempts', (select count(*) from hook_attempts where hook_attempts.delivery_id = any (delivery_ids)));
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$function$;
COMMENT ON FUNCTION kontakt_holdings(identity text) IS 'What erase_kontakt would erase; no row where nothing is stored of the person.';
REVOKE EXECUTE ON FUNCTION kontakt_holdings(identity text) FROM PUBLIC;

CREATE FUNCTION kontakt_key(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  identity text collate "C";
  kind text;
begin
  -- An identity is short: 254 characters of address at most, and some around it. A longer text is not looked at.
  if length(value) > 1024 then
    return null;
  end if;
  identity := identity_text(value);
  kind := lower(substring(identity from '^([a-zA-Z]{4,5})[ \t]*:'));
  if kind in ('email', 'phone', 'lead') then
    identity := ltrim(substr(identity, strpos(identity, ':') + 1), e' \t\n\x0b\f\r');
  end if;
  return case kind
    when 'email' then kontakt_key_email(identity)
    when 'phone' then kontakt_key_phone(identity)
    when 'lead' then kontakt_key_lead(identity)
    else
      case
        when strpos(identity, '@') > 0 then kontakt_key_email(identity)
        else coalesce(kontakt_key_lead(identity), kontakt_key_phone(identity))
      end
  end;
end
$function$;
COMMENT ON FUNCTION kontakt_key(value text) IS 'The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.';

CREATE FUNCTION kontakt_key_email(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  address text collate "C" := regexp_replace(value collate "C", '^mailto:[ \t\n\v\f\r]*', '', 'i');
begin
  address := search_form(rtrim(address, e' \t\n\x0b\f\r.'));
  if address ~ '[@.]xn--' then
    address := substring(address from '^.*@') || (
      select string_agg(readable_label(labels.label), '.' order by labels.place)
      from regexp_split_to_table(substring(address from '[^@]*$'), '\.') with ordinality as labels (label, place));
  end if;
  if length(address) > 254
    or address !~ '^[^\u0001-\u0020\u007f-\u009f@,;:<>()\[\]"\\]+@[a-z0-9_\u00a0-\U0010ffff-]+(\.[a-z0-9_\u00a0-\U0010ffff-]+)+$' then
    return null;
  end if;
  return 'email:' || address;
end
$function$;
COMMENT ON FUNCTION kontakt_key_email(value text) IS 'A piece of kontakt_key: email: and the address in lower case; null where the text is no address.';

CREATE FUNCTION kontakt_key_hint(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (value IS NULL) THEN NULL::text WHEN (octet_length(value) <> length(value)) THEN '?'::text WHEN (strpos(value, '@'::text) > 0) THEN lower((ltrim(split_part(split_part(value, '@'::text, 1), ':'::text, '-1'::integer), e' \u0009\n\u000b\u000c\u000d'::text) COLLATE "C")) WHEN (translate(value, '0123456789 ()+/.-'::text, ''::text) = ''::text) THEN "right"(translate(value, ' ()+/.-'::text, ''::text), 5) ELSE '?'::text END;
COMMENT ON FUNCTION kontakt_key_hint(value text) IS 'What an index has of an identity: equal, or ?, for every text with the same kontakt_key.';

CREATE FUNCTION kontakt_key_hints(keys text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (array_agg(DISTINCT kontakt_key_hint(identity.value)) || ARRAY['?'::text])
    FROM (unnest(kontakt_key_hints.keys) key(key)
      CROSS JOIN LATERAL ( SELECT regexp_replace("substring"(key.key, ':(.*)'::text), '@.*'::text, '@'::text) AS value) identity)
   WHERE (key.key !~~ 'lead:%'::text);
END;
COMMENT ON FUNCTION kontakt_key_hints(keys text[]) IS 'The hints that a spelling of one of the keys can have.';

CREATE FUNCTION kontakt_key_lead(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN ((value COLLATE "C") ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'::text) THEN ('lead:'::text || lower((value COLLATE "C"))) ELSE NULL::text END;
COMMENT ON FUNCTION kontakt_key_lead(value text) IS 'A piece of kontakt_key: lead: and the UUID in lower case; null where the text is no UUID.';

CREATE FUNCTION kontakt_key_phone(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  number text collate "C" := translate(value collate "C", '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789');
begin
  number := regexp_replace(number, '^tel:[ \t]*', '', 'i');
  -- The extension goes: the number is the switchboard's.
  number := regexp_replace(
    number, '[ \t]*(;ext=|ext(ension)?\.?|durchwahl|dw\.?|nebenstelle|nst\.?|app(arat)?\.?|x|#)[ \t]*[0-9]{1,6}$', '', 'i');
  -- A zero in brackets behind a country code is dialled at home only, except where it is part of the number
  -- (Italy, San Marino, Benin, Gabon, Ivory Coast, Congo).
  if number ~ '[(\[][ \t]*0[ \t]*[)\]]' then
    number := regexp_replace(
      number, '^([ \t(\[]*(?:\+|00)[ \t]*(?!39|378|225|229|241|242)[0-9]{1,3}[-)\] \t./]*)[(\[][ \t]*0[ \t]*[)\]]', '\1');
  end if;
  number := translate(number, e'- \t\n\x0b\f\r()[]./‐‑‒–—―⁃−ー', '');
  if number !~ '^\+?[0-9]{6,20}$' then
    return null;
  end if;
  number := case
    when number ~ '^\+' then number
    when number ~ '^00' then '+' || substr(number, 3)
    when number ~ '^0' then '+49' || substr(number, 2)
    -- The country code without a plus, as in 491713920001, unless it reads as a number of East Frisia (0491 Leer to
    -- 04977 Blomberg) without its zero; that has eleven digits at most.
    when number ~ '^49' and (length(number) > 11 or number !~ '^49(1|2[0-9]|3[1-689]|4[1-8]|5[0-9]|6[1-8]|7[1-7])')
      then '+' || number
    else '+49' || number
  end;
  -- A zero behind the code of a country where numbers have it at home only; libphonenumber lists those countries.
  number := regexp_replace(
    number,
    '^\+(20|27|3[123]|4[013469]|5[13458]|6[0-346]|8[1246]|9[0-58]|21[1238]|23[1-4]|243|249|25[0-2456]|26[0-5]|291|35[3589]|37[03457]|38[0-35-79]|42[13]|508|59[013-68]|686|85[056]|88[06]|96[1-467]|97[01267]|99[456])0+',
    '+\1');
  -- North America has ten digits: +171… is a German mobile number whose zero became a plus. And a service number is
  -- nobody's.
  if number !~ '^\+([2-9][0-9]{7,14}|1[2-9][0-9]{9})$' or number ~ '^\+49(11|137|138|180|700|800|900)' then
    return null;
  end if;
  return 'phone:' || number;
end
$function$;
COMMENT ON FUNCTION kontakt_key_phone(value text) IS 'A piece of kontakt_key: phone: and the number in E.164, default country Germany; null where the text is no number.';

CREATE FUNCTION kontakt_person(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  further text[];
  others uuid[];
begin
  canonical_key := canonical_kontakt_key(identity);
  -- A lead that was never merged stands for its person: known by mail, else by phone.
  if canonical_key like 'lead:%' and not exists (select from kontakt_aliases where kontakt_aliases.canonical_key = kontakt_person.canonical_key) then
    canonical_key := coalesce((
      select canonical_kontakt_key(coalesce(kontakt_key(leads.email), kontakt_key(leads.phone)))
      from leads
      where leads.id = substr(kontakt_person.canonical_key, 6)::uuid), canonical_key);
  end if;
  keys := array(
    select kontakt_person.canonical_key where kontakt_person.canonical_key is not null
    union
    select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = kontakt_person.canonical_key);
  lead_ids := array(
    select leads_of(keys)
    union
    select leads.id
    from leads
    where leads.id in (
        select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union
        select signals.lead_id from signals where signals.kontakt_key = any (keys))
      and kontakt_key(leads.email) is null and kontakt_key(leads.phone) is null
      and not exists (select from kontakt_aliases where kontakt_aliases.alias_key = 'lead:' || leads.id)
    order by 1);
  further := array(
    select carried.key
    from leads
    cross join lateral (values ('lead:' || leads.id), (kontakt_key(leads.email)), (kontakt_key(leads.phone))) as carried (key)
    where leads.id = any (lead_ids) and carried.key is not null and carried.key <> all (keys)
    group by carried.key);
  others := array(select other from leads_of(further) as other where other <> all (lead_ids));
  -- Of another contact: one of its keys is none of these leads', or somebody else's too.
  shared_keys := array(
    with carried as (
      select key, coalesce(kontakt_aliases.canonical_key, key) as contact
      from unnest(further) as key
      left join kontakt_aliases on kontakt_aliases.alias_key = key
    ),
    theirs as (
      select kontakt_key(leads.email) as key from leads where leads.id = any (others)
      union
      select kontakt_key(leads.phone) from leads where leads.id = any (others)
      union
      select lead_analyses.kontakt_key from lead_analyses
      where lead_analyses.kontakt_key = any (further) and lead_analyses.lead_id <> all (lead_ids)
      union
      select signals.kontakt_key from signals
      where signals.kontakt_key = any (further) and signals.lead_id <> all (lead_ids)
    ),
    foreign_contacts as (
      select carried.contact from carried where carried.contact <> all (further) or carried.key in (select theirs.key from theirs)
      union
      select kontakt_aliases.canonical_key from kontakt_aliases
      where kontakt_aliases.canonical_key = any (array(select carried.contact from carried)) and kontakt_aliases.alias_key <> all (further)
    )
    select carried.key from carried where carried.contact in (select foreign_contacts.contact from foreign_contacts) order by carried.key);
  keys := array(select key from unnest(keys || further) as key where key <> all (shared_keys) order by key);
end
$function$;
COMMENT ON FUNCTION kontakt_person(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[]) IS 'Keys and leads of the person that an identity stands for. shared_keys: keys of their leads that others carry too.';

CREATE FUNCTION leads_of(keys text[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  hints constant text[] := kontakt_key_hints(keys);
begin
  return query
    select leads.id from leads
    where kontakt_key_hint(leads.email) = any (hints) and kontakt_key(leads.email) = any (keys)
    union
    select leads.id from leads
    where kontakt_key_hint(leads.phone) = any (hints) and kontakt_key(leads.phone) = any (keys)
    union
    select leads.id from leads
    where leads.id = any (array(select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%'));
end
$function$;
COMMENT ON FUNCTION leads_of(keys text[]) IS 'The leads that carry one of the keys as email, as phone or as their id.';

CREATE FUNCTION lock_deliveries_of(cursors bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  ids bigint[];
  queued integer;
  ended integer;
begin
  loop
    ids := array(select id from deliveries_of(cursors) as id);
    perform from hook_queue where hook_queue.id = any (ids) order by hook_queue.id for update;
    get diagnostics queued = row_count;
    perform from hook_outcomes where hook_outcomes.id = any (ids) order by hook_outcomes.id for update;
    get diagnostics ended = row_count;
    exit when queued + ended = cardinality(ids);
  end loop;
  return ids;
end
$function$;
COMMENT ON FUNCTION lock_deliveries_of(cursors bigint[]) IS 'The deliveries of these events, locked until the transaction ends.';

CREATE FUNCTION luecken_nach_stufe(din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH luecken AS (
          SELECT (((eintrag.eintrag -> 'stufe'::text))::numeric)::integer AS stufe,
                 CASE
                     WHEN (jsonb_typeof((eintrag.eintrag -> 'themen'::text)) = 'array'::text) THEN (jsonb_array_length((eintrag.eintrag -> 'themen'::text)))::numeric
                     WHEN (jsonb_typeof((eintrag.eintrag -> 'anzahl'::text)) = 'number'::text) THEN LEAST(GREATEST(floor(((eintrag.eintrag -> 'anzahl'::text))::numeric), (0)::numeric), (1000)::numeric)
                     ELSE (0)::numeric
                 END AS anzahl
            FROM jsonb_path_query(luecken_nach_stufe.din_check, 'strict $."bewertung"."luecken_nach_stufe"[*]?((@."stufe" >= 1 && @."stufe" <= 99) && @."stufe" == @."stufe".floor())'::jsonpath, silent => true) eintrag(eintrag)
         ), stufen AS (
          SELECT luecken.stufe,
             luecken.anzahl
            FROM luecken
         UNION ALL
          SELECT generate_series(1, 3) AS generate_series,
             0
           WHERE (jsonb_typeof((luecken_nach_stufe.din_check -> 'bewertung'::text)) = 'object'::text)
         ), summen AS (
          SELECT stufen.stufe,
             (sum(stufen.anzahl))::integer AS anzahl
            FROM stufen
           GROUP BY stufen.stufe
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('stufe', summen.stufe, 'anzahl', summen.anzahl) ORDER BY summen.stufe), '[]'::jsonb) AS "coalesce"
    FROM summen;
END;
COMMENT ON FUNCTION luecken_nach_stufe(din_check jsonb) IS 'Gaps per need level as counts, [{stufe, anzahl}], from a DIN check.';

CREATE FUNCTION din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('channel', channel, 'quelle', quelle, 'kontakt_key', kontakt_key, 'params_version', (din_check #>> '{bewertung,params_version}'::text[]), 'luecken_nach_stufe', luecken_nach_stufe(din_check), 'unbekannt_anzahl', CASE WHEN (jsonb_typeof((din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) = 'array'::text) THEN jsonb_array_length((din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) ELSE 0 END);
COMMENT ON FUNCTION din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb) IS 'data of din.check_completed.';

CREATE FUNCTION make_events_partition(wanted bigint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  lower_bound constant bigint := (wanted - 1) / events_partition_width() * events_partition_width() + 1;
  upper_bound constant bigint := lower_bound + events_partition_width();
  partition constant text := 'events_' || lower_bound;
begin
  perform pg_advisory_xact_lock(hashtext('make_events_partition'));
  if to_regclass(partition) is null then
    execute format('create table %I (like events including defaults including constraints including comments, check (cursor >= %s and cursor < %s))', partition, lower_bound, upper_bound);
    execute format('alter table events attach partition %I for values from (%s) to (%s)', partition, lower_bound, upper_bound);
    execute format('alter table %I drop constraint %I', partition, partition || '_cursor_check');
  end if;
  return partition;
end
$function$;
COMMENT ON FUNCTION make_events_partition(wanted bigint) IS 'Makes the partition of events that holds a cursor, unless it exists; returns its name.';
REVOKE EXECUTE ON FUNCTION make_events_partition(wanted bigint) FROM PUBLIC;

CREATE FUNCTION make_sample_events()
 RETURNS void
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
    event_outbox.schema_version, sample_moment, event_outbox.object_type, event_outbox.object_id, event_outbox.links, event_outbox.data
  from event_outbox
  join event_types on event_types.event_type = event_outbox.event_type
  where event_outbox.xmin = pg_current_xact_id()::xid
  order by event_types.position, event_outbox.outbox_id;

  delete from event_outbox where event_outbox.xmin = pg_current_xact_id()::xid;
  delete from advisory_docs where id = sample_doc;
  delete from signals where id = sample_signal;
  delete from appointments where id = sample_appointment;
  delete from kontakt_aliases where canonical_key = kontakt;
  delete from haushalte where kontakt_key = kontakt;
  delete from leads where id = sample_lead;
end
$function$;
COMMENT ON FUNCTION make_sample_events() IS 'Makes the sample events anew, through the triggers that make live ones.';

CREATE FUNCTION may_concern_income(written text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (written ~* (('[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]|personen|'::text || income_look()) COLLATE "C"));
COMMENT ON FUNCTION may_concern_income(written text) IS 'Whether the rule may change a document, by its text.';

CREATE FUNCTION merge_kontakte(alias_key text, canonical_key text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  loser text;
  survivor text;
begin
  if kontakt_key(alias_key) is null or kontakt_key(canonical_key) is null then
    raise exception 'merge_kontakte takes two identities: email:, phone: or lead: and a value, in any spelling'
      using errcode = 'invalid_parameter_value';
  end if;
  -- Under a snapshot from before the lock, two merges would not see each other.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'merge_kontakte needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  loser := canonical_kontakt_key(alias_key);
  survivor := canonical_kontakt_key(canonical_key);
  if loser = survivor then
    return false;
  end if;
  update kontakt_aliases set canonical_key = survivor where kontakt_aliases.canonical_key = loser;
  insert into kontakt_aliases (alias_key, canonical_key) values (loser, survivor);
  perform emit_event('kontakt.merged', 'kontakt', survivor, '{}',
    jsonb_build_object('canonical_key', survivor, 'alias_key', loser));
  perform unite_records(survivor);
  return true;
end
$function$;
COMMENT ON FUNCTION merge_kontakte(alias_key text, canonical_key text) IS 'Merges one contact into another and unites their household records; returns whether anything changed.';
REVOKE EXECUTE ON FUNCTION merge_kontakte(alias_key text, canonical_key text) FROM PUBLIC;

CREATE FUNCTION names_an_income(document jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  -- One inside the other, the cheapest question first: the planner would order them otherwise.
  return exists (
    select from jsonb_each(document) as member
    where case
      when jsonb_typeof(member.value) = 'string' and is_hit(member.value::text, hits) then
        case
          when regexp_replace(income_fold(member.key), '[^a-z]+', '', 'g') = any (
            (case when document ?| '{rolle,alter,geburtsdatum,adresse,kontakt,vorname,nachname,email,telefon,phone}' then '{art,' else '{art,name,' end || 'typ,type,label,titel,title,feld,feldname,field,fieldkey,fieldname,pfad,path,thema,topic,quelle,source,bezeichnung,beschreibung,description,kategorie,category,schlussel,schluessel,key,merkmal,attribut,attribute,kennzahl,position,posten,frage,question}')::text[])
          then is_income_text(income_fold(member.value #>> '{}'))
        end
    end);
end
$function$;
COMMENT ON FUNCTION names_an_income(document jsonb, hits text[]) IS 'Whether an object is named after an income by one of its own members.';

CREATE FUNCTION notify_api_keys_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('api_keys_changed', '');
  return null;
end
$function$;

CREATE FUNCTION project_lead_analysis()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.analysis is null
    or tg_op = 'UPDATE' and new.analysis = old.analysis and old.analysis = analysis_flat(old.analysis_v2, old.din_check) then
    new.analysis := analysis_flat(new.analysis_v2, new.din_check);
  end if;
  return new;
end
$function$;

CREATE FUNCTION provenance_moments(provenance jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH entries AS MATERIALIZED (
          SELECT entry.key AS path,
             EXTRACT(epoch FROM iso_moment((entry.value ->> 'stand'::text))) AS moment
            FROM jsonb_each(provenance_moments.provenance) entry(key, value)
         ), containers AS (
          SELECT array_to_string(steps.names[1:level.level], ''::text) AS path,
             max(entries.moment) AS moment
            FROM ((entries
              CROSS JOIN LATERAL ( SELECT regexp_split_to_array(entries.path, '(?=[.[])'::text) AS names) steps)
              CROSS JOIN LATERAL generate_series(
                 CASE
                     WHEN (entries.path ~ '^[.[]'::text) THEN 0
                     ELSE 1
                 END, LEAST((cardinality(steps.names) - 1), 200)) level(level))
           GROUP BY (array_to_string(steps.names[1:level.level], ''::text))
         )
  SELECT jsonb_build_object('own', ( SELECT COALESCE(jsonb_object_agg(entries.path, entries.moment), '{}'::jsonb) AS "coalesce"
            FROM entries), 'inside', ( SELECT COALESCE(jsonb_object_agg(containers.path, containers.moment), '{}'::jsonb) AS "coalesce"
            FROM containers)) AS jsonb_build_object;
END;
COMMENT ON FUNCTION provenance_moments(provenance jsonb) IS 'The moments of a provenance in seconds, by path: of the entries themselves, and of what is inside a path.';

CREATE FUNCTION prune_events(keep interval, at timestamp with time zone, OUT horizon bigint, OUT partitions_dropped integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
declare
  current_head bigint;
  candidate record;
  newest_cursor bigint;
  newest timestamptz;
  oldest timestamptz;
  expired boolean := true;
begin
  select feed.head, feed.horizon into current_head, horizon from feed for update;
  partitions_dropped := 0;
  for candidate in select * from events_partitions where first_cursor <= current_head order by first_cursor loop
    select events.sequenced_at into oldest from events
      where events.cursor between candidate.first_cursor and candidate.last_cursor order by events.cursor limit 1;
    select events.cursor, events.sequenced_at into newest_cursor, newest from events
      where events.cursor between candidate.first_cursor and candidate.last_cursor order by events.cursor desc limit 1;
    if current_head < candidate.last_cursor and oldest <= at - least(interval '1 day', keep / 30) then
      perform make_events_partition(candidate.last_cursor + 1);
      current_head := candidate.last_cursor;
    end if;
    -- Partitions go from the oldest on; the current one is looked at too, for it may have to be closed.
    expired := expired and current_head >= candidate.last_cursor and (newest is null or newest <= at - keep);
    -- What still waits to be delivered holds its event back, for a day at most: then a receiver is given up.
    expired := expired and not exists (
      select from hook_queue
      where hook_queue.cursor between candidate.first_cursor and candidate.last_cursor
        and hook_queue.created_at > at - keep - interval '1 day');
    continue when not expired;
    execute format('drop table %s', candidate.partition);
    -- The last event's cursor, not the partition's: whoever has read all of it is not behind.
    horizon := coalesce(newest_cursor, horizon);
    partitions_dropped := partitions_dropped + 1;
  end loop;
  update feed set head = current_head, horizon = prune_events.horizon
    where feed.head <> current_head or feed.horizon <> prune_events.horizon;
  perform make_events_partition(current_head + 1);
  perform make_events_partition(current_head + 1 + events_partition_width());
end
$function$;
COMMENT ON FUNCTION prune_events(keep interval, at timestamp with time zone, OUT horizon bigint, OUT partitions_dropped integer) IS 'Drops what the feed need not keep any more, and makes the next partitions ahead.';
REVOKE EXECUTE ON FUNCTION prune_events(keep interval, at timestamp with time zone, OUT horizon bigint, OUT partitions_dropped integer) FROM PUBLIC;

CREATE FUNCTION punycode_bias(distance bigint, letters integer, is_first boolean)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  delta bigint := distance / case when is_first then 700 else 2 end;
  step integer := 0;
begin
  delta := delta + delta / letters;
  while delta > 455 loop
    delta := delta / 35;
    step := step + 36;
  end loop;
  return step + 36 * delta / (delta + 38);
end
$function$;
COMMENT ON FUNCTION punycode_bias(distance bigint, letters integer, is_first boolean) IS 'A piece of readable_label.';

CREATE FUNCTION read_all(wanted boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('enable_seqscan', wanted::text, true), set_config('enable_bitmapscan', (not wanted)::text, true);
end
$function$;
COMMENT ON FUNCTION read_all(wanted boolean) IS 'A piece of erase_kontakt: whether the next statements read whole tables.';

CREATE FUNCTION readable_label(label text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  deltas constant text collate "C" := substring(label from '^xn--[a-z0-9-]*?([a-z0-9]+)$');
  readable text collate "C" := coalesce(substring(label from '^xn--([a-z0-9-]*)-[a-z0-9]*$'), '');
  code integer := 128;
  place bigint := 0;
  bias integer := 72;
  start bigint;
  weight bigint;
  digit integer;
  threshold integer;
  step integer;
  letter integer := 1;
begin
  while letter <= length(deltas) loop
    start := place;
    weight := 1;
    step := 36;
    loop
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(deltas, letter, 1)) - 1;
      letter := letter + 1;
      place := place + digit * weight;
      threshold := least(greatest(step - bias, 1), 26);
      exit when digit < threshold;
      weight := weight * (36 - threshold);
      step := step + 36;
      -- The label ends inside a number, or no letter is that far away.
      if letter > length(deltas) or weight > 100000000 then
        return label;
      end if;
    end loop;
    bias := punycode_bias(place - start, length(readable) + 1, start = 0);
    if code + place / (length(readable) + 1) not between 128 and 1114111 then
      return label;
    end if;
    code := code + place / (length(readable) + 1);
    place := place % (length(readable) + 1);
    -- Halves of surrogate pairs are no letters.
    if code between 55296 and 57343 then
      return label;
    end if;
    readable := overlay(readable placing chr(code) from place::integer + 1 for 0);
    place := place + 1;
  end loop;
  return case
    when readable = search_form(identity_text(readable)) and readable ~ '^[a-z0-9\u00a0-\U0010ffff-]+$' and readable ~ '[^a-z0-9-]' then readable
    else label
  end;
end
$function$;
COMMENT ON FUNCTION readable_label(label text) IS 'A piece of kontakt_key: a label of a domain with its Punycode undone.';

CREATE FUNCTION redact_haushalt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  written constant text := concat_ws(e'\n', new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell);
  hits text[];
begin
  if not may_concern_income(written) then
    return new;
  end if;
  hits := income_hits(written);
  new.haushalt := redact_income_document(new.haushalt, 0, 0, hits);
  new.provenance := redact_income_document(new.provenance, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  new.empfehlungen_aktuell := redact_income_document(new.empfehlungen_aktuell, 0, 0, hits);
  return new;
end
$function$;

CREATE FUNCTION redact_income(document jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  written constant text := document::text;
begin
  if not may_concern_income(written) then
    return document;
  end if;
  return redact_income_document(document, 0, 0, income_hits(written));
end
$function$;
COMMENT ON FUNCTION redact_income(document jsonb) IS 'A document without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income(document text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  if not has_amount(document) or not may_concern_income(document)
    or income_hits(document) = '{}' and position('personen' in document) = 0 then
    return document;
  end if;
  return redact_income_text(document, false, 0);
end
$function$;
COMMENT ON FUNCTION redact_income(document text) IS 'A text without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income_document(document jsonb, mode integer, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
begin
  if mode = 0 and hits = '{}' and position('personen' in document::text) = 0 then
    return document;
  end if;
  return coalesce(redact_income_node(document, income_schema(), mode, false, depth, hits), 'null');
end
$function$;
COMMENT ON FUNCTION redact_income_document(document jsonb, mode integer, depth integer, hits text[]) IS 'A document without raw income, in a mode and at a depth.';

CREATE FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode integer, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  written text;
  cleaned text;
begin
  if jsonb_typeof(leaf) = 'number' then
    return case when mode = 0 or mode < 3 and known = '"n"' then leaf end;
  end if;
  written := leaf #>> '{}';
  -- Most texts have no word of income: asked for first, because it takes a µs.
  if jsonb_typeof(leaf) <> 'string' or mode = 0 and not is_hit(leaf::text, hits) and position('personen' in written) = 0 then
    return leaf;
  end if;
  -- A date or a moment is no amount.
  if not has_amount(written)
    or written ~ '^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$' then
    return leaf;
  end if;
  if mode = 3 then
    return null;
  end if;
  if mode = 1 and jsonb_typeof(known) is distinct from 'string' and written !~ '^\s*(\+|0[0-9])' and scrub_amounts(written) ~ '^\s*\[entfernt\]\s*$' then
    return null;
  end if;
  if mode = 1 and not is_hit(leaf::text, hits) and position('personen' in written) = 0 then
    return leaf;
  end if;
  cleaned := redact_income_text(written, mode = 2, depth);
  return case when cleaned = written then leaf else to_jsonb(cleaned) end;
end
$function$;
COMMENT ON FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode integer, depth integer, hits text[]) IS 'A number or a text without raw income; null when it goes.';

CREATE FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(value);
  inner_mode integer := case when named then 2 else mode end;
begin
  -- Most members of a person: published, and no word of income anywhere.
  if hits = '{}' and mode < 2 and (kind = 'number' and known = '"n"' or kind = 'string' and known in ('"s"', '"n"')) then
    return value;
  end if;
  if key = 'sollwert' and kind = 'object' and mode < 3 then
    inner_mode := mode;
  elsif known = '"b"' and kind <> 'boolean' then
    inner_mode := greatest(inner_mode, income_key_mode(key, inner_mode, hits));
  elsif known = '"x"' or inner_mode = 3 then
    inner_mode := 3;
  elsif named and regexp_replace(income_fold(key), '[^a-z]+', '', 'g') ~ '^(wert|betrag|summe|value|amount|hohe|hoehe|monat|jahr|jaehr|min|max|von|bis|antwort|answer|angabe|eur|brutto|netto)' then
    inner_mode := 3;
  elsif key = 'istwert' and kind = 'object' and inner_mode in (0, 1) and is_income_istwert(value, hits) then
    inner_mode := 2;
  elsif known is null and inner_mode < 3 then
    inner_mode := income_key_mode(key, inner_mode, hits);
  end if;
  if key = 'personen' then
    inner_mode := greatest(inner_mode, 1);
  end if;
  return redact_income_node(value, case when inner_mode < 3 then coalesce(known, case when key = 'personen' then income_schema() -> key end) end, inner_mode, key in ('sollwert', 'istwert'), depth + 1, hits);
end
$function$;
COMMENT ON FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[]) IS 'A member''s value without raw income; null when the member goes.';

CREATE FUNCTION redact_income_node(node jsonb, known jsonb, mode integer, exempt boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(node);
  written text;
  named boolean;
  result jsonb;
begin
  -- Deeper than anybody nests on purpose, and short of what the server's stack holds.
  if depth > 64 then
    return 'null';
  end if;
  if kind <> 'object' and kind <> 'array' then
    return redact_income_leaf(node, known, mode, depth, hits);
  end if;
  -- Most parts of a document have no word of income, and are left after one look. Large ones are looked at in
  -- their parts: a look at every level would read the document once per level.
  if mode = 0 and (pg_column_size(node) < 2000 or hits = '{}' and depth < 4 or depth = 64) then
    written := node::text;
    if position('personen' in written) = 0 and not is_hit(written, hits) then
      return node;
    end if;
  end if;
  if kind = 'object' then
    named := mode = 2 or mode in (0, 1) and not exempt and hits <> '{}' and names_an_income(node, hits);
    select coalesce(jsonb_object_agg(member.key, member.clean), '{}') into result
      from (
        select entry.key,
          case
            when jsonb_typeof(entry.value) in ('boolean', 'null') then entry.value
            else redact_income_member(entry.key, entry.value, case when jsonb_typeof(known) = 'object' then known -> entry.key end, mode, named, depth, hits)
          end as clean
        from jsonb_each(node) as entry
        offset 0
      ) as member
      where member.clean is not null;
  else
    -- ["Nettoeinkommen", 3200]: the name is an element.
    named := mode = 0 and hits <> '{}' and exists (
      select from jsonb_array_elements(node) as entry
      where case
        when jsonb_typeof(entry) = 'string' and length(entry #>> '{}') <= 100 and is_hit(entry::text, hits)
        then is_income_text(income_fold(entry #>> '{}'))
      end);
    select coalesce(jsonb_agg(element.clean order by element.position), '[]') into result
      from (
        select entry.position,
          redact_income_node(entry.value, known, case when named and jsonb_typeof(entry.value) in ('number', 'string') then 1 else mode end, false, depth + 1, hits) as clean
        from jsonb_array_elements(node) with ordinality as entry (value, position)
        offset 0
      ) as element
      where element.clean is not null;
  end if;
  return case when mode = 3 and result in ('{}', '[]') then null else result end;
end
$function$;
COMMENT ON FUNCTION redact_income_node(node jsonb, known jsonb, mode integer, exempt boolean, depth integer, hits text[]) IS 'A part of a document without raw income; null when it goes.';

CREATE FUNCTION redact_income_results(results jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE STRICT
RETURN keep_result_values(results, redact_income(results));
COMMENT ON FUNCTION redact_income_results(results jsonb) IS 'Result entries of a meeting without raw income; every entry keeps its members.';

CREATE FUNCTION redact_income_text(value text, everywhere boolean, depth integer)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  inner_document jsonb;
  cleaned jsonb;
begin
  if value ~ '^\s*[[{"].*[]}"]\s*$' then
    begin
      inner_document := value::jsonb;
    exception when others then
      inner_document := null;
    end;
    if jsonb_typeof(inner_document) = 'string' then
      cleaned := to_jsonb(redact_income_text(inner_document #>> '{}', everywhere, depth + 1));
    elsif inner_document is not null then
      cleaned := redact_income_document(inner_document, case when everywhere then 2 else 0 end, depth + 1, income_hits(inner_document::text));
    end if;
    if inner_document is not null then
      return case when cleaned = inner_document then value else cleaned::text end;
    end if;
  end if;
  return scrub_income_text(value, everywhere);
end
$function$;
COMMENT ON FUNCTION redact_income_text(value text, everywhere boolean, depth integer) IS 'A text without the raw income in it, also where it is JSON.';

CREATE FUNCTION redact_lead()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.parsed_data := redact_income(new.parsed_data);
  return new;
end
$function$;

CREATE FUNCTION redact_lead_analysis()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  written constant text := concat_ws(e'\n', new.analysis, new.analysis_v2, new.din_check);
  hits text[];
begin
  if not may_concern_income(written) then
    return new;
  end if;
  hits := income_hits(written);
  new.analysis := redact_income_document(new.analysis, 0, 0, hits);
  new.analysis_v2 := redact_income_document(new.analysis_v2, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  return new;
end
$function$;

CREATE FUNCTION redact_meeting_intelligence()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  written constant text := concat_ws(e'\n', new.summary, new.next_steps, new.results);
  hits text[];
begin
  if not may_concern_income(written) then
    return new;
  end if;
  hits := income_hits(written);
  if hits <> '{}' then
    new.summary := redact_income(new.summary);
  end if;
  new.next_steps := redact_income_document(new.next_steps, 0, 0, hits);
  new.results := keep_result_values(new.results, redact_income_document(new.results, 0, 0, hits));
  return new;
end
$function$;

CREATE FUNCTION refuse_alias_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  if exists (select from new_rows join kontakt_aliases on kontakt_aliases.alias_key = new_rows.canonical_key)
    or exists (select from new_rows join kontakt_aliases on kontakt_aliases.canonical_key = new_rows.alias_key) then
    raise exception 'an alias leads to a surviving key, never to another alias: use merge_kontakte(alias_key, canonical_key)'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$;

CREATE FUNCTION refuse_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  raise exception 'a row of % keeps its key for life: insert a new row instead', tg_table_name
    using errcode = 'integrity_constraint_violation';
end
$function$;

CREATE FUNCTION renumber_vertraege(document jsonb, places integer[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (string_agg(
         CASE
             WHEN (pointer.place IS NULL) THEN part.value
             ELSE (('"vertraege['::text || (COALESCE((renumber_vertraege.places)[(pointer.place + 1)], pointer.place))::text) || substr(part.value, (length(('"vertraege['::text || (pointer.place)::text)) + 1)))
         END, ''::text ORDER BY part."position"))::jsonb AS string_agg
    FROM (regexp_split_to_table((renumber_vertraege.document)::text, '(?="vertraege\[\d)'::text) WITH ORDINALITY part(value, "position")
      CROSS JOIN LATERAL ( SELECT ("substring"(part.value, '^"vertraege\[(0|[1-9]\d{0,5})\]'::text))::integer AS place) pointer);
END;
COMMENT ON FUNCTION renumber_vertraege(document jsonb, places integer[]) IS 'A document whose pointers at contracts follow them to their new places.';

CREATE FUNCTION scrub_amounts(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  currency constant text := '(€|eur(os?)?(?![a-zäöüß])|chf|usd|\$)';
  unit constant text := '(tsd\.?|tausend|teur|t€|k€|keur|mio\.?|mrd\.?|million(en)?|hundert|k(?![a-z0-9äöüß])|t(?![a-z0-9äöüß]))';
  grouped constant text := '[0-9]{1,3}([ .''’\u00a0\u202f][0-9]{3})+(,[0-9]{1,2})?(?![0-9])';
  figure constant text := '(' || grouped || '|[0-9]+([.,][0-9]+)*(e[0-9]+)?)';
  large constant text := '(' || grouped || '|[0-9]{3,}([.,][0-9]+)*|[0-9]+[.,][0-9]{2}(?![0-9])|[0-9]+([.,][0-9]+)?e[0-9]+)';
  until constant text := '\s?(-|–|—|bis( zu)?)\s?';
  spelled constant text := '(ein|eine|zwei|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(ö|oe)lf|[a-zäöüß]*zig|[a-zäöüß]*(ß|ss)ig|[a-zäöüß]*zehn)';
  marked text := value;
begin
  -- Asked for first, because a session keeps 32 patterns compiled, and compiling one anew costs a millisecond.
  if position('%' in marked) > 0 or position('rozent' in marked) > 0 or position('ROZENT' in marked) > 0 then
    marked := regexp_replace(marked, '([0-9])([0-9]?)([0-9]?)(?=([.,][0-9]+)?\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3', 'gi');
    marked := regexp_replace(marked, '([.,])([0-9])([0-9]?)(?=\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3', 'gi');
  end if;
  if marked like '%.19%' or marked like '%.20%' then
    marked := regexp_replace(marked, '\m([0-3]?)([0-9])\.([01]?)([0-9])\.([12])([0-9])([0-9])([0-9])(?![0-9])', e'\\1\ufdd1\\2.\ufdd1\\3\ufdd1\\4.\ufdd1\\5\ufdd1\\6\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  if marked like '%19__-%' or marked like '%20__-%' then
    marked := regexp_replace(marked, '\m([12])([0-9])([0-9])([0-9])-([01])([0-9])-([0-3])([0-9])(?![0-9])', e'\\1\ufdd1\\2\ufdd1\\3\ufdd1\\4-\ufdd1\\5\ufdd1\\6-\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  marked := regexp_replace(marked,
    '(\m(?:seit|ab|stand:?|jahre?|januar|februar|m(?:ä|ae)rz|april|mai|juni|juli|august|september|oktober|november|dezember)\s+)(19|20)([0-9])([0-9])(?![0-9]|[.,][0-9]|\s?(?:€|eur|k\M|netto|brutto|-|–|bis\M))',
    e'\\1\\2\ufdd1\\3\ufdd1\\4', 'gi');
  marked := regexp_replace(marked,
    '(\+|\m0)[0-9][-0-9 /()]{5,}[0-9]'
    || '|' || currency || '\s?' || figure || '(' || until || figure || ')?(,-|,–)?(\s?' || unit || ')?(\s?' || currency || ')?'
    || '|' || figure || '(\s?' || unit || ')?(\s?' || currency || ')?' || until || figure || '(,-|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || figure || '(,-|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || figure || until || large || '(,-|,–)?|' || large || '(,-|,–)?'
    || '|((' || spelled || '|[0-9]+)[- ]){0,3}[a-zäöüß]*(hundert|tausend|million(en)?)[a-zäöüß]*([- ](und[- ])?' || spelled || '(?![a-zäöüß]))?(\s?' || currency || ')?'
    || '|' || spelled || '\s?' || currency,
    '[entfernt]', 'gi');
  return replace(marked, e'\ufdd1', '');
end
$function$;
COMMENT ON FUNCTION scrub_amounts(value text) IS 'A text with every amount of money replaced by [entfernt].';

CREATE FUNCTION scrub_income_text(value text, everywhere boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  written constant text := income_plain(value);
  long constant boolean := length(written) > 5000;
  hits text[];
  cleaned text;
begin
  if long and not everywhere then
    hits := income_hits(written);
  elsif not everywhere and not is_income_text(income_fold(written)) then
    return value;
  end if;
  with sentences as materialized (
    select sentence, position, length(replace(sentence, '[entfernt]', '')) as size,
      has_amount(sentence) and (everywhere or not long or is_hit(sentence, hits)) as concerned
    from string_to_table(
      regexp_replace(
        regexp_replace(written, '([.!?]["”)]?\s+(?=[A-ZÄÖÜ])|[^:\s]\s*\n\s*\n)', e'\\1\ufdd0', 'g'),
        '(\m(?:ca|inkl|incl|exkl|zzgl|bzw|mtl|j(?:ä|ae)hrl|max|min|mind|evtl|ggf|etc|usw|tsd|mio|mrd|nr|dr|hr|fr|tel|str|lt|gem|abz|[a-z])\.\s+)\ufdd0', '\1', 'gi'),
      e'\ufdd0') with ordinality as split (sentence, position)
  ),
  total as (
    select coalesce(sum(size), 0) > 20000 as large from sentences where concerned
  )
  select string_agg(
      case
        when not concerned then sentence
        when large or size > 5000 then scrub_numbers(sentence)
        when everywhere or is_income_text(income_fold(sentence)) then scrub_amounts(sentence)
        else sentence
      end, '' order by position)
    into cleaned
    from sentences cross join total;
  return case when cleaned = written then value else cleaned end;
end
$function$;
COMMENT ON FUNCTION scrub_income_text(value text, everywhere boolean) IS 'A text without the amounts in its sentences about income, or in all of them.';

CREATE FUNCTION scrub_numbers(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(value, '[0-9][0-9.,]*'::text, '[entfernt]'::text, 'g'::text), '[a-zäöüß]*(hundert|tausend|million)[a-zäöüß]*'::text, '[entfernt]'::text, 'gi'::text);
COMMENT ON FUNCTION scrub_numbers(value text) IS 'A text with every number replaced by [entfernt].';

CREATE FUNCTION search_form(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (lower((NORMALIZE(value, NFC) COLLATE "und-x-icu")) COLLATE "C");
COMMENT ON FUNCTION search_form(value text) IS 'The form in which search compares text: Unicode NFC, lower case.';

CREATE FUNCTION tells_of(data jsonb, keys text[], hints text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((kontakt_key_hint((data ->> 'email'::text)) = ANY (hints)) AND (kontakt_key((data ->> 'email'::text)) = ANY (keys))) OR ((kontakt_key_hint((data ->> 'phone'::text)) = ANY (hints)) AND (kontakt_key((data ->> 'phone'::text)) = ANY (keys))));
COMMENT ON FUNCTION tells_of(data jsonb, keys text[], hints text[]) IS 'Whether the payload of an event has the address or the number of one of the keys.';

CREATE FUNCTION is_about(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[], hints text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lower(object_id) = ANY (names)) OR (lower(COALESCE((links ->> 'lead_id'::text), (data ->> 'lead_id'::text))) = ANY (lead_ids)) OR (((links ->> 'session_id'::text) = ANY (sessions)) AND (lower(COALESCE((links ->> 'lead_id'::text), (data ->> 'lead_id'::text))) IS NULL)) OR (lower((data ->> 'kontakt_key'::text)) = ANY (keys)) OR tells_of(data, keys, hints));
COMMENT ON FUNCTION is_about(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[], hints text[]) IS 'Whether an event names one of these rows, leads or keys, or no lead and one of these conversations; hints are those of the keys.';

CREATE FUNCTION theirs_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  ahead constant numeric := case when is_unknown(mine) or is_unknown(theirs) then 0
    else field_moment(theirs_moments, path) - field_moment(mine_moments, path) end;
begin
  return case
    when is_unknown(theirs) then false
    when is_unknown(mine) then true
    -- Both -infinity: their difference is no number.
    when ahead <> 0 and ahead <> 'NaN' then ahead > 0
    else mine in ('[]', '{}')
  end;
end
$function$;
COMMENT ON FUNCTION theirs_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) IS 'Whether the other record''s value of a field is taken.';

CREATE FUNCTION touch_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.updated_at = old.updated_at then
    new.updated_at := now();
  end if;
  return new;
end
$function$;

CREATE FUNCTION unite_records(survivor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  mine haushalte;
  theirs haushalte;
begin
  loop
    select haushalte.* into mine from haushalte where haushalte.kontakt_key = survivor for update;
    for theirs in
      select haushalte.*
      from haushalte
      where haushalte.kontakt_key in (select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor)
      order by haushalte.updated_at desc, haushalte.kontakt_key
      for update
    loop
      mine := case when mine.kontakt_key is null then theirs else unite_haushalte(mine, theirs) end;
    end loop;
    exit when mine.kontakt_key is null;
    update haushalte
    set (haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at) =
      (mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle, now())
    where haushalte.kontakt_key = survivor;
    exit when found;
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle)
    values (survivor, mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle)
    on conflict do nothing;
    exit when found;
  end loop;
  delete from haushalte
  where haushalte.kontakt_key in (select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor);
end
$function$;
COMMENT ON FUNCTION unite_records(survivor text) IS 'A piece of merge_kontakte: unites the household records of a contact.';

CREATE FUNCTION unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if mine = theirs then
    return mine;
  end if;
  if path = 'vertraege' and jsonb_typeof(mine) = 'array' and jsonb_typeof(theirs) = 'array' then
    return (
      select coalesce(jsonb_agg(unite_values(mine -> place, theirs -> place, format('vertraege[%s]', place), mine_moments, theirs_moments) order by place), '[]')
      from generate_series(0, greatest(jsonb_array_length(mine), jsonb_array_length(theirs)) - 1) as place);
  end if;
  if jsonb_typeof(mine) = 'object' and jsonb_typeof(theirs) = 'object'
    and cardinality(string_to_array(path, '.')) <= 64
    and (
      path ~ '^vertraege\[\d+\]$' or mine_moments -> 'inside' ? path or theirs_moments -> 'inside' ? path
      or not (mine_moments -> 'own' ? path or theirs_moments -> 'own' ? path)) then
    return (
      select coalesce(jsonb_object_agg(
        name, unite_values(mine -> name, theirs -> name, concat_ws('.', nullif(path, ''), name), mine_moments, theirs_moments)), '{}')
      from jsonb_object_keys(mine || theirs) as name);
  end if;
  return case when theirs_wins(mine, theirs, path, mine_moments, theirs_moments) then theirs else coalesce(mine, theirs) end;
end
$function$;
COMMENT ON FUNCTION unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) IS 'One field of two profiles as one; path leads to it.';

CREATE FUNCTION vertraege_anzahl(haushalt jsonb)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (jsonb_typeof((haushalt -> 'vertraege'::text)) = 'array'::text) THEN jsonb_array_length((haushalt -> 'vertraege'::text)) ELSE 0 END;
COMMENT ON FUNCTION vertraege_anzahl(haushalt jsonb) IS 'Number of contracts in a household profile.';

CREATE FUNCTION vertrag_identity(vertrag jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH named AS (
          SELECT member.member,
             NULLIF(regexp_replace(search_form(NORMALIZE((vertrag_identity.vertrag ->> member.member), NFKC)), '[[:space:][:punct:]]'::text, ''::text, 'g'::text), ''::text) AS value
            FROM unnest(ARRAY['sparte'::text, 'versicherer'::text, 'vertragsnummer'::text]) member(member)
         )
  SELECT
         CASE
             WHEN ((count(named.value) >= 2) AND bool_or(((named.member = 'sparte'::text) AND (named.value IS NOT NULL)))) THEN (jsonb_object_agg(named.member, named.value))::text
             ELSE (vertrag_identity.vertrag)::text
         END AS vertrag
    FROM named;
END;
COMMENT ON FUNCTION vertrag_identity(vertrag jsonb) IS 'What two records call the same contract by.';

CREATE FUNCTION vertraege_places(mine jsonb, theirs jsonb)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH contracts AS (
          SELECT named.is_mine,
             named.place,
             named.identity,
             row_number() OVER (PARTITION BY named.is_mine, named.identity ORDER BY named.place) AS turn
            FROM ( SELECT lists.is_mine,
                     ((contract.ordinality)::integer - 1) AS place,
                     vertrag_identity(contract.value) AS identity
                    FROM (( VALUES (true,vertraege_places.mine), (false,vertraege_places.theirs)) lists(is_mine, vertraege)
                      CROSS JOIN LATERAL jsonb_array_elements(lists.vertraege) WITH ORDINALITY contract(value, ordinality))
                  OFFSET 0) named
         ), placed AS (
          SELECT contracts.place AS their_place,
             same.place,
             count(*) FILTER (WHERE (same.place IS NULL)) OVER (ORDER BY contracts.place) AS nth_new
            FROM (contracts
              LEFT JOIN contracts same ON ((same.is_mine AND (same.identity = contracts.identity) AND (same.turn = contracts.turn))))
           WHERE (NOT contracts.is_mine)
         )
  SELECT COALESCE(array_agg(COALESCE(placed.place, ((jsonb_array_length(vertraege_places.mine) + (placed.nth_new)::integer) - 1)) ORDER BY placed.their_place), '{}'::integer[]) AS "coalesce"
    FROM placed;
END;
COMMENT ON FUNCTION vertraege_places(mine jsonb, theirs jsonb) IS 'Where each of their contracts stands in the united list, which begins with mine.';

CREATE FUNCTION wake_sequencer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select idle from feed) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$function$;

CREATE TABLE api_keys (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  prefix text NOT NULL,
  digest bytea NOT NULL,
  label text NOT NULL,
  scopes text[] NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  last_used_at instant,
  expires_at instant,
  revoked_at instant,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_digest_key UNIQUE (digest),
  CONSTRAINT api_keys_digest_check CHECK (length(digest) = 32),
  CONSTRAINT api_keys_label_check CHECK (length(label) >= 1 AND length(label) <= 200 AND label !~ '[[:cntrl:]]'::text),
  CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) >= 1 AND array_position(scopes, NULL::text) IS NULL AND scopes <@ ARRAY['read:leads'::text, 'read:analyses'::text, 'read:kontakte'::text, 'read:appointments'::text, 'read:meetings'::text, 'read:signals'::text, 'read:events'::text, 'write:hooks'::text])
);
COMMENT ON TABLE api_keys IS 'API keys of the workspace. The key itself is shown once and never stored.';
COMMENT ON COLUMN api_keys.prefix IS 'The first 12 characters of the key, to tell keys apart.';
COMMENT ON COLUMN api_keys.digest IS 'SHA-256 of the whole key. It holds 256 random bits, so a fast hash is enough.';
COMMENT ON COLUMN api_keys.last_used_at IS 'Written in batches, so up to a minute behind.';
COMMENT ON COLUMN api_keys.expires_at IS 'From this moment on the key is unknown; null: never.';
COMMENT ON COLUMN api_keys.revoked_at IS 'From this moment on the key is unknown; null: live.';
CREATE TRIGGER api_keys_changed AFTER INSERT OR DELETE OR UPDATE OF digest, scopes, expires_at, revoked_at OR TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_api_keys_changed();

CREATE TABLE event_outbox (
  outbox_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  event_type text NOT NULL,
  schema_version text NOT NULL,
  occurred_at instant NOT NULL DEFAULT clock_timestamp(),
  object_type text NOT NULL,
  object_id text NOT NULL,
  links jsonb NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT event_outbox_pkey PRIMARY KEY (outbox_id)
) WITH (autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0);
COMMENT ON TABLE event_outbox IS 'Events on their way into the feed. Written by triggers, emptied by the sequencer.';
COMMENT ON COLUMN event_outbox.outbox_id IS 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
COMMENT ON COLUMN event_outbox.data IS 'Personal: the payload.';
CREATE TRIGGER event_outbox_wake AFTER INSERT ON event_outbox FOR EACH STATEMENT EXECUTE FUNCTION wake_sequencer();

CREATE TABLE event_types (
  event_type text NOT NULL,
  schema_version text NOT NULL,
  "position" smallint NOT NULL,
  CONSTRAINT event_types_pkey PRIMARY KEY (event_type),
  CONSTRAINT event_types_position_key UNIQUE ("position")
);
COMMENT ON TABLE event_types IS 'The event types there are, in the order of the contract, and their schema_version.';

CREATE TABLE events (
  cursor bigint NOT NULL,
  sequenced_at instant NOT NULL DEFAULT clock_timestamp(),
  id uuid NOT NULL,
  event_type text NOT NULL,
  schema_version text NOT NULL,
  occurred_at instant NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  links jsonb NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (cursor)
) PARTITION BY RANGE (cursor);
COMMENT ON TABLE events IS 'The feed: every event in the order it became visible. Partitioned by cursor, dropped by whole partitions.';
COMMENT ON COLUMN events.cursor IS 'Position in the feed; ascending, with gaps where a partition was closed early.';
COMMENT ON COLUMN events.sequenced_at IS 'When the event got its cursor; retention counts from here.';
COMMENT ON COLUMN events.data IS 'Personal: the payload.';
CREATE INDEX events_names_idx ON ONLY events USING brin (lower(object_id) text_bloom_ops (n_distinct_per_range='1300', false_positive_rate='0.001'), lower(COALESCE(links ->> 'lead_id'::text, data ->> 'lead_id'::text)) text_bloom_ops (n_distinct_per_range='1300', false_positive_rate='0.001'), (links ->> 'session_id'::text) text_bloom_ops (n_distinct_per_range='500', false_positive_rate='0.005'), lower(data ->> 'kontakt_key'::text) text_bloom_ops (n_distinct_per_range='500', false_positive_rate='0.005'), kontakt_key_hint(data ->> 'email'::text) text_bloom_ops (n_distinct_per_range='500'), kontakt_key_hint(data ->> 'phone'::text) text_bloom_ops (n_distinct_per_range='500')) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX events_type_idx ON ONLY events USING btree (event_type, cursor);

CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('1') TO ('10000001');
COMMENT ON COLUMN events_1.cursor IS 'Position in the feed; ascending, with gaps where a partition was closed early.';
COMMENT ON COLUMN events_1.sequenced_at IS 'When the event got its cursor; retention counts from here.';
COMMENT ON COLUMN events_1.data IS 'Personal: the payload.';

CREATE TABLE events_10000001 PARTITION OF events FOR VALUES FROM ('10000001') TO ('20000001');
COMMENT ON COLUMN events_10000001.cursor IS 'Position in the feed; ascending, with gaps where a partition was closed early.';
COMMENT ON COLUMN events_10000001.sequenced_at IS 'When the event got its cursor; retention counts from here.';
COMMENT ON COLUMN events_10000001.data IS 'Personal: the payload.';

CREATE TABLE feed (
  only_row boolean NOT NULL DEFAULT true,
  head bigint NOT NULL DEFAULT 0,
  horizon bigint NOT NULL DEFAULT 0,
  idle boolean NOT NULL DEFAULT false,
  CONSTRAINT feed_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_check CHECK (horizon <= head),
  CONSTRAINT feed_only_row_check CHECK (only_row)
) WITH (fillfactor=10);
COMMENT ON TABLE feed IS 'One row: the state of the feed. Whoever gives out cursors locks it.';
COMMENT ON COLUMN feed.head IS 'The last cursor given out.';
COMMENT ON COLUMN feed.horizon IS 'The highest expired cursor.';
COMMENT ON COLUMN feed.idle IS 'Whether the sequencer sleeps and wants to be woken by a notification.';

CREATE TABLE haushalte (
  kontakt_key text COLLATE "C" NOT NULL,
  haushalt jsonb NOT NULL,
  provenance jsonb,
  din_check jsonb,
  empfehlungen_aktuell jsonb,
  quelle text,
  updated_at instant NOT NULL DEFAULT now(),
  vertraege_anzahl integer NOT NULL GENERATED ALWAYS AS (vertraege_anzahl(haushalt)) STORED,
  luecken_nach_stufe jsonb NOT NULL GENERATED ALWAYS AS (luecken_nach_stufe(din_check)) STORED,
  params_version text GENERATED ALWAYS AS ((din_check #>> '{bewertung,params_version}'::text[])) STORED,
  CONSTRAINT haushalte_pkey PRIMARY KEY (kontakt_key),
  CONSTRAINT haushalte_din_check_check CHECK (jsonb_typeof(din_check) = 'object'::text),
  CONSTRAINT haushalte_empfehlungen_aktuell_check CHECK (jsonb_typeof(empfehlungen_aktuell) = 'object'::text),
  CONSTRAINT haushalte_haushalt_check CHECK (jsonb_typeof(haushalt) = 'object'::text),
  CONSTRAINT haushalte_kontakt_key_check CHECK (COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
  CONSTRAINT haushalte_provenance_check CHECK (jsonb_typeof(provenance) = 'object'::text)
);
COMMENT ON TABLE haushalte IS 'Household records: the needs profile accumulated per contact.';
COMMENT ON COLUMN haushalte.kontakt_key IS 'Personal: identity key, email:, phone: or lead: and the normalised value.';
COMMENT ON COLUMN haushalte.haushalt IS 'Personal: the din_core_v2 household profile.';
COMMENT ON COLUMN haushalte.provenance IS 'Personal: where each field of the profile came from.';
COMMENT ON COLUMN haushalte.din_check IS 'Personal: the DIN check of the household.';
COMMENT ON COLUMN haushalte.empfehlungen_aktuell IS 'Personal: current recommendations.';
COMMENT ON COLUMN haushalte.quelle IS 'Origin of the last change, for example crm_import.';
COMMENT ON COLUMN haushalte.vertraege_anzahl IS 'Derived: number of contracts.';
COMMENT ON COLUMN haushalte.luecken_nach_stufe IS 'Derived: gaps per need level, [{stufe, anzahl}].';
COMMENT ON COLUMN haushalte.params_version IS 'Derived: parameter version of the DIN check.';
CREATE INDEX haushalte_updated_idx ON haushalte USING btree (updated_at DESC, kontakt_key);
CREATE TRIGGER haushalte_emit_changed AFTER UPDATE ON haushalte REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_changed();
CREATE TRIGGER haushalte_emit_created AFTER INSERT ON haushalte REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_created();
CREATE TRIGGER haushalte_income BEFORE INSERT OR UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell ON haushalte FOR EACH ROW EXECUTE FUNCTION redact_haushalt();
CREATE TRIGGER haushalte_key BEFORE UPDATE OF kontakt_key ON haushalte FOR EACH ROW WHEN (new.kontakt_key <> old.kontakt_key) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER haushalte_touch BEFORE UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell, quelle ON haushalte FOR EACH ROW WHEN (old.haushalt IS DISTINCT FROM new.haushalt OR old.provenance IS DISTINCT FROM new.provenance OR old.din_check IS DISTINCT FROM new.din_check OR old.empfehlungen_aktuell IS DISTINCT FROM new.empfehlungen_aktuell OR old.quelle IS DISTINCT FROM new.quelle) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION haushalt_payload(haushalt haushalte, before jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT jsonb_build_object('kontakt_key', (haushalt).kontakt_key, 'quelle', (haushalt).quelle, 'geaenderte_abschnitte', changed_sections(before, (haushalt).haushalt), 'vertraege_anzahl', (haushalt).vertraege_anzahl, 'luecken_anzahl', ( SELECT COALESCE(sum(((stufe.value ->> 'anzahl'::text))::integer), (0)::bigint) AS "coalesce"
            FROM jsonb_array_elements((haushalt_payload.haushalt).luecken_nach_stufe) stufe(value))) AS jsonb_build_object;
END;
COMMENT ON FUNCTION haushalt_payload(haushalt haushalte, before jsonb) IS 'data of haushalt.updated; before is the profile as it was, null for a new one.';

CREATE FUNCTION renumbered_haushalt(theirs haushalte, places integer[])
 RETURNS haushalte
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  theirs.haushalt := jsonb_set(theirs.haushalt, '{vertraege}', (
    select coalesce(jsonb_agg(coalesce(theirs.haushalt -> 'vertraege' -> (array_position(places, place) - 1), 'null') order by place), '[]')
    from generate_series(0, (select max(place) from unnest(places) as place)) as place));
  theirs.provenance := renumber_vertraege(theirs.provenance, places);
  theirs.din_check := renumber_vertraege(theirs.din_check, places);
  theirs.empfehlungen_aktuell := renumber_vertraege(theirs.empfehlungen_aktuell, places);
  return theirs;
end
$function$;
COMMENT ON FUNCTION renumbered_haushalt(theirs haushalte, places integer[]) IS 'A record with its contracts moved to their places in the united list.';

CREATE FUNCTION unite_haushalte(mine haushalte, theirs haushalte)
 RETURNS haushalte
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  united haushalte := mine;
  mine_moments constant jsonb := provenance_moments(mine.provenance);
  theirs_moments jsonb;
  their_check_is_newer boolean;
begin
  if jsonb_typeof(mine.haushalt -> 'vertraege') = 'array' and jsonb_typeof(theirs.haushalt -> 'vertraege') = 'array' then
    theirs := renumbered_haushalt(theirs, vertraege_places(mine.haushalt -> 'vertraege', theirs.haushalt -> 'vertraege'));
  end if;
  theirs_moments := provenance_moments(theirs.provenance);
  their_check_is_newer := theirs.din_check is not null and (mine.din_check is null
    or coalesce(iso_moment(theirs.din_check ->> 'erstellt_am'), '-infinity') > coalesce(iso_moment(mine.din_check ->> 'erstellt_am'), '-infinity'));
  united.haushalt := unite_values(mine.haushalt, theirs.haushalt, '', mine_moments, theirs_moments);
  united.provenance := unite_provenance(mine, theirs, mine_moments, theirs_moments);
  if their_check_is_newer then
    united.din_check := theirs.din_check;
    united.empfehlungen_aktuell := coalesce(theirs.empfehlungen_aktuell, mine.empfehlungen_aktuell);
  else
    united.empfehlungen_aktuell := coalesce(mine.empfehlungen_aktuell, theirs.empfehlungen_aktuell);
  end if;
  united.quelle := case when theirs.updated_at > mine.updated_at then coalesce(theirs.quelle, mine.quelle) else coalesce(mine.quelle, theirs.quelle) end;
  united.updated_at := greatest(mine.updated_at, theirs.updated_at);
  return united;
end
$function$;
COMMENT ON FUNCTION unite_haushalte(mine haushalte, theirs haushalte) IS 'Two household records as one, under the key of the first.';

CREATE FUNCTION unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 WITH entries AS (
          SELECT name.name,
             string_to_array(translate(field.path, '[]'::text, '.'::text), '.'::text) AS place,
             field.path
            FROM (jsonb_object_keys((COALESCE((unite_provenance.mine).provenance, '{}'::jsonb) || COALESCE((unite_provenance.theirs).provenance, '{}'::jsonb))) name(name)
              CROSS JOIN LATERAL ( SELECT "substring"(name.name, '^(?:vertraege\[\d+\])?[^\[]*'::text) AS path) field)
         ), chosen AS (
          SELECT entries.name,
                 CASE
                     WHEN (is_unknown(((unite_provenance.mine).haushalt #> entries.place)) AND is_unknown(((unite_provenance.theirs).haushalt #> entries.place))) THEN COALESCE(((unite_provenance.mine).provenance -> entries.name), ((unite_provenance.theirs).provenance -> entries.name))
                     WHEN theirs_wins(((unite_provenance.mine).haushalt #> entries.place), ((unite_provenance.theirs).haushalt #> entries.place), entries.path, unite_provenance.mine_moments, unite_provenance.theirs_moments) THEN ((unite_provenance.theirs).provenance -> entries.name)
                     ELSE ((unite_provenance.mine).provenance -> entries.name)
                 END AS entry
            FROM entries
         )
  SELECT jsonb_object_agg(chosen.name, chosen.entry) FILTER (WHERE (chosen.entry IS NOT NULL)) AS jsonb_object_agg
    FROM chosen;
END;
COMMENT ON FUNCTION unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb) IS 'The provenance of two united records.';

CREATE TABLE hook_leases (
  claim uuid NOT NULL,
  subscription_id uuid NOT NULL,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  lapses_at instant NOT NULL,
  CONSTRAINT hook_leases_pkey PRIMARY KEY (claim, subscription_id)
) WITH (autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
COMMENT ON TABLE hook_leases IS 'What was taken in its turn and is not all recorded: the deliveries of a subscription from one id to another that are still in hook_queue without a due_at.';
COMMENT ON COLUMN hook_leases.lapses_at IS 'From then on whoever claims next makes what is left due again.';
CREATE INDEX hook_leases_lapse_idx ON hook_leases USING btree (lapses_at);
CREATE INDEX hook_leases_subscription_idx ON hook_leases USING btree (subscription_id);

CREATE TABLE hook_other_attempts (
  delivery_id bigint NOT NULL,
  claim uuid NOT NULL,
  started_at instant NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error_class text,
  excerpt text,
  CONSTRAINT hook_other_attempts_pkey PRIMARY KEY (delivery_id, claim),
  CONSTRAINT hook_other_attempts_error_class_check CHECK (error_class = ANY (ARRAY['dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'status'::text, 'blocked'::text])),
  CONSTRAINT hook_other_attempts_excerpt_check CHECK (length(excerpt) <= 1024)
);
COMMENT ON TABLE hook_other_attempts IS 'Attempts that did not deliver, those recorded too late, and those from before a delivery was due anew; kept as long as their delivery.';
COMMENT ON COLUMN hook_other_attempts.claim IS 'The claim that made the attempt: recording it twice, as after a lost connection, changes nothing.';
COMMENT ON COLUMN hook_other_attempts.status IS 'Status of the answer; null: none came.';
COMMENT ON COLUMN hook_other_attempts.error_class IS 'Why it was no success; null: it was one.';
COMMENT ON COLUMN hook_other_attempts.excerpt IS 'Personal: the beginning of the answer, as the receiver wrote it.';
CREATE INDEX hook_other_attempts_started_idx ON hook_other_attempts USING brin (started_at) WITH (pages_per_range='16', autosummarize='on');

CREATE TABLE hook_outcomes (
  id bigint NOT NULL,
  subscription_id uuid NOT NULL,
  cursor bigint,
  test_event jsonb,
  state text NOT NULL,
  attempts integer NOT NULL,
  claim uuid,
  created_at instant NOT NULL,
  ended_at instant NOT NULL DEFAULT now(),
  maybe_sent boolean NOT NULL DEFAULT false,
  started_at instant,
  duration_ms integer,
  status integer,
  excerpt text,
  CONSTRAINT hook_outcomes_pkey PRIMARY KEY (id),
  CONSTRAINT hook_outcomes_attempt_check CHECK ((claim IS NULL) = (started_at IS NULL) AND (claim IS NULL) = (duration_ms IS NULL) AND (claim IS NULL OR state = 'delivered'::text)),
  CONSTRAINT hook_outcomes_check CHECK ((cursor IS NULL) <> (test_event IS NULL)),
  CONSTRAINT hook_outcomes_excerpt_check CHECK (length(excerpt) <= 1024),
  CONSTRAINT hook_outcomes_state_check CHECK (state = ANY (ARRAY['delivered'::text, 'failed'::text, 'skipped'::text]))
);
COMMENT ON TABLE hook_outcomes IS 'Deliveries that ended, each with the attempt that delivered it, kept as long as the feed keeps events.';
COMMENT ON COLUMN hook_outcomes.subscription_id IS 'No foreign key: deleting a subscription must not wait for its deliveries.';
COMMENT ON COLUMN hook_outcomes.cursor IS 'The event, by its place in the feed; null for a test event.';
COMMENT ON COLUMN hook_outcomes.test_event IS 'The envelope of a test event, which is in no feed.';
COMMENT ON COLUMN hook_outcomes.attempts IS 'Attempts recorded since it was last due anew.';
COMMENT ON COLUMN hook_outcomes.claim IS 'The claim that delivered it: recording it twice, as after a lost connection, changes nothing. Null: not delivered, or its attempt is among hook_other_attempts.';
COMMENT ON COLUMN hook_outcomes.maybe_sent IS 'Whether some attempt may have arrived that nobody recorded.';
COMMENT ON COLUMN hook_outcomes.started_at IS 'When the attempt began that delivered it.';
COMMENT ON COLUMN hook_outcomes.status IS 'Status of the answer to it.';
COMMENT ON COLUMN hook_outcomes.excerpt IS 'Personal: the beginning of that answer, as the receiver wrote it.';
CREATE INDEX hook_outcomes_cursor_idx ON hook_outcomes USING brin (cursor int8_minmax_multi_ops) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX hook_outcomes_started_idx ON hook_outcomes USING brin (started_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX hook_outcomes_state_idx ON hook_outcomes USING btree (subscription_id, state, id);

CREATE TABLE hook_positions (
  subscription_id uuid NOT NULL,
  taken_id bigint NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,
  closed_at instant,
  CONSTRAINT hook_positions_pkey PRIMARY KEY (subscription_id)
) WITH (fillfactor=20, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
COMMENT ON TABLE hook_positions IS 'How far the deliveries of each subscription have been taken in their turn. Whoever takes some holds the row.';
COMMENT ON COLUMN hook_positions.taken_id IS 'All that waited for its turn up to this id was taken. The sequencer inserts under the lock of feed, so nothing that waits for its turn ever appears below.';
COMMENT ON COLUMN hook_positions.version IS 'Goes up when deliveries above taken_id are erased or skipped: a claim whose snapshot has an older version takes nothing.';
COMMENT ON COLUMN hook_positions.closed_at IS 'When pruning found the subscription deleted; the row stays for an hour, for what the sequencer had under way.';

CREATE TABLE hook_queue (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  subscription_id uuid NOT NULL,
  cursor bigint,
  test_event jsonb,
  attempts integer NOT NULL DEFAULT 0,
  due_at instant,
  claim uuid,
  created_at instant NOT NULL DEFAULT now(),
  maybe_sent boolean NOT NULL DEFAULT false,
  CONSTRAINT hook_queue_pkey PRIMARY KEY (id),
  CONSTRAINT hook_queue_check CHECK ((cursor IS NULL) <> (test_event IS NULL)),
  CONSTRAINT hook_queue_check1 CHECK (claim IS NULL OR due_at IS NOT NULL)
) WITH (autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
COMMENT ON TABLE hook_queue IS 'Deliveries that have not ended: an event on its way to a subscription. A row leaves for hook_outcomes when it is delivered, has finally failed, or is skipped because the subscription is paused.';
COMMENT ON COLUMN hook_queue.subscription_id IS 'No foreign key: deleting a subscription must not wait for its deliveries.';
COMMENT ON COLUMN hook_queue.cursor IS 'The event, by its place in the feed; null for a test event.';
COMMENT ON COLUMN hook_queue.test_event IS 'The envelope of a test event, which is in no feed.';
COMMENT ON COLUMN hook_queue.attempts IS 'Attempts recorded since it was last due anew. Counted when recorded: a crash must not use one up unsent.';
COMMENT ON COLUMN hook_queue.due_at IS 'From when on it may be taken; null: in its turn, see hook_positions. Of one with a claim: when that lapses. Once there is one it never becomes null again: that tells a claim that has lapsed from one that has not.';
COMMENT ON COLUMN hook_queue.claim IS 'Who may record an attempt: made anew by every claim, so a late answer of an earlier claim changes nothing. What is taken in its turn has its claim in hook_leases.';
COMMENT ON COLUMN hook_queue.maybe_sent IS 'Whether some attempt may have arrived that nobody recorded: the process stopped or died meanwhile, or its claim lapsed.';
CREATE INDEX hook_queue_cursor_idx ON hook_queue USING brin (cursor int8_minmax_multi_ops) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX hook_queue_due_idx ON hook_queue USING btree (subscription_id, due_at, id);

CREATE TABLE hook_subscriptions (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  target_url text NOT NULL,
  event_types text[] NOT NULL,
  label text,
  source text NOT NULL DEFAULT 'api'::text,
  active boolean NOT NULL DEFAULT true,
  created_at instant NOT NULL DEFAULT now(),
  secret text NOT NULL,
  old_secret text,
  old_secret_until instant,
  old_secret_leads boolean NOT NULL DEFAULT false,
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since instant,
  failing_cursor bigint,
  missed_since instant,
  missed_cursor bigint,
  paused_at instant,
  CONSTRAINT hook_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT hook_subscriptions_check CHECK (active = (paused_at IS NULL)),
  CONSTRAINT hook_subscriptions_check1 CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
  CONSTRAINT hook_subscriptions_consecutive_failures_check CHECK (consecutive_failures >= 0),
  CONSTRAINT hook_subscriptions_event_types_check CHECK (cardinality(event_types) >= 1 AND array_position(event_types, NULL::text) IS NULL AND event_types <@ ARRAY['lead.created'::text, 'lead.stage_changed'::text, 'lead.archived'::text, 'analysis.completed'::text, 'din.check_completed'::text, 'haushalt.updated'::text, 'kontakt.merged'::text, 'appointment.scheduled'::text, 'appointment.cancelled'::text, 'appointment.updated'::text, 'meeting.intelligence_ready'::text, 'meeting.intelligence_failed'::text, 'advisory_doc.approved'::text, 'advisory_doc.sent'::text, 'signal.opened'::text, 'signal.status_changed'::text, 'signal.outcome_recorded'::text]),
  CONSTRAINT hook_subscriptions_label_check CHECK (length(label) <= 200),
  CONSTRAINT hook_subscriptions_source_check CHECK (source = ANY (ARRAY['api'::text, 'zapier'::text, 'make'::text])),
  CONSTRAINT hook_subscriptions_target_url_check CHECK (target_url ~~ 'https://%'::text AND length(target_url) <= 2048)
);
COMMENT ON TABLE hook_subscriptions IS 'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
COMMENT ON COLUMN hook_subscriptions.target_url IS 'Canonical form of an https address; checked again at every attempt.';
COMMENT ON COLUMN hook_subscriptions.active IS 'False while paused: events are then recorded as skipped.';
COMMENT ON COLUMN hook_subscriptions.secret IS 'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
COMMENT ON COLUMN hook_subscriptions.old_secret IS 'The secret before the last rotation, encrypted alike; signs beside the new one until old_secret_until.';
COMMENT ON COLUMN hook_subscriptions.old_secret_leads IS 'Whether the single-valued signature header still uses the old secret.';
COMMENT ON COLUMN hook_subscriptions.consecutive_failures IS 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
COMMENT ON COLUMN hook_subscriptions.failing_since IS 'When the last run of final failures began.';
COMMENT ON COLUMN hook_subscriptions.failing_cursor IS 'The lowest cursor in the last run of final failures.';
COMMENT ON COLUMN hook_subscriptions.missed_since IS 'When the first run of failures began that paused it and has not been made up for; null: none.';
COMMENT ON COLUMN hook_subscriptions.missed_cursor IS 'The lowest cursor in such a run.';
CREATE TRIGGER hook_subscriptions_followed AFTER INSERT ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION follow_hook();

CREATE FUNCTION catch_up_cursor(subscription hook_subscriptions)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select least(
    case when subscription.consecutive_failures > 0 then subscription.failing_cursor end,
    subscription.missed_cursor,
    (select hook_queue.cursor from hook_queue
      where hook_queue.subscription_id = subscription.id and hook_queue.due_at is null
      order by hook_queue.due_at, hook_queue.id limit 1),
    (select min(hook_queue.cursor) from hook_queue
      where hook_queue.subscription_id = subscription.id and hook_queue.due_at is not null),
    (select hook_outcomes.cursor from hook_outcomes
      where hook_outcomes.subscription_id = subscription.id and hook_outcomes.state = 'skipped' and hook_outcomes.cursor is not null
      order by hook_outcomes.id limit 1)) - 1
$function$;
COMMENT ON FUNCTION catch_up_cursor(subscription hook_subscriptions) IS 'The cursor after which GET /events gives everything the subscription has not received; null: nothing is missing.';

CREATE TABLE kontakt_aliases (
  alias_key text COLLATE "C" NOT NULL,
  canonical_key text COLLATE "C" NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT kontakt_aliases_pkey PRIMARY KEY (alias_key),
  CONSTRAINT kontakt_aliases_alias_key_check CHECK (COALESCE(kontakt_key(alias_key) = alias_key, false)),
  CONSTRAINT kontakt_aliases_canonical_key_check CHECK (COALESCE(kontakt_key(canonical_key) = canonical_key, false)),
  CONSTRAINT kontakt_aliases_check CHECK (alias_key <> canonical_key)
);
COMMENT ON TABLE kontakt_aliases IS 'Merged identity keys, always one hop from alias to surviving key.';
COMMENT ON COLUMN kontakt_aliases.alias_key IS 'Personal: the key that was merged away.';
COMMENT ON COLUMN kontakt_aliases.canonical_key IS 'Personal: the key that survives.';
CREATE INDEX kontakt_aliases_canonical_idx ON kontakt_aliases USING btree (canonical_key, alias_key);
CREATE TRIGGER kontakt_aliases_flat_on_insert AFTER INSERT ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();
CREATE TRIGGER kontakt_aliases_flat_on_update AFTER UPDATE ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();

CREATE TABLE leads (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text,
  email text,
  phone text,
  status text NOT NULL DEFAULT 'new'::text,
  source_type text,
  contacted_at instant,
  archived_at instant,
  archive_reason_code text,
  parsed_data jsonb,
  created_at instant NOT NULL DEFAULT now(),
  product_domain text,
  session_id uuid,
  search_text text COLLATE "C" GENERATED ALWAYS AS (search_form(((((COALESCE(name, ''::text) || e'\u001f'::text) || COALESCE(email, ''::text)) || e'\u001f'::text) || COALESCE(phone, ''::text)))) STORED,
  CONSTRAINT leads_pkey PRIMARY KEY (id),
  CONSTRAINT leads_parsed_data_check CHECK (jsonb_typeof(parsed_data) = 'object'::text),
  CONSTRAINT leads_status_check CHECK (status <> ''::text)
);
COMMENT ON TABLE leads IS 'Leads of the workspace: people who may become customers.';
COMMENT ON COLUMN leads.name IS 'Personal: the name as it was given.';
COMMENT ON COLUMN leads.email IS 'Personal: the mail address as it was given.';
COMMENT ON COLUMN leads.phone IS 'Personal: the phone number as it was given.';
COMMENT ON COLUMN leads.status IS 'Pipeline status; free text, a new lead is new.';
COMMENT ON COLUMN leads.source_type IS 'Where the lead came from, for example website_form.';
COMMENT ON COLUMN leads.archived_at IS 'When the lead was archived; null: not archived.';
COMMENT ON COLUMN leads.archive_reason_code IS 'Why the lead was archived, for example not_reachable.';
COMMENT ON COLUMN leads.parsed_data IS 'Personal: contact data as it was parsed, free-form object.';
COMMENT ON COLUMN leads.product_domain IS 'Product classification, carried by the event lead.created.';
COMMENT ON COLUMN leads.session_id IS 'The conversation the lead came from; goes into links.session_id of events.';
COMMENT ON COLUMN leads.search_text IS 'Personal: name, email and phone in search form; derived.';
CREATE INDEX leads_active_idx ON leads USING btree (created_at DESC, id DESC) WHERE archived_at IS NULL;
CREATE INDEX leads_active_status_idx ON leads USING btree (status, created_at DESC, id DESC) WHERE archived_at IS NULL;
CREATE INDEX leads_created_idx ON leads USING btree (created_at DESC, id DESC);
CREATE INDEX leads_email_hint_idx ON leads USING btree (kontakt_key_hint(email));
CREATE INDEX leads_phone_hint_idx ON leads USING btree (kontakt_key_hint(phone));
CREATE INDEX leads_search_idx ON leads USING gin (search_text gin_trgm_ops);
CREATE INDEX leads_status_idx ON leads USING btree (status, created_at DESC, id DESC);
CREATE TRIGGER leads_emit_changed AFTER UPDATE ON leads REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_changed();
CREATE TRIGGER leads_emit_created AFTER INSERT ON leads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_created();
CREATE TRIGGER leads_income BEFORE INSERT OR UPDATE OF parsed_data ON leads FOR EACH ROW WHEN (new.parsed_data IS NOT NULL) EXECUTE FUNCTION redact_lead();
CREATE TRIGGER leads_key BEFORE UPDATE OF id ON leads FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE FUNCTION leads_shown(lead_ids uuid[], row_limit integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_build_object('id', shown.id, 'name', shown.name, 'email', shown.email, 'phone', shown.phone, 'created_at', shown.created_at) ORDER BY shown.created_at DESC, shown.id DESC), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT leads.id,
             leads.name,
             leads.email,
             leads.phone,
             leads.created_at
            FROM leads
           WHERE (leads.id = ANY (leads_shown.lead_ids))
           ORDER BY leads.created_at DESC, leads.id DESC
          LIMIT leads_shown.row_limit) shown;
END;
COMMENT ON FUNCTION leads_shown(lead_ids uuid[], row_limit integer) IS 'What tells one lead from another, newest first: [{id, name, email, phone, created_at}].';

CREATE FUNCTION kontakt_leads(identity text, row_limit integer)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT person.canonical_key,
     person.keys,
     person.shared_keys,
     cardinality(person.lead_ids) AS cardinality,
     leads_shown(person.lead_ids, kontakt_leads.row_limit) AS leads_shown
    FROM kontakt_person(kontakt_leads.identity) person(canonical_key, keys, shared_keys, lead_ids)
   WHERE (person.canonical_key IS NOT NULL);
END;
COMMENT ON FUNCTION kontakt_leads(identity text, row_limit integer) IS 'Who it is that an identity stands for: keys and leads, so many of them. No row where it is none.';
REVOKE EXECUTE ON FUNCTION kontakt_leads(identity text, row_limit integer) FROM PUBLIC;

CREATE TABLE advisory_docs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  lead_id uuid,
  title text,
  approved_at instant,
  sent_at instant,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT advisory_docs_pkey PRIMARY KEY (id),
  CONSTRAINT advisory_docs_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE advisory_docs IS 'Advisory documents (Beratungsdokumentation) and when they were approved and sent.';
COMMENT ON COLUMN advisory_docs.title IS 'Personal: title of the document.';
CREATE INDEX advisory_docs_lead_idx ON advisory_docs USING btree (lead_id);
CREATE TRIGGER advisory_docs_emit_changed AFTER UPDATE ON advisory_docs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_changed();
CREATE TRIGGER advisory_docs_emit_created AFTER INSERT ON advisory_docs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_created();
CREATE TRIGGER advisory_docs_key BEFORE UPDATE OF id ON advisory_docs FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TABLE appointments (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  title text,
  status text NOT NULL DEFAULT 'scheduled'::text,
  platform text NOT NULL,
  meeting_url text,
  starts_at instant NOT NULL,
  ends_at instant,
  customer_display_name text,
  source text,
  intelligence_status text,
  created_at instant NOT NULL DEFAULT now(),
  lead_id uuid,
  session_id uuid,
  CONSTRAINT appointments_pkey PRIMARY KEY (id),
  CONSTRAINT appointments_meeting_url_check CHECK (meeting_url ~ '^[A-Za-z][A-Za-z0-9+.-]*:[^[:space:]]+$'::text),
  CONSTRAINT appointments_status_check CHECK (status <> ''::text),
  CONSTRAINT appointments_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE appointments IS 'Appointments of the workspace, past and to come.';
COMMENT ON COLUMN appointments.title IS 'Personal: title, often with a name in it.';
COMMENT ON COLUMN appointments.status IS 'State of the appointment; free text, a new one is scheduled, cancelled emits appointment.cancelled.';
COMMENT ON COLUMN appointments.platform IS 'Where it takes place, for example zoom, phone or in_person.';
COMMENT ON COLUMN appointments.meeting_url IS 'Personal: the link that opens the meeting.';
COMMENT ON COLUMN appointments.customer_display_name IS 'Personal: the customer''s name as shown.';
COMMENT ON COLUMN appointments.source IS 'Where it was made, for example calendar.';
COMMENT ON COLUMN appointments.intelligence_status IS 'State of the meeting intelligence, for example pending or ready; null: none.';
COMMENT ON COLUMN appointments.lead_id IS 'The lead it is with; goes into links.lead_id of events.';
COMMENT ON COLUMN appointments.session_id IS 'The conversation; goes into links.session_id of events.';
CREATE INDEX appointments_lead_idx ON appointments USING btree (lead_id);
CREATE INDEX appointments_session_idx ON appointments USING btree (session_id) WHERE lead_id IS NULL AND session_id IS NOT NULL;
CREATE INDEX appointments_starts_idx ON appointments USING btree (starts_at DESC, id DESC);
CREATE INDEX appointments_status_idx ON appointments USING btree (status, starts_at DESC, id DESC);
CREATE TRIGGER appointments_emit_changed AFTER UPDATE ON appointments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_changed();
CREATE TRIGGER appointments_emit_created AFTER INSERT ON appointments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_created();
CREATE TRIGGER appointments_key BEFORE UPDATE OF id ON appointments FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE FUNCTION appointment_payload(appointment appointments)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN jsonb_build_object('appointment_id', (appointment).id, 'title', (appointment).title, 'starts_at', (appointment).starts_at, 'ends_at', (appointment).ends_at, 'platform', (appointment).platform, 'meeting_url', (appointment).meeting_url, 'customer_display_name', (appointment).customer_display_name, 'source', (appointment).source);
COMMENT ON FUNCTION appointment_payload(appointment appointments) IS 'data of the appointment events.';

CREATE TABLE lead_analyses (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  lead_id uuid NOT NULL,
  channel text NOT NULL,
  source_id text NOT NULL,
  analysis_schema_version text,
  analysis jsonb NOT NULL,
  analysis_v2 jsonb,
  din_check jsonb,
  created_at instant NOT NULL DEFAULT now(),
  session_id uuid,
  kontakt_key text COLLATE "C",
  CONSTRAINT lead_analyses_pkey PRIMARY KEY (id),
  CONSTRAINT lead_analyses_lead_id_channel_source_id_key UNIQUE (lead_id, channel, source_id),
  CONSTRAINT lead_analyses_analysis_check CHECK (jsonb_typeof(analysis) = 'object'::text),
  CONSTRAINT lead_analyses_analysis_v2_check CHECK (jsonb_typeof(analysis_v2) = 'object'::text),
  CONSTRAINT lead_analyses_channel_check CHECK (channel = ANY (ARRAY['chat'::text, 'call'::text])),
  CONSTRAINT lead_analyses_din_check_check CHECK (jsonb_typeof(din_check) = 'object'::text),
  CONSTRAINT lead_analyses_kontakt_key_check CHECK (kontakt_key IS NULL OR COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
  CONSTRAINT lead_analyses_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE CASCADE
);
COMMENT ON TABLE lead_analyses IS 'Finished needs analyses (DIN 77230), one per lead, channel and source.';
COMMENT ON COLUMN lead_analyses.source_id IS 'The conversation''s id in its channel.';
COMMENT ON COLUMN lead_analyses.analysis_schema_version IS 'Core form and product fragment, for example din_core_v2+hausrat_v1.';
COMMENT ON COLUMN lead_analyses.analysis IS 'Personal: the flat export projection; computed from analysis_v2 when left out.';
COMMENT ON COLUMN lead_analyses.analysis_v2 IS 'Personal: the nested din_core_v2 form.';
COMMENT ON COLUMN lead_analyses.din_check IS 'Personal: the DIN check of this analysis.';
COMMENT ON COLUMN lead_analyses.session_id IS 'The conversation; goes into links.session_id of events.';
COMMENT ON COLUMN lead_analyses.kontakt_key IS 'Personal: identity key of the contact the analysis belongs to.';
CREATE INDEX lead_analyses_kontakt_idx ON lead_analyses USING btree (kontakt_key) WHERE kontakt_key IS NOT NULL;
CREATE INDEX lead_analyses_newest_idx ON lead_analyses USING btree (lead_id, created_at DESC, id DESC);
CREATE TRIGGER lead_analyses_emit_checked AFTER UPDATE ON lead_analyses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_checked();
CREATE TRIGGER lead_analyses_emit_completed AFTER INSERT ON lead_analyses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_completed();
CREATE TRIGGER lead_analyses_income BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION redact_lead_analysis();
CREATE TRIGGER lead_analyses_key BEFORE UPDATE OF id ON lead_analyses FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER lead_analyses_projection BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION project_lead_analysis();

CREATE TABLE meeting_intelligence (
  appointment_id uuid NOT NULL,
  status text NOT NULL,
  failure_reason text,
  overall_score score,
  customer_persona text,
  conversation_type text,
  summary text,
  next_steps jsonb,
  results jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT meeting_intelligence_pkey PRIMARY KEY (appointment_id),
  CONSTRAINT meeting_intelligence_results_check CHECK (are_result_entries(results)),
  CONSTRAINT meeting_intelligence_status_check CHECK (status = ANY (ARRAY['ready'::text, 'failed'::text])),
  CONSTRAINT meeting_intelligence_appointment_id_fkey FOREIGN KEY (appointment_id) REFERENCES appointments(id) ON DELETE CASCADE
);
COMMENT ON TABLE meeting_intelligence IS 'What was found in a meeting: one row per appointment.';
COMMENT ON COLUMN meeting_intelligence.failure_reason IS 'Why it failed, when status is failed.';
COMMENT ON COLUMN meeting_intelligence.customer_persona IS 'Personal: how the customer was read.';
COMMENT ON COLUMN meeting_intelligence.conversation_type IS 'Kind of conversation, for example erstberatung.';
COMMENT ON COLUMN meeting_intelligence.summary IS 'Personal: what was said.';
COMMENT ON COLUMN meeting_intelligence.next_steps IS 'Personal: what was agreed.';
COMMENT ON COLUMN meeting_intelligence.results IS 'Personal: array of result entries, each with every member of the API''s result entry.';
CREATE TRIGGER meeting_intelligence_emit_changed AFTER UPDATE ON meeting_intelligence REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_changed();
CREATE TRIGGER meeting_intelligence_emit_found AFTER INSERT ON meeting_intelligence REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_found();
CREATE TRIGGER meeting_intelligence_income BEFORE INSERT OR UPDATE OF summary, next_steps, results ON meeting_intelligence FOR EACH ROW EXECUTE FUNCTION redact_meeting_intelligence();
CREATE TRIGGER meeting_intelligence_key BEFORE UPDATE OF appointment_id ON meeting_intelligence FOR EACH ROW WHEN (new.appointment_id <> old.appointment_id) EXECUTE FUNCTION refuse_key_change();

CREATE FUNCTION meeting_payload(found meeting_intelligence)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((found).status = 'ready'::text) THEN jsonb_build_object('appointment_id', (found).appointment_id, 'summary', (found).summary, 'next_steps', (found).next_steps, 'overall_score', (found).overall_score, 'results', (found).results) ELSE jsonb_build_object('appointment_id', (found).appointment_id, 'failure_reason', (found).failure_reason) END;
COMMENT ON FUNCTION meeting_payload(found meeting_intelligence) IS 'data of meeting.intelligence_ready or meeting.intelligence_failed.';

CREATE FUNCTION meeting_results(found meeting_intelligence)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT (COALESCE(jsonb_agg(jsonb_build_object('field_key', head.field_key, 'label', head.label, 'kind', head.field_key, 'output_type', head.output_type, 'status', 'ready', 'value', head.value, 'score', NULL::unknown, 'level', NULL::unknown, 'rationale', NULL::unknown, 'recommendation', NULL::unknown, 'generated_at', (meeting_results.found).created_at) ORDER BY head."position"), '[]'::jsonb) || (meeting_results.found).results)
    FROM ( VALUES (1,'summary'::text,'Zusammenfassung'::text,'text'::text,to_jsonb((meeting_results.found).summary)), (2,'next_steps'::text,'Nächste Schritte'::text,'list'::text,NULLIF((meeting_results.found).next_steps, 'null'::jsonb))) head("position", field_key, label, output_type, value)
   WHERE ((head.value IS NOT NULL) AND (NOT ((meeting_results.found).results @> jsonb_build_array(jsonb_build_object('field_key', head.field_key)))));
END;
COMMENT ON FUNCTION meeting_results(found meeting_intelligence) IS 'Result entries of a meeting with its summary and next steps in front.';

CREATE TABLE owner_notices (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  subscription_id uuid NOT NULL,
  failures integer NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  due_at instant NOT NULL DEFAULT now(),
  CONSTRAINT owner_notices_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE owner_notices IS 'Notices to OWNER_WEBHOOK_URL that have not been accepted: a subscription reached so many failures in a row. Kept for a day.';
COMMENT ON COLUMN owner_notices.due_at IS 'When it is sent, or sent again: moved on before each attempt.';

CREATE TABLE owner_sessions (
  digest bytea NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  used_at instant NOT NULL DEFAULT now(),
  CONSTRAINT owner_sessions_pkey PRIMARY KEY (digest),
  CONSTRAINT owner_sessions_digest_check CHECK (length(digest) = 32)
);
COMMENT ON TABLE owner_sessions IS 'Sessions of the dashboard. The token itself is only in the browser’s cookie.';
COMMENT ON COLUMN owner_sessions.digest IS 'HMAC-SHA256 of the token under the hash of the password: with another password nobody is signed in.';
COMMENT ON COLUMN owner_sessions.used_at IS 'Written once a minute at most.';

CREATE UNLOGGED TABLE rate_windows (
  key_id uuid NOT NULL,
  seconds bigint[] NOT NULL,
  totals bigint[] NOT NULL,
  expired bigint NOT NULL,
  granted integer NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id)
) WITH (fillfactor=50);
COMMENT ON TABLE rate_windows IS 'Rate limit: requests granted to a key. Forgotten by a crash, on purpose.';
COMMENT ON COLUMN rate_windows.seconds IS 'Unix seconds in which requests were granted, ascending, at most 61.';
COMMENT ON COLUMN rate_windows.totals IS 'By second: requests granted up to its end, since the row was made.';
COMMENT ON COLUMN rate_windows.expired IS 'Requests granted before the oldest of the seconds.';
COMMENT ON COLUMN rate_windows.granted IS 'Requests granted by the last statement.';

CREATE TABLE redaction_progress (
  table_name text NOT NULL,
  after_key text NOT NULL,
  seen bigint NOT NULL,
  changed bigint NOT NULL,
  CONSTRAINT redaction_progress_pkey PRIMARY KEY (table_name)
);
COMMENT ON TABLE redaction_progress IS 'How far an interrupted run of the command redact has come; empty when none is.';
COMMENT ON COLUMN redaction_progress.table_name IS 'The table it is about.';
COMMENT ON COLUMN redaction_progress.after_key IS 'Personal: key of the last row looked at.';

CREATE TABLE sample_events (
  event_type text NOT NULL,
  id uuid NOT NULL,
  schema_version text NOT NULL,
  occurred_at instant NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  links jsonb NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT sample_events_pkey PRIMARY KEY (event_type),
  CONSTRAINT sample_events_event_type_fkey FOREIGN KEY (event_type) REFERENCES event_types(event_type)
);
COMMENT ON TABLE sample_events IS 'One example event per type, made by make_sample_events.';
COMMENT ON COLUMN sample_events.data IS 'The payload of an invented person.';

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);
COMMENT ON TABLE schema_migrations IS 'Migrations applied to this database; sha256 is that of the file''s text.';

CREATE TABLE signals (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  title text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  score score NOT NULL,
  lead_id uuid,
  detected_at instant NOT NULL DEFAULT now(),
  updated_at instant NOT NULL DEFAULT now(),
  kontakt_key text COLLATE "C",
  quelle text,
  outcome text,
  CONSTRAINT signals_pkey PRIMARY KEY (id),
  CONSTRAINT signals_kontakt_key_check CHECK (kontakt_key IS NULL OR COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
  CONSTRAINT signals_status_check CHECK (status = ANY (ARRAY['open'::text, 'dismissed'::text, 'done'::text, 'resolved'::text])),
  CONSTRAINT signals_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE signals IS 'Sales signals: reasons to speak with a contact.';
COMMENT ON COLUMN signals.kind IS 'Kind of signal, for example vertragsablauf.';
COMMENT ON COLUMN signals.title IS 'Personal: title of the signal.';
COMMENT ON COLUMN signals.kontakt_key IS 'Personal: identity key of the contact it concerns.';
COMMENT ON COLUMN signals.quelle IS 'Origin, for example crm_import.';
COMMENT ON COLUMN signals.outcome IS 'What came of it; set once known.';
CREATE INDEX signals_detected_idx ON signals USING btree (detected_at DESC, id DESC);
CREATE INDEX signals_kontakt_idx ON signals USING btree (kontakt_key) WHERE kontakt_key IS NOT NULL;
CREATE INDEX signals_lead_idx ON signals USING btree (lead_id);
CREATE INDEX signals_status_idx ON signals USING btree (status, detected_at DESC, id DESC);
CREATE TRIGGER signals_emit_changed AFTER UPDATE ON signals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_changed();
CREATE TRIGGER signals_emit_opened AFTER INSERT ON signals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_opened();
CREATE TRIGGER signals_key BEFORE UPDATE OF id ON signals FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER signals_touch BEFORE UPDATE OF kind, title, status, score, lead_id, kontakt_key, quelle, outcome ON signals FOR EACH ROW WHEN (old.kind IS DISTINCT FROM new.kind OR old.title IS DISTINCT FROM new.title OR old.status IS DISTINCT FROM new.status OR old.score::numeric IS DISTINCT FROM new.score::numeric OR old.lead_id IS DISTINCT FROM new.lead_id OR old.kontakt_key IS DISTINCT FROM new.kontakt_key OR old.quelle IS DISTINCT FROM new.quelle OR old.outcome IS DISTINCT FROM new.outcome) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION signal_payload(signal signals)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('signal_id', (signal).id, 'kind', (signal).kind, 'title', (signal).title, 'score', (signal).score, 'status', (signal).status, 'kontakt_key', (signal).kontakt_key, 'lead_id', (signal).lead_id, 'quelle', (signal).quelle);
COMMENT ON FUNCTION signal_payload(signal signals) IS 'data of signal.opened and signal.status_changed.';

CREATE VIEW events_partitions AS
 SELECT child.oid::regclass AS partition,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''(\d+)''\)'::text))[1]::bigint AS first_cursor,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''(\d+)''\)'::text))[1]::bigint - 1 AS last_cursor
   FROM pg_inherits
     JOIN pg_class child ON child.oid = pg_inherits.inhrelid
  WHERE pg_inherits.inhparent = 'events'::regclass::oid;
COMMENT ON VIEW events_partitions IS 'The partitions of events with the first and last cursor each can hold.';

CREATE VIEW hook_attempts AS
 SELECT hook_outcomes.id AS delivery_id,
    hook_outcomes.claim,
    hook_outcomes.started_at,
    hook_outcomes.duration_ms,
    hook_outcomes.status,
    NULL::text AS error_class,
    hook_outcomes.excerpt
   FROM hook_outcomes
  WHERE hook_outcomes.claim IS NOT NULL
UNION ALL
 SELECT hook_other_attempts.delivery_id,
    hook_other_attempts.claim,
    hook_other_attempts.started_at,
    hook_other_attempts.duration_ms,
    hook_other_attempts.status,
    hook_other_attempts.error_class,
    hook_other_attempts.excerpt
   FROM hook_other_attempts;
COMMENT ON VIEW hook_attempts IS 'All attempts.';

CREATE VIEW hook_deliveries AS
 SELECT hook_queue.id,
    hook_queue.subscription_id,
    hook_queue.cursor,
    hook_queue.test_event,
    'pending'::text AS state,
    hook_queue.attempts,
        CASE
            WHEN hook_queue.claim IS NULL THEN COALESCE(hook_queue.due_at, hook_queue.created_at)
            ELSE hook_queue.created_at
        END AS due_at,
    hook_queue.claim,
    hook_queue.created_at,
    NULL::timestamp with time zone::instant AS ended_at,
    hook_queue.maybe_sent
   FROM hook_queue
UNION ALL
 SELECT hook_outcomes.id,
    hook_outcomes.subscription_id,
    hook_outcomes.cursor,
    hook_outcomes.test_event,
    hook_outcomes.state,
    hook_outcomes.attempts,
    NULL::timestamp with time zone::instant AS due_at,
    hook_outcomes.claim,
    hook_outcomes.created_at,
    hook_outcomes.ended_at,
    hook_outcomes.maybe_sent
   FROM hook_outcomes;
COMMENT ON VIEW hook_deliveries IS 'All deliveries: state is pending, delivered, failed or skipped; due_at is that of a pending one.';

CREATE FUNCTION recipients_of(delivery_ids bigint[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 WITH sent AS (
          SELECT hook_deliveries.subscription_id,
             events.event_type,
             ((hook_deliveries.state = 'delivered'::text) OR COALESCE(arrived.accepted, false)) AS received,
             COALESCE(arrived.first_at, (hook_deliveries.ended_at)::timestamp with time zone, (hook_deliveries.due_at)::timestamp with time zone) AS first_at,
             COALESCE(arrived.last_at, (hook_deliveries.ended_at)::timestamp with time zone, (hook_deliveries.due_at)::timestamp with time zone) AS last_at
            FROM ((hook_deliveries
              JOIN events ON ((events.cursor = hook_deliveries.cursor)))
              CROSS JOIN LATERAL ( SELECT bool_or((hook_attempts.error_class IS NULL)) AS accepted,
                     min((hook_attempts.started_at)::timestamp with time zone) AS first_at,
                     max((hook_attempts.started_at)::timestamp with time zone) AS last_at
                    FROM hook_attempts
                   WHERE ((hook_attempts.delivery_id = hook_deliveries.id) AND ((hook_attempts.error_class IS NULL) OR (hook_attempts.error_class <> ALL (ARRAY['dns'::text, 'tls'::text, 'blocked'::text]))))) arrived)
           WHERE ((hook_deliveries.id = ANY (recipients_of.delivery_ids)) AND ((hook_deliveries.state = 'delivered'::text) OR (hook_deliveries.claim IS NOT NULL) OR hook_deliveries.maybe_sent OR (arrived.first_at IS NOT NULL) OR (EXISTS ( SELECT
                    FROM (hook_queue
                      JOIN hook_leases ON (((hook_leases.subscription_id = hook_queue.subscription_id) AND ((hook_queue.id >= hook_leases.first_id) AND (hook_queue.id <= hook_leases.last_id)))))
                   WHERE ((hook_queue.id = hook_deliveries.id) AND (hook_queue.due_at IS NULL))))))
         ), recipients AS (
          SELECT sent.subscription_id,
             count(*) FILTER (WHERE sent.received) AS received,
             count(*) FILTER (WHERE (NOT sent.received)) AS possibly,
             min(sent.first_at) AS first_at,
             max(sent.last_at) AS last_at,
             array_agg(DISTINCT sent.event_type) AS event_types
            FROM sent
           GROUP BY sent.subscription_id
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('subscription_id', recipients.subscription_id, 'label', hook_subscriptions.label, 'target_url', hook_subscriptions.target_url, 'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at, 'last_at', recipients.last_at, 'event_types', to_jsonb(recipients.event_types)) ORDER BY recipients.first_at, recipients.subscription_id), '[]'::jsonb) AS "coalesce"
    FROM (recipients
      LEFT JOIN hook_subscriptions ON ((hook_subscriptions.id = recipients.subscription_id)));
END;
COMMENT ON FUNCTION recipients_of(delivery_ids bigint[]) IS 'Which subscriptions received these deliveries, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].';
