-- The links of events.

create or replace function event_links(lead_id uuid, session_id uuid) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('lead_id', lead_id, 'session_id', session_id);
comment on function event_links is 'The links member of the envelope.';
