-- Appointments and what the meeting intelligence found in them.
--
-- @needs documents/results, documents/uri

create table appointments (
  id uuid primary key default gen_random_uuid(),
  title text,
  status text not null default 'scheduled' check (status <> ''),
  platform text not null,
  meeting_url text check (is_uri(meeting_url)),
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
comment on column appointments.status is
  'State of the appointment; free text, a new one is scheduled, cancelled emits appointment.cancelled.';
comment on column appointments.platform is 'Where it takes place, for example zoom, phone or in_person.';
comment on column appointments.meeting_url is 'Personal: the link that opens the meeting, a URI.';
comment on column appointments.customer_display_name is 'Personal: the customer''s name as shown.';
comment on column appointments.source is 'Where it was made, for example calendar.';
comment on column appointments.intelligence_status is
  'State of the meeting intelligence, for example pending or ready; null: none.';
comment on column appointments.lead_id is 'The lead it is with; goes into links.lead_id of events.';
comment on column appointments.session_id is 'The conversation; goes into links.session_id of events.';

-- GET /appointments, without and with status; from is a range on starts_at.
create index appointments_starts_idx on appointments (starts_at desc, id desc);
create index appointments_status_idx on appointments (status, starts_at desc, id desc);
-- Deleting a lead.
create index appointments_lead_idx on appointments (lead_id);
create index appointments_session_idx on appointments (session_id) where lead_id is null and session_id is not null;

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
comment on column meeting_intelligence.results is
  'Personal: array of result entries, each with every member of the API''s result entry.';
