-- The schema after all migrations, for reading. Generated: bun run schema.
-- Functions are listed by name, signature and comment; their text is in functions/.

CREATE EXTENSION pg_trgm;

CREATE TYPE ended_attempt AS (
  subscription_id uuid,
  cursor bigint,
  started_at timestamp with time zone,
  version integer,
  duration_ms integer,
  attempt smallint,
  status smallint,
  outcome "char",
  error_class text,
  excerpt text,
  headers text,
  retry_ms bigint
);
COMMENT ON TYPE ended_attempt IS 'What record_attempts takes of one attempt. retry_ms: until the next one, where the outcome is r.';

CREATE TYPE event_envelope AS (
  id uuid,
  event_type text,
  schema_version text,
  occurred_at text,
  object_type text,
  object_id text,
  links jsonb,
  data jsonb
);
COMMENT ON TYPE event_envelope IS 'An event as webhooks and the feed send it.';

CREATE TYPE income_mode AS ENUM ('open', 'zone', 'named', 'income');

CREATE TYPE new_event AS (
  event_type text,
  schema_version text,
  object_type text,
  object_id text,
  links jsonb,
  data jsonb
);
COMMENT ON TYPE new_event IS 'An event as a trigger appends it.';

CREATE DOMAIN instant AS timestamp with time zone
  CONSTRAINT instant_check CHECK (VALUE >= '0001-01-01 00:00:00+00'::timestamp with time zone AND VALUE < '10000-01-01 00:00:00+00'::timestamp with time zone);
COMMENT ON DOMAIN instant IS 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

CREATE DOMAIN score AS numeric
  CONSTRAINT score_check CHECK (VALUE >= '-1000000'::integer::numeric AND VALUE <= 1000000::numeric AND scale(VALUE) <= 400);
COMMENT ON DOMAIN score IS 'A number that every JSON parser reads: finite, between -1,000,000 and 1,000,000, no endless fraction.';

CREATE SEQUENCE events_log_id_seq;

CREATE SEQUENCE feed_sleep MINVALUE 0 MAXVALUE 1;
COMMENT ON SEQUENCE feed_sleep IS 'last_value 1: the sequencer sleeps, and writers wake it by NOTIFY. 0: it looks by itself.';

CREATE TABLE advisory_docs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  lead_id uuid,
  title text,
  approved_at instant,
  sent_at instant,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT advisory_docs_pkey PRIMARY KEY (id),
  CONSTRAINT advisory_docs_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE advisory_docs IS 'Advisory documents (Beratungsdokumentation) and when they were approved and sent.';
COMMENT ON COLUMN advisory_docs.title IS 'Personal: title of the document.';
CREATE INDEX advisory_docs_lead_idx ON advisory_docs USING btree (lead_id);

CREATE TABLE api_keys (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  prefix text NOT NULL,
  digest bytea NOT NULL,
  label text NOT NULL,
  scopes text[] NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  last_used_at instant,
  expires_at instant,
  revoked_at instant,
  lifetime interval,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_digest_key UNIQUE (digest),
  CONSTRAINT api_keys_digest_check CHECK (length(digest) = 32),
  CONSTRAINT api_keys_label_check CHECK (length(label) >= 1 AND length(label) <= 200 AND label !~ '[[:cntrl:]]'::text),
  CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) >= 1 AND array_position(scopes, NULL::text) IS NULL AND scopes <@ ARRAY['read:leads'::text, 'read:analyses'::text, 'read:kontakte'::text, 'read:appointments'::text, 'read:meetings'::text, 'read:signals'::text, 'read:events'::text, 'write:hooks'::text])
);
COMMENT ON TABLE api_keys IS 'API keys of the workspace. The key itself is shown once and never stored.';
COMMENT ON COLUMN api_keys.prefix IS 'The first 12 characters of the key, to tell keys apart.';
COMMENT ON COLUMN api_keys.digest IS 'SHA-256 of the whole key. It holds 256 random bits, so a fast hash is enough.';
COMMENT ON COLUMN api_keys.last_used_at IS 'Up to a minute behind; a stream counts when it opens.';
COMMENT ON COLUMN api_keys.expires_at IS 'From this moment on the key is unknown; null: never.';
COMMENT ON COLUMN api_keys.revoked_at IS 'From this moment on the key is unknown; null: live.';
COMMENT ON COLUMN api_keys.lifetime IS 'How long the key was made for; null: without an end. Its successor gets the same.';

