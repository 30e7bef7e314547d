-- Events of signals: signal.opened, signal.status_changed, signal.outcome_recorded.

create or replace function signal_payload(signal signals) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object(
    'signal_id', (signal).id, 'kind', (signal).kind, 'title', (signal).title, 'score', (signal).score,
    'status', (signal).status, 'kontakt_key', (signal).kontakt_key, 'lead_id', (signal).lead_id, 'quelle',
      (signal).quelle);
comment on function signal_payload is 'data of signal.opened and signal.status_changed.';

create or replace function emit_signal_opened() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
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
revoke execute on function emit_signal_opened from public;

create or replace function emit_signal_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'signal', new_rows.id, event_links(new_rows.lead_id, null), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'signal.status_changed' as event_type, signal_payload(new_rows) as data
    where new_rows.status <> old_rows.status
    union all
    select 'signal.outcome_recorded', signal_payload(new_rows) || jsonb_build_object('outcome', new_rows.outcome)
    where new_rows.outcome is not null and new_rows.outcome is distinct from old_rows.outcome
      and new_rows.outcome is distinct from redact_income(old_rows.outcome)
  ) as change;
  return null;
end
$$;
revoke execute on function emit_signal_changed from public;
