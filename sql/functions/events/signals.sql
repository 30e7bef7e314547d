-- Events of signals: signal.opened, signal.status_changed, signal.outcome_recorded.
--
-- @needs events/links, income/rows

create or replace function signal_payload(signal signals) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object(
    'signal_id', (signal).id, 'kind', (signal).kind, 'title', (signal).title, 'score', (signal).score,
    'status', (signal).status, 'kontakt_key', (signal).kontakt_key, 'lead_id', (signal).lead_id, 'quelle',
      (signal).quelle);
comment on function signal_payload is 'data of signal.opened and signal.status_changed.';

create or replace function signals_events(before signals, after signals) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'signal', (after).id::text, event_links((after).lead_id, null), change.data
  from (
    select 'signal.opened', signal_payload(after) where (before).id is null
    union all
    select 'signal.status_changed', signal_payload(after) where (after).status <> (before).status
    union all
    select 'signal.outcome_recorded', signal_payload(after) || jsonb_build_object('outcome', (after).outcome)
    where (after).outcome is not null and (after).outcome is distinct from (before).outcome
      and (after).outcome is distinct from redact_income((before).outcome)
  ) as change (event_type, data);
end;
comment on function signals_events is 'Events of a changed row, or of a new one: then before is null.';
