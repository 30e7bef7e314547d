-- Events of advisory documents: advisory_doc.approved, advisory_doc.sent.
--
-- @needs documents/moment, events/links

create or replace function advisory_doc_payload(doc advisory_docs, name text, at timestamptz) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object('advisory_doc_id', (doc).id, 'lead_id', (doc).lead_id, 'title', (doc).title,
    name, moment(at));
comment on function advisory_doc_payload is 'data of the events of advisory documents.';

create or replace function advisory_docs_events(before advisory_docs, after advisory_docs) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'advisory_doc', (after).id::text, event_links((after).lead_id, null), change.data
  from (
    select 'advisory_doc.approved', advisory_doc_payload(after, 'approved_at', (after).approved_at)
    where (after).approved_at is not null and (before).approved_at is null
    union all
    select 'advisory_doc.sent', advisory_doc_payload(after, 'sent_at', (after).sent_at)
    where (after).sent_at is not null and (before).sent_at is null
  ) as change (event_type, data);
end;
comment on function advisory_docs_events is 'Events of a changed row, or of a new one: then before is null.';
