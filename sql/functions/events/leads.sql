-- Events of leads: lead.created, lead.stage_changed, lead.archived.

create or replace function emit_lead_created() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'lead.created', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
    jsonb_build_object(
      'lead_id', new_rows.id, 'name', new_rows.name, 'email', new_rows.email, 'phone', new_rows.phone,
      'source_type', new_rows.source_type, 'status', new_rows.status, 'product_domain', new_rows.product_domain)
  from new_rows;
  if exists (select from new_rows where new_rows.archived_at is not null) then
    insert into events (event_type, schema_version, object_type, object_id, links, data)
    select 'lead.archived', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    from new_rows
    where new_rows.archived_at is not null;
  end if;
  return null;
end
$$;
revoke execute on function emit_lead_created from public;

create or replace function emit_lead_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'lead.stage_changed' as event_type,
      jsonb_build_object(
        'lead_id', new_rows.id, 'status_before', before.status, 'status_after', new_rows.status,
        'trigger', redact_income(nullif(current_setting('app.trigger', true), ''))) as data
    from (select redact_income(old_rows.status) as status) as before
    where new_rows.status <> old_rows.status and new_rows.status <> before.status
    union all
    select 'lead.archived',
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    where new_rows.archived_at is not null and old_rows.archived_at is null
  ) as change;
  return null;
end
$$;
revoke execute on function emit_lead_changed from public;
