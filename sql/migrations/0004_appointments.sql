-- Appointments and what the meeting intelligence found in them.
create table appointments (
  id uuid primary key default gen_random_uuid(),
  title text,
  status text not null default 'scheduled' check (status <> ''),
  platform text not null,
  -- The API promises a URI; a scheme, a colon and no white space is what this check can tell.
  meeting_url text check (meeting_url ~ '^[A-Za-z][A-Za-z0-9+.-]*:[^[:space:]]+$'),
  starts_at instant not null,
  ends_at instant,
  customer_display_name text,
  source text,
  intelligence_status text,
  created_at instant not null default now(),
  lead_id uuid references leads (id) on delete set null,
  session_id uuid
);

comment on table appointments is 'Appointments of the workspace, past and to come.';
comment on column appointments.title is 'Personal: title, often with a name in it.';
comment on column appointments.status is 'State of the appointment; free text, a new one is scheduled, cancelled emits appointment.cancelled.';
comment on column appointments.platform is 'Where it takes place, for example zoom, phone or in_person.';
comment on column appointments.meeting_url is 'Personal: the link that opens the meeting.';
comment on column appointments.customer_display_name is 'Personal: the customer''s name as shown.';
comment on column appointments.source is 'Where it was made, for example calendar.';
comment on column appointments.intelligence_status is 'State of the meeting intelligence, for example pending or ready; null: none.';
comment on column appointments.lead_id is 'The lead it is with; goes into links.lead_id of events.';
comment on column appointments.session_id is 'The conversation; goes into links.session_id of events.';

-- GET /appointments, without and with status; from is a range on starts_at.
create index appointments_starts_idx on appointments (starts_at desc, id desc);
create index appointments_status_idx on appointments (status, starts_at desc, id desc);
-- Deleting a lead.
create index appointments_lead_idx on appointments (lead_id);

-- Whether a text is an ISO 8601 date-time with an offset, and a real one: 30 February has the form and is none.
create function is_date_time(value text) returns boolean
  language plpgsql immutable parallel safe as $$
begin
  return value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
    and value::timestamptz >= '0001-01-01T00:00:00Z' and value::timestamptz < '10000-01-01T00:00:00Z';
exception when data_exception then
  return false;
end
$$;
comment on function is_date_time is 'Whether a text is a date-time that the API may deliver as one.';

-- One entry of meeting_intelligence.results as the API delivers it: every member present, of its type.
create function is_result_entry(entry jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(entry) = 'object'
    and entry ?& array['field_key', 'label', 'kind', 'output_type', 'status', 'value', 'score', 'level', 'rationale', 'recommendation', 'generated_at']
    and jsonb_typeof(entry -> 'field_key') = 'string'
    and jsonb_typeof(entry -> 'label') = 'string'
    and jsonb_typeof(entry -> 'kind') = 'string'
    and jsonb_typeof(entry -> 'output_type') = 'string'
    and jsonb_typeof(entry -> 'status') = 'string'
    and (jsonb_typeof(entry -> 'score') = 'null' or jsonb_path_exists(entry, '$.score ? (@ >= -1000000 && @ <= 1000000)'))
    and jsonb_typeof(entry -> 'level') in ('string', 'null')
    and jsonb_typeof(entry -> 'rationale') in ('string', 'null')
    and jsonb_typeof(entry -> 'recommendation') in ('string', 'null')
    and (jsonb_typeof(entry -> 'generated_at') = 'null' or is_date_time(entry ->> 'generated_at'))
    and (select count(*) from jsonb_object_keys(entry)) = 11;
comment on function is_result_entry is 'Whether a JSON value is a result entry with exactly the members the API promises.';

create function are_result_entries(results jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(results) = 'array'
    and (select coalesce(bool_and(is_result_entry(entry)), true) from jsonb_array_elements(results) as entry);
comment on function are_result_entries is 'Whether a JSON value is an array of result entries.';

create table meeting_intelligence (
  appointment_id uuid primary key references appointments (id) on delete cascade,
  status text not null check (status in ('ready', 'failed')),
  failure_reason text,
  overall_score score,
  customer_persona text,
  conversation_type text,
  summary text,
  next_steps jsonb,
  results jsonb not null default '[]' check (are_result_entries(results)),
  created_at instant not null default now()
);

comment on table meeting_intelligence is 'What was found in a meeting: one row per appointment.';
comment on column meeting_intelligence.failure_reason is 'Why it failed, when status is failed.';
comment on column meeting_intelligence.customer_persona is 'Personal: how the customer was read.';
comment on column meeting_intelligence.conversation_type is 'Kind of conversation, for example erstberatung.';
comment on column meeting_intelligence.summary is 'Personal: what was said.';
comment on column meeting_intelligence.next_steps is 'Personal: what was agreed.';
comment on column meeting_intelligence.results is 'Personal: array of result entries, each with every member of the API''s result entry.';

-- What the API delivers as results: the summary and the next steps first, then the findings.
-- An entry that a finding already brings under the same field_key is not made twice.
create function meeting_results(found meeting_intelligence) returns jsonb
  language sql stable parallel safe strict
begin atomic
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'field_key', head.field_key, 'label', head.label, 'kind', head.field_key, 'output_type', head.output_type,
      'status', 'ready', 'value', head.value, 'score', null, 'level', null, 'rationale', null,
      'recommendation', null, 'generated_at', found.created_at)
    order by head.position), '[]') || found.results
  from (values
    (1, 'summary', 'Zusammenfassung', 'text', to_jsonb(found.summary)),
    (2, 'next_steps', 'Nächste Schritte', 'list', nullif(found.next_steps, 'null'))
  ) as head (position, field_key, label, output_type, value)
  where head.value is not null
    and not found.results @> jsonb_build_array(jsonb_build_object('field_key', head.field_key));
end;
comment on function meeting_results is 'Result entries of a meeting with its summary and next steps in front.';
