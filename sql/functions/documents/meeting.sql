-- What a meeting shows of its results.
--
-- @needs documents/moment

create or replace function delivered_results(results jsonb) returns jsonb
  language sql stable parallel safe
  return (
    select coalesce(jsonb_agg(
      entry || jsonb_build_object('generated_at', moment((entry ->> 'generated_at')::timestamptz))
      order by position), '[]')
    from jsonb_array_elements(results) with ordinality as given (entry, position));
comment on function delivered_results is 'Stored result entries with their moments as all others are written.';

-- What the API delivers as results: the summary and the next steps first, then the findings.
-- An entry that a finding already brings under the same field_key is not made twice.
create or replace function meeting_results(found meeting_intelligence) returns jsonb
  language sql stable parallel safe strict
begin atomic
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'field_key', head.field_key, 'label', head.label, 'kind', head.field_key, 'output_type', head.output_type,
      'status', 'ready', 'value', head.value, 'score', null, 'level', null, 'rationale', null,
      'recommendation', null, 'generated_at', moment(found.created_at))
    order by head.position), '[]') || delivered_results(found.results)
  from (values
    (1, 'summary', 'Zusammenfassung', 'text', to_jsonb(found.summary)),
    (2, 'next_steps', 'Nächste Schritte', 'list', nullif(found.next_steps, 'null'))
  ) as head (position, field_key, label, output_type, value)
  where head.value is not null
    and not found.results @> jsonb_build_array(jsonb_build_object('field_key', head.field_key));
end;
comment on function meeting_results is 'Result entries of a meeting with its summary and next steps in front.';