CREATE TABLE appointments (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  title text,
  status text NOT NULL DEFAULT 'scheduled'::text,
  platform text NOT NULL,
  meeting_url text,
  starts_at instant NOT NULL,
  ends_at instant,
  customer_display_name text,
  source text,
  intelligence_status text,
  created_at instant NOT NULL DEFAULT now(),
  lead_id uuid,
  session_id uuid,
  CONSTRAINT appointments_pkey PRIMARY KEY (id),
  CONSTRAINT appointments_meeting_url_check CHECK (is_uri(meeting_url)),
  CONSTRAINT appointments_status_check CHECK (status <> ''::text),
  CONSTRAINT appointments_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE appointments IS 'Appointments of the workspace, past and to come.';
COMMENT ON COLUMN appointments.title IS 'Personal: title, often with a name in it.';
COMMENT ON COLUMN appointments.status IS 'State of the appointment; free text, a new one is scheduled, cancelled emits appointment.cancelled.';
COMMENT ON COLUMN appointments.platform IS 'Where it takes place, for example zoom, phone or in_person.';
COMMENT ON COLUMN appointments.meeting_url IS 'Personal: the link that opens the meeting, a URI.';
COMMENT ON COLUMN appointments.customer_display_name IS 'Personal: the customer''s name as shown.';
COMMENT ON COLUMN appointments.source IS 'Where it was made, for example calendar.';
COMMENT ON COLUMN appointments.intelligence_status IS 'State of the meeting intelligence, for example pending or ready; null: none.';
COMMENT ON COLUMN appointments.lead_id IS 'The lead it is with; goes into links.lead_id of events.';
COMMENT ON COLUMN appointments.session_id IS 'The conversation; goes into links.session_id of events.';
CREATE INDEX appointments_lead_idx ON appointments USING btree (lead_id);
CREATE INDEX appointments_session_idx ON appointments USING btree (session_id) WHERE lead_id IS NULL AND session_id IS NOT NULL;
CREATE INDEX appointments_starts_idx ON appointments USING btree (starts_at DESC, id DESC);
CREATE INDEX appointments_status_idx ON appointments USING btree (status, starts_at DESC, id DESC);

CREATE TABLE event_cursors (
  cursor bigint NOT NULL,
  log_id bigint NOT NULL,
  sequenced_at instant NOT NULL DEFAULT clock_timestamp(),
  event_type text NOT NULL,
  CONSTRAINT event_cursors_pkey PRIMARY KEY (cursor)
);
COMMENT ON TABLE event_cursors IS 'The feed: the cursor of every event, in the order in which events became visible. A cursor whose event was erased stays, and points at nothing.';
COMMENT ON COLUMN event_cursors.cursor IS 'Position in the feed; ascending, with gaps where the feed was advanced.';
COMMENT ON COLUMN event_cursors.sequenced_at IS 'When the event got its cursor; retention counts from here.';
CREATE UNIQUE INDEX event_cursors_log_id_idx ON event_cursors USING btree (log_id);
CREATE INDEX event_cursors_type_idx ON event_cursors USING btree (event_type, cursor);

CREATE TABLE event_types (
  event_type text NOT NULL,
  schema_version text NOT NULL,
  "position" smallint NOT NULL,
  members text[] NOT NULL,
  CONSTRAINT event_types_pkey PRIMARY KEY (event_type),
  CONSTRAINT event_types_position_key UNIQUE ("position")
);
COMMENT ON TABLE event_types IS 'The event types there are, in the order of the contract, and their schema_version.';
COMMENT ON COLUMN event_types.members IS 'The members of data, as /openapi.json publishes them for this version.';

CREATE TABLE events (
  log_id bigint NOT NULL DEFAULT nextval('events_log_id_seq'::regclass),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  event_type text NOT NULL,
  schema_version text NOT NULL,
  occurred_at instant NOT NULL DEFAULT clock_timestamp(),
  object_type text NOT NULL,
  object_id text NOT NULL,
  links jsonb NOT NULL,
  data jsonb NOT NULL,
  bytes integer NOT NULL GENERATED ALWAYS AS (octet_length((data)::text)) STORED,
  xid bigint NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
  CONSTRAINT events_pkey PRIMARY KEY (log_id)
);
COMMENT ON TABLE events IS 'The log: every event, appended by the writer''s transaction. event_cursors gives its place in the feed.';
COMMENT ON COLUMN events.log_id IS 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
COMMENT ON COLUMN events.data IS 'Personal: the payload.';
COMMENT ON COLUMN events.bytes IS 'Length of data as it is sent: pages end by it.';
COMMENT ON COLUMN events.xid IS 'The writer''s transaction: the sequencer finds by it what a long one added.';
CREATE INDEX events_email_idx ON events USING btree (kontakt_key_hint(data ->> 'email'::text)) WHERE kontakt_key_hint(data ->> 'email'::text) IS NOT NULL;
CREATE INDEX events_kontakt_idx ON events USING btree (lower(COALESCE(data ->> 'kontakt_key'::text, data ->> 'canonical_key'::text))) WHERE lower(COALESCE(data ->> 'kontakt_key'::text, data ->> 'canonical_key'::text)) IS NOT NULL;
CREATE INDEX events_lead_idx ON events USING btree (lower(COALESCE(links ->> 'lead_id'::text, data ->> 'lead_id'::text))) WHERE lower(COALESCE(links ->> 'lead_id'::text, data ->> 'lead_id'::text)) IS NOT NULL;
CREATE INDEX events_object_idx ON events USING btree (lower(object_id));
CREATE INDEX events_phone_idx ON events USING btree (kontakt_key_hint(data ->> 'phone'::text)) WHERE kontakt_key_hint(data ->> 'phone'::text) IS NOT NULL;
CREATE INDEX events_session_idx ON events USING btree ((links ->> 'session_id'::text)) WHERE (links ->> 'session_id'::text) IS NOT NULL;
CREATE INDEX events_xid_idx ON events USING btree (xid, log_id) WHERE xid > 0;

CREATE TABLE feed (
  only_row boolean NOT NULL DEFAULT true,
  head_floor bigint NOT NULL DEFAULT 0,
  horizon bigint NOT NULL DEFAULT 0,
  identity text,
  log_floor bigint NOT NULL DEFAULT 0,
  late jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT feed_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_head_floor_check CHECK (head_floor >= 0 AND head_floor <= '9000000000000000'::bigint),
  CONSTRAINT feed_horizon_check CHECK (horizon >= 0 AND horizon <= '9000000000000000'::bigint),
  CONSTRAINT feed_only_row_check CHECK (only_row)
) WITH (fillfactor=10);
COMMENT ON TABLE feed IS 'One row: the state of the feed.';
COMMENT ON COLUMN feed.head_floor IS 'The head is at least this: where the feed was advanced to.';
COMMENT ON COLUMN feed.horizon IS 'The highest expired cursor.';
COMMENT ON COLUMN feed.identity IS 'The database that gave out the cursors, see database_identity. In another one the feed advances first.';
COMMENT ON COLUMN feed.log_floor IS 'Where a sequencer begins that knows nothing yet; stored every ten seconds. Every event up to it has a cursor, never appears, or is of a transaction in late.';
COMMENT ON COLUMN feed.late IS 'Transactions that ran for long: xid, and log_id, up to which their events have cursors.';

CREATE TABLE feed_lock (
  only_row boolean NOT NULL DEFAULT true,
  CONSTRAINT feed_lock_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_lock_only_row_check CHECK (only_row)
);
COMMENT ON TABLE feed_lock IS 'One row. What gives out cursors or moves the head locks it first. It is never updated, so no held snapshot makes it slow.';

CREATE TABLE haushalte (
  kontakt_key text COLLATE "C" NOT NULL,
  haushalt jsonb NOT NULL,
  provenance jsonb,
  din_check jsonb,
  empfehlungen_aktuell jsonb,
  quelle text,
  updated_at instant NOT NULL DEFAULT now(),
  vertraege_anzahl integer NOT NULL GENERATED ALWAYS AS (vertraege_anzahl(haushalt)) STORED,
  luecken_nach_stufe jsonb NOT NULL GENERATED ALWAYS AS (luecken_nach_stufe(din_check)) STORED,
  params_version text GENERATED ALWAYS AS ((din_check #>> '{bewertung,params_version}'::text[])) STORED,
  CONSTRAINT haushalte_pkey PRIMARY KEY (kontakt_key),
  CONSTRAINT haushalte_din_check_check CHECK (jsonb_typeof(din_check) = 'object'::text),
  CONSTRAINT haushalte_empfehlungen_aktuell_check CHECK (jsonb_typeof(empfehlungen_aktuell) = 'object'::text),
  CONSTRAINT haushalte_haushalt_check CHECK (jsonb_typeof(haushalt) = 'object'::text),
  CONSTRAINT haushalte_kontakt_key_check CHECK (NOT kontakt_key(kontakt_key) IS DISTINCT FROM kontakt_key),
  CONSTRAINT haushalte_provenance_check CHECK (jsonb_typeof(provenance) = 'object'::text)
);
COMMENT ON TABLE haushalte IS 'Household records: the needs profile accumulated per contact.';
COMMENT ON COLUMN haushalte.kontakt_key IS 'Personal: identity key, email:, phone: or lead: and the normalised value.';
COMMENT ON COLUMN haushalte.haushalt IS 'Personal: the din_core_v2 household profile.';
COMMENT ON COLUMN haushalte.provenance IS 'Personal: where each field of the profile came from.';
COMMENT ON COLUMN haushalte.din_check IS 'Personal: the DIN check of the household.';
COMMENT ON COLUMN haushalte.empfehlungen_aktuell IS 'Personal: current recommendations.';
COMMENT ON COLUMN haushalte.quelle IS 'Origin of the last change, for example crm_import.';
COMMENT ON COLUMN haushalte.luecken_nach_stufe IS 'Derived: gaps per need level, [{stufe, anzahl}].';
COMMENT ON COLUMN haushalte.params_version IS 'Derived: parameter version of the DIN check.';
CREATE INDEX haushalte_updated_idx ON haushalte USING btree (updated_at DESC, kontakt_key);

CREATE TABLE hook_attempts (
  subscription_id uuid NOT NULL,
  cursor bigint NOT NULL,
  started_at instant NOT NULL,
  version integer NOT NULL,
  duration_ms integer NOT NULL,
  attempt smallint NOT NULL,
  status smallint,
  outcome "char" NOT NULL,
  error_class text,
  excerpt text,
  headers text,
  CONSTRAINT hook_attempts_pkey PRIMARY KEY (subscription_id, cursor, started_at),
  CONSTRAINT hook_attempts_error_class_check CHECK (error_class = ANY (ARRAY['dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'status'::text, 'blocked'::text])),
  CONSTRAINT hook_attempts_excerpt_check CHECK (length(excerpt) <= 1024),
  CONSTRAINT hook_attempts_headers_check CHECK (length(headers) <= 1024),
  CONSTRAINT hook_attempts_outcome_check CHECK (outcome = ANY (ARRAY['d'::"char", 'r'::"char", 'f'::"char"]))
);
COMMENT ON TABLE hook_attempts IS 'Every attempt to deliver, written once, kept as long as the feed keeps events.';
COMMENT ON COLUMN hook_attempts.version IS 'The version of the subscription under which it was sent.';
COMMENT ON COLUMN hook_attempts.attempt IS '1 for the first of a delivery, and again for the first after it was sent again.';
COMMENT ON COLUMN hook_attempts.status IS 'Status of the answer; null: none came.';
COMMENT ON COLUMN hook_attempts.outcome IS 'd: delivered. r: to be tried again. f: failed for good.';
COMMENT ON COLUMN hook_attempts.error_class IS 'Why it was no success; null: it was one.';
COMMENT ON COLUMN hook_attempts.excerpt IS 'Personal: the beginning of the answer, as the receiver wrote it.';
COMMENT ON COLUMN hook_attempts.headers IS 'Personal: headers of an answer that is no success, a line each.';
CREATE INDEX hook_attempts_started_idx ON hook_attempts USING brin (started_at) WITH (pages_per_range='16', autosummarize='on');

CREATE TABLE hook_outstanding (
  subscription_id uuid NOT NULL,
  cursor bigint NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  due_at instant,
  CONSTRAINT hook_outstanding_pkey PRIMARY KEY (subscription_id, cursor),
  CONSTRAINT hook_outstanding_attempts_check CHECK (attempts >= 0 AND attempts <= 5),
  CONSTRAINT hook_outstanding_cursor_check CHECK (cursor >= 1 AND cursor <= '9007199254740991'::bigint)
);
COMMENT ON TABLE hook_outstanding IS 'Deliveries that were tried and did not arrive: they wait for their next attempt, or failed for good.';
COMMENT ON COLUMN hook_outstanding.attempts IS 'Attempts made so far; 0: it is sent again at the owner''s wish.';
COMMENT ON COLUMN hook_outstanding.due_at IS 'When the next attempt is due; null: failed for good.';
CREATE INDEX hook_outstanding_due_idx ON hook_outstanding USING btree (subscription_id, due_at, cursor) WHERE due_at IS NOT NULL;
CREATE INDEX hook_outstanding_failed_idx ON hook_outstanding USING btree (subscription_id, cursor) WHERE due_at IS NULL;
CREATE INDEX hook_outstanding_next_idx ON hook_outstanding USING btree (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE hook_subscriptions (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  target_url text,
  event_types text[] NOT NULL,
  label text,
  source text NOT NULL DEFAULT 'api'::text,
  active boolean NOT NULL DEFAULT true,
  created_at instant NOT NULL DEFAULT now(),
  secret text,
  old_secret text,
  old_secret_until instant,
  old_secret_leads boolean NOT NULL DEFAULT false,
  cursor bigint NOT NULL,
  version integer NOT NULL DEFAULT 1,
  replayed_version integer NOT NULL DEFAULT 0,
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since instant,
  paused_at instant,
  pause_reason text,
  missed_from bigint,
  missed_to bigint,
  deleted_at instant,
  CONSTRAINT hook_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT hook_subscriptions_check CHECK (active = (paused_at IS NULL)),
  CONSTRAINT hook_subscriptions_check1 CHECK ((target_url IS NULL) = (deleted_at IS NOT NULL) AND (secret IS NULL) = (deleted_at IS NOT NULL)),
  CONSTRAINT hook_subscriptions_check2 CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
  CONSTRAINT hook_subscriptions_consecutive_failures_check CHECK (consecutive_failures >= 0 AND consecutive_failures <= 10),
  CONSTRAINT hook_subscriptions_cursor_check CHECK (cursor >= 0 AND cursor <= '9007199254740991'::bigint),
  CONSTRAINT hook_subscriptions_event_types_check CHECK (cardinality(event_types) >= 1 AND array_position(event_types, NULL::text) IS NULL AND event_types <@ ARRAY['lead.created'::text, 'lead.stage_changed'::text, 'lead.archived'::text, 'analysis.completed'::text, 'din.check_completed'::text, 'haushalt.updated'::text, 'kontakt.merged'::text, 'appointment.scheduled'::text, 'appointment.cancelled'::text, 'appointment.updated'::text, 'meeting.intelligence_ready'::text, 'meeting.intelligence_failed'::text, 'advisory_doc.approved'::text, 'advisory_doc.sent'::text, 'signal.opened'::text, 'signal.status_changed'::text, 'signal.outcome_recorded'::text]),
  CONSTRAINT hook_subscriptions_label_check CHECK (length(label) <= 200),
  CONSTRAINT hook_subscriptions_pause_reason_check CHECK (length(pause_reason) <= 500),
  CONSTRAINT hook_subscriptions_source_check CHECK (source = ANY (ARRAY['api'::text, 'zapier'::text, 'make'::text])),
  CONSTRAINT hook_subscriptions_target_url_check CHECK (target_url ~~ 'https://%'::text AND length(target_url) <= 2048)
) WITH (fillfactor=50);
COMMENT ON TABLE hook_subscriptions IS 'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
COMMENT ON COLUMN hook_subscriptions.target_url IS 'Canonical form of an https address; checked again at every attempt. Null: deleted.';
COMMENT ON COLUMN hook_subscriptions.active IS 'False while paused: nothing is sent, and the position stays.';
COMMENT ON COLUMN hook_subscriptions.secret IS 'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
COMMENT ON COLUMN hook_subscriptions.old_secret IS 'The secret before the last rotation, encrypted alike; signs next to the new one until old_secret_until.';
COMMENT ON COLUMN hook_subscriptions.old_secret_leads IS 'Whether the single-valued signature header still uses the old secret.';
COMMENT ON COLUMN hook_subscriptions.cursor IS 'The position: every event of its types up to it was delivered, or is in hook_outstanding. Written every ten seconds while attempts end, and a second after the last one.';
COMMENT ON COLUMN hook_subscriptions.version IS 'Rises with every change but those of a recording. What the leader read under another version it does not write.';
COMMENT ON COLUMN hook_subscriptions.replayed_version IS 'The version of the last replay: a delivery under an older one does not count as delivered.';
COMMENT ON COLUMN hook_subscriptions.consecutive_failures IS 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
COMMENT ON COLUMN hook_subscriptions.failing_since IS 'When the last run of final failures began.';
COMMENT ON COLUMN hook_subscriptions.pause_reason IS 'Why the owner paused it, perhaps empty; null: it is active, or was paused after ten final failures in a row.';
COMMENT ON COLUMN hook_subscriptions.missed_from IS 'Events of its types after this cursor expired before they were delivered; null: none.';
COMMENT ON COLUMN hook_subscriptions.deleted_at IS 'When it was deleted. The row stays for the retention time: the report of an erasure names it.';

CREATE UNLOGGED TABLE key_usage (
  key_id uuid NOT NULL,
  hour instant NOT NULL,
  code text NOT NULL,
  requests integer NOT NULL,
  last_at instant NOT NULL,
  last_route text NOT NULL,
  CONSTRAINT key_usage_pkey PRIMARY KEY (key_id, hour, code),
  CONSTRAINT key_usage_code_check CHECK (length(code) <= 60)
);
COMMENT ON TABLE key_usage IS 'Requests of each key by hour and outcome, for a day.';
COMMENT ON COLUMN key_usage.code IS 'Code of the refusal, or the status where it has none; empty: not refused.';
COMMENT ON COLUMN key_usage.last_route IS 'Method and pattern of the last of them: no query, no content, no address.';

CREATE TABLE kontakt_aliases (
  alias_key text COLLATE "C" NOT NULL,
  canonical_key text COLLATE "C" NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT kontakt_aliases_pkey PRIMARY KEY (alias_key),
  CONSTRAINT kontakt_aliases_alias_key_check CHECK (NOT kontakt_key(alias_key) IS DISTINCT FROM alias_key),
  CONSTRAINT kontakt_aliases_canonical_key_check CHECK (NOT kontakt_key(canonical_key) IS DISTINCT FROM canonical_key),
  CONSTRAINT kontakt_aliases_check CHECK (alias_key <> canonical_key)
);
COMMENT ON TABLE kontakt_aliases IS 'Merged identity keys, always one hop from alias to surviving key.';
COMMENT ON COLUMN kontakt_aliases.alias_key IS 'Personal: the key that was merged away.';
COMMENT ON COLUMN kontakt_aliases.canonical_key IS 'Personal: the key that survives.';
CREATE INDEX kontakt_aliases_canonical_idx ON kontakt_aliases USING btree (canonical_key, alias_key);

CREATE TABLE lead_analyses (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  lead_id uuid NOT NULL,
  channel text NOT NULL,
  source_id text NOT NULL,
  analysis_schema_version text,
  analysis jsonb NOT NULL,
  analysis_v2 jsonb,
  din_check jsonb,
  created_at instant NOT NULL DEFAULT now(),
  session_id uuid,
  kontakt_key text COLLATE "C",
  CONSTRAINT lead_analyses_pkey PRIMARY KEY (id),
  CONSTRAINT lead_analyses_lead_id_channel_source_id_key UNIQUE (lead_id, channel, source_id),
  CONSTRAINT lead_analyses_analysis_check CHECK (jsonb_typeof(analysis) = 'object'::text),
  CONSTRAINT lead_analyses_analysis_v2_check CHECK (jsonb_typeof(analysis_v2) = 'object'::text),
  CONSTRAINT lead_analyses_channel_check CHECK (channel = ANY (ARRAY['chat'::text, 'call'::text])),
  CONSTRAINT lead_analyses_din_check_check CHECK (jsonb_typeof(din_check) = 'object'::text),
  CONSTRAINT lead_analyses_kontakt_key_check CHECK (NOT kontakt_key(kontakt_key) IS DISTINCT FROM kontakt_key),
  CONSTRAINT lead_analyses_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE CASCADE
);
COMMENT ON TABLE lead_analyses IS 'Finished needs analyses (DIN 77230), one per lead, channel and source.';
COMMENT ON COLUMN lead_analyses.source_id IS 'The conversation''s id in its channel.';
COMMENT ON COLUMN lead_analyses.analysis_schema_version IS 'Core form and product fragment, for example din_core_v2+hausrat_v1.';
COMMENT ON COLUMN lead_analyses.analysis IS 'Personal: the flat export projection; computed from analysis_v2 when left out.';
COMMENT ON COLUMN lead_analyses.analysis_v2 IS 'Personal: the nested din_core_v2 form.';
COMMENT ON COLUMN lead_analyses.din_check IS 'Personal: the DIN check of this analysis.';
COMMENT ON COLUMN lead_analyses.session_id IS 'The conversation; goes into links.session_id of events.';
COMMENT ON COLUMN lead_analyses.kontakt_key IS 'Personal: identity key of the contact the analysis belongs to.';
CREATE INDEX lead_analyses_kontakt_idx ON lead_analyses USING btree (kontakt_key) WHERE kontakt_key IS NOT NULL;
CREATE INDEX lead_analyses_newest_idx ON lead_analyses USING btree (lead_id, created_at DESC, id DESC);

CREATE TABLE leader (
  fence integer NOT NULL DEFAULT 0,
  worker uuid,
  lease_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  CONSTRAINT leader_pkey PRIMARY KEY (fence)
);
COMMENT ON TABLE leader IS 'One row: the process that sequences, delivers and prunes. The others wait until its lease ends.';
COMMENT ON COLUMN leader.fence IS 'Rises when another process leads. As the key of the row it is locked by a recording, and a renewal leaves it as it is.';
COMMENT ON COLUMN leader.lease_until IS 'Renewed every second. Further than 10 s in the future counts as over: a clock was wrong.';
CREATE UNIQUE INDEX leader_only_row_idx ON leader USING btree ((true));

CREATE TABLE leads (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text,
  email text,
  phone text,
  status text NOT NULL DEFAULT 'new'::text,
  source_type text,
  contacted_at instant,
  archived_at instant,
  archive_reason_code text,
  parsed_data jsonb,
  created_at instant NOT NULL DEFAULT now(),
  product_domain text,
  session_id uuid,
  search_text text COLLATE "C" GENERATED ALWAYS AS (search_form(((((COALESCE(name, ''::text) || e'\u001f'::text) || COALESCE(email, ''::text)) || e'\u001f'::text) || COALESCE(phone, ''::text)))) STORED,
  CONSTRAINT leads_pkey PRIMARY KEY (id),
  CONSTRAINT leads_parsed_data_check CHECK (jsonb_typeof(parsed_data) = 'object'::text),
  CONSTRAINT leads_status_check CHECK (status <> ''::text)
);
COMMENT ON TABLE leads IS 'Leads of the workspace: people who may become customers.';
COMMENT ON COLUMN leads.name IS 'Personal: the name as it was given.';
COMMENT ON COLUMN leads.email IS 'Personal: the mail address as it was given.';
COMMENT ON COLUMN leads.phone IS 'Personal: the phone number as it was given.';
COMMENT ON COLUMN leads.status IS 'Pipeline status; free text, a new lead is new.';
COMMENT ON COLUMN leads.source_type IS 'Where the lead came from, for example website_form.';
COMMENT ON COLUMN leads.archived_at IS 'When the lead was archived; null: not archived.';
COMMENT ON COLUMN leads.archive_reason_code IS 'Why the lead was archived, for example not_reachable.';
COMMENT ON COLUMN leads.parsed_data IS 'Personal: contact data as it was parsed, free-form object.';
COMMENT ON COLUMN leads.product_domain IS 'Product classification, carried by the event lead.created.';
COMMENT ON COLUMN leads.session_id IS 'The conversation the lead came from; goes into links.session_id of events.';
COMMENT ON COLUMN leads.search_text IS 'Personal: name, email and phone in search form; derived.';
CREATE INDEX leads_active_idx ON leads USING btree (created_at DESC, id DESC) WHERE archived_at IS NULL;
CREATE INDEX leads_active_status_idx ON leads USING btree (status, created_at DESC, id DESC) WHERE archived_at IS NULL;
CREATE INDEX leads_created_idx ON leads USING btree (created_at DESC, id DESC);
CREATE INDEX leads_email_hint_idx ON leads USING btree (kontakt_key_hint(email));
CREATE INDEX leads_phone_hint_idx ON leads USING btree (kontakt_key_hint(phone));
CREATE INDEX leads_search_idx ON leads USING gin (search_text gin_trgm_ops);
CREATE INDEX leads_status_idx ON leads USING btree (status, created_at DESC, id DESC);

CREATE TABLE meeting_intelligence (
  appointment_id uuid NOT NULL,
  status text NOT NULL,
  failure_reason text,
  overall_score score,
  customer_persona text,
  conversation_type text,
  summary text,
  next_steps jsonb,
  results jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT meeting_intelligence_pkey PRIMARY KEY (appointment_id),
  CONSTRAINT meeting_intelligence_results_check CHECK (are_result_entries(results)),
  CONSTRAINT meeting_intelligence_status_check CHECK (status = ANY (ARRAY['ready'::text, 'failed'::text])),
  CONSTRAINT meeting_intelligence_appointment_id_fkey FOREIGN KEY (appointment_id) REFERENCES appointments(id) ON DELETE CASCADE
);
COMMENT ON TABLE meeting_intelligence IS 'What was found in a meeting: one row per appointment.';
COMMENT ON COLUMN meeting_intelligence.failure_reason IS 'Why it failed, when status is failed.';
COMMENT ON COLUMN meeting_intelligence.customer_persona IS 'Personal: how the customer was read.';
COMMENT ON COLUMN meeting_intelligence.conversation_type IS 'Kind of conversation, for example erstberatung.';
COMMENT ON COLUMN meeting_intelligence.summary IS 'Personal: what was said.';
COMMENT ON COLUMN meeting_intelligence.next_steps IS 'Personal: what was agreed.';
COMMENT ON COLUMN meeting_intelligence.results IS 'Personal: array of result entries, each with every member of the API''s result entry.';

CREATE TABLE notice_settings (
  only_row boolean NOT NULL DEFAULT true,
  mail_to text,
  language text,
  CONSTRAINT notice_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT notice_settings_language_check CHECK (language = ANY (ARRAY['de'::text, 'en'::text])),
  CONSTRAINT notice_settings_only_row_check CHECK (only_row)
);
COMMENT ON TABLE notice_settings IS 'One row: where notices to the owner go, as entered in the dashboard. Null: as the settings of the process say.';
COMMENT ON COLUMN notice_settings.mail_to IS 'Personal: addresses of the owner, separated by commas.';

CREATE TABLE owner_notices (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  subscription_id uuid,
  failures integer,
  created_at instant NOT NULL DEFAULT now(),
  due_at instant NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  sent_at instant,
  error_class text,
  CONSTRAINT owner_notices_pkey PRIMARY KEY (id),
  CONSTRAINT owner_notices_check CHECK ((subscription_id IS NULL) = (failures IS NULL))
);
COMMENT ON TABLE owner_notices IS 'Notices to the owner by e-mail: a subscription reached so many failures in a row, or the owner asked for a test. Tried for a day, kept for 30.';
COMMENT ON COLUMN owner_notices.subscription_id IS 'Null, like failures: a test.';
COMMENT ON COLUMN owner_notices.due_at IS 'When it is sent, or sent again: moved on before each attempt.';
COMMENT ON COLUMN owner_notices.sent_at IS 'When it was accepted; null: not yet, or never.';
COMMENT ON COLUMN owner_notices.error_class IS 'Why the last attempt failed; null: it was accepted, or there was none.';
CREATE INDEX owner_notices_created_idx ON owner_notices USING btree (created_at);

CREATE TABLE owner_sessions (
  digest bytea NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  used_at instant NOT NULL DEFAULT now(),
  CONSTRAINT owner_sessions_pkey PRIMARY KEY (digest),
  CONSTRAINT owner_sessions_digest_check CHECK (length(digest) = 32)
);
COMMENT ON TABLE owner_sessions IS 'Sessions of the dashboard. The token itself is only in the browser’s cookie.';
COMMENT ON COLUMN owner_sessions.digest IS 'HMAC-SHA256 of the token under the hash of the password: with another password no session is valid.';
COMMENT ON COLUMN owner_sessions.used_at IS 'Written once a minute at most.';

CREATE UNLOGGED TABLE rate_windows (
  key_id uuid NOT NULL,
  seconds bigint[] NOT NULL,
  granted integer NOT NULL,
  earlier bigint[] NOT NULL,
  total bigint NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id)
) WITH (fillfactor=50);
COMMENT ON TABLE rate_windows IS 'Rate limit: requests granted to a key. Forgotten by a crash, on purpose.';
COMMENT ON COLUMN rate_windows.seconds IS 'Unix seconds in which requests were asked for, ascending, at most 61.';
COMMENT ON COLUMN rate_windows.granted IS 'Requests granted by the last statement.';
COMMENT ON COLUMN rate_windows.earlier IS 'By second: requests granted before it, since the row was made.';
COMMENT ON COLUMN rate_windows.total IS 'Requests granted since the row was made.';

CREATE TABLE schema_functions (
  path text NOT NULL,
  sha256 text NOT NULL,
  version text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_functions_pkey PRIMARY KEY (path)
);
COMMENT ON TABLE schema_functions IS 'Files of sql/functions as they were last applied; sha256 is that of the file and of those it needs, version that of the program. Emptied by every migration, so that all are applied after it.';

CREATE TABLE schema_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
);
COMMENT ON TABLE schema_migrations IS 'Migrations applied to this database; sha256 is that of the file''s text.';

CREATE TABLE signals (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  title text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  score score NOT NULL,
  lead_id uuid,
  detected_at instant NOT NULL DEFAULT now(),
  updated_at instant NOT NULL DEFAULT now(),
  kontakt_key text COLLATE "C",
  quelle text,
  outcome text,
  CONSTRAINT signals_pkey PRIMARY KEY (id),
  CONSTRAINT signals_kontakt_key_check CHECK (NOT kontakt_key(kontakt_key) IS DISTINCT FROM kontakt_key),
  CONSTRAINT signals_status_check CHECK (status = ANY (ARRAY['open'::text, 'dismissed'::text, 'done'::text, 'resolved'::text])),
  CONSTRAINT signals_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES leads(id) ON DELETE SET NULL
);
COMMENT ON TABLE signals IS 'Sales signals: reasons to speak with a contact.';
COMMENT ON COLUMN signals.kind IS 'Kind of signal, for example vertragsablauf.';
COMMENT ON COLUMN signals.title IS 'Personal: title of the signal.';
COMMENT ON COLUMN signals.kontakt_key IS 'Personal: identity key of the contact it concerns.';
COMMENT ON COLUMN signals.quelle IS 'Origin, for example crm_import.';
COMMENT ON COLUMN signals.outcome IS 'What came of it; set once known.';
CREATE INDEX signals_detected_idx ON signals USING btree (detected_at DESC, id DESC);
CREATE INDEX signals_kontakt_idx ON signals USING btree (kontakt_key) WHERE kontakt_key IS NOT NULL;
CREATE INDEX signals_lead_idx ON signals USING btree (lead_id);
CREATE INDEX signals_status_idx ON signals USING btree (status, detected_at DESC, id DESC);

CREATE TABLE write_locks (
  name text NOT NULL,
  CONSTRAINT write_locks_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE write_locks IS 'A row for each thing that one transaction at a time may do; take_lock locks it.';
COMMENT ON COLUMN write_locks.name IS 'What is done under the lock: the name of a function or a table.';

CREATE VIEW feed_events AS
 SELECT event_cursors.cursor,
    event_cursors.sequenced_at,
    events.id,
    events.event_type,
    events.schema_version,
    events.occurred_at,
    events.object_type,
    events.object_id,
    events.links,
    events.data
   FROM event_cursors
     JOIN events ON events.log_id = event_cursors.log_id;
COMMENT ON VIEW feed_events IS 'The feed as GET /events gives it, with the moment each event got its cursor.';

CREATE VIEW feed_state AS
 SELECT horizon,
    GREATEST(head_floor, horizon, ( SELECT event_cursors.cursor
           FROM event_cursors
          WHERE event_cursors.cursor > feed.horizon
          ORDER BY event_cursors.cursor DESC
         LIMIT 1)) AS head
   FROM feed;
COMMENT ON VIEW feed_state IS 'The bounds of the feed: its head is the last cursor given out, its horizon the highest expired one.';

CREATE VIEW listed_haushalte AS
 SELECT kontakt_key,
    haushalt,
    provenance,
    din_check,
    empfehlungen_aktuell,
    updated_at,
    vertraege_anzahl,
    luecken_nach_stufe,
    params_version
   FROM haushalte
  WHERE NOT (EXISTS ( SELECT
           FROM kontakt_aliases
          WHERE kontakt_aliases.alias_key = haushalte.kontakt_key AND ((EXISTS ( SELECT
                   FROM haushalte preferred
                  WHERE preferred.kontakt_key = kontakt_aliases.canonical_key)) OR (EXISTS ( SELECT
                   FROM kontakt_aliases siblings
                     JOIN haushalte preferred ON preferred.kontakt_key = siblings.alias_key
                  WHERE siblings.canonical_key = kontakt_aliases.canonical_key AND (preferred.updated_at::timestamp with time zone > haushalte.updated_at::timestamp with time zone OR preferred.updated_at::timestamp with time zone = haushalte.updated_at::timestamp with time zone AND preferred.kontakt_key < haushalte.kontakt_key))))));
COMMENT ON VIEW listed_haushalte IS 'One record for each contact, the one that get_haushalt answers with: that of the surviving key, else the newest.';

CREATE TRIGGER advisory_docs_emit_changed AFTER UPDATE ON advisory_docs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER advisory_docs_emit_created AFTER INSERT ON advisory_docs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER advisory_docs_income BEFORE INSERT OR UPDATE OF title ON advisory_docs FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.title))) EXECUTE FUNCTION redact_row('title');
ALTER TABLE advisory_docs ENABLE ALWAYS TRIGGER advisory_docs_income;
CREATE TRIGGER advisory_docs_key BEFORE UPDATE OF id ON advisory_docs FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER api_keys_changed AFTER INSERT OR DELETE OR UPDATE OF digest, scopes, expires_at, revoked_at OR TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_changed('api_keys_changed');
CREATE TRIGGER appointments_emit_changed AFTER UPDATE ON appointments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER appointments_emit_created AFTER INSERT ON appointments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER appointments_encode BEFORE INSERT OR UPDATE OF meeting_url ON appointments FOR EACH ROW WHEN (NOT is_uri(new.meeting_url) AND new.meeting_url !~ '[[:space:]]'::text) EXECUTE FUNCTION encode_meeting_url();
CREATE TRIGGER appointments_income BEFORE INSERT OR UPDATE OF title, status, platform, customer_display_name, source, intelligence_status ON appointments FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.title, new.status, new.platform, new.customer_display_name, new.source, new.intelligence_status))) EXECUTE FUNCTION redact_row('title', 'status', 'platform', 'customer_display_name', 'source', 'intelligence_status');
ALTER TABLE appointments ENABLE ALWAYS TRIGGER appointments_income;
CREATE TRIGGER appointments_key BEFORE UPDATE OF id ON appointments FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER events_begin BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION begin_events();
ALTER TABLE events ENABLE ALWAYS TRIGGER events_begin;
CREATE TRIGGER events_income BEFORE INSERT ON events FOR EACH ROW WHEN (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)'::text OR new.object_type ~ '[0-9]'::text) EXECUTE FUNCTION redact_row('object_type', 'object_id');
ALTER TABLE events ENABLE ALWAYS TRIGGER events_income;
CREATE TRIGGER haushalte_documents BEFORE INSERT OR UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell ON haushalte FOR EACH ROW WHEN (NOT are_bounded(VARIADIC ARRAY[new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell])) EXECUTE FUNCTION refuse_unbounded('haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell');
ALTER TABLE haushalte ENABLE ALWAYS TRIGGER haushalte_documents;
CREATE TRIGGER haushalte_emit_changed AFTER UPDATE ON haushalte REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER haushalte_emit_created AFTER INSERT ON haushalte REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER haushalte_income BEFORE INSERT OR UPDATE OF quelle, haushalt, provenance, din_check, empfehlungen_aktuell ON haushalte FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.quelle, new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell))) EXECUTE FUNCTION redact_row('quelle', 'haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell');
ALTER TABLE haushalte ENABLE ALWAYS TRIGGER haushalte_income;
CREATE TRIGGER haushalte_key BEFORE UPDATE OF kontakt_key ON haushalte FOR EACH ROW WHEN (new.kontakt_key <> old.kontakt_key) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER haushalte_touch BEFORE UPDATE ON haushalte FOR EACH ROW WHEN (old.haushalt IS DISTINCT FROM new.haushalt OR old.provenance IS DISTINCT FROM new.provenance OR old.din_check IS DISTINCT FROM new.din_check OR old.empfehlungen_aktuell IS DISTINCT FROM new.empfehlungen_aktuell OR old.quelle IS DISTINCT FROM new.quelle) EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER hook_subscriptions_changed AFTER INSERT OR DELETE OR UPDATE ON hook_subscriptions FOR EACH ROW WHEN (current_setting('app.recording'::text, true) IS DISTINCT FROM 'on'::text) EXECUTE FUNCTION notify_changed('hooks_changed');
CREATE TRIGGER hook_subscriptions_deleted AFTER DELETE ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION drop_deliveries();
CREATE TRIGGER hook_subscriptions_failing AFTER UPDATE OF consecutive_failures ON hook_subscriptions FOR EACH ROW WHEN (new.consecutive_failures > old.consecutive_failures) EXECUTE FUNCTION note_hook_failures();
CREATE TRIGGER hook_subscriptions_left AFTER UPDATE OF deleted_at ON hook_subscriptions FOR EACH ROW WHEN (new.deleted_at IS NOT NULL) EXECUTE FUNCTION drop_deliveries();
CREATE TRIGGER hook_subscriptions_version BEFORE UPDATE ON hook_subscriptions FOR EACH ROW WHEN (current_setting('app.recording'::text, true) IS DISTINCT FROM 'on'::text) EXECUTE FUNCTION raise_subscription_version();
CREATE TRIGGER kontakt_aliases_flat_on_insert AFTER INSERT ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();
CREATE TRIGGER kontakt_aliases_flat_on_update AFTER UPDATE ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();
CREATE TRIGGER lead_analyses_documents BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW WHEN (NOT are_bounded(VARIADIC ARRAY[new.analysis, new.analysis_v2, new.din_check])) EXECUTE FUNCTION refuse_unbounded('analysis', 'analysis_v2', 'din_check');
ALTER TABLE lead_analyses ENABLE ALWAYS TRIGGER lead_analyses_documents;
CREATE TRIGGER lead_analyses_emit_changed AFTER UPDATE ON lead_analyses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER lead_analyses_emit_created AFTER INSERT ON lead_analyses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER lead_analyses_income BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.analysis, new.analysis_v2, new.din_check))) EXECUTE FUNCTION redact_row('analysis', 'analysis_v2', 'din_check');
ALTER TABLE lead_analyses ENABLE ALWAYS TRIGGER lead_analyses_income;
CREATE TRIGGER lead_analyses_key BEFORE UPDATE OF id ON lead_analyses FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER lead_analyses_projection BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION project_lead_analysis();
CREATE TRIGGER leads_documents BEFORE INSERT OR UPDATE OF parsed_data ON leads FOR EACH ROW WHEN (NOT are_bounded(VARIADIC ARRAY[new.parsed_data])) EXECUTE FUNCTION refuse_unbounded('parsed_data');
ALTER TABLE leads ENABLE ALWAYS TRIGGER leads_documents;
CREATE TRIGGER leads_emit_changed AFTER UPDATE ON leads REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER leads_emit_created AFTER INSERT ON leads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER leads_income BEFORE INSERT OR UPDATE OF name, status, source_type, archive_reason_code, product_domain, parsed_data ON leads FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.name, new.status, new.source_type, new.archive_reason_code, new.product_domain, new.parsed_data))) EXECUTE FUNCTION redact_row('name', 'status', 'source_type', 'archive_reason_code', 'product_domain', 'parsed_data');
ALTER TABLE leads ENABLE ALWAYS TRIGGER leads_income;
CREATE TRIGGER leads_key BEFORE UPDATE OF id ON leads FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER meeting_intelligence_documents BEFORE INSERT OR UPDATE OF next_steps, results ON meeting_intelligence FOR EACH ROW WHEN (NOT are_bounded(VARIADIC ARRAY[new.next_steps, new.results])) EXECUTE FUNCTION refuse_unbounded('next_steps', 'results');
ALTER TABLE meeting_intelligence ENABLE ALWAYS TRIGGER meeting_intelligence_documents;
CREATE TRIGGER meeting_intelligence_emit_changed AFTER UPDATE ON meeting_intelligence REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER meeting_intelligence_emit_created AFTER INSERT ON meeting_intelligence REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER meeting_intelligence_income BEFORE INSERT OR UPDATE OF failure_reason, customer_persona, conversation_type, summary, next_steps, results ON meeting_intelligence FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.failure_reason, new.customer_persona, new.conversation_type, new.summary, new.next_steps, new.results))) EXECUTE FUNCTION redact_row('failure_reason', 'customer_persona', 'conversation_type', 'summary', 'next_steps', 'results');
ALTER TABLE meeting_intelligence ENABLE ALWAYS TRIGGER meeting_intelligence_income;
CREATE TRIGGER meeting_intelligence_key BEFORE UPDATE OF appointment_id ON meeting_intelligence FOR EACH ROW WHEN (new.appointment_id <> old.appointment_id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER signals_emit_changed AFTER UPDATE ON signals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_changed();
CREATE TRIGGER signals_emit_created AFTER INSERT ON signals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_created();
CREATE TRIGGER signals_income BEFORE INSERT OR UPDATE OF kind, title, quelle, outcome ON signals FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.kind, new.title, new.quelle, new.outcome))) EXECUTE FUNCTION redact_row('kind', 'title', 'quelle', 'outcome');
ALTER TABLE signals ENABLE ALWAYS TRIGGER signals_income;
CREATE TRIGGER signals_key BEFORE UPDATE OF id ON signals FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER signals_touch BEFORE UPDATE ON signals FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION touch_updated_at();
-- advance_feed(OUT head bigint) returns bigint, volatile, with the rights of its owner
--   Moves the head of the feed beyond every cursor that an older state of the database can have given out; returns it.
-- advisory_doc_payload(doc advisory_docs, name text, at timestamp with time zone) returns jsonb, stable
--   data of the events of advisory documents.
-- advisory_docs_events(before advisory_docs, after advisory_docs) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- analysis_flat(analysis_v2 jsonb, din_check jsonb) returns jsonb, immutable
--   The flat projection of an analysis: the columns that /schemas/analysis lists, each always present.
-- appointment_payload(appointment appointments) returns jsonb, stable
--   data of the appointment events.
-- appointments_events(before appointments, after appointments) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- are_bounded(VARIADIC documents jsonb[]) returns boolean, immutable
--   Whether documents may be stored in one row. False also where a text has 200 digits.
-- are_result_entries(results jsonb) returns boolean, immutable
--   Whether a JSON value is an array of result entries.
-- asks_for_income(value text, hits text[]) returns boolean, immutable
--   Whether a text ends by asking for an income.
-- begin_events() returns trigger, volatile
-- blank_income_cells(part jsonb, places integer[], names text[], width integer, nested boolean, depth integer) returns jsonb, immutable
--   Rows of a table without the amounts in its income columns.
-- canonical_kontakt_key(identity text) returns text, stable
--   The surviving key of the contact that any spelling of an identity stands for; null where it is none. Writers store under it.
-- carries_key(data jsonb, keys text[], hints text[]) returns boolean, immutable
--   Whether the payload of an event has the address or the number of one of the keys; hints are those of the keys.
-- concerns_income(written text) returns boolean, immutable
--   Whether a text may hold an income.
-- count_attempts(cursors bigint[], OUT attempts bigint, OUT deliveries bigint) returns record, stable
--   How many attempts to deliver these events were made, of how many deliveries.
-- count_events_at_most(event_types text[], after_cursor bigint, up_to bigint, count_max integer) returns integer, stable
--   How many events of these types have a cursor in a range, up to count_max.
-- count_failures(before integer, ended ended_attempt[]) returns integer, immutable
--   Called by record_attempts: final failures in a row after these attempts.
-- count_unsequenced(count_max integer, OUT total integer, OUT since instant) returns record, stable
--   Events that wait for their cursor, no more than so many, and when the oldest of them occurred.
-- counts_of(person record, cursors bigint[]) returns jsonb, stable
--   How many rows a person of find_kontakt has, by table.
-- cursor_at(moment timestamp with time zone) returns bigint, stable
--   The last cursor given out before a moment; the horizon where there is none.
-- cursors_of(log_ids bigint[]) returns bigint[], stable
--   The cursors of events, where they have one.
-- database_identity() returns text, stable
--   Differs after a restore and after a promotion, either of which may have lost cursors that were given out.
-- delivered_results(results jsonb) returns jsonb, stable
--   Stored result entries with their moments as all others are written.
-- delivered_up_to(subscription_id uuid, reached bigint) returns bigint, stable
--   The cursor up to which everything was delivered: after it, GET /events misses nothing.
-- delivery_report(cursors bigint[]) returns jsonb, stable
--   Which subscriptions received these events, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].
-- din_check_moment(din_check jsonb) returns timestamp with time zone, immutable
--   When a DIN check was made; -infinity where it does not have a moment.
-- din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb) returns jsonb, immutable
--   data of din.check_completed.
-- document_fault(name text, document jsonb) returns text, immutable
--   Where a document is deeper than 64 levels or has a number beyond a double; null: nowhere.
-- drop_deliveries() returns trigger, volatile, with the rights of its owner
-- emit_changed() returns trigger, volatile, with the rights of its owner
-- emit_created() returns trigger, volatile, with the rights of its owner
-- emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) returns uuid, volatile, with the rights of its owner
--   Puts an event of a known type with its members into the feed, in the caller's transaction; returns its id.
-- encode_meeting_url() returns trigger, volatile
-- encode_uri(value text) returns text, immutable
--   The text with each character percent-encoded that a URI cannot have.
-- erase_kontakt(identity text) returns TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb), volatile, with the rights of its owner
--   Erases all that is stored of a person, events and deliveries included; returns what went, which subscriptions had received it, and which leads had one of the keys once. No row where nothing was stored.
-- event_body(event events) returns text, stable
--   The envelope as it is sent, without its cursor; null where there is no event.
-- event_links(lead_id uuid, session_id uuid) returns jsonb, immutable
--   The links member of the envelope.
-- event_person(object_type text, object_id text, links jsonb, data jsonb) returns text, stable
--   Personal: whom an event is about, by name, else by address or phone number; null: it names no person.
-- events_about(names text[], lead_names text[], sessions text[], keys text[], hints text[]) returns bigint[], stable
--   The log_ids of the events about a person, with a cursor or without.
-- expire_deliveries(horizon bigint) returns void, volatile
--   Called by prune_events before it deletes cursors: positions below the horizon move there, and what is outstanding below it goes.
-- find_events(searched text, log_max bigint) returns bigint[], stable, with the rights of its owner
--   Cursors of the events about a text: an object, a lead, a conversation, or a person by key, address or number; else of those whose payload has the address or number; else of the event of this id, among the newest log_max.
-- find_kontakt(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT other_lead_ids uuid[], OUT stored jsonb, OUT log_ids bigint[]) returns record, stable
--   Keys, rows by table (stored) and events of the person that an identity stands for. No array is null.
-- flat_check(din_check jsonb) returns jsonb, immutable
--   The columns of the flat projection about the DIN check.
-- flat_contracts(vertraege jsonb) returns jsonb, immutable
--   The columns of the flat projection about contracts.
-- flat_person(haushalt jsonb, rolle text) returns jsonb, immutable
--   The first person of a household in a role.
-- flat_value(value jsonb, kind text) returns jsonb, immutable
--   A value when it has the type of its column, else null.
-- forget_deliveries(cursors bigint[]) returns void, volatile
--   Called by erase_kontakt: deliveries of these events go. Fails with 55P03 after 2 s.
-- has_amount(value text) returns boolean, immutable
--   Whether a text has a digit or a number in words.
-- has_event(cursor bigint) returns boolean, stable
--   Whether the event at a cursor is there: it was neither erased nor has it expired.
-- has_income_piece(lowered text) returns boolean, immutable
--   Whether a text in lower case may concern an income.
-- has_number_word(value text) returns boolean, immutable
--   Whether a text has an amount in words.
-- haushalte_events(before haushalte, after haushalte) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- hook_failures_max() returns integer, immutable
--   How many final failures in a row pause a subscription.
-- hooks_below_max(subscriptions_max integer) returns boolean, volatile, with the rights of its owner
--   Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.
-- identity_text(value text) returns text, immutable
--   Called by kontakt_key: the text without invisible characters, in one Unicode form.
-- income_amount_steps() returns text[], immutable
--   Of each step the pattern, what replaces it, and its signs as patterns for LIKE.
-- income_amounts() returns TABLE(step integer, kind text, signs text, pattern text, replacement text, example text, cleaned text), immutable
--   The steps in which amounts are found, with an example of each.
-- income_answers(turns jsonb, hits text[]) returns boolean[], immutable
--   For each element of an array, whether it answers a question about an income.
-- income_blanks() returns text, immutable
--   Characters that say nothing around a text.
-- income_changes(given jsonb, columns text[]) returns jsonb, immutable
--   Those of a row's columns that hold raw income, with what is left of them.
-- income_columns(head jsonb, hits text[], OUT places integer[], OUT names text[]) returns record, immutable
--   The columns of a table that are incomes, by the table's head.
-- income_fold(value text) returns text, immutable
--   A text in lower case, with umlauts as a, o, u.
-- income_form(folded text) returns text, immutable
--   The form in which the words of a folded text are looked up.
-- income_head(word text, OUT class text, OUT size integer) returns record, immutable
--   The class and the length of the last part of a word that is listed.
-- income_hits(written text) returns text[], immutable
--   The pieces that a document has, as patterns for LIKE; none where nothing need be removed.
-- income_key(key text) returns text, immutable
--   A member's name without what is no letter.
-- income_key_mode(key text, mode income_mode, hits text[]) returns income_mode, immutable
--   The mode in which an unpublished member is redacted, by its name.
-- income_lexicon() returns jsonb, immutable
--   The class of each word of income_words, by where it stands.
-- income_lower(written text) returns text, immutable
--   A text in lower case, the same in every database.
-- income_measure(words text[]) returns boolean, immutable
--   Whether netto or brutto stands for an income in these words.
-- income_member_mode(key text, value jsonb, known jsonb, mode income_mode, named boolean, hits text[]) returns income_mode, immutable
--   The mode in which a member is redacted.
-- income_name_class(form text, joined text, words integer, last text) returns text, immutable
--   The class of the last word of a name, or of all its words together.
-- income_name_words(name text) returns text, immutable
--   A name with a blank before each word.
-- income_number_word_pattern() returns text, immutable
--   Amounts in words as one pattern.
-- income_number_words() returns TABLE(kind text, pattern text, example text), immutable
--   Amounts in words, with an example of each.
-- income_pattern(pattern text) returns text, immutable
--   A pattern with its names resolved.
-- income_patterns(place text) returns text[], immutable
--   The words of one place as patterns for LIKE.
-- income_phrase_steps(class text) returns text[], immutable
--   Each sign of the phrases of a class, with the phrase's pattern.
-- income_phrases() returns TABLE(class text, kind text, signs text, pattern text, example text), immutable
--   Phrases that speak of an income, or only seem to, with an example of each.
-- income_piece_patterns() returns bytea[], immutable
--   The pieces as patterns for LIKE.
-- income_pieces() returns text[], immutable
--   Pieces of text of which whatever concerns an income has one, in lower case.
-- income_plain(value text) returns text, immutable
--   A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.
-- income_question(value text) returns text, immutable
--   The last question of a text.
-- income_schema() returns jsonb, immutable
--   The schemas as income_schema_core has them, for whatever a document may be.
-- income_schema_core() returns jsonb, immutable
--   The published schemas as a tree of members: n number, s text, b boolean, x raw income. Generated.
-- income_schema_names() returns text, immutable
--   Names of the flagged fields, as a pattern. Generated.
-- income_sentences(written text) returns text[], immutable
--   The sentences of a text.
-- income_siblings() returns text[], immutable
--   Members by which an object says what its amounts are.
-- income_split(lowered text) returns text[], immutable
--   The words of a text; a hyphen joins two.
-- income_word_class(word text) returns text, immutable
--   The class of a word, as in income_words; bound, or null, where it is unknown.
-- income_word_list(place text) returns text[], immutable
--   The words of one place.
-- income_words() returns TABLE(place text, class text, example text, words text), immutable
--   The words that the rule knows, with their classes and an example of each.
-- insert_attempts(ended ended_attempt[]) returns SETOF ended_attempt, volatile
--   Called by record_attempts: the attempts that were not there yet.
-- is_amount_alone(value text) returns boolean, immutable
--   Whether a text is an amount and nothing else.
-- is_amount_name(name text, mode income_mode, hits text[]) returns boolean, immutable
--   Whether a member's name holds the amount of an income.
-- is_amount_value(value jsonb) returns boolean, immutable
--   Whether a value is an amount and nothing else.
-- is_date_time(value text) returns boolean, immutable
--   Whether a text is a date-time that the API may deliver as one.
-- is_exotic(value text) returns boolean, immutable
--   Whether a text has characters that may hide a word or a digit.
-- is_further_question(sentence text) returns boolean, immutable
--   Whether a question only asks on.
-- is_hit(written text, hits text[]) returns boolean, immutable
--   Whether a part of a document may concern an income.
-- is_income_heading(label jsonb, hits text[]) returns boolean, immutable
--   Whether a text may be the head of a column of incomes.
-- is_income_istwert(istwert jsonb, hits text[]) returns boolean, immutable
--   Whether the actual value of a DIN row is nothing but an income.
-- is_income_label(label text, hits text[]) returns boolean, immutable
--   Whether a label names an income.
-- is_income_name(name text) returns boolean, immutable
--   Whether a member is named after an income.
-- is_income_phrase(lowered text) returns boolean, immutable
--   Whether a text has a phrase that speaks of an income.
-- is_income_text(written text, hits text[]) returns boolean, immutable
--   Whether a text speaks of an income.
-- is_moment(value text) returns boolean, immutable
--   Whether a text is a date or a moment.
-- is_new_check(before jsonb, after jsonb) returns boolean, immutable
--   Whether a DIN check is another one, and not only one without its raw income.
-- is_paid(key text, node jsonb) returns boolean, immutable
--   Whether the members of an object say that it is received now.
-- is_result_entry(entry jsonb) returns boolean, immutable
--   Whether a JSON value is a result entry with exactly the members the API promises.
-- is_shorthand(number text) returns boolean, immutable
--   Called by kontakt_key_phone: whether other last digits follow a complete number.
-- is_table_head(key text, value jsonb, hits text[]) returns boolean, immutable
--   Whether a member is the head of a table whose rows are next to it.
-- is_uri(value text) returns boolean, immutable
--   Whether a text is a URI, as the API promises of links.
-- keep_identifiers(data jsonb, cleaned jsonb) returns jsonb, immutable
--   Cleaned data of an event, in which what identifies something is as it was.
-- keep_result_values(results jsonb, cleaned jsonb) returns jsonb, immutable
--   Cleaned result entries, each with a value again, be it null.
-- kontakt_holdings(identity text) returns TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb), stable, with the rights of its owner
--   What erase_kontakt would erase; no row where nothing is stored of the person.
-- kontakt_key(value text) returns text, immutable
--   The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.
-- kontakt_key_email(value text) returns text, immutable
--   Called by kontakt_key: email: and the address in lower case; null where the text is no address.
-- kontakt_key_hint(value text) returns text, immutable
--   What an index has of an identity: equal, or ?, for every text with the same kontakt_key.
-- kontakt_key_hints(keys text[]) returns text[], immutable
--   The hints that a spelling of one of the keys can have.
-- kontakt_key_lead(value text) returns text, immutable
--   Called by kontakt_key: lead: and the UUID in lower case; null where the text is no UUID.
-- kontakt_key_phone(value text) returns text, immutable
--   Called by kontakt_key: phone: and the number in E.164, default country Germany; null where the text is no number.
-- kontakt_leads(identity text, row_limit integer) returns TABLE(canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb), stable, with the rights of its owner
--   The person an identity stands for: keys and leads, up to row_limit of them. No row where the text is no identity.
-- kontakt_person(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[]) returns record, stable
--   Keys and leads of the person that an identity stands for. shared_keys: keys of their leads that others have too.
-- lead_analyses_events(before lead_analyses, after lead_analyses) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- leads_events(before leads, after leads) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- leads_in_events(keys text[], hints text[], OUT named uuid[], OUT created uuid[]) returns record, stable
--   Leads that some event names together with one of the keys; created: those that were made with it, or with no key.
-- leads_of(keys text[]) returns SETOF uuid, stable
--   The leads that carry one of the keys.
-- leads_shown(lead_ids uuid[], row_limit integer) returns jsonb, stable
--   What distinguishes one lead from another, newest first: [{id, name, email, phone, created_at}].
-- left_behind_by(gone uuid[], OUT row_ids uuid[], OUT sessions uuid[]) returns record, stable
--   Rows and conversations that events of deleted leads name.
-- lower_form(value text) returns text, immutable
--   Unicode NFC, lower case.
-- luecken_nach_stufe(din_check jsonb) returns jsonb, immutable
--   Gaps per need level as counts, [{stufe, anzahl}], from a DIN check.
-- meeting_intelligence_events(before meeting_intelligence, after meeting_intelligence) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- meeting_results(found meeting_intelligence) returns jsonb, stable
--   Result entries of a meeting with its summary and next steps in front.
-- merge_kontakte(alias_key text, canonical_key text) returns boolean, volatile, with the rights of its owner
--   Merges one contact into another and unites their household records; returns whether anything changed.
-- moment(at timestamp with time zone) returns text, stable
--   A moment as all answers have it: in UTC, with Z and six digits of a second.
-- names_an_income(document jsonb, hits text[]) returns boolean, immutable
--   Whether an object is named after an income by one of its own members.
-- names_person(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[]) returns boolean, immutable
--   Whether an event names one of these rows, leads or keys, or no lead and one of these conversations.
-- note_hook_failures() returns trigger, volatile, with the rights of its owner
-- notify_changed() returns trigger, volatile
-- personal_tables() returns TABLE(place integer, table_name text, key_column text, key_type text, texts text[]), immutable
--   Tables with data of persons, their keys, and the columns (texts) that the rule of income cleans.
-- project_lead_analysis() returns trigger, volatile
-- prune_deliveries(row_limit integer) returns integer, volatile, with the rights of its owner
--   Deletes attempts to deliver expired events, and when none is left also what else is outstanding too long: of expired events, of deleted subscriptions, and beyond the newest 10,000 failures of one. Returns how many attempts.
-- prune_events(keep interval, at timestamp with time zone, until timestamp with time zone, row_limit integer, OUT horizon bigint, OUT deleted integer, OUT expired_before timestamp with time zone) returns record, volatile, with the rights of its owner
--   Deletes a batch of expired events, at most those of a day after the oldest. expired_before: until of the next batch of the run.
-- raise_subscription_version() returns trigger, volatile
-- reactivate_hook(subscription_id uuid, from_head boolean, OUT gap_after bigint) returns bigint, volatile, with the rights of its owner
--   Lets a paused subscription receive again. Null: no paused subscription has this id.
-- record_attempts(leader_fence integer, identity text, attempts jsonb, positions jsonb) returns TABLE(subscription_id uuid, held boolean, version integer, paused boolean), volatile, with the rights of its owner
--   Records a batch. A row for each subscription that was written or held back, and one without an id at the end; no row: another process leads, or it is another database.
-- redact_batch(wanted text, after_key text, row_limit integer, OUT last_key text, OUT seen integer, OUT changed integer) returns record, volatile
--   Applies the rule to the rows of a table behind a key, or to the first; last_key is null where there are none.
-- redact_income(document jsonb) returns jsonb, immutable
--   A document without the raw income amounts of persons; idempotent.
-- redact_income(document text) returns text, immutable
--   A text without the raw income amounts of persons; idempotent.
-- redact_income_array(node jsonb, known jsonb, mode income_mode, depth integer, hits text[]) returns jsonb, immutable
--   An array without raw income.
-- redact_income_document(document jsonb, mode income_mode, depth integer, hits text[]) returns jsonb, immutable
--   A document without raw income, in a mode and at a depth.
-- redact_income_leaf(leaf jsonb, known jsonb, mode income_mode, depth integer, hits text[]) returns jsonb, immutable
--   A number or a text without raw income; null when it goes.
-- redact_income_member(key text, value jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[]) returns jsonb, immutable
--   A member's value without raw income; null when the member goes.
-- redact_income_node(node jsonb, known jsonb, mode income_mode, exempt boolean, depth integer, hits text[]) returns jsonb, immutable
--   A part of a document without raw income; null when it goes.
-- redact_income_table(node jsonb, hits text[]) returns jsonb, immutable
--   A table without the amounts in its income columns; anything else as it is.
-- redact_income_text(value text, everywhere boolean, depth integer, hits text[]) returns text, immutable
--   A text without the raw income in it, also where it is JSON.
-- redact_row() returns trigger, volatile
--   Cleans the columns that its trigger names.
-- redeliver(subscription_id uuid, cursors bigint[]) returns TABLE(cursor bigint, state text), volatile, with the rights of its owner
--   Sends deliveries that have ended again. state: sent; gone: the feed no longer holds the event; unlisted: its type is not wanted; waiting: an attempt is due already; not_sent: its turn is still to come, or it is from before the subscription. No row: no such subscription.
-- refuse_alias_chain() returns trigger, volatile
-- refuse_key_change() returns trigger, volatile
-- refuse_unbounded() returns trigger, volatile
-- replay_hook(subscription_id uuid, after bigint, OUT reached bigint, OUT lowest bigint) returns record, volatile, with the rights of its owner
--   Sends everything after a cursor again. reached: the position before, null: there is no such subscription; refused below lowest, the horizon, and beyond the position.
-- require_bounded(names text[], VARIADIC documents jsonb[]) returns void, immutable
--   Fails with 23514 and the path of the member where documents may not be stored in one row.
-- rows_of(person record, left_behind uuid[], sessions uuid[]) returns jsonb, stable
--   Called by find_kontakt: the keys of the rows of a person, by table.
-- scrub_amounts(value text) returns text, immutable
--   A text with every amount of money replaced by [entfernt].
-- scrub_income_text(value text, everywhere boolean, hits text[]) returns text, immutable
--   A text without the amounts in its sentences about income, or in all of them.
-- search_form(value text) returns text, immutable
--   The form in which search compares texts: case folded (ß as ss, ligatures as letters, İ and ı as i), in NFC.
-- sequence_events(row_limit integer, known_identity text, log_floor bigint, late jsonb, sleeping boolean, wanted_types text[]) returns TABLE(cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text), volatile, with the rights of its owner
--   Gives the next cursors to events without one. The statement events/sequence_events calls it.
-- sequenced_bodies(after_cursor bigint, wanted_types text[]) returns TABLE(cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text), stable
--   Called by sequence_events: the events of a batch. Beyond 4 MB of them in all a body is null.
-- shared_keys_of(further text[], lead_ids uuid[]) returns text[], stable
--   Which of the further keys of some leads belong to other people as well.
-- signal_payload(signal signals) returns jsonb, immutable
--   data of signal.opened and signal.status_changed.
-- signals_events(before signals, after signals) returns SETOF new_event, stable
--   Events of a changed row, or of a new one: then before is null.
-- store_outstanding(ended ended_attempt[]) returns void, volatile
--   Called by record_attempts: what was delivered is outstanding no more, what failed is.
-- store_progress(locked uuid[], ended ended_attempt[], positions jsonb) returns TABLE(subscription_id uuid, version integer, paused boolean), volatile
--   Called by record_attempts: counts final failures, pauses at the tenth, moves positions.
-- take_lock(wanted text) returns void, volatile
--   Waits until no other transaction holds the lock of this name, and holds it until the end of this one. Needs the rights on write_locks.
-- takes_writes() returns boolean, volatile
--   Whether writers can commit at the moment; /readyz asks.
-- touch_updated_at() returns trigger, volatile
-- unite_haushalte(older haushalte, newer haushalte) returns haushalte, stable
--   Two household records as one, under the key of the newer.
-- unite_provenance(older haushalte, newer haushalte) returns jsonb, immutable
--   The entries of the newer record, and those of sections that only the older one has.
-- unite_records(survivor text) returns void, volatile
--   Called by merge_kontakte: unites the household records of a contact.
-- unite_sections(older jsonb, newer jsonb) returns jsonb, immutable
--   The sections of the newer profile, and those that only the older one has.
-- unsequenced_events(log_floor bigint, late jsonb, row_limit integer) returns SETOF bigint, stable
--   Ids of visible events without a cursor, oldest first: those above the floor, and those of late transactions.
-- vertraege_anzahl(haushalt jsonb) returns integer, immutable
--   Number of contracts in a household profile.
-- without_look_alikes(lowered text) returns text, immutable
--   A text without phrases that only seem to speak of an income.
