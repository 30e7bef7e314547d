-- Events of leads: lead.created, lead.stage_changed, lead.archived.
--
-- @needs events/links, income/rows

create or replace function leads_events(before leads, after leads) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'lead', (after).id::text, event_links((after).id, (after).session_id), change.data
  from (
    select 'lead.created', jsonb_build_object(
      'lead_id', (after).id, 'name', (after).name, 'email', (after).email, 'phone', (after).phone,
      'source_type', (after).source_type, 'status', (after).status, 'product_domain', (after).product_domain)
    where (before).id is null
    union all
    select 'lead.stage_changed', jsonb_build_object(
      'lead_id', (after).id, 'status_before', redact_income((before).status), 'status_after', (after).status,
      'trigger', redact_income(nullif(current_setting('app.trigger', true), '')))
    where (after).status <> (before).status and (after).status <> redact_income((before).status)
    union all
    select 'lead.archived',
      jsonb_build_object('lead_id', (after).id, 'archive_reason_code', (after).archive_reason_code)
    where (after).archived_at is not null and (before).archived_at is null
  ) as change (event_type, data);
end;
comment on function leads_events is 'Events of a changed row, or of a new one: then before is null.';
