-- Which result entries of a meeting may be stored.

-- Whether a text is an ISO 8601 date-time with an offset, and a real one: 30 February has the form and is none.
create or replace function is_date_time(value text) returns boolean
  language plpgsql immutable parallel safe set standard_conforming_strings = on as $$
begin
  return value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
    and value::timestamptz >= '0001-01-01T00:00:00Z' and value::timestamptz < '10000-01-01T00:00:00Z';
exception when data_exception then
  return false;
end
$$;
comment on function is_date_time is 'Whether a text is a date-time that the API may deliver as one.';

create or replace function is_result_entry(entry jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(entry) = 'object'
    and entry ?& array['field_key', 'label', 'kind', 'output_type', 'status', 'value', 'score', 'level', 'rationale',
      'recommendation', 'generated_at']
    and (select bool_and(jsonb_typeof(entry -> name) = 'string')
      from unnest('{field_key,label,kind,output_type,status}'::text[]) as name)
    and (jsonb_typeof(entry -> 'score') = 'null'
      or jsonb_path_exists(entry, '$.score ? (@ >= -1000000 && @ <= 1000000)'))
    and (select bool_and(jsonb_typeof(entry -> name) in ('string', 'null'))
      from unnest('{level,rationale,recommendation}'::text[]) as name)
    and (jsonb_typeof(entry -> 'generated_at') = 'null' or is_date_time(entry ->> 'generated_at'))
    and (select count(*) from jsonb_object_keys(entry)) = 11;
comment on function is_result_entry is
  'Whether a JSON value is a result entry with exactly the members the API promises.';

create or replace function are_result_entries(results jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(results) = 'array'
    and (select coalesce(bool_and(is_result_entry(entry)), true) from jsonb_array_elements(results) as entry);
comment on function are_result_entries is 'Whether a JSON value is an array of result entries.';
