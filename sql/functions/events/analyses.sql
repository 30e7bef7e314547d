-- Events of analyses: analysis.completed, din.check_completed.
--
-- @needs documents/counts, events/links, income/rows

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

create or replace function is_new_check(before jsonb, after jsonb) returns boolean
  language sql immutable parallel safe
  return after is not null and after is distinct from before and after is distinct from redact_income(before);
comment on function is_new_check is 'Whether a DIN check is another one, and not only one without its raw income.';

create or replace function lead_analyses_events(before lead_analyses, after lead_analyses) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, case change.event_type when 'analysis.completed' then '2' else '1' end, 'analysis',
    (after).id::text, event_links((after).lead_id, (after).session_id), change.data
  from (
    select 'analysis.completed', jsonb_build_object(
      'channel', (after).channel,
      'analysis_schema_version', (after).analysis_schema_version,
      'analysis', coalesce((after).analysis_v2, '{}') || case when (after).din_check is null
        then '{}' else jsonb_build_object('din_check', (after).din_check) end)
    where (before).id is null
    union all
    select 'din.check_completed', din_check_payload((after).channel, null, (after).kontakt_key, (after).din_check)
    where is_new_check((before).din_check, (after).din_check)
  ) as change (event_type, data);
end;
comment on function lead_analyses_events is 'Events of a changed row, or of a new one: then before is null.';
