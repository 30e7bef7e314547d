-- Rows without raw income, before they are stored.
--
-- @needs income/document

-- Triggers: before the row is stored, and by their names before those that compare (…_touch) or look at the
-- cleaned documents (…_projection). AFTER triggers make events of what was stored.
create or replace function redact_lead() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.name := redact_income(new.name);
  new.status := redact_income(new.status);
  new.source_type := redact_income(new.source_type);
  new.archive_reason_code := redact_income(new.archive_reason_code);
  new.product_domain := redact_income(new.product_domain);
  -- Other changes, such as of the status, are many, and to look through the document is most of their work.
  if tg_op = 'INSERT' or new.parsed_data is distinct from old.parsed_data then
    new.parsed_data := redact_income(new.parsed_data);
  end if;
  return new;
end
$$;

-- The documents of a row are looked through together: a look at a small one costs as much as at a large one.
create or replace function redact_lead_analysis() returns trigger
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.analysis, new.analysis_v2, new.din_check));
begin
  new.analysis := redact_income_document(new.analysis, 0, 0, hits);
  new.analysis_v2 := redact_income_document(new.analysis_v2, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  return new;
end
$$;

create or replace function redact_haushalt() returns trigger
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell));
begin
  new.haushalt := redact_income_document(new.haushalt, 0, 0, hits);
  new.provenance := redact_income_document(new.provenance, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  new.empfehlungen_aktuell := redact_income_document(new.empfehlungen_aktuell, 0, 0, hits);
  return new;
end
$$;

create or replace function redact_meeting_intelligence() returns trigger
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.failure_reason, new.customer_persona, new.conversation_type, new.summary, new.next_steps, new.results));
begin
  if hits <> '{}' then
    new.failure_reason := redact_income(new.failure_reason);
    new.customer_persona := redact_income(new.customer_persona);
    new.conversation_type := redact_income(new.conversation_type);
    new.summary := redact_income(new.summary);
  end if;
  new.next_steps := redact_income_document(new.next_steps, 0, 0, hits);
  new.results := keep_result_values(new.results, redact_income_document(new.results, 0, 0, hits));
  return new;
end
$$;

-- An interrupted run of the command redact begins anew: the rule, or a table, may have changed.
delete from redaction_progress;

create or replace function redact_appointment() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.title := redact_income(new.title);
  new.status := redact_income(new.status);
  new.platform := redact_income(new.platform);
  new.customer_display_name := redact_income(new.customer_display_name);
  new.source := redact_income(new.source);
  new.intelligence_status := redact_income(new.intelligence_status);
  return new;
end
$$;

create or replace function redact_signal() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.kind := redact_income(new.kind);
  new.title := redact_income(new.title);
  new.quelle := redact_income(new.quelle);
  new.outcome := redact_income(new.outcome);
  return new;
end
$$;

create or replace function redact_advisory_doc() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.title := redact_income(new.title);
  return new;
end
$$;

create or replace function redact_haushalt_quelle() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.quelle := redact_income(new.quelle);
  return new;
end
$$;

-- What emit_event is given as an object's id is text too, unless it is a UUID or an identity key.
create or replace function redact_event_object() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.object_type := redact_income(new.object_type);
  new.object_id := redact_income(new.object_id);
  return new;
end
$$;

-- Ids, identity keys, addresses, links and moments stay, whatever a title next to them says: an erasure finds an event by them.
create or replace function redact_event_data(data jsonb) returns jsonb
  language plpgsql immutable strict set search_path = public, pg_temp as $$
declare
  cleaned constant jsonb := redact_income(data);
begin
  -- Most events.
  if cleaned = data or jsonb_typeof(data) <> 'object' then
    return cleaned;
  end if;
  return cleaned || (
    select coalesce(jsonb_object_agg(member.key, member.value), '{}')
    from jsonb_each(data) as member
    where jsonb_typeof(member.value) = 'string'
      and member.value #>> '{}' ~* '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(email|phone|lead):\S+|https?://\S+|[^\s@]+@[^\s@]+|\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?)?)$');
end
$$;
comment on function redact_event_data is 'The data of an event without raw income; what identifies something is as it was given.';
