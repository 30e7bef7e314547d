-- DIN 77230 needs analyses of leads: one row per lead, channel and source.
--
-- @needs identity/kontakt_key

create table lead_analyses (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references leads (id) on delete cascade,
  channel text not null check (channel in ('chat', 'call')),
  source_id text not null,
  analysis_schema_version text,
  analysis jsonb not null check (jsonb_typeof(analysis) = 'object'),
  analysis_v2 jsonb check (jsonb_typeof(analysis_v2) = 'object'),
  din_check jsonb check (jsonb_typeof(din_check) = 'object'),
  created_at instant not null default now(),
  session_id uuid,
  -- What events say about a contact leads to it.
  kontakt_key text collate "C" check (kontakt_key(kontakt_key) is not distinct from kontakt_key),
  unique (lead_id, channel, source_id)
);
comment on table lead_analyses is 'Finished needs analyses (DIN 77230), one per lead, channel and source.';
comment on column lead_analyses.source_id is 'The conversation''s id in its channel.';
comment on column lead_analyses.analysis_schema_version is
  'Core form and product fragment, for example din_core_v2+hausrat_v1.';
comment on column lead_analyses.analysis is
  'Personal: the flat export projection; computed from analysis_v2 when left out.';
comment on column lead_analyses.analysis_v2 is 'Personal: the nested din_core_v2 form.';
comment on column lead_analyses.din_check is 'Personal: the DIN check of this analysis.';
comment on column lead_analyses.session_id is 'The conversation; goes into links.session_id of events.';
comment on column lead_analyses.kontakt_key is 'Personal: identity key of the contact the analysis belongs to.';

-- GET /leads/{leadId}/analysis: the newest one.
create index lead_analyses_newest_idx on lead_analyses (lead_id, created_at desc, id desc);
create index lead_analyses_kontakt_idx on lead_analyses (kontakt_key) where kontakt_key is not null;
