-- Leads, and the types that are not of one table: two domains that keep every stored value printable on the wire,
-- and the modes of the income rule.
--
-- Column names are the wire names of the API: a row is the response.
-- pg_trgm serves the substring search; it is a trusted extension, so the database's owner may create it.
--
-- @needs identity/hints, search/search_form

create extension if not exists pg_trgm;

-- ISO 8601 has four-digit years and no infinity; PostgreSQL has both, so no column takes them.
create domain instant as timestamptz
  check (value >= '0001-01-01T00:00:00Z' and value < '10000-01-01T00:00:00Z');
comment on domain instant is 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

-- NaN and Infinity have no JSON number; both fall outside the range.
create domain score as numeric
  check (value between -1000000 and 1000000 and scale(value) <= 400);
comment on domain score is
  'A number that every JSON parser reads: finite, between -1,000,000 and 1,000,000, no endless fraction.';

-- Each stricter than the one before: open, names, siblings and texts decide; zone, unknown numbers go, and unknown
-- texts that are nothing but an amount; named, every amount in a text goes as well; income, only booleans, nulls and
-- texts without a number stay.
create type income_mode as enum ('open', 'zone', 'named', 'income');

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
-- GET /leads?search= for a text with three letters or digits in a row that few leads have.
create index leads_search_idx on leads using gin (search_text gin_trgm_ops);
create index leads_email_hint_idx on leads (kontakt_key_hint(email));
create index leads_phone_hint_idx on leads (kontakt_key_hint(phone));
