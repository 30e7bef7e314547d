-- Events of advisory documents: advisory_doc.approved, advisory_doc.sent.
--
-- @needs documents/moment

create or replace function emit_advisory_doc_created() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title)
      || change.moment
  from new_rows
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', moment(new_rows.approved_at)) as moment
    where new_rows.approved_at is not null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', moment(new_rows.sent_at))
    where new_rows.sent_at is not null
  ) as change;
  return null;
end
$$;
revoke execute on function emit_advisory_doc_created from public;

create or replace function emit_advisory_doc_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title)
      || change.moment
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', moment(new_rows.approved_at)) as moment
    where new_rows.approved_at is not null and old_rows.approved_at is null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', moment(new_rows.sent_at))
    where new_rows.sent_at is not null and old_rows.sent_at is null
  ) as change;
  return null;
end
$$;
revoke execute on function emit_advisory_doc_changed from public;
