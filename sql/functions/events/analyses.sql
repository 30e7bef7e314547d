-- Events of analyses: analysis.completed, din.check_completed.
--
-- @needs documents/counts

create or replace function din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object(
    'channel', channel,
    'quelle', quelle,
    'kontakt_key', kontakt_key,
    'params_version', din_check #>> '{bewertung,params_version}',
    'luecken_nach_stufe', luecken_nach_stufe(din_check),
    'unbekannt_anzahl', case when jsonb_typeof(din_check #> '{bewertung,unbekannt_in_analyse}') = 'array'
      then jsonb_array_length(din_check #> '{bewertung,unbekannt_in_analyse}') else 0 end);
comment on function din_check_payload is 'data of din.check_completed.';

create or replace function emit_analysis_completed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, change.schema_version, 'analysis', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), change.data
  from new_rows
  cross join lateral (
    select 'analysis.completed' as event_type, '2' as schema_version,
      jsonb_build_object(
        'channel', new_rows.channel,
        'analysis_schema_version', new_rows.analysis_schema_version,
        'analysis', coalesce(new_rows.analysis_v2, '{}')
          || case when new_rows.din_check is null
            then '{}' else jsonb_build_object('din_check', new_rows.din_check) end) as data
    union all
    select 'din.check_completed', '1', din_check_payload(new_rows.channel, null, new_rows.kontakt_key,
      new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$$;
revoke execute on function emit_analysis_completed from public;

create or replace function emit_analysis_checked() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'din.check_completed', '1', 'analysis', new_rows.id, event_links(new_rows.lead_id, new_rows.session_id),
    din_check_payload(new_rows.channel, null, new_rows.kontakt_key, new_rows.din_check)
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  where new_rows.din_check is not null
    and new_rows.din_check is distinct from old_rows.din_check
    and new_rows.din_check is distinct from redact_income(old_rows.din_check);
  return null;
end
$$;
revoke execute on function emit_analysis_checked from public;
