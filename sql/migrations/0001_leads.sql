-- Leads, what their search knows of texts, and the two domains that keep every stored value printable on the wire.
--
-- Column names are the wire names of the API: a row is the response.
-- pg_trgm serves the substring search; it is a trusted extension, so the database's owner may create it.
--
-- @needs identity/text, identity/hints, search/pieces, search/spans

create extension if not exists pg_trgm;

-- ISO 8601 has four-digit years and no infinity; PostgreSQL has both, so no column takes them.
create domain instant as timestamptz
  check (value >= '0001-01-01T00:00:00Z' and value < '10000-01-01T00:00:00Z');
comment on domain instant is 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

-- NaN and Infinity have no JSON number; both fall outside the range.
create domain score as numeric
  check (value between -1000000 and 1000000);
comment on domain score is 'A number that JSON can carry: finite, between -1,000,000 and 1,000,000.';

create table leads (
  id uuid primary key default gen_random_uuid(),
  name text,
  email text,
  phone text,
  status text not null default 'new' check (status <> ''),
  source_type text,
  contacted_at instant,
  archived_at instant,
  archive_reason_code text,
  parsed_data jsonb check (jsonb_typeof(parsed_data) = 'object'),
  created_at instant not null default now(),
  product_domain text,
  session_id uuid,
  -- U+001F separates the fields; the API refuses control characters in a search, so no hit spans two fields.
  search_text text collate "C" generated always as (
    search_form(coalesce(name, '') || e'\x1f' || coalesce(email, '') || e'\x1f' || coalesce(phone, ''))
  ) stored
);
comment on table leads is 'Leads of the workspace: people who may become customers.';
comment on column leads.name is 'Personal: the name as it was given.';
comment on column leads.email is 'Personal: the mail address as it was given.';
comment on column leads.phone is 'Personal: the phone number as it was given.';
comment on column leads.status is 'Pipeline status; free text, a new lead is new.';
comment on column leads.source_type is 'Where the lead came from, for example website_form.';
comment on column leads.archived_at is 'When the lead was archived; null: not archived.';
comment on column leads.archive_reason_code is 'Why the lead was archived, for example not_reachable.';
comment on column leads.parsed_data is 'Personal: contact data as it was parsed, free-form object.';
comment on column leads.product_domain is 'Product classification, carried by the event lead.created.';
comment on column leads.session_id is 'The conversation the lead came from; goes into links.session_id of events.';
comment on column leads.search_text is 'Personal: name, email and phone in search form; derived.';

-- GET /leads without a filter.
create index leads_active_idx on leads (created_at desc, id desc) where archived_at is null;
-- GET /leads?include_archived=true.
create index leads_created_idx on leads (created_at desc, id desc);
-- GET /leads?status=, without and with archived leads.
create index leads_active_status_idx on leads (status, created_at desc, id desc) where archived_at is null;
create index leads_status_idx on leads (status, created_at desc, id desc);
-- GET /leads?search= from three characters on, from seven by pieces; of all leads or of the newest.
create index leads_search_idx on leads using gin (search_spans(created_at), search_text gin_trgm_ops, search_pieces(search_text));
create index leads_email_hint_idx on leads (kontakt_key_hint(email));
create index leads_phone_hint_idx on leads (kontakt_key_hint(phone));

-- How common parts of texts are: what decides whether a text is looked for among the newest leads or in
-- leads_search_idx, before either is read (leads/search_leads). A plan of its own for every text cost more than that.

create table search_shares (
  part text collate "C" primary key,
  share real not null check (share > 0 and share <= 1)
);
comment on table search_shares is 'How common parts of texts are among leads, by a sample; those that hardly any lead has are left out, so that no person can be recognized by one.';
comment on column search_shares.part is 'Three characters in a row inside a word, or any five in a row.';
comment on column search_shares.share is 'The fraction of leads that contain it.';
-- The planner decides on it no more.
alter table leads alter column search_text set statistics -1;
