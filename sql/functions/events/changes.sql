-- What turns changes into events. Each function runs once per statement over all rows it changed, so a bulk write of
-- 100,000 rows stays one insert. TimeZone is pinned: moments inside payloads look the same whatever the writer's
-- session has set; and search_path, so that no temporary table takes an event. A row was cleaned before it comes here.
-- What was stored before may still hold income: a change of nothing but that is no change.
--
-- @needs events/advisory_docs, events/analyses, events/appointments, events/haushalte, events/leads, events/meetings
-- @needs events/signals

create or replace function emit_created() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  case tg_table_name
    when 'leads' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral leads_events(null, new_rows) as change;
    when 'lead_analyses' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral lead_analyses_events(null, new_rows) as change;
    when 'haushalte' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral haushalte_events(null, new_rows) as change;
    when 'appointments' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral appointments_events(null, new_rows) as change;
    when 'meeting_intelligence' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral meeting_intelligence_events(null, new_rows) as change;
    when 'signals' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral signals_events(null, new_rows) as change;
    when 'advisory_docs' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows cross join lateral advisory_docs_events(null, new_rows) as change;
  end case;
  return null;
end
$$;

create or replace function emit_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  case tg_table_name
    when 'leads' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.id = new_rows.id
      cross join lateral leads_events(old_rows, new_rows) as change;
    when 'lead_analyses' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.id = new_rows.id
      cross join lateral lead_analyses_events(old_rows, new_rows) as change;
    when 'haushalte' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.kontakt_key = new_rows.kontakt_key
      cross join lateral haushalte_events(old_rows, new_rows) as change;
    when 'appointments' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.id = new_rows.id
      cross join lateral appointments_events(old_rows, new_rows) as change;
    when 'meeting_intelligence' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.appointment_id = new_rows.appointment_id
      cross join lateral meeting_intelligence_events(old_rows, new_rows) as change;
    when 'signals' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.id = new_rows.id
      cross join lateral signals_events(old_rows, new_rows) as change;
    when 'advisory_docs' then
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select change.* from new_rows join old_rows on old_rows.id = new_rows.id
      cross join lateral advisory_docs_events(old_rows, new_rows) as change;
  end case;
  return null;
end
$$;
revoke execute on function emit_created, emit_changed from public;
