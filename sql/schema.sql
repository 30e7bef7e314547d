-- The schema after all migrations, for reading. Generated: bun run schema.
-- psql loads it into an empty database; the service's own way is its command migrate.

-- The body of a function may name what comes later.
SET check_function_bodies = off;

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

CREATE DOMAIN instant AS timestamp with time zone
  CONSTRAINT instant_check CHECK (VALUE >= '0001-01-01 00:00:00+00'::timestamp with time zone AND VALUE < '10000-01-01 00:00:00+00'::timestamp with time zone);
COMMENT ON DOMAIN instant IS 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

CREATE TYPE event_envelope AS (
  id uuid,
  event_type text,
  schema_version text,
  occurred_at instant,
  object_type text,
  object_id text,
  links jsonb,
  data jsonb
);
COMMENT ON TYPE event_envelope IS 'An event as webhooks and the feed send it.';

CREATE DOMAIN score AS numeric
  CONSTRAINT score_check CHECK (VALUE >= '-1000000'::integer::numeric AND VALUE <= 1000000::numeric);
COMMENT ON DOMAIN score IS 'A number that JSON can carry: finite, between -1,000,000 and 1,000,000.';

CREATE SEQUENCE events_log_id_seq;

CREATE SEQUENCE feed_sleep MINVALUE 0 MAXVALUE 1;
COMMENT ON SEQUENCE feed_sleep IS 'last_value 1: the sequencer sleeps, and writers wake it by NOTIFY. 0: it looks by itself.';

CREATE FUNCTION kontakt_key_hint(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (value IS NULL) THEN NULL::text WHEN (octet_length(value) <> length(value)) THEN '?'::text WHEN (strpos(value, '@'::text) > 0) THEN lower((ltrim(split_part(split_part(value, '@'::text, 1), ':'::text, '-1'::integer), e' \u0009\n\u000b\u000c\u000d'::text) COLLATE "C")) WHEN (translate(value, '0123456789 ()+/.-'::text, ''::text) = ''::text) THEN "right"(translate(value, ' ()+/.-'::text, ''::text), 5) ELSE '?'::text END;
COMMENT ON FUNCTION kontakt_key_hint(value text) IS 'What an index has of an identity: equal, or ?, for every text with the same kontakt_key.';

CREATE FUNCTION search_form(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN replace(replace((NORMALIZE(lower(upper(lower((value COLLATE "und-x-icu")))), NFC) COLLATE "C"), 'ς'::text, 'σ'::text), 'i̇'::text, 'i'::text);
COMMENT ON FUNCTION search_form(value text) IS 'The form in which search compares texts: case folded (ß as ss, ligatures as letters, İ and ı as i), in NFC.';

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
COMMENT ON COLUMN api_keys.last_used_at IS 'Written in batches, so up to a minute behind.';
COMMENT ON COLUMN api_keys.expires_at IS 'From this moment on the key is unknown; null: never.';
COMMENT ON COLUMN api_keys.revoked_at IS 'From this moment on the key is unknown; null: live.';
COMMENT ON COLUMN api_keys.lifetime IS 'How long the key was made for; null: without an end. Its successor gets the same.';

CREATE FUNCTION is_uri(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (value ~ replace((('^[A-Za-z][A-Za-z0-9+.-]*:'::text || '(//((P|:)*@)?(\[[0-9A-Fa-f:.]+\]|P*)(:[0-9]*)?(/(P|[:@/])*)?|/?(P|[:@])(P|[:@/])*)'::text) || '(\?(P|[:@/?])*)?(#(P|[:@/?])*)?$'::text), 'P'::text, '([A-Za-z0-9._~!$&''()*+,;=-]|%[0-9A-Fa-f]{2})'::text));
COMMENT ON FUNCTION is_uri(value text) IS 'Whether a text is a URI, as the API promises of links.';

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
  payload jsonb NOT NULL,
  CONSTRAINT event_types_pkey PRIMARY KEY (event_type),
  CONSTRAINT event_types_position_key UNIQUE ("position")
);
COMMENT ON TABLE event_types IS 'The event types there are, in the order of the contract, and their schema_version.';
COMMENT ON COLUMN event_types.payload IS 'JSON Schema of data, as /openapi.json publishes it for this version.';

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

CREATE FUNCTION kontakt_key(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  identity text collate "C";
  kind text;
begin
  -- An identity is short: 254 characters of address at most, and some around it. A longer text is not looked at.
  if length(value) > 1024 then
    return null;
  end if;
  identity := identity_text(value);
  kind := lower(substring(identity from '^([a-zA-Z]{4,5})[ \t]*:'));
  if kind in ('email', 'phone', 'lead') then
    identity := ltrim(substr(identity, strpos(identity, ':') + 1), e' \t\n\x0b\f\r');
  end if;
  return case kind
    when 'email' then kontakt_key_email(identity)
    when 'phone' then kontakt_key_phone(identity)
    when 'lead' then kontakt_key_lead(identity)
    else
      case
        when strpos(identity, '@') > 0 then kontakt_key_email(identity)
        else coalesce(kontakt_key_lead(identity), kontakt_key_phone(identity))
      end
  end;
end
$function$;
COMMENT ON FUNCTION kontakt_key(value text) IS 'The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.';

CREATE FUNCTION luecken_nach_stufe(din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH luecken AS (
          SELECT (((eintrag.eintrag -> 'stufe'::text))::numeric)::integer AS stufe,
                 CASE
                     WHEN (jsonb_typeof((eintrag.eintrag -> 'themen'::text)) = 'array'::text) THEN (jsonb_array_length((eintrag.eintrag -> 'themen'::text)))::numeric
                     WHEN (jsonb_typeof((eintrag.eintrag -> 'anzahl'::text)) = 'number'::text) THEN LEAST(GREATEST(floor(((eintrag.eintrag -> 'anzahl'::text))::numeric), (0)::numeric), (1000)::numeric)
                     ELSE (0)::numeric
                 END AS anzahl
            FROM jsonb_path_query(luecken_nach_stufe.din_check, 'strict $."bewertung"."luecken_nach_stufe"[*]?((@."stufe" >= 1 && @."stufe" <= 99) && @."stufe" == @."stufe".floor())'::jsonpath, silent => true) eintrag(eintrag)
         ), stufen AS (
          SELECT luecken.stufe,
             luecken.anzahl
            FROM luecken
         UNION ALL
          SELECT generate_series(1, 3) AS generate_series,
             0
           WHERE (jsonb_typeof((luecken_nach_stufe.din_check -> 'bewertung'::text)) = 'object'::text)
         ), summen AS (
          SELECT stufen.stufe,
             (sum(stufen.anzahl))::integer AS anzahl
            FROM stufen
           GROUP BY stufen.stufe
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('stufe', summen.stufe, 'anzahl', summen.anzahl) ORDER BY summen.stufe), '[]'::jsonb) AS "coalesce"
    FROM summen;
END;
COMMENT ON FUNCTION luecken_nach_stufe(din_check jsonb) IS 'Gaps per need level as counts, [{stufe, anzahl}], from a DIN check.';

CREATE FUNCTION vertraege_anzahl(haushalt jsonb)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (jsonb_typeof((haushalt -> 'vertraege'::text)) = 'array'::text) THEN jsonb_array_length((haushalt -> 'vertraege'::text)) ELSE 0 END;
COMMENT ON FUNCTION vertraege_anzahl(haushalt jsonb) IS 'Number of contracts in a household profile.';

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
  CONSTRAINT haushalte_kontakt_key_check CHECK (COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
  CONSTRAINT haushalte_provenance_check CHECK (jsonb_typeof(provenance) = 'object'::text)
);
COMMENT ON TABLE haushalte IS 'Household records: the needs profile accumulated per contact.';
COMMENT ON COLUMN haushalte.kontakt_key IS 'Personal: identity key, email:, phone: or lead: and the normalised value.';
COMMENT ON COLUMN haushalte.haushalt IS 'Personal: the din_core_v2 household profile.';
COMMENT ON COLUMN haushalte.provenance IS 'Personal: where each field of the profile came from.';
COMMENT ON COLUMN haushalte.din_check IS 'Personal: the DIN check of the household.';
COMMENT ON COLUMN haushalte.empfehlungen_aktuell IS 'Personal: current recommendations.';
COMMENT ON COLUMN haushalte.quelle IS 'Origin of the last change, for example crm_import.';
COMMENT ON COLUMN haushalte.vertraege_anzahl IS 'Derived: number of contracts.';
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
  changed_at instant NOT NULL DEFAULT now(),
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
COMMENT ON COLUMN hook_subscriptions.cursor IS 'The position: every event of its types up to it was delivered, or is in hook_outstanding. Written about once a second.';
COMMENT ON COLUMN hook_subscriptions.version IS 'Rises with every change but those of a recording. What the leader read under another version it does not write.';
COMMENT ON COLUMN hook_subscriptions.replayed_version IS 'The version of the last replay: a delivery under an older one does not count as delivered.';
COMMENT ON COLUMN hook_subscriptions.consecutive_failures IS 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
COMMENT ON COLUMN hook_subscriptions.failing_since IS 'When the last run of final failures began.';
COMMENT ON COLUMN hook_subscriptions.pause_reason IS 'Why the owner paused it, perhaps empty; null: it is active, or was paused after ten final failures in a row.';
COMMENT ON COLUMN hook_subscriptions.missed_from IS 'Events of its types after this cursor expired before they were delivered; null: none.';
COMMENT ON COLUMN hook_subscriptions.missed_to IS 'The last cursor that expired so.';
COMMENT ON COLUMN hook_subscriptions.deleted_at IS 'When it was deleted. The row stays for the retention time: the report of an erasure names it.';

CREATE UNLOGGED TABLE key_request_counts (
  key_id uuid NOT NULL,
  hour instant NOT NULL,
  requests integer NOT NULL,
  CONSTRAINT key_request_counts_pkey PRIMARY KEY (key_id, hour)
);
COMMENT ON TABLE key_request_counts IS 'Requests of each key by hour, for a day.';

CREATE UNLOGGED TABLE key_requests (
  key_id uuid NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at instant NOT NULL,
  request_id text NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  tool text,
  status integer NOT NULL,
  duration_ms integer NOT NULL,
  CONSTRAINT key_requests_pkey PRIMARY KEY (key_id, id)
);
COMMENT ON TABLE key_requests IS 'The last requests of each key, about 30, for 30 days at most: the route’s pattern, no query, no content, no address.';
COMMENT ON COLUMN key_requests.tool IS 'Of a call of a tool.';

CREATE TABLE kontakt_aliases (
  alias_key text COLLATE "C" NOT NULL,
  canonical_key text COLLATE "C" NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT kontakt_aliases_pkey PRIMARY KEY (alias_key),
  CONSTRAINT kontakt_aliases_alias_key_check CHECK (COALESCE(kontakt_key(alias_key) = alias_key, false)),
  CONSTRAINT kontakt_aliases_canonical_key_check CHECK (COALESCE(kontakt_key(canonical_key) = canonical_key, false)),
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
  CONSTRAINT lead_analyses_kontakt_key_check CHECK (kontakt_key IS NULL OR COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
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

CREATE FUNCTION is_date_time(value text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
    and value::timestamptz >= '0001-01-01T00:00:00Z' and value::timestamptz < '10000-01-01T00:00:00Z';
exception when data_exception then
  return false;
end
$function$;
COMMENT ON FUNCTION is_date_time(value text) IS 'Whether a text is a date-time that the API may deliver as one.';

CREATE FUNCTION is_result_entry(entry jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((jsonb_typeof(entry) = 'object'::text) AND (entry ?& ARRAY['field_key'::text, 'label'::text, 'kind'::text, 'output_type'::text, 'status'::text, 'value'::text, 'score'::text, 'level'::text, 'rationale'::text, 'recommendation'::text, 'generated_at'::text]) AND (jsonb_typeof((entry -> 'field_key'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'label'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'kind'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'output_type'::text)) = 'string'::text) AND (jsonb_typeof((entry -> 'status'::text)) = 'string'::text) AND ((jsonb_typeof((entry -> 'score'::text)) = 'null'::text) OR jsonb_path_exists(entry, '$."score"?(@ >= -1000000 && @ <= 1000000)'::jsonpath)) AND (jsonb_typeof((entry -> 'level'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND (jsonb_typeof((entry -> 'rationale'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND (jsonb_typeof((entry -> 'recommendation'::text)) = ANY (ARRAY['string'::text, 'null'::text])) AND ((jsonb_typeof((entry -> 'generated_at'::text)) = 'null'::text) OR is_date_time((entry ->> 'generated_at'::text))) AND ((SELECT count(*) AS count FROM jsonb_object_keys(is_result_entry.entry) jsonb_object_keys(jsonb_object_keys)) = 11));
COMMENT ON FUNCTION is_result_entry(entry jsonb) IS 'Whether a JSON value is a result entry with exactly the members the API promises.';

CREATE FUNCTION are_result_entries(results jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((jsonb_typeof(results) = 'array'::text) AND (SELECT COALESCE(bool_and(is_result_entry(entry.value)), true) AS "coalesce" FROM jsonb_array_elements(are_result_entries.results) entry(value)));
COMMENT ON FUNCTION are_result_entries(results jsonb) IS 'Whether a JSON value is an array of result entries.';

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
COMMENT ON COLUMN notice_settings.language IS 'Of the e-mails.';

CREATE TABLE owner_actions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at instant NOT NULL DEFAULT now(),
  action text NOT NULL,
  subject text,
  name text,
  client text NOT NULL,
  CONSTRAINT owner_actions_pkey PRIMARY KEY (id),
  CONSTRAINT owner_actions_action_check CHECK (length(action) <= 60),
  CONSTRAINT owner_actions_client_check CHECK (length(client) <= 60),
  CONSTRAINT owner_actions_name_check CHECK (length(name) <= 260),
  CONSTRAINT owner_actions_subject_check CHECK (length(subject) <= 200)
);
COMMENT ON TABLE owner_actions IS 'What the owner did in the dashboard: which action, to which key or webhook, from which address. Erasures are noted without the person.';
COMMENT ON COLUMN owner_actions.subject IS 'Id of the key or the subscription; never a person.';
COMMENT ON COLUMN owner_actions.name IS 'Name of the webhook that this action deleted, or its host and port; null: any other action. Kept when a person is erased.';
COMMENT ON COLUMN owner_actions.client IS 'Personal: the address that the browser came from.';
CREATE INDEX owner_actions_deleted_idx ON owner_actions USING btree (subject) WHERE name IS NOT NULL;

CREATE TABLE owner_notices (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  subscription_id uuid,
  failures integer,
  created_at instant NOT NULL DEFAULT now(),
  due_at instant NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  sent_at instant,
  status integer,
  error_class text,
  CONSTRAINT owner_notices_pkey PRIMARY KEY (id),
  CONSTRAINT owner_notices_check CHECK ((subscription_id IS NULL) = (failures IS NULL))
);
COMMENT ON TABLE owner_notices IS 'Notices to the owner by e-mail: a subscription reached so many failures in a row, or the owner asked for a test. Tried for a day, kept for 30.';
COMMENT ON COLUMN owner_notices.subscription_id IS 'Null, like failures: a test.';
COMMENT ON COLUMN owner_notices.due_at IS 'When it is sent, or sent again: moved on before each attempt.';
COMMENT ON COLUMN owner_notices.sent_at IS 'When it was accepted; null: not yet, or never.';
COMMENT ON COLUMN owner_notices.status IS 'What the mail server answered last.';
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

CREATE TABLE redaction_progress (
  table_name text NOT NULL,
  after_key text NOT NULL,
  seen bigint NOT NULL,
  changed bigint NOT NULL,
  CONSTRAINT redaction_progress_pkey PRIMARY KEY (table_name)
);
COMMENT ON TABLE redaction_progress IS 'How far an interrupted run of the command redact has come; empty when none is.';
COMMENT ON COLUMN redaction_progress.table_name IS 'The table it is about.';
COMMENT ON COLUMN redaction_progress.after_key IS 'Personal: key of the last row looked at.';

CREATE TABLE sample_events (
  event_type text NOT NULL,
  id uuid NOT NULL,
  schema_version text NOT NULL,
  occurred_at instant NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  links jsonb NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT sample_events_pkey PRIMARY KEY (event_type),
  CONSTRAINT sample_events_event_type_fkey FOREIGN KEY (event_type) REFERENCES event_types(event_type)
);
COMMENT ON TABLE sample_events IS 'One example event per type, made by make_sample_events.';
COMMENT ON COLUMN sample_events.data IS 'The payload of an invented person.';

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
  CONSTRAINT signals_kontakt_key_check CHECK (kontakt_key IS NULL OR COALESCE(kontakt_key(kontakt_key) = kontakt_key, false)),
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
COMMENT ON TABLE write_locks IS 'A row for each thing that one transaction at a time may do; take_lock makes and locks it.';
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

CREATE FUNCTION advance_feed(OUT head bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from feed_lock for update;
  -- A crash must not take back a head that a reader has.
  perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
  update feed
  set head_floor = case when feed_state.head < clock.now then clock.now else feed_state.head + 1000000000 end,
    identity = database_identity()
  from feed_state, (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now) as clock
  where feed_state.head < 9000000000000000
  returning feed.head_floor into advance_feed.head;
  if head is null then
    raise exception 'the feed has no room left to advance' using errcode = 'numeric_value_out_of_range';
  end if;
end
$function$;
COMMENT ON FUNCTION advance_feed(OUT head bigint) IS 'Moves the head of the feed beyond every cursor that an older state of the database can have given out; returns it.';
REVOKE EXECUTE ON FUNCTION advance_feed(OUT head bigint) FROM PUBLIC;

CREATE FUNCTION flat_value(value jsonb, kind text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((kind = 'integer'::text) AND (jsonb_typeof(value) = 'number'::text)) THEN CASE WHEN (((value)::numeric % (1)::numeric) = (0)::numeric) THEN value ELSE NULL::jsonb END WHEN (jsonb_typeof(value) = kind) THEN value ELSE NULL::jsonb END;
COMMENT ON FUNCTION flat_value(value jsonb, kind text) IS 'A value when it has the type of its column, else null.';

CREATE FUNCTION flat_check(din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT ((jsonb_build_object('din_params_version', flat_value((flat_check.din_check #> '{bewertung,params_version}'::text[]), 'string'::text), 'din_unbekannt_anzahl',
         CASE
             WHEN (jsonb_typeof((flat_check.din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) = 'array'::text) THEN jsonb_array_length((flat_check.din_check #> '{bewertung,unbekannt_in_analyse}'::text[]))
             ELSE NULL::integer
         END) || jsonb_object_agg((('din_luecken_stufe_'::text || (stufen.stufe)::text) || '_anzahl'::text),
         CASE
             WHEN (jsonb_typeof((flat_check.din_check -> 'bewertung'::text)) = 'object'::text) THEN jsonb_array_length(luecken.themen)
             ELSE NULL::integer
         END)) || jsonb_object_agg((('din_luecken_stufe_'::text || (stufen.stufe)::text) || '_themen'::text),
         CASE
             WHEN (jsonb_typeof((flat_check.din_check -> 'bewertung'::text)) = 'object'::text) THEN ( SELECT COALESCE(string_agg(thema.value, '; '::text ORDER BY thema."position"), ''::text) AS "coalesce"
                FROM jsonb_array_elements_text(luecken.themen) WITH ORDINALITY thema(value, "position"))
             ELSE NULL::text
         END))
    FROM (generate_series(1, 3) stufen(stufe)
      CROSS JOIN LATERAL ( SELECT COALESCE(jsonb_path_query_array(flat_check.din_check, '$."bewertung"."luecken_nach_stufe"[*]?(@."stufe" == $"stufe")."themen"[*]'::jsonpath, jsonb_build_object('stufe', stufen.stufe), silent => true), '[]'::jsonb) AS themen) luecken);
END;
COMMENT ON FUNCTION flat_check(din_check jsonb) IS 'The columns of the flat projection about the DIN check.';

CREATE FUNCTION flat_contracts(vertraege jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (jsonb_build_object('vertraege_anzahl', jsonb_array_length(list.vertraege), 'vertraege_sparten', ( SELECT COALESCE(string_agg((contract.value ->> 'sparte'::text), ', '::text ORDER BY contract."position"), ''::text) AS "coalesce"
            FROM jsonb_array_elements(list.vertraege) WITH ORDINALITY contract(value, "position"))) || ( SELECT jsonb_object_agg(branch.name, branch.value) AS jsonb_object_agg
            FROM ((unnest('{privathaftpflicht,hausrat,wohngebaeude,berufsunfaehigkeit,risikoleben,rechtsschutz,kfz_haftpflicht,unfall,pflegezusatz}'::text[]) sparten(sparte)
              LEFT JOIN LATERAL ( SELECT contract.value
                    FROM jsonb_array_elements(list.vertraege) contract(value)
                   WHERE ((contract.value ->> 'sparte'::text) = sparten.sparte)
                   ORDER BY (NOT ((contract.value ->> 'status'::text) IS DISTINCT FROM 'aktiv'::text)) DESC, (contract.value ->> ('beginn'::text COLLATE "C")) DESC NULLS LAST, ((contract.value)::text COLLATE "C")
                  LIMIT 1) first ON (true))
              CROSS JOIN LATERAL ( VALUES ((('vertrag_'::text || sparten.sparte) || '_vorhanden'::text),to_jsonb(((NOT ((first.value ->> 'status'::text) IS DISTINCT FROM 'aktiv'::text)) AND (first.value IS NOT NULL)))), ((('vertrag_'::text || sparten.sparte) || '_versicherer'::text),flat_value((first.value -> 'versicherer'::text), 'string'::text)), ((('vertrag_'::text || sparten.sparte) || '_status'::text),flat_value((first.value -> 'status'::text), 'string'::text))) branch(name, value))))
    FROM ( SELECT
                 CASE
                     WHEN (jsonb_typeof(flat_contracts.vertraege) = 'array'::text) THEN flat_contracts.vertraege
                     ELSE '[]'::jsonb
                 END AS vertraege) list;
END;
COMMENT ON FUNCTION flat_contracts(vertraege jsonb) IS 'The columns of the flat projection about contracts.';

CREATE FUNCTION flat_person(haushalt jsonb, rolle text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_path_query_first(haushalt, '$."personen"[*]?(@."rolle" == $"rolle")'::jsonpath, jsonb_build_object('rolle', rolle), silent => true);
COMMENT ON FUNCTION flat_person(haushalt jsonb, rolle text) IS 'The first person of a household in a role.';

CREATE FUNCTION analysis_flat(analysis_v2 jsonb, din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT ((jsonb_build_object('analyse_version', flat_value((analysis_flat.analysis_v2 #> '{meta,version}'::text[]), 'string'::text), 'analyse_erstellt_am', flat_value((analysis_flat.analysis_v2 #> '{meta,erstellt_am}'::text[]), 'string'::text), 'kunde_name', flat_value((analysis_flat.analysis_v2 #> '{kunde,name}'::text[]), 'string'::text), 'kunde_alter', flat_value((analysis_flat.analysis_v2 #> '{kunde,alter}'::text[]), 'integer'::text), 'kunde_strasse', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,strasse}'::text[]), 'string'::text), 'kunde_plz', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,plz}'::text[]), 'string'::text), 'kunde_ort', flat_value((analysis_flat.analysis_v2 #> '{kunde,adresse,ort}'::text[]), 'string'::text), 'kunde_telefon', flat_value((analysis_flat.analysis_v2 #> '{kunde,kontakt,telefon}'::text[]), 'string'::text), 'kunde_email', flat_value((analysis_flat.analysis_v2 #> '{kunde,kontakt,email}'::text[]), 'string'::text), 'haushaltsgroesse', flat_value((analysis_flat.analysis_v2 #> '{haushalt,haushaltsgroesse}'::text[]), 'integer'::text), 'kinder_anzahl', flat_value((analysis_flat.analysis_v2 #> '{haushalt,kinder_anzahl}'::text[]), 'integer'::text), 'beziehungsstatus', flat_value((analysis_flat.analysis_v2 #> '{haushalt,beziehungsstatus}'::text[]), 'string'::text), 'kunde_taetigkeitsstatus', flat_value((persons.kunde -> 'taetigkeitsstatus'::text), 'string'::text), 'kunde_kv_status', flat_value((persons.kunde -> 'kv_status'::text), 'string'::text), 'kunde_eigenes_einkommen_vorhanden', flat_value((persons.kunde -> 'eigenes_einkommen_vorhanden'::text), 'boolean'::text), 'partner_alter', flat_value((persons.partner -> 'alter'::text), 'integer'::text), 'partner_taetigkeitsstatus', flat_value((persons.partner -> 'taetigkeitsstatus'::text), 'string'::text), 'partner_kv_status', flat_value((persons.partner -> 'kv_status'::text), 'string'::text), 'wohnstatus', flat_value((analysis_flat.analysis_v2 #> '{haushalt,wohnsituation,wohnstatus}'::text[]), 'string'::text)) || flat_contracts((analysis_flat.analysis_v2 -> 'vertraege'::text))) || flat_check(COALESCE(analysis_flat.din_check, (analysis_flat.analysis_v2 -> 'din_check'::text))))
    FROM ( SELECT flat_person((analysis_flat.analysis_v2 -> 'haushalt'::text), 'kunde'::text) AS kunde,
             flat_person((analysis_flat.analysis_v2 -> 'haushalt'::text), 'partner'::text) AS partner) persons;
END;
COMMENT ON FUNCTION analysis_flat(analysis_v2 jsonb, din_check jsonb) IS 'The flat projection of an analysis: the columns that /schemas/analysis lists, each always present.';

CREATE FUNCTION append_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  version text;
  event_id uuid;
begin
  select event_types.schema_version into version from event_types where event_types.event_type = append_event.event_type;
  if version is null then
    raise exception 'There is no event type %', append_event.event_type
      using errcode = 'invalid_parameter_value', hint = 'select event_type from event_types';
  end if;
  if jsonb_typeof(append_event.data) is distinct from 'object' then
    raise exception 'data of an event must be a JSON object' using errcode = 'invalid_parameter_value';
  end if;
  -- Before the id is drawn: the sequencer tells by it which transactions can still add an event with a lower id.
  perform pg_current_xact_id();
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  values (
    append_event.event_type, version, append_event.object_type, append_event.object_id,
    event_links((append_event.links ->> 'lead_id')::uuid, (append_event.links ->> 'session_id')::uuid), redact_event_data(append_event.data))
  returning events.id into event_id;
  return event_id;
end
$function$;
COMMENT ON FUNCTION append_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) IS 'Called by emit_event: puts an event of a known type into the feed, whatever its data.';
REVOKE EXECUTE ON FUNCTION append_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) FROM PUBLIC;

CREATE FUNCTION appointment_payload(appointment appointments)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN jsonb_build_object('appointment_id', (appointment).id, 'title', (appointment).title, 'starts_at', (appointment).starts_at, 'ends_at', (appointment).ends_at, 'platform', (appointment).platform, 'meeting_url', (appointment).meeting_url, 'customer_display_name', (appointment).customer_display_name, 'source', (appointment).source);
COMMENT ON FUNCTION appointment_payload(appointment appointments) IS 'data of the appointment events.';

CREATE FUNCTION asks_for_income(value text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  question constant text := substring(right(value, 1000) from '([^.!?\n]*)\?[^?]*$');
begin
  return question is not null and is_income_text(income_fold(question));
end
$function$;
COMMENT ON FUNCTION asks_for_income(value text) IS 'Whether a text ends by asking for an income.';

CREATE FUNCTION attempts_of(cursors bigint[])
 RETURNS SETOF hook_attempts
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  return query
    select hook_attempts.*
    from hook_subscriptions
    cross join unnest(cursors) as erased (cursor)
    join hook_attempts on hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.cursor = erased.cursor;
end
$function$;
COMMENT ON FUNCTION attempts_of(cursors bigint[]) IS 'The attempts to deliver these events.';

CREATE FUNCTION begin_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.cursor := coalesce(new.cursor, (select feed_state.head from feed_state));
  return new;
end
$function$;
REVOKE EXECUTE ON FUNCTION begin_subscription() FROM PUBLIC;

CREATE FUNCTION begins_as_phone(written text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (("left"(written, 1) = '+'::text) OR ((("left"(written, 2) COLLATE "C") >= '00'::text) AND (("left"(written, 2) COLLATE "C") <= '09'::text)));
COMMENT ON FUNCTION begins_as_phone(written text) IS 'Whether a text begins as a phone number does.';

CREATE FUNCTION blank_income_cells(part jsonb, places integer[], names text[], width integer, nested boolean, depth integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  if depth > 4 then
    return part;
  end if;
  if jsonb_typeof(part) = 'object' then
    return (
      select coalesce(jsonb_object_agg(member.key, blank_income_cells(member.value, places, names, width, false, depth + 1)), '{}')
      from jsonb_each(part) as member
      where not (member.key = any (names) and (jsonb_typeof(member.value) = 'number' or jsonb_typeof(member.value) = 'string' and is_amount_alone(member.value #>> '{}'))));
  end if;
  if jsonb_typeof(part) <> 'array' then
    return part;
  end if;
  return (
    select coalesce(jsonb_agg(
      case
        when jsonb_typeof(cell.value) in ('object', 'array') then blank_income_cells(cell.value, places, names, width, true, depth + 1)
        when cell.place - 1 = any (places) and (nested or jsonb_array_length(part) = width)
          and (jsonb_typeof(cell.value) = 'number' or jsonb_typeof(cell.value) = 'string' and is_amount_alone(cell.value #>> '{}')) then 'null'
        else cell.value
      end order by cell.place), '[]')
    from jsonb_array_elements(part) with ordinality as cell (value, place));
end
$function$;
COMMENT ON FUNCTION blank_income_cells(part jsonb, places integer[], names text[], width integer, nested boolean, depth integer) IS 'Rows of a table without the amounts in its income columns.';

CREATE FUNCTION canonical_kontakt_key(identity text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  own_key constant text := kontakt_key(identity);
begin
  return coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = own_key), own_key);
end
$function$;
COMMENT ON FUNCTION canonical_kontakt_key(identity text) IS 'The surviving key of the contact that any spelling of an identity stands for; null where it is none. Writers store under it.';

CREATE FUNCTION carries_key(data jsonb, keys text[], hints text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((kontakt_key_hint((data ->> 'email'::text)) = ANY (hints)) AND (kontakt_key((data ->> 'email'::text)) = ANY (keys))) OR ((kontakt_key_hint((data ->> 'phone'::text)) = ANY (hints)) AND (kontakt_key((data ->> 'phone'::text)) = ANY (keys))));
COMMENT ON FUNCTION carries_key(data jsonb, keys text[], hints text[]) IS 'Whether the payload of an event has the address or the number of one of the keys; hints are those of the keys.';

CREATE FUNCTION changed_sections(before jsonb, after jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(section.name ORDER BY section.name), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT jsonb_object_keys((COALESCE(changed_sections.before, '{}'::jsonb) || changed_sections.after)) AS name) section
   WHERE ((changed_sections.before -> section.name) IS DISTINCT FROM (changed_sections.after -> section.name));
END;
COMMENT ON FUNCTION changed_sections(before jsonb, after jsonb) IS 'The top-level members in which two documents differ, sorted.';

CREATE FUNCTION count_events(event_types text[], after_cursor bigint, up_to bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT count(*) AS count
    FROM event_cursors
   WHERE ((event_cursors.event_type = ANY (count_events.event_types)) AND (event_cursors.cursor > count_events.after_cursor) AND (event_cursors.cursor <= count_events.up_to));
END;
COMMENT ON FUNCTION count_events(event_types text[], after_cursor bigint, up_to bigint) IS 'How many events of these types have a cursor above the one and up to the other.';

CREATE FUNCTION count_events_at_most(event_types text[], after_cursor bigint, up_to bigint, count_max integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM ( SELECT
            FROM (unnest(count_events_at_most.event_types) wanted(event_type)
              CROSS JOIN LATERAL ( SELECT
                    FROM event_cursors
                   WHERE ((ROW(event_cursors.event_type, event_cursors.cursor) > ROW(wanted.event_type, count_events_at_most.after_cursor)) AND (ROW(event_cursors.event_type, event_cursors.cursor) <= ROW(wanted.event_type, count_events_at_most.up_to)) AND (event_cursors.cursor > count_events_at_most.after_cursor))
                   ORDER BY event_cursors.event_type, event_cursors.cursor
                  LIMIT count_events_at_most.count_max) of_type)
          LIMIT count_events_at_most.count_max) counted;
END;
COMMENT ON FUNCTION count_events_at_most(event_types text[], after_cursor bigint, up_to bigint, count_max integer) IS 'count_events, but no more than so many.';

CREATE FUNCTION count_failures(before integer, ended ended_attempt[])
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  failures integer := before;
  one ended_attempt;
begin
  foreach one in array ended loop
    exit when failures >= hook_failures_max();
    failures := case one.outcome when 'd' then 0 when 'f' then failures + 1 else failures end;
  end loop;
  return failures;
end
$function$;
COMMENT ON FUNCTION count_failures(before integer, ended ended_attempt[]) IS 'Called by record_attempts: final failures in a row after these attempts.';

CREATE FUNCTION unsequenced_events(log_floor bigint, late jsonb, row_limit integer)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT waiting.log_id
    FROM (( SELECT events.log_id
            FROM events
           WHERE ((events.log_id > unsequenced_events.log_floor) AND (( SELECT event_cursors.log_id
                    FROM event_cursors
                   WHERE (event_cursors.log_id = events.log_id)) IS NULL))
           ORDER BY events.log_id
          LIMIT unsequenced_events.row_limit)
         UNION
          SELECT added.log_id
            FROM (jsonb_to_recordset(unsequenced_events.late) long(xid bigint, log_id bigint)
              CROSS JOIN LATERAL ( SELECT events.log_id
                    FROM events
                   WHERE ((events.xid = long.xid) AND (events.xid > 0) AND (events.log_id > long.log_id) AND (( SELECT event_cursors.log_id
                            FROM event_cursors
                           WHERE (event_cursors.log_id = events.log_id)) IS NULL))
                   ORDER BY events.xid, events.log_id
                  LIMIT unsequenced_events.row_limit) added)) waiting
   ORDER BY waiting.log_id
  LIMIT unsequenced_events.row_limit;
END;
COMMENT ON FUNCTION unsequenced_events(log_floor bigint, late jsonb, row_limit integer) IS 'Ids of visible events without a cursor, oldest first: those above the floor, and those of late transactions.';

CREATE FUNCTION count_unsequenced(count_max integer, OUT total integer, OUT since instant)
 RETURNS record
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (LEAST(count(*), (count_unsequenced.count_max)::bigint))::integer AS "least",
     ( SELECT events.occurred_at
            FROM events
           WHERE (events.log_id = min(waiting.log_id))) AS occurred_at
    FROM (feed
      CROSS JOIN LATERAL unsequenced_events(feed.log_floor, feed.late, GREATEST(count_unsequenced.count_max, 1)) waiting(log_id));
END;
COMMENT ON FUNCTION count_unsequenced(count_max integer, OUT total integer, OUT since instant) IS 'Events that wait for their cursor, no more than so many, and when the oldest of them occurred.';

CREATE FUNCTION cursor_at(moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  lower_bound bigint;
  upper_bound bigint;
  middle bigint;
  found record;
begin
  select feed_state.horizon, feed_state.head into lower_bound, upper_bound from feed_state;
  while lower_bound < upper_bound loop
    middle := (lower_bound + upper_bound) / 2;
    select event_cursors.cursor, event_cursors.sequenced_at into found
    from event_cursors
    where event_cursors.cursor > middle
    order by event_cursors.cursor
    limit 1;
    if found.cursor is null or found.sequenced_at >= moment then
      upper_bound := middle;
    else
      lower_bound := found.cursor;
    end if;
  end loop;
  return lower_bound;
end
$function$;
COMMENT ON FUNCTION cursor_at(moment timestamp with time zone) IS 'The last cursor given out before a moment; the horizon where there is none.';

CREATE FUNCTION cursors_of(log_ids bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  return array(select event_cursors.cursor from event_cursors where event_cursors.log_id = any (log_ids) order by event_cursors.cursor);
end
$function$;
COMMENT ON FUNCTION cursors_of(log_ids bigint[]) IS 'The cursors of events, where they have one.';

CREATE FUNCTION database_identity()
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return concat_ws(' ', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
    split_part(pg_relation_filepath('pg_catalog.pg_class'), '/', -2));
end
$function$;
COMMENT ON FUNCTION database_identity() IS 'Differs after a restore and after a promotion, either of which may have lost cursors that were given out.';

CREATE FUNCTION delete_rows_of(person record, OUT counts jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  -- The command redact remembers the key of a row.
  delete from redaction_progress where redaction_progress.after_key = any (person.names);
  with
  meetings as (
    delete from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids) returning 1
  ),
  appointments_gone as (
    delete from appointments where appointments.id = any (person.appointment_ids) returning 1
  ),
  signals_gone as (
    delete from signals where signals.id = any (person.signal_ids) returning 1
  ),
  advisory_docs_gone as (
    delete from advisory_docs where advisory_docs.id = any (person.advisory_doc_ids) returning 1
  ),
  analyses as (
    delete from lead_analyses where lead_analyses.id = any (person.analysis_ids) returning 1
  ),
  haushalte_gone as (
    delete from haushalte where haushalte.kontakt_key = any (person.keys) returning 1
  ),
  aliases as (
    delete from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys) returning 1
  ),
  leads_gone as (
    delete from leads where leads.id = any (person.lead_ids) returning 1
  )
  select jsonb_build_object(
    'leads', (select count(*) from leads_gone), 'lead_analyses', (select count(*) from analyses),
    'haushalte', (select count(*) from haushalte_gone), 'kontakt_aliases', (select count(*) from aliases),
    'appointments', (select count(*) from appointments_gone), 'meeting_intelligence', (select count(*) from meetings),
    'signals', (select count(*) from signals_gone), 'advisory_docs', (select count(*) from advisory_docs_gone))
  into counts;
end
$function$;
COMMENT ON FUNCTION delete_rows_of(person record, OUT counts jsonb) IS 'Called by erase_kontakt: all rows of a person of find_kontakt but events and deliveries; how many, by table.';

CREATE FUNCTION delivered_up_to(subscription_id uuid, reached bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN GREATEST((SELECT feed_state.horizon FROM feed_state), LEAST(reached, (SELECT (hook_outstanding.cursor - 1) FROM hook_outstanding WHERE (hook_outstanding.subscription_id = delivered_up_to.subscription_id) ORDER BY hook_outstanding.cursor LIMIT 1)));
COMMENT ON FUNCTION delivered_up_to(subscription_id uuid, reached bigint) IS 'The cursor up to which everything was delivered: after it, GET /events misses nothing.';

CREATE FUNCTION deliveries_of(cursors bigint[])
 RETURNS TABLE(subscription_id uuid, cursor bigint, event_type text, received boolean, at timestamp with time zone)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT hook_subscriptions.id,
     event_cursors.cursor,
     event_cursors.event_type,
     COALESCE(tried.received, false) AS "coalesce",
     COALESCE(tried.last_at, (event_cursors.sequenced_at)::timestamp with time zone) AS "coalesce"
    FROM ((event_cursors
      CROSS JOIN hook_subscriptions)
      LEFT JOIN LATERAL ( SELECT bool_or((attempt.outcome = 'd'::"char")) AS received,
             bool_or((COALESCE(attempt.error_class, ''::text) <> ALL (ARRAY['dns'::text, 'tls'::text, 'blocked'::text]))) AS sent,
             max((attempt.started_at)::timestamp with time zone) AS last_at
            FROM hook_attempts attempt
           WHERE ((attempt.subscription_id = hook_subscriptions.id) AND (attempt.cursor = event_cursors.cursor))) tried ON (true))
   WHERE ((event_cursors.cursor = ANY (deliveries_of.cursors)) AND (tried.sent OR (EXISTS ( SELECT
            FROM hook_outstanding
           WHERE ((hook_outstanding.subscription_id = hook_subscriptions.id) AND (hook_outstanding.cursor = event_cursors.cursor) AND (hook_outstanding.due_at IS NOT NULL)))) OR ((event_cursors.event_type = ANY (hook_subscriptions.event_types)) AND (hook_subscriptions.cursor < event_cursors.cursor) AND ((event_cursors.sequenced_at)::timestamp with time zone <= (COALESCE((hook_subscriptions.paused_at)::timestamp with time zone, now()) + '00:00:10'::interval)) AND ((event_cursors.sequenced_at)::timestamp with time zone >= ((hook_subscriptions.created_at)::timestamp with time zone - '00:00:10'::interval)))));
END;
COMMENT ON FUNCTION deliveries_of(cursors bigint[]) IS 'Which subscriptions received these events, or may have.';

CREATE FUNCTION delivery_report(cursors bigint[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_build_object('subscription_id', recipients.id, 'label', recipients.label, 'target_url', recipients.target_url, 'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at, 'last_at', recipients.last_at, 'event_types', to_jsonb(recipients.event_types)) ORDER BY recipients.first_at, recipients.id), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT hook_subscriptions.id,
             hook_subscriptions.label,
             hook_subscriptions.target_url,
             count(*) FILTER (WHERE known.received) AS received,
             count(*) FILTER (WHERE (NOT known.received)) AS possibly,
             min(known.at) AS first_at,
             max(known.at) AS last_at,
             array_agg(DISTINCT known.event_type) AS event_types
            FROM (deliveries_of(delivery_report.cursors) known(subscription_id, cursor, event_type, received, at)
              JOIN hook_subscriptions ON ((hook_subscriptions.id = known.subscription_id)))
           GROUP BY hook_subscriptions.id) recipients;
END;
COMMENT ON FUNCTION delivery_report(cursors bigint[]) IS 'Which subscriptions received these events, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].';

CREATE FUNCTION din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('channel', channel, 'quelle', quelle, 'kontakt_key', kontakt_key, 'params_version', (din_check #>> '{bewertung,params_version}'::text[]), 'luecken_nach_stufe', luecken_nach_stufe(din_check), 'unbekannt_anzahl', CASE WHEN (jsonb_typeof((din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) = 'array'::text) THEN jsonb_array_length((din_check #> '{bewertung,unbekannt_in_analyse}'::text[])) ELSE 0 END);
COMMENT ON FUNCTION din_check_payload(channel text, quelle text, kontakt_key text, din_check jsonb) IS 'data of din.check_completed.';

CREATE FUNCTION draw_transaction_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_current_xact_id();
  return null;
end
$function$;

CREATE FUNCTION drop_outstanding()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from hook_outstanding where subscription_id = old.id;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION drop_outstanding() FROM PUBLIC;

CREATE FUNCTION emit_advisory_doc_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title) || change.moment
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', new_rows.approved_at) as moment
    where new_rows.approved_at is not null and old_rows.approved_at is null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', new_rows.sent_at)
    where new_rows.sent_at is not null and old_rows.sent_at is null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_advisory_doc_changed() FROM PUBLIC;

CREATE FUNCTION emit_advisory_doc_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'advisory_doc', new_rows.id, event_links(new_rows.lead_id, null),
    jsonb_build_object('advisory_doc_id', new_rows.id, 'lead_id', new_rows.lead_id, 'title', new_rows.title) || change.moment
  from new_rows
  cross join lateral (
    select 'advisory_doc.approved' as event_type, jsonb_build_object('approved_at', new_rows.approved_at) as moment
    where new_rows.approved_at is not null
    union all
    select 'advisory_doc.sent', jsonb_build_object('sent_at', new_rows.sent_at)
    where new_rows.sent_at is not null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_advisory_doc_created() FROM PUBLIC;

CREATE FUNCTION emit_analysis_checked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
REVOKE EXECUTE ON FUNCTION emit_analysis_checked() FROM PUBLIC;

CREATE FUNCTION emit_analysis_completed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
          || case when new_rows.din_check is null then '{}' else jsonb_build_object('din_check', new_rows.din_check) end) as data
    union all
    select 'din.check_completed', '1', din_check_payload(new_rows.channel, null, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_analysis_completed() FROM PUBLIC;

CREATE FUNCTION emit_appointment_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'appointment.updated' as event_type
    where (new_rows.title, new_rows.starts_at, new_rows.ends_at, new_rows.platform, new_rows.meeting_url)
      is distinct from (redact_income(old_rows.title), old_rows.starts_at, old_rows.ends_at, redact_income(old_rows.platform), old_rows.meeting_url)
    union all
    select 'appointment.cancelled'
    where new_rows.status = 'cancelled' and old_rows.status <> 'cancelled'
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_appointment_changed() FROM PUBLIC;

CREATE FUNCTION emit_appointment_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  cross join lateral (
    select 'appointment.scheduled' as event_type
    union all
    select 'appointment.cancelled' where new_rows.status = 'cancelled'
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_appointment_created() FROM PUBLIC;

CREATE FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  schema constant jsonb := (select event_types.payload from event_types where event_types.event_type = emit_event.event_type);
  fault constant text := case when jsonb_typeof(data) = 'object' then json_fault(schema, data, 'data') end;
  object_types constant text[] := '{lead,analysis,haushalt,kontakt,appointment,signal,meeting,advisory_doc}';
begin
  if object_type = any (object_types) is not true or coalesce(object_id, '') = '' then
    raise exception 'object_type must be one of %, and object_id its id', array_to_string(object_types, ', ')
      using errcode = 'invalid_parameter_value';
  end if;
  if fault is not null then
    raise exception 'data of % is not as published: %', emit_event.event_type, fault
      using errcode = 'invalid_parameter_value', hint = format('select jsonb_pretty(payload) from event_types where event_type = %L', emit_event.event_type);
  end if;
  return append_event(event_type, object_type, object_id, links, data);
end
$function$;
COMMENT ON FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) IS 'Puts an event of a known type with the published data into the feed, in the caller''s transaction; returns its id.';
REVOKE EXECUTE ON FUNCTION emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) FROM PUBLIC;

CREATE FUNCTION emit_haushalt_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  join old_rows on old_rows.kontakt_key = new_rows.kontakt_key
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, before.haushalt) as data
    from (select redact_income(old_rows.haushalt) as haushalt) as before
    where new_rows.haushalt <> old_rows.haushalt and new_rows.haushalt <> before.haushalt
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
      and new_rows.din_check is distinct from old_rows.din_check
      and new_rows.din_check is distinct from redact_income(old_rows.din_check)
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_haushalt_changed() FROM PUBLIC;

CREATE FUNCTION emit_haushalt_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'haushalt', new_rows.kontakt_key, event_links(null, null), change.data
  from new_rows
  cross join lateral (
    select 'haushalt.updated' as event_type, haushalt_payload(new_rows, null) as data
    union all
    select 'din.check_completed', din_check_payload(null, new_rows.quelle, new_rows.kontakt_key, new_rows.din_check)
    where new_rows.din_check is not null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_haushalt_created() FROM PUBLIC;

CREATE FUNCTION emit_lead_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'lead.stage_changed' as event_type,
      jsonb_build_object(
        'lead_id', new_rows.id, 'status_before', before.status, 'status_after', new_rows.status,
        'trigger', redact_income(nullif(current_setting('app.trigger', true), ''))) as data
    from (select redact_income(old_rows.status) as status) as before
    where new_rows.status <> old_rows.status and new_rows.status <> before.status
    union all
    select 'lead.archived',
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    where new_rows.archived_at is not null and old_rows.archived_at is null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_lead_changed() FROM PUBLIC;

CREATE FUNCTION emit_lead_created()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'lead.created', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
    jsonb_build_object(
      'lead_id', new_rows.id, 'name', new_rows.name, 'email', new_rows.email, 'phone', new_rows.phone,
      'source_type', new_rows.source_type, 'status', new_rows.status, 'product_domain', new_rows.product_domain)
  from new_rows;
  if exists (select from new_rows where new_rows.archived_at is not null) then
    insert into events (event_type, schema_version, object_type, object_id, links, data)
    select 'lead.archived', '1', 'lead', new_rows.id, event_links(new_rows.id, new_rows.session_id),
      jsonb_build_object('lead_id', new_rows.id, 'archive_reason_code', new_rows.archive_reason_code)
    from new_rows
    where new_rows.archived_at is not null;
  end if;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_lead_created() FROM PUBLIC;

CREATE FUNCTION emit_meeting_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows
  join old_rows on old_rows.appointment_id = new_rows.appointment_id
  where new_rows.status <> old_rows.status;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_meeting_changed() FROM PUBLIC;

CREATE FUNCTION emit_meeting_found()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_meeting_found() FROM PUBLIC;

CREATE FUNCTION emit_signal_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'signal', new_rows.id, event_links(new_rows.lead_id, null), change.data
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'signal.status_changed' as event_type, signal_payload(new_rows) as data
    where new_rows.status <> old_rows.status
    union all
    select 'signal.outcome_recorded', signal_payload(new_rows) || jsonb_build_object('outcome', new_rows.outcome)
    where new_rows.outcome is not null and new_rows.outcome is distinct from old_rows.outcome
      and new_rows.outcome is distinct from redact_income(old_rows.outcome)
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_signal_changed() FROM PUBLIC;

CREATE FUNCTION emit_signal_opened()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'signal', new_rows.id, event_links(new_rows.lead_id, null), change.data
  from new_rows
  cross join lateral (
    select 'signal.opened' as event_type, signal_payload(new_rows) as data
    union all
    select 'signal.outcome_recorded', signal_payload(new_rows) || jsonb_build_object('outcome', new_rows.outcome)
    where new_rows.outcome is not null
  ) as change;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION emit_signal_opened() FROM PUBLIC;

CREATE FUNCTION encode_meeting_url()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.meeting_url := encode_uri(new.meeting_url);
  return new;
end
$function$;

CREATE FUNCTION encode_uri(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT COALESCE(string_agg(CASE WHEN (found.part[1] ~ '^(%..|[A-Za-z0-9._~:/?#@!$&''()*+,;=-])$'::text) THEN found.part[1] ELSE regexp_replace(upper(encode(convert_to(found.part[1], 'UTF8'::name), 'hex'::text)), '(..)'::text, '%\1'::text, 'g'::text) END, ''::text ORDER BY found.place), ''::text) AS "coalesce" FROM regexp_matches(CASE WHEN (encode_uri.value ~~ '%#%'::text) THEN ((split_part(encode_uri.value, '#'::text, 1) || '#'::text) || replace(substr(encode_uri.value, (strpos(encode_uri.value, '#'::text) + 1)), '#'::text, '%23'::text)) ELSE encode_uri.value END, '%[0-9A-Fa-f]{2}|.'::text, 'g'::text) WITH ORDINALITY found(part, place));
COMMENT ON FUNCTION encode_uri(value text) IS 'The text with each character percent-encoded that a URI cannot have.';

CREATE FUNCTION erase_kontakt(identity text)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person record;
  locked text[];
  log_ids bigint[];
  cursors bigint[];
  forgotten record;
begin
  -- Under a snapshot from before the locks it would not see what was written meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erase_kontakt needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform take_lock('merge_kontakte');
  person := find_kontakt(identity);
  loop
    perform lock_rows_of(person);
    locked := person.names;
    -- Of one snapshot, so that a row and its events go together or stay together.
    select seen.*, events_about(seen) as log_ids into person from find_kontakt(identity) as seen;
    exit when not exists (select unnest(person.names) except select unnest(locked));
  end loop;
  log_ids := person.log_ids;
  other_leads := leads_shown(person.other_lead_ids, null);
  counts := delete_rows_of(person);
  perform from feed_lock for update;
  cursors := cursors_of(log_ids);
  recipients := delivery_report(cursors);
  delete from events where events.log_id = any (log_ids);
  forgotten := forget_deliveries(cursors);
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  counts := counts || jsonb_build_object(
    'events', cardinality(log_ids), 'hook_deliveries', forgotten.deliveries, 'hook_attempts', forgotten.attempts);
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$function$;
COMMENT ON FUNCTION erase_kontakt(identity text) IS 'Erases all that is stored of a person, events and deliveries included; says what went, which subscriptions had received it, and which leads had one of the keys once. No row where nothing was stored.';
REVOKE EXECUTE ON FUNCTION erase_kontakt(identity text) FROM PUBLIC;

CREATE FUNCTION event_body(event events)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((event).id IS NOT NULL) THEN (row_to_json(ROW((event).id, (event).event_type, (event).schema_version, (event).occurred_at, (event).object_type, (event).object_id, (event).links, (event).data)::event_envelope))::text ELSE NULL::text END;
COMMENT ON FUNCTION event_body(event events) IS 'The envelope of an event without its cursor, exactly as it is sent; null where there is no event.';

CREATE FUNCTION event_links(lead_id uuid, session_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('lead_id', lead_id, 'session_id', session_id);
COMMENT ON FUNCTION event_links(lead_id uuid, session_id uuid) IS 'The links member of the envelope.';

CREATE FUNCTION kontakt_key_lead(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN ((value COLLATE "C") ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'::text) THEN ('lead:'::text || lower((value COLLATE "C"))) ELSE NULL::text END;
COMMENT ON FUNCTION kontakt_key_lead(value text) IS 'Called by kontakt_key: lead: and the UUID in lower case; null where the text is no UUID.';

CREATE FUNCTION event_person(object_type text, object_id text, links jsonb, data jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN COALESCE(NULLIF((data ->> 'name'::text), ''::text), NULLIF((data ->> 'customer_display_name'::text), ''::text), NULLIF((data #>> '{analysis,kunde,name}'::text[]), ''::text), (SELECT NULLIF(appointments.customer_display_name, ''::text) AS "nullif" FROM appointments WHERE ((event_person.object_type = 'meeting'::text) AND (appointments.id = (substr(kontakt_key_lead(event_person.object_id), 6))::uuid))), (SELECT leads.name FROM leads WHERE (leads.id = (SELECT (substr(kontakt_key_lead(found.lead_id), 6))::uuid AS substr FROM (SELECT COALESCE((event_person.links ->> 'lead_id'::text), (event_person.data ->> 'lead_id'::text), CASE WHEN (event_person.object_type = 'lead'::text) THEN event_person.object_id ELSE NULL::text END, "substring"(COALESCE((event_person.data ->> 'kontakt_key'::text), (event_person.data ->> 'canonical_key'::text)), '^lead:(.*)$'::text)) AS lead_id) found))), "substring"(COALESCE((data ->> 'kontakt_key'::text), (data ->> 'canonical_key'::text)), '^(?:email|phone):(.*)$'::text));
COMMENT ON FUNCTION event_person(object_type text, object_id text, links jsonb, data jsonb) IS 'Personal: whom an event is about, by name, else by address or phone number; null: it names no person.';

CREATE FUNCTION events_about(person record)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  names constant text[] := person.names;
  lead_names constant text[] := person.lead_names;
  sessions constant text[] := person.sessions;
  keys constant text[] := person.keys;
  hints constant text[] := person.hints;
  log_ids bigint[];
  gone text[];
begin
  log_ids := array(
    select events.log_id
    from events
    where names_person(events.object_id, events.links, events.data, names, lead_names, sessions, keys)
      or carries_key(events.data, keys, hints));
  -- Not every event of a row names its lead: none of a meeting does, and no other from before the row got its lead. A row
  -- that is still there is in names; of one that a writer has deleted the events that do name the lead tell.
  gone := array(
    select distinct lower(events.object_id)
    from events
    where events.log_id = any (log_ids) and events.object_type in ('analysis', 'appointment', 'signal', 'advisory_doc')
      and kontakt_key_lead(events.object_id) is not null
    except
    select known.id::text
    from (
      select lead_analyses.id from lead_analyses union all select appointments.id from appointments
      union all select signals.id from signals union all select advisory_docs.id from advisory_docs
    ) as known
    where known.id = any (array(select substr(kontakt_key_lead(events.object_id), 6)::uuid from events where events.log_id = any (log_ids))));
  return log_ids || array(
    select events.log_id
    from events
    where gone <> '{}' and lower(events.object_id) = any (gone) and events.log_id <> all (log_ids));
end
$function$;
COMMENT ON FUNCTION events_about(person record) IS 'The log_ids of the events about a person of find_kontakt, with a cursor or without.';

CREATE FUNCTION expire_deliveries(horizon bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from hook_subscriptions where cursor < expire_deliveries.horizon and deleted_at is null
    order by id for no key update;
  update hook_subscriptions
    set cursor = expire_deliveries.horizon,
      missed_from = case when missed.found then coalesce(missed_from, hook_subscriptions.cursor) else missed_from end,
      missed_to = case when missed.found then expire_deliveries.horizon else missed_to end
    from (
      select behind.id, has_events(behind.event_types, behind.cursor, expire_deliveries.horizon) as found
      from hook_subscriptions as behind
      where behind.cursor < expire_deliveries.horizon and behind.deleted_at is null
    ) as missed
    where hook_subscriptions.id = missed.id;
  delete from hook_outstanding where cursor <= expire_deliveries.horizon;
end
$function$;
COMMENT ON FUNCTION expire_deliveries(horizon bigint) IS 'Called by prune_events before it deletes cursors: positions below the horizon move there, and what is outstanding below it goes.';
REVOKE EXECUTE ON FUNCTION expire_deliveries(horizon bigint) FROM PUBLIC;

CREATE FUNCTION field_moment(moments jsonb, path text)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  moment constant numeric := greatest((moments -> 'own' ->> path)::numeric, (moments -> 'inside' ->> path)::numeric);
  container text := path;
begin
  -- Without one of its own the nearest container's counts.
  while moment is null loop
    container := substring(container from '^(.*)[.[]');
    exit when container is null;
    if moments -> 'own' ? container then
      return coalesce((moments -> 'own' ->> container)::numeric, '-infinity');
    end if;
  end loop;
  return coalesce(moment, '-infinity');
end
$function$;
COMMENT ON FUNCTION field_moment(moments jsonb, path text) IS 'How new a field is, in seconds; -infinity where provenance does not say.';

CREATE FUNCTION find_events(searched text, log_max bigint)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
  is_id constant boolean := searched ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  names constant text[] := array[lower(searched)];
  ids constant text[] := case when is_id then names else '{}' end;
  person record;
  leads text[];
  hints text[];
  log_ids bigint[];
begin
  select known.keys, known.lead_ids into person from kontakt_person(searched) as known;
  leads := ids || person.lead_ids::text[];
  log_ids := array(
    select events.log_id
    from events
    where names_person(events.object_id, events.links, events.data, names, leads, ids, person.keys));
  -- A key of a lead stands in no payload.
  if log_ids = '{}' and exists (select from unnest(person.keys) as key where key not like 'lead:%') then
    hints := kontakt_key_hints(person.keys);
    log_ids := array(select events.log_id from events where carries_key(events.data, person.keys, hints));
  end if;
  if log_ids = '{}' and is_id then
    log_ids := array(
      select newest.log_id
      from (select events.log_id, events.id from events order by events.log_id desc limit log_max) as newest
      where newest.id = searched::uuid);
  end if;
  return cursors_of(log_ids);
end
$function$;
COMMENT ON FUNCTION find_events(searched text, log_max bigint) IS 'Cursors of the events about a text: an object, a lead, a conversation, or a person by key, address or number; else of those whose payload has the address or number; else of the event of this id, among the newest log_max.';
REVOKE EXECUTE ON FUNCTION find_events(searched text, log_max bigint) FROM PUBLIC;

CREATE FUNCTION find_kontakt(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[], OUT other_lead_ids uuid[], OUT analysis_ids uuid[], OUT appointment_ids uuid[], OUT signal_ids uuid[], OUT advisory_doc_ids uuid[], OUT sessions uuid[], OUT lead_names text[], OUT names text[], OUT hints text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  in_events record;
  gone uuid[];
  left_behind record;
begin
  select person.canonical_key, person.keys, person.shared_keys, person.lead_ids
  into canonical_key, keys, shared_keys, lead_ids
  from kontakt_person(identity) as person;
  hints := kontakt_key_hints(keys);
  in_events := leads_in_events(keys, hints);
  other_lead_ids := array(
    select leads.id
    from leads
    where leads.id <> all (lead_ids)
      and leads.id in (
        select unnest(in_events.named)
        union
        select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union
        select signals.lead_id from signals where signals.kontakt_key = any (keys)));
  gone := array(
    select known.lead_id
    from (select unnest(in_events.created) union select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%') as known (lead_id)
    where not exists (select from leads where leads.id = known.lead_id));
  left_behind := left_behind_by(gone);
  lead_names := (lead_ids || gone)::text[];
  analysis_ids := array(
    select lead_analyses.id from lead_analyses where lead_analyses.lead_id = any (lead_ids)
    union
    select lead_analyses.id from lead_analyses where lead_analyses.kontakt_key = any (keys));
  sessions := array(
    select unnest(left_behind.sessions)
    union
    select leads.session_id from leads where leads.id = any (lead_ids) and leads.session_id is not null
    union
    select lead_analyses.session_id from lead_analyses where lead_analyses.id = any (analysis_ids) and lead_analyses.session_id is not null);
  appointment_ids := array(
    select appointments.id from appointments where appointments.lead_id = any (lead_ids)
    union
    select appointments.id from appointments where appointments.session_id = any (sessions) and appointments.lead_id is null
    union
    select appointments.id from appointments where appointments.id = any (left_behind.row_ids) and appointments.lead_id is null);
  signal_ids := array(
    select signals.id from signals where signals.lead_id = any (lead_ids)
    union
    select signals.id from signals where signals.kontakt_key = any (keys)
    union
    select signals.id from signals where signals.id = any (left_behind.row_ids) and signals.lead_id is null and signals.kontakt_key is null);
  advisory_doc_ids := array(
    select advisory_docs.id from advisory_docs where advisory_docs.lead_id = any (lead_ids)
    union
    select advisory_docs.id from advisory_docs where advisory_docs.id = any (left_behind.row_ids) and advisory_docs.lead_id is null);
  names := keys || lead_names || (analysis_ids || appointment_ids || signal_ids || advisory_doc_ids)::text[];
end
$function$;
COMMENT ON FUNCTION find_kontakt(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[], OUT other_lead_ids uuid[], OUT analysis_ids uuid[], OUT appointment_ids uuid[], OUT signal_ids uuid[], OUT advisory_doc_ids uuid[], OUT sessions uuid[], OUT lead_names text[], OUT names text[], OUT hints text[]) IS 'All keys and rows of the person that an identity stands for. lead_names: ids of leads, deleted ones too; names: keys and all ids; sessions: their conversations; hints: those of the keys.';

CREATE FUNCTION forget_deliveries(cursors bigint[], OUT attempts bigint, OUT deliveries bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET lock_timeout TO '2s'
AS $function$
begin
  lock table hook_attempts in share row exclusive mode;
  with gone as (
    delete from hook_attempts
    using attempts_of(cursors) as made
    where hook_attempts.subscription_id = made.subscription_id and hook_attempts.cursor = made.cursor
      and hook_attempts.started_at = made.started_at
    returning hook_attempts.subscription_id, hook_attempts.cursor
  )
  select count(*), count(distinct (gone.subscription_id, gone.cursor)) into attempts, deliveries from gone;
  delete from hook_outstanding
  using hook_subscriptions
  where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.cursor = any (cursors);
  perform pg_notify('events_erased', '');
end
$function$;
COMMENT ON FUNCTION forget_deliveries(cursors bigint[], OUT attempts bigint, OUT deliveries bigint) IS 'Called by erase_kontakt: deliveries of these events go; how many attempts, of how many deliveries. Fails with 55P03 after 2 s.';

CREATE FUNCTION is_exotic(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (value ~ '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]'::text);
COMMENT ON FUNCTION is_exotic(value text) IS 'Whether a text has characters that may hide a word or a digit.';

CREATE FUNCTION income_plain(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_exotic(value) THEN translate(NORMALIZE(value, NFKC), ('٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙٬٫'::text || '′ʼ­​‌‍‎‏⁠﻿﷐﷑︎️⃣'::text), '01234567890123456789012345678901234567890123456789''.'''''::text) ELSE value END;
COMMENT ON FUNCTION income_plain(value text) IS 'A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.';

CREATE FUNCTION has_amount(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((value ~ ('[0-9]'::text COLLATE "C")) OR (value ~* (('hundert|tausend|million|hundred|thousand|grand|(z|ß|ss)ig|zehn|(elf|zw(ö|oe)lf)\s?(€|eur)|(teen|ty)\s?(k|€|eur|usd|grand)|'::text || '\m(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)([- ]?(komma )?(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null))+\M'::text) COLLATE "C")) OR (is_exotic(value) AND (income_plain(value) ~ '[0-9]'::text)));
COMMENT ON FUNCTION has_amount(value text) IS 'Whether a text has a digit or a number in words.';

CREATE FUNCTION has_event(cursor bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (event_cursors JOIN events ON ((events.log_id = event_cursors.log_id))) WHERE (event_cursors.cursor = has_event.cursor)));
COMMENT ON FUNCTION has_event(cursor bigint) IS 'Whether the event at a cursor is there: it was neither erased nor has it expired.';

CREATE FUNCTION has_events(event_types text[], after_cursor bigint, up_to bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM (unnest(has_events.event_types) wanted(event_type)
              CROSS JOIN LATERAL ( SELECT
                    FROM event_cursors
                   WHERE ((ROW(event_cursors.event_type, event_cursors.cursor) > ROW(wanted.event_type, has_events.after_cursor)) AND (ROW(event_cursors.event_type, event_cursors.cursor) <= ROW(wanted.event_type, has_events.up_to)) AND (event_cursors.cursor > has_events.after_cursor) AND (event_cursors.cursor <= has_events.up_to))
                  LIMIT 1) found))) AS "exists";
END;
COMMENT ON FUNCTION has_events(event_types text[], after_cursor bigint, up_to bigint) IS 'Whether an event of these types has a cursor above the one and up to the other.';

CREATE FUNCTION haushalt_payload(haushalt haushalte, before jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT jsonb_build_object('kontakt_key', (haushalt).kontakt_key, 'quelle', (haushalt).quelle, 'geaenderte_abschnitte', changed_sections(before, (haushalt).haushalt), 'vertraege_anzahl', (haushalt).vertraege_anzahl, 'luecken_anzahl', ( SELECT COALESCE(sum(((stufe.value ->> 'anzahl'::text))::integer), (0)::bigint) AS "coalesce"
            FROM jsonb_array_elements((haushalt_payload.haushalt).luecken_nach_stufe) stufe(value))) AS jsonb_build_object;
END;
COMMENT ON FUNCTION haushalt_payload(haushalt haushalte, before jsonb) IS 'data of haushalt.updated; before is the profile as it was, null for a new one.';

CREATE FUNCTION hook_failures_max()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 10;
COMMENT ON FUNCTION hook_failures_max() IS 'How many final failures in a row pause a subscription.';

CREATE FUNCTION hooks_below_max(subscriptions_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform take_lock('hook_subscriptions');
  return (select count(*) < subscriptions_max from hook_subscriptions where deleted_at is null);
end
$function$;
COMMENT ON FUNCTION hooks_below_max(subscriptions_max integer) IS 'Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.';
REVOKE EXECUTE ON FUNCTION hooks_below_max(subscriptions_max integer) FROM PUBLIC;

CREATE FUNCTION identity_text(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN btrim(NORMALIZE(translate(regexp_replace((value COLLATE "C"), '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'::text, ''::text, 'g'::text), e'\u0085   '::text, '    '::text), NFKC), e' \u0009\n\u000b\u000c\u000d'::text);
COMMENT ON FUNCTION identity_text(value text) IS 'Called by kontakt_key: the text without invisible characters, in one Unicode form.';

CREATE FUNCTION income_answers(turns jsonb, hits text[])
 RETURNS boolean[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  answers boolean[] := '{}';
  turn record;
  waiting integer := 0;
begin
  for turn in
    select element.place,
      case jsonb_typeof(element.value)
        when 'string' then element.value #>> '{}'
        when 'object' then (select string_agg(member.value, e'\n') from jsonb_each_text(element.value) as member where jsonb_typeof(element.value -> member.key) in ('string', 'number'))
        else ''
      end as said
    from jsonb_array_elements(turns) with ordinality as element (value, place)
    order by element.place
  loop
    answers := answers || (waiting > 0 and position('?' in turn.said) = 0);
    if position('?' in turn.said) > 0 then
      waiting := case
        when is_hit(turn.said, hits) and asks_for_income(turn.said) then 3
        when is_further_question(substring(right(turn.said, 1000) from '([^.!\n]*\?[^?]*)$')) then waiting
        else 0
      end;
    elsif waiting > 0 then
      -- An answer that was cleaned before is one, so that a second time changes nothing.
      waiting := case when position('[entfernt]' in turn.said) > 0 or has_amount(without_speaker(coalesce(turn.said, ''))) then 0 else waiting - 1 end;
    end if;
  end loop;
  return answers;
end
$function$;
COMMENT ON FUNCTION income_answers(turns jsonb, hits text[]) IS 'For each element of an array, whether it answers a question about an income.';

CREATE FUNCTION income_beginnings()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{anzahl%,prozent%,ziel%,wunsch%,gewunscht%,benotigt%,mindest%,versichert%,garantiert%,geplant%}'::text[];
COMMENT ON FUNCTION income_beginnings() IS 'First parts that make an income a target, as patterns for LIKE. Generated.';

CREATE FUNCTION income_columns(head jsonb, hits text[], OUT places integer[], OUT names text[], OUT width integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if jsonb_typeof(head) = 'array' then
    width := jsonb_array_length(head);
    select array_agg(entry.place), array_agg(entry.names) filter (where entry.names is not null)
      into places, names
      from (
        select element.place::integer - 1 as place,
          (select string_agg(member.value, e'\n') from jsonb_each_text(case jsonb_typeof(element.value) when 'object' then element.value else '{}' end) as member where length(member.value) between 1 and 60) as names
        from jsonb_array_elements(head) with ordinality as element (value, place)
        where case jsonb_typeof(element.value)
            when 'string' then length(element.value #>> '{}') <= 100 and is_hit(element.value::text, hits) and not has_amount(element.value #>> '{}') and is_income_label(element.value #>> '{}')
            when 'object' then is_hit(element.value::text, hits) and names_an_income(element.value, hits)
              and not exists (select from jsonb_each(element.value) as cell where jsonb_typeof(cell.value) in ('array', 'object'))
            else false
          end
      ) as entry;
    names := string_to_array(array_to_string(names, e'\n'), e'\n');
  else
    select array_agg(member.key) into names
      from jsonb_each_text(head) as member
      where length(member.value) <= 100 and is_hit(to_jsonb(member.value)::text, hits) and not has_amount(member.value) and is_income_label(member.value)
        and regexp_replace(income_fold(member.key), '[^a-z]+', '', 'g') !~ '^(art|name|typ|type|label|titel|title|feld|field|fieldkey|pfad|path|thema|quelle|source|key|frage|question|text|notiz|status|beschreibung|bezeichnung|kategorie)$';
  end if;
end
$function$;
COMMENT ON FUNCTION income_columns(head jsonb, hits text[], OUT places integer[], OUT names text[], OUT width integer) IS 'The columns of a table that are incomes, by the table''s head.';

CREATE FUNCTION income_schema_look()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'betrag[-_ .]?monat[-_ .]?eur'::text;
COMMENT ON FUNCTION income_schema_look() IS 'Names of the flagged fields that have no other word of income in them, as a pattern. Generated.';

CREATE FUNCTION income_context()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((('(?:be|hr|en|nd)sold|(?:lle|ene|nde|wen|wer|sen|atliche|lte|ige)[rsn]?[-_ ]?rente|zrente|renten?[-_ ]?(?:bez|erh|aus|akt|lau|emp|sta)|'::text || '(?:^|[^a-z]|\\[bfnrt])(?:sol[di]|alg|zve)|(?:^|[^a-z.@]|\\[bfnrt])(?:net|gross)[^a-z]|(?:net|ross)[-_ ]?(?:amo|eur|per|pay|mon|ann)|'::text) || '[-_ ]pay|(?:a|per|each|every) (?:year|month|week|hour)|die hand|nach hause|'::text) || income_schema_look());
COMMENT ON FUNCTION income_context() IS 'The parts of income_look that are two words, or whose pieces are frequent elsewhere.';

CREATE FUNCTION income_schema_signs()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{betrag}'::text[];
COMMENT ON FUNCTION income_schema_signs() IS 'A part of each of these names. Generated.';

CREATE FUNCTION income_context_pieces()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ('{sold,-pay,_pay," pay",netpay,rosspay,netamo,rossamo,net-amo,ross-amo,net_amo,ross_amo,"net amo","ross amo",neteur,rosseur,net-eur,ross-eur,net_eur,ross_eur,"net eur","ross eur",netper,rossper,net-per,ross-per,net_per,ross_per,"net per","ross per",netmon,rossmon,net-mon,ross-mon,net_mon,ross_mon,"net mon","ross mon",netann,rossann,net-ann,ross-ann,net_ann,ross_ann,"net ann","ross ann","a year","a month","a week","a hour","per year","per month","per week","per hour","each year","each month","each week","each hour","every year","every month","every week","every hour",rente,"die hand","nach hause",soli,alg,zve,net,gross}'::text[] || income_schema_signs());
COMMENT ON FUNCTION income_context_pieces() IS 'Pieces of text of which whatever matches income_context has one.';

CREATE FUNCTION income_fold(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((translate(income_plain(value), 'äöüÄÖÜßéèêáàâ'::text, 'aouaouseeeaaa'::text) COLLATE "C"));
COMMENT ON FUNCTION income_fold(value text) IS 'The form in which words are compared: lower case, umlauts as a, o, u.';

CREATE FUNCTION income_form(folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN replace(replace(replace(replace(replace(replace(folded, 'ttoe'::text, 'tto-e'::text), 'ae'::text, 'a'::text), 'oe'::text, 'o'::text), 'ue'::text, 'u'::text), 'ss'::text, 's'::text), 'tto-e'::text, 'ttoe'::text);
COMMENT ON FUNCTION income_form(folded text) IS 'The form in which words are looked up: one spelling for ä, ae and a, for ß, ss and s.';

CREATE FUNCTION income_forms()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"id": "stays", "nr": "stays", "app": "stays", "arm": "stays", "art": "stays", "cap": "stays", "day": "stays", "fee": "priced", "gap": "priced", "hof": "stays", "ide": "stays", "idn": "stays", "ids": "stays", "los": "stays", "nre": "stays", "nrn": "stays", "nrs": "stays", "pot": "stays", "tag": "stays", "tax": "stays", "typ": "stays", "url": "stays", "weg": "stays", "akte": "stays", "appe": "stays", "appn": "stays", "apps": "stays", "arte": "stays", "artn": "stays", "arts": "stays", "cape": "stays", "capn": "stays", "caps": "stays", "clas": "stays", "code": "stays", "date": "stays", "daur": "stays", "daye": "stays", "dayn": "stays", "days": "stays", "ende": "stays", "feee": "priced", "feen": "priced", "fees": "priced", "frei": "stays", "gape": "priced", "gapn": "priced", "gaps": "priced", "haus": "stays", "hofe": "stays", "hofn": "stays", "hofs": "stays", "hohe": "open", "iden": "stays", "ides": "stays", "jahr": "open", "kase": "stays", "loan": "priced", "lohn": "income", "name": "stays", "note": "stays", "nren": "stays", "nres": "stays", "plus": "open", "pote": "stays", "potn": "stays", "pots": "stays", "rang": "stays", "rate": "priced", "rent": "priced", "tage": "stays", "tagn": "stays", "tags": "stays", "taxe": "stays", "taxn": "stays", "taxs": "stays", "tute": "open", "type": "stays", "typn": "stays", "typs": "stays", "urle": "stays", "urln": "stays", "urls": "stays", "wege": "stays", "wegn": "stays", "wegs": "stays", "zins": "priced", "aktee": "stays", "akten": "stays", "aktes": "stays", "allee": "stays", "alter": "stays", "appen": "stays", "appes": "stays", "arten": "stays", "artes": "stays", "bezug": "open", "borse": "stays", "capen": "stays", "capes": "stays", "clase": "stays", "clasn": "stays", "class": "stays", "codee": "stays", "coden": "stays", "codes": "stays", "cover": "priced", "datee": "stays", "daten": "stays", "dates": "stays", "daure": "stays", "daurn": "stays", "daurs": "stays", "dayen": "stays", "dayes": "stays", "dayse": "stays", "daysn": "stays", "dayss": "stays", "endee": "stays", "enden": "stays", "endes": "stays", "feeen": "priced", "feees": "priced", "freie": "stays", "gapen": "priced", "gapes": "priced", "geber": "stays", "hause": "stays", "hausn": "stays", "hauss": "stays", "hofen": "stays", "hofes": "stays", "hohee": "open", "hohen": "open", "hohes": "open", "jahre": "open", "jahrn": "open", "jahrs": "open", "kasee": "stays", "kasen": "stays", "kases": "stays", "klase": "open", "loane": "priced", "loann": "priced", "loans": "priced", "lohne": "income", "lohnn": "income", "lohns": "income", "lohnt": "stays", "namee": "stays", "namen": "stays", "names": "stays", "notee": "stays", "noten": "stays", "notes": "stays", "orden": "stays", "pluse": "open", "plusn": "open", "pluss": "open", "poten": "stays", "potes": "stays", "rangs": "stays", "ratee": "priced", "raten": "priced", "rates": "priced", "rents": "priced", "score": "stays", "stark": "stays", "tagen": "stays", "tages": "stays", "taxen": "stays", "taxes": "stays", "tutee": "open", "tuten": "open", "tutes": "open", "typee": "stays", "typen": "stays", "types": "stays", "urlen": "stays", "urles": "stays", "wagen": "stays", "wegen": "stays", "weges": "stays", "zinse": "priced", "zinsn": "priced", "zinss": "priced", "akteen": "stays", "aktees": "stays", "alleee": "stays", "alleen": "stays", "allees": "stays", "altere": "stays", "altern": "stays", "alters": "stays", "bezugs": "open", "borsee": "stays", "borsen": "stays", "borses": "stays", "clasen": "stays", "clases": "stays", "codeen": "stays", "codees": "stays", "covere": "priced", "covern": "priced", "covers": "priced", "dateen": "stays", "datees": "stays", "dauren": "stays", "daures": "stays", "daysen": "stays", "dayses": "stays", "endeen": "stays", "endees": "stays", "freien": "stays", "gebere": "stays", "gebern": "stays", "gebers": "stays", "gewann": "stays", "hausen": "stays", "hauses": "stays", "hoheen": "open", "hohees": "open", "jahren": "open", "jahres": "open", "kaseen": "stays", "kasees": "stays", "kasene": "stays", "kasenn": "stays", "kasens": "stays", "klasee": "open", "klasen": "open", "klases": "open", "kostet": "priced", "loanen": "priced", "loanes": "priced", "lohnee": "income", "lohnen": "stays", "lohnes": "income", "lohnte": "stays", "mieter": "stays", "nameen": "stays", "namees": "stays", "noteen": "stays", "notees": "stays", "ordene": "stays", "ordenn": "stays", "ordens": "stays", "ordner": "stays", "plusen": "open", "pluses": "open", "rateen": "priced", "ratees": "priced", "schere": "stays", "scoree": "stays", "scoren": "stays", "scores": "stays", "spanne": "open", "starke": "stays", "tuteen": "open", "tutees": "open", "typeen": "stays", "typees": "stays", "wagene": "stays", "wagenn": "stays", "wagens": "stays", "zinsen": "priced", "zinses": "priced", "alleeen": "stays", "alleees": "stays", "alteren": "stays", "alteres": "stays", "bezogen": "stays", "bezuger": "stays", "bezuges": "open", "borseen": "stays", "borsees": "stays", "coveren": "priced", "coveres": "priced", "geberen": "stays", "geberes": "stays", "gerecht": "stays", "gewinnt": "stays", "kasenen": "stays", "kasenes": "stays", "klaseen": "open", "klasees": "open", "kostete": "priced", "lohneen": "income", "lohnees": "income", "lohnend": "stays", "mietern": "stays", "ordenen": "stays", "ordenes": "stays", "ordnere": "stays", "ordnern": "stays", "ordners": "stays", "scheree": "stays", "scheren": "stays", "scheres": "stays", "schwach": "stays", "scoreen": "stays", "scorees": "stays", "spannee": "open", "spannen": "open", "spannes": "open", "starken": "stays", "wagenen": "stays", "wagenes": "stays", "wirksam": "stays", "zinsene": "priced", "zinsenn": "priced", "zinsens": "priced", "abhangig": "stays", "besoldet": "income", "bezugern": "stays", "entlohnt": "income", "gehalten": "stays", "gekostet": "priced", "gewinnen": "stays", "gewinner": "stays", "kosteten": "priced", "lohnende": "stays", "ordneren": "stays", "ordneres": "stays", "schereen": "stays", "scherees": "stays", "schwache": "stays", "spanneen": "open", "spannees": "open", "verdiene": "income", "verdient": "income", "wirksame": "stays", "zinsenen": "priced", "zinsenes": "priced", "abhangige": "stays", "bezuglich": "stays", "gehaltene": "stays", "gewinnern": "stays", "gewinners": "stays", "gewinnung": "stays", "honoriert": "stays", "pensioner": "stays", "schwachen": "stays", "verdienen": "income", "verdiener": "stays", "verdiente": "income", "wirksamen": "stays", "abhangigen": "stays", "abhangiger": "stays", "abhangiges": "stays", "gehaltenen": "stays", "gehaltener": "stays", "gestaffelt": "stays", "orientiert": "stays", "pensioners": "stays", "unabhangig": "stays", "verdienend": "income", "verdienern": "stays", "verdieners": "stays", "verdienten": "income", "gewinnungen": "stays", "orientierte": "stays", "pensioniert": "stays", "unabhangige": "stays", "unterhalten": "stays", "unterhalter": "stays", "verdienerin": "stays", "einnahmezeit": "stays", "pensionierte": "stays", "unterhaltend": "stays", "unterhalters": "stays", "unterhaltsam": "stays", "einnahmezeiten": "stays"}'::jsonb;
COMMENT ON FUNCTION income_forms() IS 'Last parts of compounds as they stand, each with its class. Generated.';

CREATE FUNCTION income_head(word text, OUT class text, OUT size integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  ending constant integer := length(word) - length(rtrim(word, 'ensr'));
begin
  for span in reverse least(length(word), 28) .. 3 loop
    class := income_forms() ->> right(word, span);
    if class is null and span - ending >= 4 then
      class := income_heads() ->> left(right(word, span), span - ending);
    end if;
    if class is not null then
      size := span;
      return;
    end if;
  end loop;
end
$function$;
COMMENT ON FUNCTION income_head(word text, OUT class text, OUT size integer) IS 'The class and the length of the last part of a word that the registry knows.';

CREATE FUNCTION income_heads()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"adel": "stays", "area": "priced", "arzt": "stays", "aset": "priced", "band": "open", "begi": "stays", "boni": "income", "bonu": "income", "buro": "stays", "cost": "priced", "debt": "priced", "diat": "income", "erlo": "stays", "etag": "stays", "euro": "open", "feld": "open", "floo": "priced", "fond": "stays", "form": "stays", "frag": "stays", "fund": "stays", "gewi": "income", "hall": "stays", "hurd": "stays", "kont": "stays", "kopi": "stays", "kost": "priced", "link": "stays", "list": "open", "luck": "priced", "mark": "stays", "miet": "priced", "modu": "stays", "need": "priced", "nehm": "stays", "numb": "stays", "numm": "stays", "prei": "priced", "pric": "priced", "quot": "priced", "rang": "open", "raum": "stays", "rech": "stays", "reit": "stays", "rent": "claim", "sala": "income", "satz": "stays", "seit": "stays", "steu": "stays", "stra": "stays", "stuf": "stays", "summ": "open", "test": "stays", "text": "stays", "trag": "stays", "valu": "open", "waag": "stays", "wert": "open", "woch": "open", "wort": "stays", "zahl": "stays", "zeit": "stays", "ziel": "stays", "zimm": "stays", "analy": "stays", "angab": "open", "anlag": "stays", "arzti": "stays", "bafog": "income", "beleg": "stays", "berat": "stays", "bezug": "income", "brief": "stays", "charg": "priced", "check": "stays", "count": "stays", "datei": "stays", "datum": "stays", "depot": "priced", "einbu": "stays", "fakto": "priced", "fixum": "income", "flach": "priced", "frist": "stays", "gebuh": "priced", "gerat": "stays", "gewah": "stays", "grenz": "stays", "grupp": "stays", "incom": "income", "index": "stays", "inhab": "stays", "konto": "stays", "kreuz": "stays", "level": "open", "limit": "stays", "margi": "stays", "modul": "stays", "monat": "open", "netto": "measure", "pacht": "priced", "paket": "stays", "pfleg": "stays", "platz": "stays", "point": "stays", "polic": "priced", "prami": "priced", "punkt": "stays", "ratio": "priced", "schad": "priced", "schei": "stays", "spalt": "stays", "stand": "stays", "statu": "stays", "stell": "stays", "stock": "stays", "stund": "open", "tarif": "priced", "termi": "stays", "thema": "stays", "titel": "stays", "turnu": "stays", "umlag": "priced", "verei": "stays", "volum": "priced", "yield": "priced", "zeich": "stays", "zuflu": "open", "zulag": "income", "zyklu": "stays", "ablauf": "priced", "amount": "open", "anteil": "priced", "antrag": "stays", "anwalt": "stays", "anzahl": "stays", "apanag": "income", "ausgab": "priced", "baggag": "stays", "bedarf": "priced", "betrag": "open", "bezieh": "stays", "brutto": "measure", "burent": "stays", "darleh": "priced", "dienst": "stays", "energi": "priced", "ersatz": "stays", "ertrag": "stays", "gebaud": "stays", "gehalt": "income", "gesamt": "open", "gesetz": "stays", "guthab": "priced", "hinwei": "stays", "honora": "income", "invoic": "priced", "kalori": "priced", "kobold": "stays", "kredit": "priced", "luggag": "stays", "maschi": "stays", "mensch": "stays", "niveau": "open", "partei": "stays", "pensio": "income", "period": "stays", "portal": "stays", "profil": "open", "profit": "income", "progno": "stays", "rabatt": "priced", "rendit": "priced", "revenu": "income", "risiko": "stays", "salari": "income", "salary": "income", "sausag": "stays", "schuld": "stays", "schutz": "stays", "skonto": "priced", "softwa": "stays", "soldat": "stays", "streif": "open", "system": "stays", "tabell": "stays", "tonnag": "priced", "turnov": "income", "umsatz": "income", "vermog": "priced", "versio": "stays", "vorjah": "open", "weight": "priced", "wunsch": "priced", "zettel": "open", "zugewi": "stays", "zuschu": "stays", "zuwach": "stays", "aliment": "income", "alimony": "income", "angebot": "priced", "aufwand": "priced", "ausfall": "stays", "automat": "stays", "baustei": "stays", "beitrag": "priced", "bestand": "stays", "bracket": "stays", "courtag": "priced", "coverag": "priced", "deckung": "priced", "earning": "income", "eingang": "open", "einkomm": "income", "einnahm": "income", "eintrag": "open", "empfang": "stays", "entgelt": "income", "faktura": "priced", "formula": "stays", "gewicht": "priced", "glaubig": "stays", "heilbro": "stays", "histori": "open", "history": "open", "inventa": "priced", "iserloh": "stays", "kanzlei": "stays", "kapital": "stays", "kennung": "stays", "kfzsteu": "stays", "languag": "stays", "leasing": "priced", "leopold": "stays", "medaill": "stays", "midijob": "income", "minijob": "income", "minimum": "stays", "mortgag": "priced", "nachwei": "open", "neuwert": "priced", "ordnung": "stays", "payment": "priced", "payroll": "income", "payslip": "income", "percent": "priced", "pflicht": "stays", "planung": "stays", "politik": "stays", "positio": "open", "premium": "priced", "product": "priced", "produkt": "priced", "prozent": "priced", "prufung": "stays", "schreib": "stays", "sparpla": "stays", "sparrat": "priced", "stipend": "income", "struktu": "open", "takehom": "income", "tantiem": "income", "verlauf": "open", "verlust": "stays", "vertrag": "stays", "vorschu": "open", "vorsorg": "stays", "zahlung": "open", "anpasung": "open", "anspruch": "stays", "ausdruck": "stays", "bedurfni": "stays", "berateri": "stays", "beratung": "stays", "bescheid": "open", "bonuskla": "stays", "bonustuf": "stays", "buchgewi": "stays", "buchhalt": "stays", "cashback": "stays", "discount": "priced", "dividend": "income", "dokument": "stays", "einkunft": "income", "eintritt": "stays", "erfasung": "stays", "erhohung": "open", "fragebog": "stays", "gesprach": "open", "gratuity": "income", "handwerk": "stays", "hypothek": "priced", "jahrlich": "open", "kaltmiet": "priced", "kategori": "stays", "kaufprei": "priced", "kursgewi": "stays", "learning": "stays", "leibrent": "stays", "leistung": "priced", "lohnsteu": "income", "milliona": "stays", "nebenjob": "income", "paycheck": "income", "pensiona": "stays", "pfandung": "stays", "programm": "stays", "provisio": "priced", "quittung": "stays", "qurbezug": "stays", "raumgewi": "stays", "rechnung": "priced", "referenc": "stays", "referent": "stays", "referenz": "stays", "regelung": "stays", "reparatu": "priced", "ruckkauf": "priced", "ruhegeld": "income", "sachwert": "priced", "schlusel": "stays", "severanc": "income", "situatio": "open", "steurkla": "stays", "stiftung": "stays", "stipendi": "income", "svbrutto": "income", "tagegeld": "stays", "treubonu": "stays", "unterlag": "stays", "verzicht": "stays", "warmmiet": "priced", "wehrsold": "income", "wohngeld": "income", "zeitgewi": "stays", "zeitraum": "stays", "zeitwert": "priced", "zielrent": "stays", "zinsbonu": "stays", "zuschlag": "stays", "abfindung": "income", "abteilung": "stays", "abtretung": "stays", "arbeitgeb": "stays", "basisrent": "stays", "belohnung": "stays", "besoldung": "income", "bettbezug": "stays", "bonusheft": "stays", "bonusmalu": "stays", "deductibl": "priced", "ehrensold": "income", "elearning": "stays", "erklarung": "stays", "freigrenz": "stays", "girokonto": "stays", "grundsold": "income", "grundsteu": "stays", "hauptgewi": "stays", "jahresgag": "income", "kasenbonu": "stays", "kennzeich": "stays", "komponent": "open", "konferenz": "stays", "kontogewi": "stays", "lagerwert": "priced", "lebensalt": "stays", "lottogewi": "stays", "minderung": "stays", "monatlich": "open", "monatsgag": "income", "nettorent": "income", "nutzflach": "priced", "obergrenz": "stays", "pflichtig": "stays", "preisgeld": "stays", "protectio": "stays", "punktgewi": "stays", "reichweit": "stays", "ruruprent": "stays", "sachbezug": "income", "schatzung": "open", "shortfall": "stays", "sicherung": "stays", "sitzbezug": "stays", "sparzulag": "stays", "statement": "open", "statistik": "stays", "steurhilf": "stays", "tarifbonu": "stays", "trinkgeld": "income", "ubersicht": "open", "unterhalt": "income", "unternehm": "stays", "verdauung": "stays", "verdienst": "income", "vergleich": "stays", "vergutung": "income", "verhaltni": "open", "vollmacht": "stays", "warenwert": "priced", "wohnflach": "priced", "zeitpunkt": "stays", "zuzahlung": "priced", "abrechnung": "open", "altersrent": "claim", "arbeitnehm": "stays", "aufwendung": "priced", "auszahlung": "open", "berechnung": "stays", "berechtigt": "stays", "bonuspunkt": "stays", "bonusystem": "stays", "bruttorent": "income", "burgergeld": "income", "einstufung": "stays", "einzahlung": "priced", "elterngeld": "income", "engagement": "stays", "entlohnung": "income", "erstattung": "priced", "falligkeit": "stays", "fettgehalt": "stays", "freibetrag": "stays", "gewinnzahl": "stays", "goldgehalt": "stays", "grundflach": "priced", "grundzulag": "stays", "halbpensio": "stays", "haufigkeit": "stays", "honorarium": "income", "informatio": "open", "kalkgehalt": "stays", "karenzgeld": "income", "kindergeld": "income", "kisenbezug": "stays", "kundengewi": "stays", "mietertrag": "income", "mindestloh": "stays", "mitteilung": "open", "mittelwert": "open", "pensionska": "stays", "pflegegeld": "income", "pflegerent": "stays", "privatrent": "stays", "rabattbonu": "stays", "rauminhalt": "priced", "registerto": "priced", "restschuld": "priced", "salzgehalt": "stays", "schlusbonu": "stays", "schlusgewi": "stays", "schwankung": "stays", "sicherheit": "stays", "sofortbonu": "stays", "sozialgeld": "income", "sozialhilf": "income", "stabilitat": "stays", "steigerung": "open", "sterbegeld": "stays", "steurberat": "stays", "stipendium": "income", "stoffbezug": "stays", "tierpensio": "stays", "umsatzsteu": "priced", "umwandlung": "stays", "unfallrent": "stays", "untergrenz": "stays", "verordnung": "stays", "versichert": "stays", "verwendung": "stays", "verzinsung": "priced", "vollpensio": "stays", "waisengeld": "income", "waisenrent": "income", "witwengeld": "income", "witwenrent": "income", "witwerrent": "income", "wunschrent": "stays", "zinsertrag": "income", "zusatzrent": "income", "absicherung": "priced", "altersgrenz": "stays", "anschaffung": "priced", "aufstellung": "open", "auschuttung": "income", "ausfallgeld": "stays", "bankentgelt": "stays", "bestandteil": "open", "bezeichnung": "stays", "blindengeld": "income", "buchhalteri": "stays", "buchhaltung": "stays", "continuatio": "stays", "contributio": "priced", "coronaprami": "income", "deckungsumm": "priced", "entwicklung": "open", "flachengewi": "stays", "fortzahlung": "stays", "gebaudewert": "priced", "gewinnchanc": "stays", "gewinnspiel": "stays", "grundumsatz": "stays", "heimentgelt": "stays", "hundepensio": "stays", "kinderzulag": "stays", "kirchensteu": "income", "krankengeld": "income", "lagerumsatz": "stays", "mindestrent": "stays", "optimierung": "stays", "pachtertrag": "income", "pensionsalt": "stays", "remuneratio": "income", "rentenbezug": "income", "rentenfakto": "stays", "replacement": "stays", "riesterrent": "stays", "sauregehalt": "stays", "schutzbrief": "stays", "sozialabgab": "income", "steurbrutto": "income", "taschengeld": "income", "transparenz": "stays", "umsatzprami": "income", "urlaubsgeld": "income", "verhandlung": "open", "vorstellung": "stays", "wagenumsatz": "stays", "wasergehalt": "stays", "wechselbonu": "stays", "abschlusbonu": "income", "abschreibung": "priced", "aktienumsatz": "stays", "anwartschaft": "stays", "beitragsbonu": "stays", "betriebsrent": "claim", "childbenefit": "income", "childsupport": "income", "durchschnitt": "open", "eigenentnahm": "income", "eiweisgehalt": "stays", "entgeltgrupp": "stays", "erfolgsprami": "income", "fahrzeugwert": "priced", "garantierent": "stays", "gehaltsprami": "income", "gesellschaft": "stays", "gewinnanteil": "stays", "gratifikatio": "income", "inventarwert": "priced", "mehrwertsteu": "priced", "ortszuschlag": "income", "pensionsfond": "stays", "pferdepensio": "stays", "polsterbezug": "stays", "riesterzulag": "stays", "schluselnumm": "stays", "selbstbehalt": "priced", "silbergehalt": "stays", "sitzungsgeld": "income", "soldatenzahl": "stays", "spielautomat": "stays", "tarifvertrag": "stays", "ungleichheit": "stays", "unterhaltung": "stays", "vereinbarung": "stays", "verkehrswert": "priced", "versicherung": "priced", "vertragswerk": "stays", "vorsorgebonu": "stays", "zuckergehalt": "stays", "zuversteurnd": "income", "alkoholgehalt": "stays", "arzneieinnahm": "stays", "bescheinigung": "open", "bonusprogramm": "stays", "childallowanc": "income", "einkommensteu": "income", "energiegehalt": "stays", "energieumsatz": "stays", "entschadigung": "priced", "gewinnentnahm": "income", "gewinnwarnung": "stays", "handelsumsatz": "stays", "insolvenzgeld": "income", "kapitalertrag": "income", "koffeingehalt": "stays", "mindestgehalt": "stays", "monatsbeitrag": "priced", "nachtzuschlag": "income", "neukundenbonu": "stays", "nikotingehalt": "stays", "notstandshilf": "income", "pensionierung": "stays", "pensionspferd": "stays", "pensionszusag": "stays", "pilleneinnahm": "stays", "privatentnahm": "income", "sonderzahlung": "income", "sozialprodukt": "priced", "ubergangsgeld": "income", "uberschusbonu": "stays", "verkaufsprami": "income", "verpflichtung": "stays", "wertschopfung": "priced", "ablaufleistung": "priced", "betreuungsgeld": "income", "eigenheimzulag": "stays", "erkenntnisgewi": "stays", "familienpensio": "stays", "housingbenefit": "income", "inlandsprodukt": "priced", "jahresuberschu": "income", "jubilaumsprami": "income", "kalorienumsatz": "stays", "kinderzuschlag": "income", "leistungsprami": "income", "mindesteinkomm": "stays", "pfandungsgrenz": "stays", "pflegetagegeld": "stays", "pflichtbeitrag": "priced", "pramienzahlung": "priced", "stromverbrauch": "stays", "unterhaltskost": "stays", "verletztengeld": "income", "vertriebsprami": "income", "verwahrentgelt": "stays", "weihnachtsgeld": "income", "ausbildungsgeld": "income", "ausgleichsprami": "income", "familienbeihilf": "income", "forschungszulag": "stays", "gesundheitsbonu": "stays", "grundungszuschu": "income", "honorarrechnung": "priced", "housingallowanc": "income", "inflationsprami": "income", "krankentagegeld": "stays", "lebensunterhalt": "stays", "nahrstoffgehalt": "stays", "nahrungseinnahm": "stays", "nutzungsentgelt": "stays", "saurstoffgehalt": "stays", "schichtzuschlag": "income", "sonderzuwendung": "income", "steurhilfeverei": "stays", "unterhaltschuld": "stays", "wahrheitsgehalt": "stays", "weihnachtsprami": "income", "willkommensbonu": "stays", "arbeitslosengeld": "income", "dividendenertrag": "income", "dividendenrendit": "priced", "familienzuschlag": "income", "fruhstuckspensio": "stays", "gewinnverwendung": "stays", "informationsgewi": "stays", "kurzarbeitergeld": "income", "mitarbeiterprami": "income", "pflegemonatsgeld": "stays", "rentenzahlbetrag": "income", "schadstoffgehalt": "stays", "sonntagszuschlag": "income", "tabletteneinnahm": "stays", "totalcompensatio": "income", "verdienstausfall": "stays", "versicherungsumm": "priced", "versorgungsbezug": "income", "wertpapierertrag": "income", "annualcompensatio": "income", "anwesenheitsprami": "income", "arbeitgeberanteil": "priced", "einnahmenuberschu": "income", "entgeltumwandlung": "stays", "feiertagszuschlag": "income", "gewinnbeteiligung": "stays", "investitionszulag": "stays", "mutterschaftsgeld": "income", "selbstbeteiligung": "priced", "ubergangsgebuhrni": "income", "unterhaltspflicht": "stays", "unterhaltszahlung": "stays", "versicherungswert": "priced", "wiederbeschaffung": "priced", "arbeitnehmeranteil": "priced", "erfolgsbeteiligung": "income", "informationsgehalt": "stays", "jubilaumszuwendung": "income", "lohnersatzleistung": "income", "unterhaltsleistung": "stays", "altersvorsorgezulag": "stays", "arzneimitteleinnahm": "stays", "employeecompensatio": "income", "feuchtigkeitsgehalt": "stays", "grundfahigkeitsrent": "stays", "hinterbliebenenrent": "stays", "krankenhaustagegeld": "stays", "medikamenteneinnahm": "stays", "uberstundenzuschlag": "income", "uberziehungsentgelt": "stays", "unemploymentbenefit": "income", "kontofuhrungsentgelt": "stays", "pensionsruckstellung": "stays", "schadenfreiheitsbonu": "stays", "solidaritatszuschlag": "income", "uberschusbeteiligung": "stays", "aufwandsentschadigung": "income", "erwerbsminderungsrent": "claim", "berufsunfahigkeitsrent": "stays", "umsatzsteurvoranmeldung": "stays", "unterhaltsverpflichtung": "stays", "unterhaltungselektronik": "stays", "sozialversicherungsbrutto": "income", "sozialversicherungsbeitrag": "income"}'::jsonb;
COMMENT ON FUNCTION income_heads() IS 'Last parts of compounds without their inflection, each with its class. Generated.';

CREATE FUNCTION income_hits(written text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  look constant text := '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]|' || income_look();
  exotic boolean;
  long boolean;
  rest text;
  parts text;
  in_context text;
  spaced boolean;
begin
  -- The one look that most documents cost.
  if written !~* look collate "C" then
    return '{}';
  end if;
  exotic := is_exotic(written);
  long := length(written) >= 50000;
  rest := case when exotic then income_plain(written) else written end collate "C";
  if not long then
    -- Most often it is nothing but what the schemas themselves call harmless.
    rest := without_harmless(rest);
  else
    rest := income_lower(rest);
  end if;
  parts := (
    select income_lower(string_agg(each.part, '"'))
    from (select distinct unnest(string_to_array(rest, case when long then ' ' else '"' end)) as part) as each);
  if not long and parts !~* look collate "C" then
    return '{}';
  end if;
  if long then
    spaced := rest ~ ' pay|(?:net|ross|ome) (?:amo|eur|per|mon|ann)|(?:a|per|each|every) (?:year|month|week|hour)|die hand|nach hause|rente (?:bez|erh|aus|akt|lau|emp|sta)';
  else
    in_context := (select string_agg(spotted[1], '"') from regexp_matches(parts, income_context(), 'g') as spotted);
  end if;
  return array(
    select '' where exotic
    union all
    select '%' || replace(piece, '\', '\\') || '%' from unnest(income_pieces()) as piece where position(piece in parts) > 0
    union all
    select '%' || piece || '%' from unnest(income_context_pieces()) as piece
    where case
      when not long then position(piece in in_context) > 0
      when position(' ' in piece) > 0 then spaced and position(piece in rest) > 0
      else position(piece in parts) > 0
    end);
end
$function$;
COMMENT ON FUNCTION income_hits(written text) IS 'Pieces of the words of income in a document''s text, as patterns; none where nothing need be removed.';

CREATE FUNCTION income_key_mode(key text, mode integer, hits text[])
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  parts text[];
  known jsonb := income_schema();
begin
  if key = translate(key, '[]./', '') and position('__' in key) = 0 then
    return case when is_hit('"' || key || '"', hits) and is_income_name(key) then 3 else mode end;
  end if;
  parts := array(
    select part from string_to_table(translate(replace(key, '__', '.'), '[]/:>', '.....'), '.') as part
    where translate(part, '0123456789*$', '') <> '');
  for position in 1 .. cardinality(parts) loop
    known := case when jsonb_typeof(known) = 'object' then known -> parts[position] end;
    if known = '"x"' then
      return 3;
    end if;
  end loop;
  if known is null and is_hit(key, hits) and exists (select from unnest(parts) as part where is_income_name(part)) then
    return 3;
  end if;
  return case when 'personen' = any (parts) and (known is null or jsonb_typeof(known) = 'object') then greatest(mode, 1) else mode end;
end
$function$;
COMMENT ON FUNCTION income_key_mode(key text, mode integer, hits text[]) IS 'The mode in which an unpublished member is redacted, by its name.';

CREATE FUNCTION income_look()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((('eink(?:om|[uüÜ])|einna|geh(?:[äÄ]|a[el])|l(?:o|[öÖ])e?hn|bez(?:ieh|og|[uüÜ]e?ge)|bekom|verdi|verg[uüÜ]|gage|wage|honor|netto|brutto|'::text || 'sal(?:ar|[äÄ]r|aer)|income|earn|revenu|pay[rcs]|(?:base|nual|thly|arly|ekly|urly|time|home|sick)pay|takeho|stipen|monthl|annual|yearl|'::text) || '[rnskzl]geld|flegeg|hartz|ialhilf|baf[oöÖ]|zuschu|ntsch[aäÄ]|unterh|t_?entn|tantie|abfin|gratif|dividen|aussch[uüÜ]|alimen|alimon|remuner|profit|turnov|'::text) || '[lstr]_?ertr|gewin|ums[aäÄ]|berschu|pension|ruheg|'::text) || 'erh(?:[äÄ]|ae)lt|_erhalt|kriegt|ausgez|[in]-?job|steuernd|kirchens|solida|alabga|gsbeitr|einkomme?nsteu|ohnsteu|'::text) || 'ntgelt|bonu|boni|fixum|sonderz|istungspr|folgspr|nachtspr|beiterpr|leichspr|kaufspr|heitspr|haltspr|ebspr|umspr|onspr|onapr|sbeteil|zulag|zuwend|standshilf|beihilf|sachbez|ngsbezug|entnahm|zahlbetr|gratui|severan|allowan|support|benefit|compens|zusch(?:l[aäÄ]|u)|gsgeb|di[äÄ]ten|diaeten|diaten|apanag|\\u|'::text) || income_context());
COMMENT ON FUNCTION income_look() IS 'Parts of the words of income in any spelling, as a pattern for ~*.';

CREATE FUNCTION income_lower(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN replace(replace(replace(lower((written COLLATE "C")), 'Ä'::text, 'ä'::text), 'Ö'::text, 'ö'::text), 'Ü'::text, 'ü'::text);
COMMENT ON FUNCTION income_lower(written text) IS 'A text in lower case, the same in every database.';

CREATE FUNCTION income_measure(folded text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  form constant text := income_form(folded);
  word text;
  class text;
  measured boolean := false;
begin
  if form !~ 'netto|brutto|\m(?:net|gross?)\M' collate "C" then
    return false;
  end if;
  for word in select distinct replace(spotted[1], '-', '') from regexp_matches(form, '[a-z][a-z-]*', 'g') as spotted loop
    class := coalesce(income_whole() ->> word, (income_head(word)).class);
    if class = 'priced' then
      return false;
    end if;
    measured := measured or class = 'measure' or (position('netto' in word) > 0 or position('brutto' in word) > 0) and income_word_class(word) = 'measure';
  end loop;
  return measured;
end
$function$;
COMMENT ON FUNCTION income_measure(folded text) IS 'Whether netto or brutto stands for an income in a folded name or part of a sentence.';

CREATE FUNCTION income_parts()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'einkomm|einkunft|einnahm|gehalt|besoldung|wehrsold|ehrensold|grundsold|bezug|verdienst|entgelt|sala|incom|earning|revenu|payroll|paycheck|payslip|remuneratio|stipend|monatsgag|jahresgag|kindergeld|elterngeld|mutterschaftsgeld|kurzarbeitergeld|krankengeld|arbeitslosengeld|burgergeld|wohngeld|pflegegeld|weihnachtsgeld|urlaubsgeld|trinkgeld|taschengeld|ubergangsgeld|insolvenzgeld|sitzungsgeld|verletztengeld|blindengeld|betreuungsgeld|ruhegeld|ubergangsgebuhrni|sozialhilf|bafog|grundungszuschu|aufwandsentschadigung|kinderzuschlag|unterhalt|aliment|honora|vergutung|privatentnahm|tantiem|abfindung|gratifikatio|dividend|auschuttung|kapitalertrag|zinsertrag|mietertrag|pachtertrag|wertpapierertrag|gewi|umsatz|jahresuberschu|pensio|witwenrent|witwerrent|waisenrent|zusatzrent|minijob|midijob|nebenjob|zuversteurnd|kirchensteu|solidaritatszuschlag|sozialabgab|sozialversicherungsbeitrag|bonu|boni|fixum|sonderzahlung|leistungsprami|erfolgsprami|weihnachtsprami|mitarbeiterprami|ausgleichsprami|verkaufsprami|anwesenheitsprami|erfolgsbeteiligung|schichtzuschlag|nachtzuschlag|feiertagszuschlag|sonntagszuschlag|familienzuschlag|ortszuschlag|uberstundenzuschlag|diat|apanag|alimony|takehom|profit|turnov|zulag|witwengeld|waisengeld|sozialgeld|karenzgeld|ausbildungsgeld|familienbeihilf|notstandshilf|sonderzuwendung|jubilaumszuwendung|rentenzahlbetrag|eigenentnahm|vertriebsprami|jubilaumsprami|inflationsprami|coronaprami|gratuity|unemploymentbenefit|childbenefit|childallowanc|housingallowanc|housingbenefit|totalcompensatio|annualcompensatio|employeecompensatio|severanc|childsupport|netto|brutto|verdient|verdiene|besoldet|lohn|\m(?:sold|gage|gagen|wage|wages|alg|alg1|algi|algii|alg2|zve|soli|hartz|hartz4|hartziv|earn|earns|earned)\M'::text;
COMMENT ON FUNCTION income_parts() IS 'Parts of words that are looked at closer, as a pattern. Generated.';

CREATE FUNCTION income_phrases()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'auf die hand|nach hause (bring|nimm|geh|komm|trag|hat|nehm)|(bring|geht|gehe|komm|nimm)[a-z]* .{0,40} nach hause|(makes?|making|made|earn|earns|earned|get|gets|getting) .{0,30}(a|per|each|every) (year|month|week|hour)|(makes?|making|made|earn|earns|earned|get|gets|getting) .{0,30}(annually|yearly|monthly|p\.a\.)|(bezieh|bezog|bekomm|kriegt|erhalt|ausgezahlt)[a-z]*( .*)? [a-z]*rente|rente[ :,].*(bezieh|bezog|bekomm|kriegt|erhalt|ausgezahlt)|(aktulle|bezogene|laufende|staatliche|ausgezahlte|derzeitige)[rns]?[-_ ]renten?|(base|net|gros|annual|monthly|hourly|weekly|yearly|home)[- ]pay($|[^a-z])'::text;
COMMENT ON FUNCTION income_phrases() IS 'Phrases that speak of an income without its name, as a pattern. Generated.';

CREATE FUNCTION income_pieces()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{einkom,einku,einkü,einna,gehä,gehae,gehal,lohn,loehn,löhn,löehn,bezieh,bezog,bezuge,bezuege,bezüge,bezüege,bekom,verdi,vergu,vergü,gage,wage,honor,netto,brutto,salar,salär,salaer,income,earn,revenu,payr,payc,pays,basepay,nualpay,thlypay,arlypay,eklypay,urlypay,timepay,homepay,sickpay,takeho,stipen,monthl,annual,yearl,rgeld,ngeld,sgeld,kgeld,zgeld,lgeld,flegeg,hartz,ialhilf,bafo,bafö,zuschu,ntscha,ntschä,unterh,tentn,t_entn,tantie,abfin,gratif,dividen,ausschu,ausschü,alimen,alimon,remuner,profit,turnov,lertr,sertr,tertr,rertr,l_ertr,s_ertr,t_ertr,r_ertr,gewin,umsa,umsä,berschu,pension,ruheg,erhält,erhaelt,_erhalt,kriegt,ausgez,ijob,njob,i-job,n-job,steuernd,kirchens,solida,alabga,gsbeitr,einkommnsteu,ohnsteu,ntgelt,bonu,boni,fixum,sonderz,istungspr,folgspr,nachtspr,beiterpr,leichspr,kaufspr,heitspr,haltspr,ebspr,umspr,onspr,onapr,sbeteil,zulag,zuwend,standshilf,beihilf,sachbez,ngsbezug,entnahm,zahlbetr,gratui,severan,allowan,support,benefit,compens,zuschl,gsgeb,diäten,diaeten,diaten,apanag,"\\u"}'::text[];
COMMENT ON FUNCTION income_pieces() IS 'Pieces of text of which whatever matches income_look has one, unless it has one of income_context_pieces.';

CREATE FUNCTION income_received()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{aktull,aktulle,aktuller,bezogen,bezogene,laufend,laufende,erhalten,erhaltene,ausgezahlt,ausgezahlte,staatlich,staatliche,derzeit,derzeitige,heutige,gegenwartige,empfangen,empfangene,received,current,uberwiesen,uberwiesene,netto,brutto,net,gros,base,takehome,annual,monthly,yearly,weekly,hourly,overtime,severance,holiday,sick}'::text[];
COMMENT ON FUNCTION income_received() IS 'Words that make a claim an income. Generated.';

CREATE FUNCTION income_schema()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"kind": "s", "meta": {"version": "s", "erstellt_am": "s"}, "kunde": {"name": "s", "alter": "n", "adresse": {"ort": "s", "plz": "s", "land": "s", "strasse": "s"}, "kontakt": {"email": "s", "telefon": "s"}, "geburtsdatum": "s"}, "label": "s", "level": "s", "score": "n", "tiere": {"art": "s", "anzahl": "n"}, "value": "s", "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "status": "s", "results": {"kind": "s", "label": "s", "level": "s", "score": "n", "value": "s", "status": "s", "field_key": "s", "rationale": "s", "output_type": "s", "generated_at": "s", "recommendation": "s"}, "analysis": {"meta": {"version": "s", "erstellt_am": "s"}, "kunde": {"name": "s", "alter": "n", "adresse": {"ort": "s", "plz": "s", "land": "s", "strasse": "s"}, "kontakt": {"email": "s", "telefon": "s"}, "geburtsdatum": "s"}, "haushalt": {"tiere": {"art": "s", "anzahl": "n"}, "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "vermoegen": {"art": "s", "wert_eur": "n"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kinder_anzahl": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "beziehungsstatus": "s", "haushaltsgroesse": "n", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}}, "produkte": {"kfz": {"hsn": "s", "tsn": "s", "deckung": "s", "km_jahr": "n", "fahrerkreis": "s", "fahrzeugart": "s", "erstzulassung": "s", "werkstattbindung": "b", "sf_klasse_vollkasko": "s", "sf_klasse_haftpflicht": "s", "selbstbeteiligung_tk_eur": "n", "selbstbeteiligung_vk_eur": "n"}, "pflege": {"art": "s", "dynamik_prozent": "n", "vorerkrankungen": "b", "leistung_pg_1_eur": "n", "leistung_pg_2_eur": "n", "leistung_pg_3_eur": "n", "leistung_pg_4_eur": "n", "leistung_pg_5_eur": "n"}, "unfall": {"gliedertaxe": "s", "personenkreis": "s", "todesfall_eur": "n", "grundsumme_eur": "n", "progression_prozent": "n", "vollinvaliditaet_eur": "n"}, "hausrat": {"glas": "b", "elementar": "b", "wohnflaeche_qm": "n", "summe_je_qm_eur": "n", "fahrraddiebstahl_eur": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b"}, "risikoleben": {"anlass": "s", "raucher": "b", "verlauf": "s", "endalter": "n", "ueberkreuz": "b", "bezugsberechtigt": "s", "todesfallsumme_eur": "n"}, "rechtsschutz": {"bausteine": "s", "wartezeit_monate": "n", "laufende_streitigkeit": "b", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n"}, "wohngebaeude": {"baujahr": "n", "gefahren": "s", "elementar_zone": "n", "wert_1914_mark": "n", "wohnflaeche_qm": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b", "grobe_fahrlaessigkeit_verzicht": "b"}, "altersvorsorge": {"bav_vorhanden": "b", "risikoneigung": "s", "wunschrente_eur": "n", "riester_vorhanden": "b", "rentenbeginn_alter": "n", "sparrate_monat_eur": "n", "schicht_1_rente_eur": "n", "schicht_2_rente_eur": "n", "schicht_3_rente_eur": "n", "basisrente_vorhanden": "b", "renteninformation_stand": "s", "gesetzliche_rente_prognose_eur": "n"}, "privathaftpflicht": {"tarifkreis": "s", "mietsachschaeden": "b", "deckungssumme_eur": "n", "forderungsausfall": "b", "schluesselverlust": "b", "selbstbeteiligung_eur": "n", "deliktunfaehige_kinder": "b", "gefaelligkeitsschaeden": "b"}, "berufsunfaehigkeit": {"endalter": "n", "au_klausel": "b", "karenz_monate": "n", "risikozuschlag": "b", "dynamik_prozent": "n", "rente_monat_eur": "n", "vorerkrankungen": "b", "nachversicherung": "b", "personalverantwortung": "b", "abstrakte_verweisung_verzicht": "b", "beruf_taetigkeitsanteil_buero_prozent": "n"}, "krankenversicherung": {"kasse": "s", "system": "s", "chefarzt": "b", "vorerkrankungen": "b", "selbstbehalt_eur": "n", "beihilfesatz_prozent": "n", "krankentagegeld_ab_tag": "n", "krankentagegeld_eur_tag": "n", "zahn_erstattung_prozent": "n", "stationaer_unterbringung": "s"}}, "din_check": {"bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "erstellt_am": "s"}, "vertraege": {"ablauf": "s", "beginn": "s", "quelle": "s", "sparte": "s", "status": "s", "zahlweise": "s", "leistungen": "s", "beitrag_eur": "n", "versicherer": "s", "vertragsnummer": "s", "versicherte_person": "s"}}, "haushalt": {"tiere": {"art": "s", "anzahl": "n"}, "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "vermoegen": {"art": "s", "wert_eur": "n"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kinder_anzahl": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "beziehungsstatus": "s", "haushaltsgroesse": "n", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "produkte": {"kfz": {"hsn": "s", "tsn": "s", "deckung": "s", "km_jahr": "n", "fahrerkreis": "s", "fahrzeugart": "s", "erstzulassung": "s", "werkstattbindung": "b", "sf_klasse_vollkasko": "s", "sf_klasse_haftpflicht": "s", "selbstbeteiligung_tk_eur": "n", "selbstbeteiligung_vk_eur": "n"}, "pflege": {"art": "s", "dynamik_prozent": "n", "vorerkrankungen": "b", "leistung_pg_1_eur": "n", "leistung_pg_2_eur": "n", "leistung_pg_3_eur": "n", "leistung_pg_4_eur": "n", "leistung_pg_5_eur": "n"}, "unfall": {"gliedertaxe": "s", "personenkreis": "s", "todesfall_eur": "n", "grundsumme_eur": "n", "progression_prozent": "n", "vollinvaliditaet_eur": "n"}, "hausrat": {"glas": "b", "elementar": "b", "wohnflaeche_qm": "n", "summe_je_qm_eur": "n", "fahrraddiebstahl_eur": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b"}, "risikoleben": {"anlass": "s", "raucher": "b", "verlauf": "s", "endalter": "n", "ueberkreuz": "b", "bezugsberechtigt": "s", "todesfallsumme_eur": "n"}, "rechtsschutz": {"bausteine": "s", "wartezeit_monate": "n", "laufende_streitigkeit": "b", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n"}, "wohngebaeude": {"baujahr": "n", "gefahren": "s", "elementar_zone": "n", "wert_1914_mark": "n", "wohnflaeche_qm": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b", "grobe_fahrlaessigkeit_verzicht": "b"}, "altersvorsorge": {"bav_vorhanden": "b", "risikoneigung": "s", "wunschrente_eur": "n", "riester_vorhanden": "b", "rentenbeginn_alter": "n", "sparrate_monat_eur": "n", "schicht_1_rente_eur": "n", "schicht_2_rente_eur": "n", "schicht_3_rente_eur": "n", "basisrente_vorhanden": "b", "renteninformation_stand": "s", "gesetzliche_rente_prognose_eur": "n"}, "privathaftpflicht": {"tarifkreis": "s", "mietsachschaeden": "b", "deckungssumme_eur": "n", "forderungsausfall": "b", "schluesselverlust": "b", "selbstbeteiligung_eur": "n", "deliktunfaehige_kinder": "b", "gefaelligkeitsschaeden": "b"}, "berufsunfaehigkeit": {"endalter": "n", "au_klausel": "b", "karenz_monate": "n", "risikozuschlag": "b", "dynamik_prozent": "n", "rente_monat_eur": "n", "vorerkrankungen": "b", "nachversicherung": "b", "personalverantwortung": "b", "abstrakte_verweisung_verzicht": "b", "beruf_taetigkeitsanteil_buero_prozent": "n"}, "krankenversicherung": {"kasse": "s", "system": "s", "chefarzt": "b", "vorerkrankungen": "b", "selbstbehalt_eur": "n", "beihilfesatz_prozent": "n", "krankentagegeld_ab_tag": "n", "krankentagegeld_eur_tag": "n", "zahn_erstattung_prozent": "n", "stationaer_unterbringung": "s"}}, "bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "din_check": {"bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "erstellt_am": "s"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "field_key": "s", "kunde_ort": "s", "kunde_plz": "s", "rationale": "s", "vermoegen": {"art": "s", "wert_eur": "n"}, "vertraege": {"ablauf": "s", "beginn": "s", "quelle": "s", "sparte": "s", "status": "s", "zahlweise": "s", "leistungen": "s", "beitrag_eur": "n", "versicherer": "s", "vertragsnummer": "s", "versicherte_person": "s"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kunde_name": "s", "wohnstatus": "s", "erstellt_am": "s", "kunde_alter": "n", "kunde_email": "s", "output_type": "s", "generated_at": "s", "kinder_anzahl": "n", "kunde_strasse": "s", "kunde_telefon": "s", "partner_alter": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "recommendation": "s", "analyse_version": "s", "kunde_kv_status": "s", "beziehungsstatus": "s", "haushaltsgroesse": "n", "vertraege_anzahl": "n", "partner_kv_status": "s", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}, "vertraege_sparten": "s", "din_params_version": "s", "analyse_erstellt_am": "s", "din_unbekannt_anzahl": "n", "vertrag_unfall_status": "s", "vertrag_hausrat_status": "s", "kunde_taetigkeitsstatus": "s", "vertrag_unfall_vorhanden": "b", "partner_taetigkeitsstatus": "s", "vertrag_hausrat_vorhanden": "b", "din_luecken_stufe_1_anzahl": "n", "din_luecken_stufe_1_themen": "s", "din_luecken_stufe_2_anzahl": "n", "din_luecken_stufe_2_themen": "s", "din_luecken_stufe_3_anzahl": "n", "din_luecken_stufe_3_themen": "s", "vertrag_risikoleben_status": "s", "vertrag_unfall_versicherer": "s", "vertrag_hausrat_versicherer": "s", "vertrag_pflegezusatz_status": "s", "vertrag_rechtsschutz_status": "s", "vertrag_wohngebaeude_status": "s", "vertrag_risikoleben_vorhanden": "b", "vertrag_kfz_haftpflicht_status": "s", "vertrag_pflegezusatz_vorhanden": "b", "vertrag_rechtsschutz_vorhanden": "b", "vertrag_wohngebaeude_vorhanden": "b", "vertrag_risikoleben_versicherer": "s", "vertrag_pflegezusatz_versicherer": "s", "vertrag_privathaftpflicht_status": "s", "vertrag_rechtsschutz_versicherer": "s", "vertrag_wohngebaeude_versicherer": "s", "kunde_eigenes_einkommen_vorhanden": "b", "vertrag_berufsunfaehigkeit_status": "s", "vertrag_kfz_haftpflicht_vorhanden": "b", "vertrag_kfz_haftpflicht_versicherer": "s", "vertrag_privathaftpflicht_vorhanden": "b", "vertrag_berufsunfaehigkeit_vorhanden": "b", "vertrag_privathaftpflicht_versicherer": "s", "vertrag_berufsunfaehigkeit_versicherer": "s"}'::jsonb;
COMMENT ON FUNCTION income_schema() IS 'The published schemas as a tree of members: n number, s text, b boolean, x raw income. Generated.';

CREATE FUNCTION income_schema_harmless()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '": "anteil_netto"|": "basisrente"|": "pensionaer"|": "pflegerente"|": "private_rente"|": "soldat"|"basisrente_vorhanden": (true|false|null)|"eigenes_einkommen_vorhanden": (true|false|null)|"kunde_eigenes_einkommen_vorhanden": (true|false|null)'::text;
COMMENT ON FUNCTION income_schema_harmless() IS 'What the schemas themselves write with a word of income in it, as a pattern: flags and enumerated values. Generated.';

CREATE FUNCTION income_schema_names()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'betrag[-_ .]?monat[-_ .]?eur|brutto[-_ .]?jahr[-_ .]?eur|einkommen|einnahmen|mieteinnahmen[-_ .]?kalt[-_ .]?monat[-_ .]?eur|nebeneinkuenfte[-_ .]?monat[-_ .]?eur|netto[-_ .]?monat[-_ .]?eur|privatentnahme[-_ .]?monat[-_ .]?eur|rente[-_ .]?bezogen[-_ .]?monat[-_ .]?eur'::text;
COMMENT ON FUNCTION income_schema_names() IS 'Names of the flagged fields, as a pattern. Generated.';

CREATE FUNCTION is_further_question(sentence text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (sentence ~* '^\W*((kunde|kundin|berater|beraterin|agent|client|[a-z])\s*:)?\W*((und|also|na|and|so)\W+)*(wie ?viel|genau|ungef(ä|ae)hr|how much|roughly|exactly)( denn| genau| ungef(ä|ae)hr| exactly)?\W*$'::text);
COMMENT ON FUNCTION is_further_question(sentence text) IS 'Whether a question only asks on.';

CREATE FUNCTION is_hit(written text, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((hits <> '{}'::text[]) AND ((income_lower(written) ~~ ANY (hits)) OR ((''::text = ANY (hits)) AND is_exotic(written))));
COMMENT ON FUNCTION is_hit(written text, hits text[]) IS 'Whether a part of a document may concern an income.';

CREATE FUNCTION income_sentences(written text, long boolean, everywhere boolean, hits text[])
 RETURNS TABLE(sentence text, place bigint, size integer, concerned boolean, answer boolean)
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 WITH sentences AS MATERIALIZED (
          SELECT split.sentence,
             split.place,
             (income_sentences.everywhere OR (NOT income_sentences.long) OR is_hit(split.sentence, income_sentences.hits)) AS hit,
             ((rtrim(split.sentence, e' \n\u0009"”)'::text) ~~ '%?'::text) AND ((length(split.sentence) > 60) OR (NOT is_further_question(split.sentence)))) AS question
            FROM string_to_table(regexp_replace(regexp_replace(income_sentences.written, '([.!?]["”)]?\s+(?=[A-ZÄÖÜ])|[^:\s]\s*\n\s*\n)'::text, '\1﷐'::text, 'g'::text), '(\m(?:ca|inkl|incl|exkl|zzgl|bzw|mtl|j(?:ä|ae)hrl|max|min|mind|evtl|ggf|etc|usw|tsd|mio|mrd|nr|dr|hr|fr|tel|str|lt|gem|abz|[a-z])\.\s+)\ufdd0'::text, '\1'::text, 'gi'::text), '﷐'::text) WITH ORDINALITY split(sentence, place)
         ), counted AS (
          SELECT sentences.sentence,
             sentences.place,
             sentences.hit,
             sentences.question,
             count(*) FILTER (WHERE sentences.question) OVER before AS questions
            FROM sentences
           WINDOW before AS (ORDER BY sentences.place)
         ), asked AS (
          SELECT counted.sentence,
             counted.place,
             counted.hit,
             counted.question,
             counted.questions,
             first_value((counted.question AND counted.hit)) OVER turn AS asked,
             first_value(counted.sentence) OVER turn AS opening,
             row_number() OVER turn AS step
            FROM counted
           WINDOW turn AS (PARTITION BY counted.questions ORDER BY counted.place)
         ), amounts AS (
          SELECT asked.sentence,
             asked.place,
             asked.hit,
             asked.question,
             asked.questions,
             asked.asked,
             asked.opening,
             asked.step,
                 CASE
                     WHEN (asked.hit OR (asked.asked AND (asked.step <= 4))) THEN has_amount(asked.sentence)
                     ELSE false
                 END AS amount
            FROM asked
         ), followed AS (
          SELECT amounts.sentence,
             amounts.place,
             amounts.hit,
             amounts.question,
             amounts.questions,
             amounts.asked,
             amounts.opening,
             amounts.step,
             amounts.amount,
             (amounts.asked AND ((amounts.step >= 2) AND (amounts.step <= 4)) AND (count(*) FILTER (WHERE ((amounts.amount OR (POSITION(('[entfernt]'::text) IN (amounts.sentence)) > 0)) AND (NOT amounts.question))) OVER (PARTITION BY amounts.questions ORDER BY amounts.place) = 1)) AS first
            FROM amounts
         )
  SELECT followed.sentence,
     followed.place,
         CASE
             WHEN followed.amount THEN length(replace(followed.sentence, '[entfernt]'::text, ''::text))
             ELSE NULL::integer
         END AS "case",
     (followed.amount AND followed.hit),
     (followed.amount AND followed.first AND (income_sentences.long OR asks_for_income(followed.opening)))
    FROM followed;
END;
COMMENT ON FUNCTION income_sentences(written text, long boolean, everywhere boolean, hits text[]) IS 'The sentences of a text, and which of them are to be cleaned.';

CREATE FUNCTION income_strong()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{%einkommen%,%einkunfte%,%einkunft%,%gehalts%,%besoldung%,%salary%,%income%}'::text[];
COMMENT ON FUNCTION income_strong() IS 'Parts that make a word an income whose last part is unknown, as patterns for LIKE. Generated.';

CREATE FUNCTION income_whole()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"k": "neutral", "p": "neutral", "v": "neutral", "ab": "preposition", "am": "preposition", "an": "preposition", "ca": "neutral", "hh": "neutral", "im": "preposition", "in": "preposition", "my": "neutral", "of": "preposition", "or": "neutral", "pa": "neutral", "vn": "neutral", "vp": "neutral", "age": "not", "alg": "income", "als": "preposition", "alt": "neutral", "and": "neutral", "auf": "preposition", "aus": "preposition", "bei": "preposition", "bis": "preposition", "chf": "neutral", "das": "neutral", "dem": "neutral", "den": "neutral", "der": "neutral", "des": "neutral", "die": "neutral", "eur": "neutral", "for": "preposition", "fur": "preposition", "ihr": "neutral", "mit": "preposition", "mtl": "neutral", "net": "measure", "neu": "neutral", "own": "neutral", "pay": "claim", "per": "preposition", "pro": "preposition", "the": "neutral", "tsd": "neutral", "und": "neutral", "usd": "neutral", "vom": "preposition", "von": "preposition", "vor": "preposition", "zum": "preposition", "zur": "preposition", "zve": "income", "alg1": "income", "alg2": "income", "algi": "income", "alte": "neutral", "beim": "preposition", "cent": "neutral", "earn": "income", "etwa": "neutral", "euro": "neutral", "exkl": "preposition", "fest": "neutral", "frau": "neutral", "from": "preposition", "gage": "income", "gros": "measure", "hour": "neutral", "inkl": "preposition", "jahr": "neutral", "kind": "neutral", "last": "neutral", "mann": "neutral", "mein": "neutral", "nach": "preposition", "neus": "neutral", "oder": "neutral", "ohne": "preposition", "rund": "neutral", "sein": "neutral", "seit": "preposition", "sold": "income", "soli": "income", "soll": "not", "teur": "neutral", "uber": "preposition", "wage": "income", "week": "neutral", "year": "neutral", "zahl": "not", "ziel": "not", "zzgl": "preposition", "abzgl": "preposition", "algii": "income", "altes": "neutral", "circa": "neutral", "daily": "neutral", "durch": "preposition", "earns": "income", "euros": "neutral", "fixes": "neutral", "gagen": "income", "hartz": "income", "heute": "neutral", "jahre": "neutral", "jahrl": "neutral", "jetzt": "neutral", "kunde": "neutral", "letzt": "neutral", "meine": "neutral", "monat": "neutral", "month": "neutral", "netto": "measure", "other": "neutral", "total": "neutral", "trotz": "preposition", "unter": "preposition", "vater": "neutral", "wages": "income", "woche": "neutral", "years": "neutral", "aktull": "neutral", "andere": "neutral", "annual": "neutral", "anzahl": "not", "bedarf": "not", "brutto": "measure", "client": "neutral", "earned": "income", "eigene": "neutral", "eltern": "neutral", "festes": "neutral", "fiktiv": "not", "gesamt": "neutral", "hartz4": "income", "hourly": "neutral", "jahres": "neutral", "kinder": "neutral", "kunden": "neutral", "kundin": "neutral", "letzte": "neutral", "monate": "neutral", "monatl": "neutral", "monats": "neutral", "months": "neutral", "mutter": "neutral", "person": "neutral", "spouse": "neutral", "stunde": "neutral", "target": "not", "weekly": "neutral", "wochen": "neutral", "wunsch": "not", "yearly": "neutral", "zulage": "not", "aktulle": "neutral", "current": "neutral", "derzeit": "neutral", "desired": "not", "ehefrau": "neutral", "ehemann": "neutral", "eigener": "neutral", "eigenes": "neutral", "familie": "neutral", "geplant": "not", "gesamte": "neutral", "hartziv": "income", "insured": "not", "kunftig": "not", "laufend": "neutral", "letzter": "neutral", "letztes": "neutral", "mindest": "not", "minimal": "not", "minimum": "not", "monthly": "neutral", "partner": "neutral", "person1": "neutral", "person2": "neutral", "prozent": "not", "stunden": "neutral", "taglich": "neutral", "vorjahr": "neutral", "weitere": "neutral", "zulagen": "not", "aktuller": "neutral", "aktulles": "neutral", "annually": "neutral", "benotigt": "not", "customer": "neutral", "ehegatte": "neutral", "erwartet": "not", "expected": "not", "familien": "neutral", "fiktives": "not", "gesamtes": "neutral", "haushalt": "neutral", "jahrlich": "neutral", "kunftige": "not", "laufende": "neutral", "partners": "neutral", "personen": "neutral", "prognose": "not", "required": "not", "sonstige": "neutral", "variabel": "neutral", "vorletzt": "neutral", "weiteres": "neutral", "angegeben": "neutral", "benotigte": "not", "currently": "neutral", "derzeitig": "neutral", "ehegatten": "neutral", "geplantes": "not", "geschatzt": "neutral", "gewunscht": "not", "haushalts": "neutral", "household": "neutral", "jahrliche": "neutral", "kunftiges": "not", "laufendes": "neutral", "monatlich": "neutral", "partnerin": "neutral", "sonstiger": "neutral", "sonstiges": "neutral", "stundlich": "neutral", "variabler": "neutral", "variables": "neutral", "vorjahres": "neutral", "benotigtes": "not", "derzeitige": "neutral", "ehepartner": "neutral", "erwartetes": "not", "garantiert": "not", "gewunschte": "not", "jahrlichen": "neutral", "jahrlicher": "neutral", "jahrliches": "neutral", "kalkuliert": "not", "monatliche": "neutral", "personlich": "neutral", "regelmasig": "neutral", "versichert": "not", "angegebenes": "neutral", "garantierte": "not", "geschatztes": "neutral", "gewunschtes": "not", "mitarbeiter": "neutral", "monatlichen": "neutral", "monatlicher": "neutral", "monatliches": "neutral", "versicherte": "not", "wochentlich": "neutral", "arbeitnehmer": "neutral", "personliches": "neutral", "regelmasiges": "neutral", "versichertes": "not", "antragsteller": "neutral", "mitarbeiterin": "neutral", "arbeitnehmerin": "neutral", "hauptverdiener": "neutral", "prognostiziert": "not", "zweitverdiener": "neutral", "alleinverdiener": "neutral", "antragstellerin": "neutral", "prognostizierte": "not", "durchschnittlich": "neutral", "hauptverdienerin": "neutral", "zweitverdienerin": "neutral", "alleinverdienerin": "neutral", "durchschnittliches": "neutral", "versicherungsnehmer": "neutral", "versicherungsnehmerin": "neutral"}'::jsonb;
COMMENT ON FUNCTION income_whole() IS 'Whole words, each with its class. Generated.';

CREATE FUNCTION income_word_class(word text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  rest text := word;
  measured boolean := false;
  head record;
begin
  if income_whole() ? word then
    return income_whole() ->> word;
  end if;
  if word like any (income_beginnings()) then
    return 'stays';
  end if;
  while rest <> '' loop
    head := income_head(rest);
    if head.class = 'measure' then
      measured := true;
    elsif head.class in ('income', 'priced', 'stays', 'claim') then
      return case when head.class = 'claim' and measured then 'income' else head.class end;
    elsif head.class is null and income_whole() ->> rtrim(rest, 's') = 'neutral' then
      exit;
    elsif head.class is null then
      return case
        when rest like any (income_strong()) then 'income'
        when measured then 'measure'
        -- Bruttosozialprodukt: what is measured is no income that the registry knows.
        when rest like 'netto%' or rest like 'brutto%' then 'bound'
      end;
    end if;
    rest := left(rest, -head.size);
  end loop;
  return case when measured then 'measure' else 'open' end;
end
$function$;
COMMENT ON FUNCTION income_word_class(word text) IS 'The class of a word: income, claim, measure, bound, priced, stays, not, neutral, preposition, open; null: unknown.';

CREATE FUNCTION income_words(folded text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  form constant text := income_form(folded);
begin
  if folded ~ ('(^|[^a-z0-9])(' || income_schema_names() || ')($|[^a-z0-9])') collate "C" then
    return true;
  end if;
  return exists (
    select from (
      select distinct replace(spotted[1], '-', '') as word
      from regexp_matches(form collate "C", '([a-z]*(?:' || income_parts() || ')[a-z-]*)', 'g') as spotted
    ) as candidate
    where income_word_class(candidate.word) = 'income');
end
$function$;
COMMENT ON FUNCTION income_words(folded text) IS 'Whether a folded text has a word that names what a person receives.';

CREATE FUNCTION insert_attempts(ended ended_attempt[])
 RETURNS SETOF ended_attempt
 LANGUAGE sql
BEGIN ATOMIC
 WITH stored AS (
          INSERT INTO hook_attempts (subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class, excerpt, headers)  SELECT one_1.subscription_id,
                     one_1.cursor,
                     one_1.started_at,
                     one_1.version,
                     one_1.duration_ms,
                     one_1.attempt,
                     one_1.status,
                     one_1.outcome,
                     one_1.error_class,
                         CASE
                             WHEN ((one_1.excerpt IS NOT NULL) AND has_event(one_1.cursor)) THEN one_1.excerpt
                             ELSE NULL::text
                         END AS "case",
                         CASE
                             WHEN ((one_1.headers IS NOT NULL) AND has_event(one_1.cursor)) THEN one_1.headers
                             ELSE NULL::text
                         END AS "case"
                    FROM (unnest(insert_attempts.ended) one_1(subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class, excerpt, headers, retry_ms)
                      JOIN hook_subscriptions ON ((hook_subscriptions.id = one_1.subscription_id))) ON CONFLICT DO NOTHING
           RETURNING hook_attempts.subscription_id,
             hook_attempts.cursor,
             hook_attempts.started_at
         )
  SELECT one.subscription_id,
     one.cursor,
     one.started_at,
     one.version,
     one.duration_ms,
     one.attempt,
     one.status,
     one.outcome,
     one.error_class,
     one.excerpt,
     one.headers,
     one.retry_ms
    FROM (unnest(insert_attempts.ended) one(subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class, excerpt, headers, retry_ms)
      JOIN stored ON (((stored.subscription_id = one.subscription_id) AND (stored.cursor = one.cursor) AND ((stored.started_at)::timestamp with time zone = one.started_at))));
END;
COMMENT ON FUNCTION insert_attempts(ended ended_attempt[]) IS 'Called by record_attempts: the attempts that were not there yet.';

CREATE FUNCTION scrub_amounts(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  currency constant text := '(€|eur(os?)?(?![a-zäöüß])|chf|usd|\$)';
  unit constant text := '(tsd\.?|tausend|teur|t€|k€|keur|mio\.?|mrd\.?|million(en)?|hundert|thousand|grand(?![a-z])|k(?![a-z0-9äöüß])|t(?![a-z0-9äöüß]))';
  separator constant text := '([ .,''’‘´`·_\u00a0\u202f]|''''|&nbsp;|&thinsp;|[.] )';
  grouped constant text := '[0-9]{1,3}(' || separator || '[0-9]{3})+([.,][0-9]{1,2})?(?![0-9])';
  -- 3 2 0 0, 2-8-5-0, 3 . 2 0 0
  apart constant text := '[0-9](( |-| [.,] )[0-9]){2,}(?![0-9])';
  figure constant text := '(' || grouped || '|[0-9]+([.,][0-9]+)*(e[0-9]+)?)';
  large constant text := '(' || grouped || '|[0-9]{3,}([.,][0-9]+)*|[0-9]+[.,][0-9]{2}(?![0-9])|[0-9]+([.,][0-9]+)?e[0-9]+|[0-9]+[kt][0-9]{1,3}(?![0-9a-z]))';
  until constant text := '\s?(-|–|—|bis( zu)?|und|to)\s?';
  cipher constant text := '(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)';
  spelled constant text := '(ein|eine|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(ö|oe)lf|[a-zäöüß]*zig|[a-zäöüß]*(ß|ss)ig|[a-zäöüß]*zehn|[a-z]*halb|'
    || 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]*teen|(twen|thir|for|fif|six|seven|eigh|nine)ty)';
  marked text := value;
begin
  -- Asked for first, because compiling the pattern anew costs more than the whole look.
  if position('%' in marked) > 0 or position('rozent' in marked) > 0 or position('ROZENT' in marked) > 0 then
    marked := regexp_replace(marked, '([0-9])([0-9]?)([0-9]?)(?=([.,][0-9]+)?\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3', 'gi');
    marked := regexp_replace(marked, '([.,])([0-9])([0-9]?)([0-9]?)(?=\s?(%|prozent))', e'\\1\ufdd1\\2\ufdd1\\3\ufdd1\\4', 'gi');
  end if;
  if marked like '%.19%' or marked like '%.20%' then
    marked := regexp_replace(marked, '\m([0-3]?)([0-9])\.([01]?)([0-9])\.([12])([0-9])([0-9])([0-9])(?![0-9])', e'\\1\ufdd1\\2.\ufdd1\\3\ufdd1\\4.\ufdd1\\5\ufdd1\\6\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  if marked like '%19__-%' or marked like '%20__-%' then
    marked := regexp_replace(marked, '\m([12])([0-9])([0-9])([0-9])-([01])([0-9])-([0-3])([0-9])(?![0-9])', e'\\1\ufdd1\\2\ufdd1\\3\ufdd1\\4-\ufdd1\\5\ufdd1\\6-\ufdd1\\7\ufdd1\\8', 'g');
  end if;
  marked := regexp_replace(marked,
    '(\m(?:seit|ab|in|anfang|mitte|ende|stand:?|jahre?|januar|februar|m(?:ä|ae)rz|april|mai|juni|juli|august|september|oktober|november|dezember)\s+)(19|20)([0-9])([0-9])(?![0-9]|[.,_''’][0-9]|\s?(?:€|eur|k\M|netto|brutto|-|–|bis\M|und\M|to\M))',
    e'\\1\\2\ufdd1\\3\ufdd1\\4', 'gi');
  marked := regexp_replace(marked,
    '(\+|\m0)[0-9][-0-9 /()]{5,}[0-9]'
    || '|' || currency || '\s?' || figure || '(' || until || figure || ')?(,-+|,–)?(\s?' || unit || ')?(\s?' || currency || ')?'
    || '|' || figure || '(\s?' || unit || ')?(\s?' || currency || ')?' || until || figure || '(,-+|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || figure || '(,-+|,–)?\s?(' || unit || '(\s?' || currency || ')?|' || currency || ')'
    || '|' || apart || '|' || figure || until || large || '(,-+|,–)?|' || large || '(,-+|,–)?'
    || '|((' || spelled || '|komma|point|[0-9]+)[- ]){0,4}[a-zäöüß]*(hundert|tausend|million(en)?|thousand|hundred|grand(?![a-z]))[a-zäöüß]*([- ](und[- ]|and[- ])?' || spelled || '(?![a-zäöüß]))?(\s?' || currency || ')?'
    || '|(' || spelled || '[- ])?' || spelled || '\s?(' || currency || '|k(?![a-z0-9äöüß]))'
    || '|\m' || cipher || '([- ]?(komma )?' || cipher || ')+\M',
    '[entfernt]', 'gi');
  return replace(marked, e'\ufdd1', '');
end
$function$;
COMMENT ON FUNCTION scrub_amounts(value text) IS 'A text with every amount of money replaced by [entfernt].';

CREATE FUNCTION is_amount_alone(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (has_amount(value) AND ((value ~ '^[^[:alpha:]]*[0-9][^[:alpha:]]*$'::text) OR (scrub_amounts(income_plain(value)) ~ '^\W*(ca|etwa|rund)?\W*\[entfernt\]\W*(netto|brutto|im monat|mtl|pa|p\.a)?\W*$'::text)));
COMMENT ON FUNCTION is_amount_alone(value text) IS 'Whether a text is an amount and nothing else.';

CREATE FUNCTION is_amount_name(name text, mode integer, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if translate(name, '123456789', '000000000') not like '%00%' then
    return false;
  end if;
  if mode = 3 then
    return scrub_amounts(income_plain(name)) <> income_plain(name);
  end if;
  return is_hit('"' || name || '"', hits)
    and scrub_amounts(regexp_replace(translate(income_plain(name), '_', ' '), '\m(19|20)[0-9]{2}\M', '', 'g')) ~ '\[entfernt\]'
    and is_income_text(income_fold(translate(name, '_', ' ')));
end
$function$;
COMMENT ON FUNCTION is_amount_name(name text, mode integer, hits text[]) IS 'Whether a member''s name holds the amount of an income.';

CREATE FUNCTION is_clean(written text, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((NOT is_hit(written, hits)) AND (POSITION(('personen'::text) IN (written)) = 0));
COMMENT ON FUNCTION is_clean(written text, hits text[]) IS 'Whether a part of a document that is not below an income stays as it is.';

CREATE FUNCTION is_income_istwert(istwert jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return (
    select coalesce(bool_and(source.income) or bool_or(source.income and source.wert = istwert -> 'wert_eur'), false)
    from (
      select entry -> 'wert_eur' as wert,
        case jsonb_typeof(entry)
          when 'object' then names_an_income(entry, hits)
          when 'string' then is_income_text(income_fold(entry #>> '{}'))
          else false
        end as income
      from jsonb_array_elements(case when jsonb_typeof(istwert -> 'quellen') = 'array' then istwert -> 'quellen' else '[]' end) as entry
    ) as source);
end
$function$;
COMMENT ON FUNCTION is_income_istwert(istwert jsonb, hits text[]) IS 'Whether the actual value of a DIN row is nothing but an income.';

CREATE FUNCTION is_income_label(label text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if position(' ' in label) = 0 then
    return position('@' in label) = 0 and is_income_name(label);
  end if;
  return is_income_text(income_fold(label)) or length(label) <= 40 and is_income_name(label);
end
$function$;
COMMENT ON FUNCTION is_income_label(label text) IS 'Whether a label names an income.';

CREATE FUNCTION is_income_name(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  -- A capital letter begins a word, unless all of them are.
  form constant text := income_form(income_fold(
    case when lower(name) in (name, upper(name)) then name else regexp_replace(income_plain(name), '([a-zäöüß0-9])([A-ZÄÖÜ])', '\1 \2', 'g') end));
  word text;
  class text;
  last text;
  joined text := '';
  words integer := 0;
  measured boolean := false;
  received boolean := false;
begin
  foreach word in array string_to_array(translate(form, '_-./:,;[](){}<>$*&|+=#"''?!', rpad('', 28)), ' ') loop
    if not income_whole() ? word then
      word := translate(word, '0123456789', '');
    end if;
    continue when word = '';
    class := income_word_class(word);
    if class = 'measure' then
      measured := true;
    elsif word = any (income_received()) then
      received := true;
    elsif class = 'not' then
      return false;
    elsif class = 'preposition' then
      exit when joined <> '' or measured;
    elsif class is distinct from 'neutral' then
      joined := joined || word;
      words := words + 1;
      last := case when class is null or class = 'open' then last else class end;
    end if;
  end loop;
  class := case when words > 1 then income_word_class(joined) else last end;
  last := case when class in ('income', 'priced', 'stays', 'claim') then class else last end;
  if last is null or last = 'bound' then
    -- kinder_geld, kranken_tage_geld: a name that is one word, taken apart.
    class := income_word_class(regexp_replace(form, '[^a-z]+', '', 'g'));
    last := case when class in ('income', 'priced', 'stays') and form !~ '[^a-z](aus|von|vom|vor|of|from|pro|per)[^a-z]' collate "C" then class else last end;
  end if;
  if last is distinct from 'income' and income_fold(name) ~ ('^(' || income_schema_names() || ')$') collate "C" then
    return true;
  end if;
  return case last
    when 'income' then true
    when 'claim' then received or measured
    when 'priced' then false
    when 'stays' then false
    when 'bound' then false
    else measured
  end;
end
$function$;
COMMENT ON FUNCTION is_income_name(name text) IS 'Whether a member is named after an income.';

CREATE FUNCTION is_income_text(folded text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  -- An address may have any word in it.
  if position('@' in folded) > 0 and folded ~ '^\s*[^\s@]+@[^\s@]+\s*$' then
    return false;
  end if;
  return income_words(folded)
    or income_form(folded) ~ income_phrases() collate "C"
    or folded ~ 'netto|brutto|\m(?:net|gross?)\M' collate "C" and exists (
      select from regexp_split_to_table(folded, '[,;]\s') as part where income_measure(part));
end
$function$;
COMMENT ON FUNCTION is_income_text(folded text) IS 'Whether a folded text speaks of an income.';

CREATE FUNCTION is_table_head(folded text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (substr(folded, (1 + CASE WHEN (folded ~~ 'table\_%'::text) THEN 6 WHEN (folded ~~ 'table%'::text) THEN 5 WHEN (folded ~~ '\_%'::text) THEN 1 ELSE 0 END)) ~~ ANY ('{head%,kopf%,col%,spalte%,field%,feld%,label%,kateg%,categ%,titl%,titel%,uebersch%,uberschr%,schema%,key%,name%,serie%,dimension%,legend%,merkmal%,frage%,question%}'::text[]));
COMMENT ON FUNCTION is_table_head(folded text) IS 'Whether a member''s folded name says that it is the head of a table.';

CREATE FUNCTION is_unknown(value jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((value IS NULL) OR (value = 'null'::jsonb));
COMMENT ON FUNCTION is_unknown(value jsonb) IS 'Whether a field is absent or null.';

CREATE FUNCTION iso_moment(value text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE STRICT
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if value ~ '^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$' then
    return value::timestamptz;
  end if;
  return null;
exception
  when data_exception then
    return null;
end
$function$;
COMMENT ON FUNCTION iso_moment(value text) IS 'The moment an ISO 8601 text names, in UTC where it has no offset; null where it names none.';

CREATE FUNCTION json_fault(schema jsonb, given jsonb, place text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  kind constant text := jsonb_typeof(given);
  word constant text := given #>> '{}';
  number constant numeric := case when kind = 'number' then word::numeric end;
begin
  if schema ? 'anyOf' then
    return case when not exists (
      select from jsonb_array_elements(schema -> 'anyOf') as choice (schema) where json_fault(choice.schema, given, place) is null
    ) then place || ' has a value that it may not have' end;
  end if;
  if not (coalesce(schema ->> 'type', kind) = kind or schema ->> 'type' = 'integer' and coalesce(number % 1 = 0, false)) then
    return place || ' must be of type ' || (schema ->> 'type');
  end if;
  -- A number that a double cannot hold would end the reading of a whole page.
  if schema -> 'const' <> given or number < (schema ->> 'minimum')::numeric or abs(number) > 1e300 then
    return place || ' has a value that it may not have';
  end if;
  if schema ->> 'format' = 'uuid' and word !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    or schema ->> 'format' = 'date-time' and not is_date_time(word) then
    return place || ' must be a ' || (schema ->> 'format');
  end if;
  if kind = 'array' then
    return (
      select json_fault(schema -> 'items', element.value, place || '[]') as fault
      from jsonb_array_elements(given) as element
      where schema ? 'items' and json_fault(schema -> 'items', element.value, place || '[]') is not null
      limit 1);
  end if;
  if kind <> 'object' then
    return null;
  end if;
  if schema -> 'additionalProperties' = 'false' and exists (
      select from jsonb_object_keys(given) as member where not coalesce(schema -> 'properties', '{}') ? member) then
    return place || ' has a member that is not published';
  end if;
  return (
    select found.fault
    from jsonb_each(coalesce(schema -> 'properties', '{}')) as property
    cross join lateral (
      select case
        when given ? property.key then json_fault(property.value, given -> property.key, place || '.' || property.key)
        when schema -> 'required' ? property.key then place || ' lacks ' || property.key
      end as fault
    ) as found
    where found.fault is not null
    limit 1);
end
$function$;
COMMENT ON FUNCTION json_fault(schema jsonb, given jsonb, place text) IS 'Called by emit_event: what keeps a value from being as a JSON Schema says; null: nothing.';

CREATE FUNCTION keep_result_values(results jsonb, cleaned jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if cleaned = results or jsonb_typeof(results) <> 'array' then
    return cleaned;
  end if;
  return (
    select jsonb_agg(
      case when jsonb_typeof(entry.value) = 'object' and jsonb_typeof(entry.clean) = 'object' then
        (select coalesce(jsonb_object_agg(kept.name, null), '{}') from unnest('{value,score}'::text[]) as kept (name) where entry.value ? kept.name) || entry.clean
      else entry.clean end
      order by entry.position)
    from rows from (jsonb_array_elements(results), jsonb_array_elements(cleaned)) with ordinality as entry (value, clean, position));
end
$function$;
COMMENT ON FUNCTION keep_result_values(results jsonb, cleaned jsonb) IS 'Cleaned result entries, each with a value again, be it null.';

CREATE FUNCTION kontakt_holdings(identity text)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person constant record := find_kontakt(identity);
  log_ids constant bigint[] := events_about(person);
  cursors constant bigint[] := cursors_of(log_ids);
begin
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  other_leads := leads_shown(person.other_lead_ids, null);
  recipients := delivery_report(cursors);
  counts := jsonb_build_object(
    'leads', cardinality(person.lead_ids),
    'lead_analyses', cardinality(person.analysis_ids),
    'haushalte', (select count(*) from haushalte where haushalte.kontakt_key = any (person.keys)),
    'kontakt_aliases', (select count(*) from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys)),
    'appointments', cardinality(person.appointment_ids),
    'meeting_intelligence', (select count(*) from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids)),
    'signals', cardinality(person.signal_ids),
    'advisory_docs', cardinality(person.advisory_doc_ids),
    'events', cardinality(log_ids), 'hook_deliveries', (select count(distinct (made.subscription_id, made.cursor)) from attempts_of(cursors) as made),
    'hook_attempts', (select count(*) from attempts_of(cursors)));
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$function$;
COMMENT ON FUNCTION kontakt_holdings(identity text) IS 'What erase_kontakt would erase; no row where nothing is stored of the person.';
REVOKE EXECUTE ON FUNCTION kontakt_holdings(identity text) FROM PUBLIC;

CREATE FUNCTION kontakt_key_email(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  address text collate "C" := regexp_replace(value collate "C", '^mailto:[ \t\n\v\f\r]*', '', 'i');
begin
  address := lower_form(rtrim(address, e' \t\n\x0b\f\r.'));
  if address ~ '[@.]xn--' then
    address := substring(address from '^.*@') || (
      select string_agg(readable_label(labels.label), '.' order by labels.place)
      from regexp_split_to_table(substring(address from '[^@]*$'), '\.') with ordinality as labels (label, place));
  end if;
  if length(address) > 254
    or address !~ '^[^\u0001-\u0020\u007f-\u009f@,;:<>()\[\]"\\]+@[a-z0-9_\u00a0-\U0010ffff-]+(\.[a-z0-9_\u00a0-\U0010ffff-]+)+$' then
    return null;
  end if;
  return 'email:' || address;
end
$function$;
COMMENT ON FUNCTION kontakt_key_email(value text) IS 'Called by kontakt_key: email: and the address in lower case; null where the text is no address.';

CREATE FUNCTION kontakt_key_hints(keys text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (array_agg(DISTINCT kontakt_key_hint(identity.value)) || ARRAY['?'::text])
    FROM (unnest(kontakt_key_hints.keys) key(key)
      CROSS JOIN LATERAL ( SELECT regexp_replace("substring"(key.key, ':(.*)'::text), '@.*'::text, '@'::text) AS value) identity)
   WHERE (key.key !~~ 'lead:%'::text);
END;
COMMENT ON FUNCTION kontakt_key_hints(keys text[]) IS 'The hints that a spelling of one of the keys can have.';

CREATE FUNCTION kontakt_key_phone(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  number text collate "C" := translate(value collate "C", '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789');
begin
  number := regexp_replace(number, '^tel:[ \t]*', '', 'i');
  -- The extension goes: the number is the switchboard's.
  number := regexp_replace(
    number, '[ \t]*(;ext=|ext(ension)?\.?|durchwahl|dw\.?|nebenstelle|nst\.?|app(arat)?\.?|x|#)[ \t]*[0-9]{1,6}$', '', 'i');
  -- A zero in brackets behind a country code is dialled at home only, except where it is part of the number
  -- (Italy, San Marino, Benin, Gabon, Ivory Coast, Congo).
  if number ~ '[(\[][ \t]*0[ \t]*[)\]]' then
    number := regexp_replace(
      number, '^([ \t(\[]*(?:\+|00)[ \t]*(?!39|378|225|229|241|242)[0-9]{1,3}[-)\] \t./]*)[(\[][ \t]*0[ \t]*[)\]]', '\1');
  end if;
  number := translate(number, e'- \t\n\x0b\f\r()[]./‐‑‒–—―⁃−ー', '');
  if number !~ '^\+?[0-9]{6,20}$' then
    return null;
  end if;
  number := case
    when number ~ '^\+' then number
    when number ~ '^00' then '+' || substr(number, 3)
    when number ~ '^0' then '+49' || substr(number, 2)
    -- The country code without a plus, as in 491713920001, unless it reads as a number of East Frisia (0491 Leer to
    -- 04977 Blomberg) without its zero; that has eleven digits at most.
    when number ~ '^49' and (length(number) > 11 or number !~ '^49(1|2[0-9]|3[1-689]|4[1-8]|5[0-9]|6[1-8]|7[1-7])')
      then '+' || number
    else '+49' || number
  end;
  -- A zero behind the code of a country where numbers have it at home only; libphonenumber lists those countries.
  number := regexp_replace(
    number,
    '^\+(20|27|3[123]|4[013469]|5[13458]|6[0-346]|8[1246]|9[0-58]|21[1238]|23[1-4]|243|249|25[0-2456]|26[0-5]|291|35[3589]|37[03457]|38[0-35-79]|42[13]|508|59[013-68]|686|85[056]|88[06]|96[1-467]|97[01267]|99[456])0+',
    '+\1');
  -- North America has ten digits: +171… is a German mobile number whose zero became a plus. And a service number is
  -- no key of a person.
  if number !~ '^\+([2-9][0-9]{7,14}|1[2-9][0-9]{9})$' or number ~ '^\+49(11|137|138|180|700|800|900)' then
    return null;
  end if;
  return 'phone:' || number;
end
$function$;
COMMENT ON FUNCTION kontakt_key_phone(value text) IS 'Called by kontakt_key: phone: and the number in E.164, default country Germany; null where the text is no number.';

CREATE FUNCTION kontakt_person(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  further text[];
begin
  canonical_key := canonical_kontakt_key(identity);
  -- A lead that was never merged stands for its person: known by mail, else by phone.
  if canonical_key like 'lead:%' and not exists (select from kontakt_aliases where kontakt_aliases.canonical_key = kontakt_person.canonical_key) then
    canonical_key := coalesce((
      select canonical_kontakt_key(coalesce(kontakt_key(leads.email), kontakt_key(leads.phone)))
      from leads
      where leads.id = substr(kontakt_person.canonical_key, 6)::uuid), canonical_key);
  end if;
  keys := array(
    select kontakt_person.canonical_key where kontakt_person.canonical_key is not null
    union
    select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = kontakt_person.canonical_key);
  lead_ids := array(
    select leads_of(keys)
    union
    select leads.id
    from leads
    where leads.id in (
        select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union
        select signals.lead_id from signals where signals.kontakt_key = any (keys))
      and kontakt_key(leads.email) is null and kontakt_key(leads.phone) is null
      and not exists (select from kontakt_aliases where kontakt_aliases.alias_key = 'lead:' || leads.id)
    order by 1);
  further := array(
    select carried.key
    from leads
    cross join lateral (values ('lead:' || leads.id), (kontakt_key(leads.email)), (kontakt_key(leads.phone))) as carried (key)
    where leads.id = any (lead_ids) and carried.key is not null and carried.key <> all (keys)
    group by carried.key);
  shared_keys := shared_keys_of(further, lead_ids);
  keys := array(select key from unnest(keys || further) as key where key <> all (shared_keys) order by key);
end
$function$;
COMMENT ON FUNCTION kontakt_person(identity text, OUT canonical_key text, OUT keys text[], OUT shared_keys text[], OUT lead_ids uuid[]) IS 'Keys and leads of the person that an identity stands for. shared_keys: keys of their leads that other people have too.';

CREATE FUNCTION leads_shown(lead_ids uuid[], row_limit integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_build_object('id', shown.id, 'name', shown.name, 'email', shown.email, 'phone', shown.phone, 'created_at', shown.created_at) ORDER BY shown.created_at DESC, shown.id DESC), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT leads.id,
             leads.name,
             leads.email,
             leads.phone,
             leads.created_at
            FROM leads
           WHERE (leads.id = ANY (leads_shown.lead_ids))
           ORDER BY leads.created_at DESC, leads.id DESC
          LIMIT leads_shown.row_limit) shown;
END;
COMMENT ON FUNCTION leads_shown(lead_ids uuid[], row_limit integer) IS 'What distinguishes one lead from another, newest first: [{id, name, email, phone, created_at}].';

CREATE FUNCTION kontakt_leads(identity text, row_limit integer)
 RETURNS TABLE(canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT person.canonical_key,
     person.keys,
     person.shared_keys,
     cardinality(person.lead_ids) AS cardinality,
     leads_shown(person.lead_ids, kontakt_leads.row_limit) AS leads_shown
    FROM kontakt_person(kontakt_leads.identity) person(canonical_key, keys, shared_keys, lead_ids)
   WHERE (person.canonical_key IS NOT NULL);
END;
COMMENT ON FUNCTION kontakt_leads(identity text, row_limit integer) IS 'The person an identity stands for: keys and leads, up to row_limit of them. No row where the text is no identity.';
REVOKE EXECUTE ON FUNCTION kontakt_leads(identity text, row_limit integer) FROM PUBLIC;

CREATE FUNCTION leads_in_events(keys text[], hints text[], OUT named uuid[], OUT created uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  -- Materialized, so that it is found by an index of its own and not by its type.
  with carrying as materialized (
    select events.event_type, events.links from events where carries_key(events.data, keys, hints)
  )
  select coalesce(array_agg((carrying.links ->> 'lead_id')::uuid), '{}'),
    coalesce(array_agg((carrying.links ->> 'lead_id')::uuid) filter (where carrying.event_type = 'lead.created'), '{}')
  into named, created
  from carrying
  where carrying.links ->> 'lead_id' is not null;
  -- A lead that never had a mail or phone is the contact's that its analyses or signals name.
  created := created || array(
    with naming as materialized (
      select distinct lower(events.links ->> 'lead_id') as lead_id
      from events
      where lower(coalesce(events.data ->> 'kontakt_key', events.data ->> 'canonical_key')) = any (keys) and events.links ->> 'lead_id' is not null
    )
    select naming.lead_id::uuid
    from naming
    where exists (
      select from events
      where lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = naming.lead_id and events.event_type = 'lead.created'
        and kontakt_key(events.data ->> 'email') is null and kontakt_key(events.data ->> 'phone') is null));
end
$function$;
COMMENT ON FUNCTION leads_in_events(keys text[], hints text[], OUT named uuid[], OUT created uuid[]) IS 'Leads that some event names together with one of the keys. created: it is the event of their making, or they never had a mail or phone.';

CREATE FUNCTION leads_of(keys text[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  hints constant text[] := kontakt_key_hints(keys);
begin
  return query
    select leads.id from leads
    where kontakt_key_hint(leads.email) = any (hints) and kontakt_key(leads.email) = any (keys)
    union
    select leads.id from leads
    where kontakt_key_hint(leads.phone) = any (hints) and kontakt_key(leads.phone) = any (keys)
    union
    select leads.id from leads
    where leads.id = any (array(select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%'));
end
$function$;
COMMENT ON FUNCTION leads_of(keys text[]) IS 'The leads that carry one of the keys.';

CREATE FUNCTION left_behind_by(gone uuid[], OUT row_ids uuid[], OUT sessions uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  with naming as materialized (
    select events.object_type, events.object_id, events.links
    from events
    where gone <> '{}' and lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = any (gone::text[])
  )
  select
    array(select substr(kontakt_key_lead(naming.object_id), 6)::uuid from naming where naming.object_type in ('appointment', 'signal', 'advisory_doc')),
    array(select (naming.links ->> 'session_id')::uuid from naming where naming.links ->> 'session_id' is not null)
  into row_ids, sessions;
end
$function$;
COMMENT ON FUNCTION left_behind_by(gone uuid[], OUT row_ids uuid[], OUT sessions uuid[]) IS 'Rows and conversations that events of deleted leads name.';

CREATE FUNCTION lock_rows_of(person record)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform from leads where leads.id = any (person.lead_ids) order by leads.id for update;
  perform from lead_analyses where lead_analyses.id = any (person.analysis_ids) order by lead_analyses.id for update;
  perform from haushalte where haushalte.kontakt_key = any (person.keys) order by haushalte.kontakt_key for update;
  perform from appointments where appointments.id = any (person.appointment_ids) order by appointments.id for update;
  perform from signals where signals.id = any (person.signal_ids) order by signals.id for update;
  perform from advisory_docs where advisory_docs.id = any (person.advisory_doc_ids) order by advisory_docs.id for update;
end
$function$;
COMMENT ON FUNCTION lock_rows_of(person record) IS 'Called by erase_kontakt: what a writer has under way with rows of a person is waited for.';

CREATE FUNCTION lower_form(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (lower((NORMALIZE(value, NFC) COLLATE "und-x-icu")) COLLATE "C");
COMMENT ON FUNCTION lower_form(value text) IS 'Unicode NFC, lower case.';

CREATE FUNCTION make_sample_events()
 RETURNS void
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  -- Of a log of millions of events only those made here are looked at.
  first_log_id constant bigint := (select last_value from events_log_id_seq);
  sample_lead constant uuid := '00000000-0000-8000-8000-00000000a001';
  sample_session constant uuid := '00000000-0000-8000-8000-00000000a002';
  sample_analysis constant uuid := '00000000-0000-8000-8000-00000000a003';
  sample_appointment constant uuid := '00000000-0000-8000-8000-00000000a004';
  sample_signal constant uuid := '00000000-0000-8000-8000-00000000a005';
  sample_doc constant uuid := '00000000-0000-8000-8000-00000000a006';
  sample_moment constant timestamptz := '2026-01-15T09:00:00Z';
  kontakt constant text := 'email:beispiel.person@sample.example.org';
  check_document constant jsonb := '{
    "erstellt_am": "2026-01-15T09:00:00Z",
    "bewertung": {
      "params_version": "2026.1", "engine_version": "1.4.2",
      "zeilen": [{
        "rang": "2", "name": "Allgemeines Haftungsrisiko", "bedarfsstufe": 1, "in_analyse": true, "relevant": true,
        "relevanz_quelle": "regel", "status": "luecke",
        "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
        "istwert": {"wert_eur": 0, "beschreibung": null, "quellen": []}}],
      "luecken_nach_stufe": [{"stufe": 1, "themen": ["Allgemeines Haftungsrisiko"]}, {"stufe": 2, "themen": []}, {"stufe": 3, "themen": []}],
      "unbekannt_in_analyse": []}}';
  -- With an income, like the conversations that real ones come from: the samples show what the rule leaves.
  profile constant jsonb := '{
    "kunde": {"name": "Beispiel Person", "alter": 34, "adresse": {"strasse": "Musterweg 12", "plz": "10115", "ort": "Berlin"},
      "kontakt": {"telefon": "+49 30 23125042", "email": "beispiel.person@sample.example.org"}},
    "haushalt": {"haushaltsgroesse": 1, "kinder_anzahl": 0, "beziehungsstatus": "ledig", "personen": [
      {"rolle": "kunde", "alter": 34, "taetigkeitsstatus": "angestellt", "kv_status": "gkv_pflicht", "eigenes_einkommen_vorhanden": true,
        "einkommen": {"netto_monat_eur": 31337.77}}]},
    "vertraege": [{"sparte": "hausrat", "versicherer": "Muster Versicherung AG", "status": "aktiv"}]}';
begin
  perform set_config('app.trigger', 'dashboard', true);
  insert into leads (id, name, email, phone, source_type, product_domain, session_id)
    values (sample_lead, 'Beispiel Person', 'beispiel.person@sample.example.org', '+49 30 23125042', 'website_form', 'privathaftpflicht', sample_session);
  update leads set status = 'contacted' where id = sample_lead;
  update leads set archived_at = sample_moment, archive_reason_code = 'not_reachable' where id = sample_lead;
  insert into lead_analyses (id, lead_id, channel, source_id, analysis_schema_version, analysis_v2, din_check, session_id, kontakt_key)
    values (sample_analysis, sample_lead, 'call', 'call-4711', 'din_core_v2+privathaftpflicht_v1',
      '{"meta": {"version": "din_core_v2", "erstellt_am": "2026-01-15T09:00:00Z"}}' || profile, check_document, sample_session, kontakt);
  insert into haushalte (kontakt_key, haushalt, quelle) values (kontakt, profile, 'call');
  perform merge_kontakte('phone:+493023125042', kontakt);
  insert into appointments (id, title, platform, meeting_url, starts_at, ends_at, customer_display_name, source, lead_id, session_id)
    values (sample_appointment, 'Beratung Haftpflicht', 'zoom', 'https://meet.example.com/j/4711', sample_moment, sample_moment + interval '45 minutes',
      'Beispiel Person', 'calendar', sample_lead, sample_session);
  update appointments set starts_at = sample_moment + interval '1 day', ends_at = sample_moment + interval '1 day 45 minutes' where id = sample_appointment;
  update appointments set status = 'cancelled' where id = sample_appointment;
  insert into meeting_intelligence (appointment_id, status, failure_reason) values (sample_appointment, 'failed', 'no_audio');
  update meeting_intelligence set status = 'ready', overall_score = 78.5, summary = 'Die Haftpflicht fehlt; ein Angebot ist gewünscht.',
      next_steps = '["Angebot Privathaftpflicht senden"]',
      results = '[{"field_key": "abschlussbereitschaft", "label": "Abschlussbereitschaft", "kind": "scored", "output_type": "number", "status": "ready", "value": 8,
        "score": 8, "level": "hoch", "rationale": "Fragt nach dem Beginn.", "recommendation": "Zeitnah nachfassen.", "generated_at": "2026-01-15T10:00:00Z"}]'
    where appointment_id = sample_appointment;
  insert into advisory_docs (id, lead_id, title, approved_at) values (sample_doc, sample_lead, 'Beratungsdokumentation Haftpflicht', sample_moment);
  update advisory_docs set sent_at = sample_moment + interval '1 hour' where id = sample_doc;
  insert into signals (id, kind, title, score, lead_id, kontakt_key, quelle)
    values (sample_signal, 'deckungsluecke', 'Privathaftpflicht fehlt', 82.5, sample_lead, kontakt, 'call');
  update signals set status = 'done', outcome = 'verkauft' where id = sample_signal;

  delete from sample_events;
  insert into sample_events (event_type, id, schema_version, occurred_at, object_type, object_id, links, data)
  select distinct on (event_types.position) event_types.event_type,
    ('00000000-0000-8000-8000-' || lpad(event_types.position::text, 12, '0'))::uuid,
    events.schema_version, sample_moment, events.object_type, events.object_id, events.links, events.data
  from events
  join event_types on event_types.event_type = events.event_type
  where events.log_id >= first_log_id and events.xmin = pg_current_xact_id()::xid
  order by event_types.position, events.log_id;

  delete from events where events.log_id >= first_log_id and events.xmin = pg_current_xact_id()::xid;
  delete from advisory_docs where id = sample_doc;
  delete from signals where id = sample_signal;
  delete from appointments where id = sample_appointment;
  delete from kontakt_aliases where canonical_key = kontakt;
  delete from haushalte where kontakt_key = kontakt;
  delete from leads where id = sample_lead;
end
$function$;
COMMENT ON FUNCTION make_sample_events() IS 'Makes the sample events anew, through the triggers that make live ones.';

CREATE FUNCTION meeting_payload(found meeting_intelligence)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((found).status = 'ready'::text) THEN jsonb_build_object('appointment_id', (found).appointment_id, 'summary', (found).summary, 'next_steps', (found).next_steps, 'overall_score', (found).overall_score, 'results', (found).results) ELSE jsonb_build_object('appointment_id', (found).appointment_id, 'failure_reason', (found).failure_reason) END;
COMMENT ON FUNCTION meeting_payload(found meeting_intelligence) IS 'data of meeting.intelligence_ready or meeting.intelligence_failed.';

CREATE FUNCTION meeting_results(found meeting_intelligence)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT (COALESCE(jsonb_agg(jsonb_build_object('field_key', head.field_key, 'label', head.label, 'kind', head.field_key, 'output_type', head.output_type, 'status', 'ready', 'value', head.value, 'score', NULL::unknown, 'level', NULL::unknown, 'rationale', NULL::unknown, 'recommendation', NULL::unknown, 'generated_at', (meeting_results.found).created_at) ORDER BY head."position"), '[]'::jsonb) || (meeting_results.found).results)
    FROM ( VALUES (1,'summary'::text,'Zusammenfassung'::text,'text'::text,to_jsonb((meeting_results.found).summary)), (2,'next_steps'::text,'Nächste Schritte'::text,'list'::text,NULLIF((meeting_results.found).next_steps, 'null'::jsonb))) head("position", field_key, label, output_type, value)
   WHERE ((head.value IS NOT NULL) AND (NOT ((meeting_results.found).results @> jsonb_build_array(jsonb_build_object('field_key', head.field_key)))));
END;
COMMENT ON FUNCTION meeting_results(found meeting_intelligence) IS 'Result entries of a meeting with its summary and next steps in front.';

CREATE FUNCTION merge_kontakte(alias_key text, canonical_key text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  loser text;
  survivor text;
begin
  if kontakt_key(alias_key) is null or kontakt_key(canonical_key) is null then
    raise exception 'merge_kontakte takes two identities: email:, phone: or lead: and a value, in any spelling'
      using errcode = 'invalid_parameter_value';
  end if;
  -- Under a snapshot from before the lock, two merges would not see each other.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'merge_kontakte needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform take_lock('merge_kontakte');
  loser := canonical_kontakt_key(alias_key);
  survivor := canonical_kontakt_key(canonical_key);
  if loser = survivor then
    return false;
  end if;
  update kontakt_aliases set canonical_key = survivor where kontakt_aliases.canonical_key = loser;
  insert into kontakt_aliases (alias_key, canonical_key) values (loser, survivor);
  perform emit_event('kontakt.merged', 'kontakt', survivor, '{}',
    jsonb_build_object('canonical_key', survivor, 'alias_key', loser));
  perform unite_records(survivor);
  return true;
end
$function$;
COMMENT ON FUNCTION merge_kontakte(alias_key text, canonical_key text) IS 'Merges one contact into another and unites their household records; returns whether anything changed.';
REVOKE EXECUTE ON FUNCTION merge_kontakte(alias_key text, canonical_key text) FROM PUBLIC;

CREATE FUNCTION names_an_income(document jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  -- One inside the other, the cheapest question first: the planner would order them otherwise.
  return exists (
    select from jsonb_each(document) as member
    where case
      when jsonb_typeof(member.value) = 'string' and is_hit(member.value::text, hits) then
        case
          when regexp_replace(income_fold(member.key), '[^a-z]+', '', 'g') = any (
            (case when document ?| '{rolle,alter,geburtsdatum,adresse,kontakt,vorname,nachname,email,telefon,phone}' then '{art,' else '{art,name,' end || 'typ,type,label,titel,title,feld,feldname,field,fieldkey,fieldname,pfad,path,thema,topic,quelle,source,bezeichnung,beschreibung,description,kategorie,category,schlussel,schluessel,key,merkmal,attribut,attribute,kennzahl,position,posten,frage,question,q,prompt}')::text[])
          then is_income_label(member.value #>> '{}')
        end
    end);
end
$function$;
COMMENT ON FUNCTION names_an_income(document jsonb, hits text[]) IS 'Whether an object is named after an income by one of its own members.';

CREATE FUNCTION names_person(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lower(object_id) = ANY (names)) OR (lower(COALESCE((links ->> 'lead_id'::text), (data ->> 'lead_id'::text))) = ANY (lead_ids)) OR (((links ->> 'session_id'::text) = ANY (sessions)) AND (lower(COALESCE((links ->> 'lead_id'::text), (data ->> 'lead_id'::text))) IS NULL)) OR (lower(COALESCE((data ->> 'kontakt_key'::text), (data ->> 'canonical_key'::text))) = ANY (keys)));
COMMENT ON FUNCTION names_person(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[]) IS 'Whether an event names one of these rows, leads or keys, or no lead and one of these conversations.';

CREATE FUNCTION note_hook_failures()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into owner_notices (subscription_id, failures)
  select new.id, reached.failures
  from unnest(array[5, 8, hook_failures_max()]) as reached (failures)
  where new.consecutive_failures >= reached.failures and old.consecutive_failures < reached.failures;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION note_hook_failures() FROM PUBLIC;

CREATE FUNCTION note_owner_action(action text, subject text, name text, client text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into owner_actions (action, subject, name, client)
  values (note_owner_action.action, note_owner_action.subject, left(note_owner_action.name, 260), note_owner_action.client);
  delete from owner_actions where id in (
    select old.id from owner_actions as old where old.at < now() - interval '1 year' order by old.id limit 100);
end
$function$;
COMMENT ON FUNCTION note_owner_action(action text, subject text, name text, client text) IS 'Writes down what the owner did; forgets what is older than a year.';
REVOKE EXECUTE ON FUNCTION note_owner_action(action text, subject text, name text, client text) FROM PUBLIC;

CREATE FUNCTION notify_api_keys_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('api_keys_changed', '');
  return null;
end
$function$;

CREATE FUNCTION notify_hooks_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_notify('hooks_changed', '');
  return null;
end
$function$;

CREATE FUNCTION other_value_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  ahead constant numeric := case when is_unknown(mine) or is_unknown(theirs) then 0
    else field_moment(theirs_moments, path) - field_moment(mine_moments, path) end;
begin
  return case
    when is_unknown(theirs) then false
    when is_unknown(mine) then true
    -- Both -infinity: their difference is no number.
    when ahead <> 0 and ahead <> 'NaN' then ahead > 0
    else mine in ('[]', '{}')
  end;
end
$function$;
COMMENT ON FUNCTION other_value_wins(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) IS 'Whether the other record''s value of a field is taken.';

CREATE FUNCTION project_lead_analysis()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.analysis is null
    or tg_op = 'UPDATE' and new.analysis = old.analysis and old.analysis = analysis_flat(old.analysis_v2, old.din_check) then
    new.analysis := analysis_flat(new.analysis_v2, new.din_check);
  end if;
  return new;
end
$function$;

CREATE FUNCTION provenance_moments(provenance jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH entries AS MATERIALIZED (
          SELECT entry.key AS path,
             EXTRACT(epoch FROM iso_moment((entry.value ->> 'stand'::text))) AS moment
            FROM jsonb_each(provenance_moments.provenance) entry(key, value)
         ), containers AS (
          SELECT array_to_string(steps.names[1:level.level], ''::text) AS path,
             max(entries.moment) AS moment
            FROM ((entries
              CROSS JOIN LATERAL ( SELECT regexp_split_to_array(entries.path, '(?=[.[])'::text) AS names) steps)
              CROSS JOIN LATERAL generate_series(
                 CASE
                     WHEN (entries.path ~ '^[.[]'::text) THEN 0
                     ELSE 1
                 END, LEAST((cardinality(steps.names) - 1), 200)) level(level))
           GROUP BY (array_to_string(steps.names[1:level.level], ''::text))
         )
  SELECT jsonb_build_object('own', ( SELECT COALESCE(jsonb_object_agg(entries.path, entries.moment), '{}'::jsonb) AS "coalesce"
            FROM entries), 'inside', ( SELECT COALESCE(jsonb_object_agg(containers.path, containers.moment), '{}'::jsonb) AS "coalesce"
            FROM containers)) AS jsonb_build_object;
END;
COMMENT ON FUNCTION provenance_moments(provenance jsonb) IS 'The moments of a provenance in seconds, by path: of the entries themselves, and of what is inside a path.';

CREATE FUNCTION prune_deliveries(keep interval, at timestamp with time zone, row_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  pruned integer;
begin
  delete from hook_attempts
    where ctid = any (array(select ctid from hook_attempts where started_at <= at - keep limit row_limit));
  get diagnostics pruned = row_count;
  -- A recording that was under way when the subscription was deleted may have left some.
  delete from hook_outstanding
    where subscription_id not in (select id from hook_subscriptions where deleted_at is null);
  -- Materialized: looked up once for each subscription, not for each of its rows.
  with kept as materialized (
    select hook_subscriptions.id, (
      select failed.cursor from hook_outstanding as failed
      where failed.subscription_id = hook_subscriptions.id and failed.due_at is null
        and failed.cursor <= hook_subscriptions.cursor
      order by failed.cursor desc offset 9999 limit 1) as lowest
    from hook_subscriptions
  )
  delete from hook_outstanding
    using kept
    where hook_outstanding.subscription_id = kept.id
      and hook_outstanding.due_at is null and hook_outstanding.cursor < kept.lowest;
  -- A clock that was ahead: the longest delay is a day and a fifth.
  update hook_outstanding set due_at = at where due_at > at + interval '2 days';
  delete from hook_subscriptions where deleted_at <= at - keep - interval '1 day';
  return pruned;
end
$function$;
COMMENT ON FUNCTION prune_deliveries(keep interval, at timestamp with time zone, row_limit integer) IS 'Deletes attempts that have expired, all but the newest 10,000 failures of a subscription, and deleted subscriptions without attempts; how many attempts.';
REVOKE EXECUTE ON FUNCTION prune_deliveries(keep interval, at timestamp with time zone, row_limit integer) FROM PUBLIC;

CREATE FUNCTION prune_events(keep interval, at timestamp with time zone, until timestamp with time zone, row_limit integer, OUT horizon bigint, OUT deleted integer, OUT expired_before timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  log_ids bigint[];
begin
  select feed.horizon into horizon from feed for update;
  expired_before := coalesce(until, least(at - keep, (
    select event_cursors.sequenced_at + interval '1 day' from event_cursors
    where event_cursors.cursor > prune_events.horizon
    order by event_cursors.cursor
    limit 1)));
  with oldest as (
    select event_cursors.cursor, event_cursors.sequenced_at from event_cursors
    where event_cursors.cursor > prune_events.horizon
    order by event_cursors.cursor
    limit row_limit
  ),
  kept as (
    select min(oldest.cursor) as first from oldest
    where oldest.sequenced_at >= expired_before and oldest.sequenced_at <= at
  )
  select coalesce(max(oldest.cursor), prune_events.horizon) into horizon
  from oldest, kept
  where oldest.sequenced_at < expired_before and (kept.first is null or oldest.cursor < kept.first);
  deleted := 0;
  if horizon = (select feed.horizon from feed) then
    return;
  end if;
  -- While the events are still there: their types show what a subscription misses.
  perform expire_deliveries(horizon);
  with gone as (
    delete from event_cursors
    where event_cursors.cursor > (select feed.horizon from feed) and event_cursors.cursor <= prune_events.horizon
    returning event_cursors.log_id
  )
  select array_agg(gone.log_id), count(*) into log_ids, deleted from gone;
  delete from events where events.log_id = any (log_ids);
  update feed set horizon = prune_events.horizon;
end
$function$;
COMMENT ON FUNCTION prune_events(keep interval, at timestamp with time zone, until timestamp with time zone, row_limit integer, OUT horizon bigint, OUT deleted integer, OUT expired_before timestamp with time zone) IS 'Deletes a batch of expired events, at most those of a day after the oldest. expired_before: until of the next batch of the run.';
REVOKE EXECUTE ON FUNCTION prune_events(keep interval, at timestamp with time zone, until timestamp with time zone, row_limit integer, OUT horizon bigint, OUT deleted integer, OUT expired_before timestamp with time zone) FROM PUBLIC;

CREATE FUNCTION punycode_bias(distance bigint, letters integer, is_first boolean)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  delta bigint := distance / case when is_first then 700 else 2 end;
  step integer := 0;
begin
  delta := delta + delta / letters;
  while delta > 455 loop
    delta := delta / 35;
    step := step + 36;
  end loop;
  return step + 36 * delta / (delta + 38);
end
$function$;
COMMENT ON FUNCTION punycode_bias(distance bigint, letters integer, is_first boolean) IS 'Called by readable_label.';

CREATE FUNCTION raise_subscription_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.version := old.version + 1;
  if new.replayed_version is distinct from old.replayed_version then
    new.replayed_version := new.version;
  end if;
  if not new.active then
    new.paused_at := coalesce(new.paused_at, now());
  elsif not old.active then
    new.paused_at := null;
    new.pause_reason := null;
    new.consecutive_failures := 0;
  end if;
  return new;
end
$function$;

CREATE FUNCTION reactivate_hook(subscription_id uuid, from_head boolean, OUT gap_after bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  found_row hook_subscriptions;
begin
  select * into found_row from hook_subscriptions
    where id = reactivate_hook.subscription_id and not active and deleted_at is null for update;
  if found_row.id is null then
    return;
  end if;
  gap_after := delivered_up_to(found_row.id, found_row.cursor);
  if from_head then
    update hook_outstanding set due_at = null, changed_at = now()
      where hook_outstanding.subscription_id = found_row.id and due_at is not null;
  end if;
  update hook_subscriptions
    set active = true,
      cursor = case when from_head then greatest(cursor, (select feed_state.head from feed_state)) else cursor end
    where id = found_row.id;
end
$function$;
COMMENT ON FUNCTION reactivate_hook(subscription_id uuid, from_head boolean, OUT gap_after bigint) IS 'Lets a paused subscription receive again. Null: no paused subscription has this id.';
REVOKE EXECUTE ON FUNCTION reactivate_hook(subscription_id uuid, from_head boolean, OUT gap_after bigint) FROM PUBLIC;

CREATE FUNCTION read_whole_tables(wanted boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('enable_seqscan', wanted::text, true), set_config('enable_bitmapscan', (not wanted)::text, true);
end
$function$;
COMMENT ON FUNCTION read_whole_tables(wanted boolean) IS 'Called by functions of erase_kontakt: whether the next statements of its caller read whole tables.';

CREATE FUNCTION readable_label(label text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  deltas constant text collate "C" := substring(label from '^xn--[a-z0-9-]*?([a-z0-9]+)$');
  readable text collate "C" := coalesce(substring(label from '^xn--([a-z0-9-]*)-[a-z0-9]*$'), '');
  code integer := 128;
  place bigint := 0;
  bias integer := 72;
  start bigint;
  weight bigint;
  digit integer;
  threshold integer;
  step integer;
  letter integer := 1;
begin
  while letter <= length(deltas) loop
    start := place;
    weight := 1;
    step := 36;
    loop
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(deltas, letter, 1)) - 1;
      letter := letter + 1;
      place := place + digit * weight;
      threshold := least(greatest(step - bias, 1), 26);
      exit when digit < threshold;
      weight := weight * (36 - threshold);
      step := step + 36;
      -- The label ends inside a number, or no letter is that far away.
      if letter > length(deltas) or weight > 100000000 then
        return label;
      end if;
    end loop;
    bias := punycode_bias(place - start, length(readable) + 1, start = 0);
    if code + place / (length(readable) + 1) not between 128 and 1114111 then
      return label;
    end if;
    code := code + place / (length(readable) + 1);
    place := place % (length(readable) + 1);
    -- Halves of surrogate pairs are no letters.
    if code between 55296 and 57343 then
      return label;
    end if;
    readable := overlay(readable placing chr(code) from place::integer + 1 for 0);
    place := place + 1;
  end loop;
  return case
    when readable = lower_form(identity_text(readable)) and readable ~ '^[a-z0-9\u00a0-\U0010ffff-]+$' and readable ~ '[^a-z0-9-]' then readable
    else label
  end;
end
$function$;
COMMENT ON FUNCTION readable_label(label text) IS 'Called by kontakt_key_email: a label of a domain with its Punycode undone.';

CREATE FUNCTION record_attempts(leader_fence integer, identity text, attempts jsonb, positions jsonb)
 RETURNS TABLE(subscription_id uuid, held boolean, version integer, paused boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  ended ended_attempt[] := array(select one from jsonb_populate_recordset(null::ended_attempt, attempts) as one);
  wanted uuid[];
  locked uuid[];
begin
  -- The trigger that raises versions leaves these changes alone.
  perform set_config('app.recording', 'on', true);
  perform from leader
    where leader.fence = leader_fence and database_identity() = record_attempts.identity for key share;
  if not found then
    perform insert_attempts(ended), set_config('app.recording', '', true);
    return;
  end if;
  wanted := array(
    select hook_subscriptions.id
    from hook_subscriptions
    left join (
      select one.subscription_id, bool_or(one.outcome = 'f') as failed, bool_or(one.outcome = 'd') as delivered
      from unnest(ended) as one group by one.subscription_id
    ) as outcome on outcome.subscription_id = hook_subscriptions.id
    where positions ? hook_subscriptions.id::text or outcome.failed
      or outcome.delivered and hook_subscriptions.consecutive_failures > 0);
  locked := array(
    select hook_subscriptions.id from hook_subscriptions where hook_subscriptions.id = any (wanted)
    order by hook_subscriptions.id for no key update skip locked);
  ended := array(
    select inserted from insert_attempts(array(
      select one from unnest(ended) as one
      where one.subscription_id <> all (wanted) or one.subscription_id = any (locked))) as inserted);
  perform store_outstanding(ended);
  return query
    select stored.subscription_id, false, stored.version, stored.paused
    from store_progress(locked, ended, positions) as stored
    union all
    select unnest, true, null, false from unnest(wanted) where unnest <> all (locked)
    union all
    select null, false, null, false;
  perform set_config('app.recording', '', true);
end
$function$;
COMMENT ON FUNCTION record_attempts(leader_fence integer, identity text, attempts jsonb, positions jsonb) IS 'Records a batch. A row for each subscription that was written or held back, and one without an id at the end; no row: another process leads, or it is another database.';
REVOKE EXECUTE ON FUNCTION record_attempts(leader_fence integer, identity text, attempts jsonb, positions jsonb) FROM PUBLIC;

CREATE FUNCTION redact_advisory_doc()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.title := redact_income(new.title);
  return new;
end
$function$;

CREATE FUNCTION redact_appointment()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.title := redact_income(new.title);
  new.status := redact_income(new.status);
  new.platform := redact_income(new.platform);
  new.customer_display_name := redact_income(new.customer_display_name);
  new.source := redact_income(new.source);
  new.intelligence_status := redact_income(new.intelligence_status);
  return new;
end
$function$;

CREATE FUNCTION redact_event_data(data jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  cleaned constant jsonb := redact_income(data);
begin
  -- Most events.
  if cleaned = data or jsonb_typeof(data) <> 'object' then
    return cleaned;
  end if;
  return cleaned || (
    select coalesce(jsonb_object_agg(member.key, member.value), '{}')
    from jsonb_each(data) as member
    where jsonb_typeof(member.value) = 'string'
      and member.value #>> '{}' ~* '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(email|phone|lead):\S+|https?://\S+|[^\s@]+@[^\s@]+|\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?)?)$');
end
$function$;
COMMENT ON FUNCTION redact_event_data(data jsonb) IS 'The data of an event without raw income; what identifies something is as it was given.';

CREATE FUNCTION redact_event_object()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.object_type := redact_income(new.object_type);
  new.object_id := redact_income(new.object_id);
  return new;
end
$function$;

CREATE FUNCTION redact_haushalt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell));
begin
  new.haushalt := redact_income_document(new.haushalt, 0, 0, hits);
  new.provenance := redact_income_document(new.provenance, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  new.empfehlungen_aktuell := redact_income_document(new.empfehlungen_aktuell, 0, 0, hits);
  return new;
end
$function$;

CREATE FUNCTION redact_haushalt_quelle()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.quelle := redact_income(new.quelle);
  return new;
end
$function$;

CREATE FUNCTION redact_income(document jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  written constant text := document::text;
  hits constant text[] := income_hits(written);
begin
  if hits = '{}' and position('personen' in written) = 0 then
    return document;
  end if;
  return redact_income_document(document, 0, 0, hits);
end
$function$;
COMMENT ON FUNCTION redact_income(document jsonb) IS 'A document without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income(document text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits text[];
begin
  if not has_amount(document) then
    return document;
  end if;
  hits := income_hits(document);
  if hits = '{}' and position('personen' in document) = 0 then
    return document;
  end if;
  return redact_income_text(document, false, 0, hits);
end
$function$;
COMMENT ON FUNCTION redact_income(document text) IS 'A text without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income_array(node jsonb, known jsonb, mode integer, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  named boolean;
  answers boolean[] := '{}';
begin
  -- ["Nettoeinkommen", 3200]: the name is an element.
  named := mode = 0 and hits <> '{}' and exists (
    select from jsonb_array_elements(node) as entry
    where case
      when jsonb_typeof(entry) = 'string' and length(entry #>> '{}') <= 100 and is_hit(entry::text, hits)
      then is_income_label(entry #>> '{}')
    end);
  if mode < 2 and hits <> '{}' and position('?' in node::text) > 0 then
    answers := income_answers(node, hits);
  end if;
  return (
    select coalesce(jsonb_agg(element.clean order by element.place), '[]')
    from (
      select entry.place,
        case
          when mode = 0 and not named and answers[entry.place] is not true and pg_column_size(entry.value) < 2000 and is_clean(entry.value::text, hits) then entry.value
          else redact_income_node(entry.value, known,
            case
              when answers[entry.place] then 2
              when named and jsonb_typeof(entry.value) in ('number', 'string') then 1
              else mode
            end, false, depth + 1, hits)
        end as clean
      from jsonb_array_elements(node) with ordinality as entry (value, place)
      offset 0
    ) as element
    where element.clean is not null);
end
$function$;
COMMENT ON FUNCTION redact_income_array(node jsonb, known jsonb, mode integer, depth integer, hits text[]) IS 'An array without raw income.';

CREATE FUNCTION redact_income_document(document jsonb, mode integer, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
begin
  if mode = 0 and hits = '{}' and position('personen' in document::text) = 0 then
    return document;
  end if;
  return coalesce(redact_income_node(document, income_schema(), mode, false, depth, hits), 'null');
end
$function$;
COMMENT ON FUNCTION redact_income_document(document jsonb, mode integer, depth integer, hits text[]) IS 'A document without raw income, in a mode and at a depth.';

CREATE FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode integer, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  blanks constant text := e' \t\n\r\f\u000b\u00a0';
  written text;
  cleaned text;
begin
  if jsonb_typeof(leaf) = 'number' then
    return case when mode = 0 or mode < 3 and known = '"n"' then leaf end;
  end if;
  written := leaf #>> '{}';
  -- Most texts have no word of income: asked for first, because it takes a µs.
  if jsonb_typeof(leaf) <> 'string' or mode = 0 and is_clean(leaf::text, hits) then
    return leaf;
  end if;
  -- A date or a moment is no amount.
  if not has_amount(written) or written like '____-__-__%' and written ~ '^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$' then
    return leaf;
  end if;
  if mode = 3 then
    return null;
  end if;
  if mode = 1 and jsonb_typeof(known) is distinct from 'string' and not begins_as_phone(ltrim(written, blanks)) and btrim(scrub_amounts(written), blanks) = '[entfernt]' then
    return null;
  end if;
  if mode = 1 and is_clean(leaf::text, hits) then
    return leaf;
  end if;
  cleaned := redact_income_text(written, mode = 2, depth, hits);
  return case when cleaned = written then leaf else to_jsonb(cleaned) end;
end
$function$;
COMMENT ON FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode integer, depth integer, hits text[]) IS 'A number or a text without raw income; null when it goes.';

CREATE FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(value);
  inner_mode integer := case when named then 2 else mode end;
begin
  -- Most members of a person: published, and no word of income anywhere.
  if hits = '{}' and mode < 2 and (kind = 'number' and known = '"n"' or kind = 'string' and known in ('"s"', '"n"')) then
    return value;
  end if;
  -- A score of an income field rates it from 0 to 100; what is beyond is the income itself.
  if named and key = 'score' and kind = 'number' and value::numeric not between 0 and 100 then
    return null;
  end if;
  if key = 'sollwert' and kind = 'object' and mode < 3 then
    inner_mode := mode;
  elsif known = '"b"' and kind <> 'boolean' then
    inner_mode := greatest(inner_mode, income_key_mode(key, inner_mode, hits));
  elsif known = '"x"' or inner_mode = 3 then
    inner_mode := 3;
  elsif named and regexp_replace(income_fold(key), '[^a-z]+', '', 'g') ~ '^(wert|betrag|summe|value|amount|hohe|hoehe|monat|jahr|jaehr|min|max|von|bis|antwort|answer|angabe|eur|brutto|netto|zahl|a$)' then
    inner_mode := 3;
  elsif key = 'istwert' and kind = 'object' and inner_mode in (0, 1) and is_income_istwert(value, hits) then
    inner_mode := 2;
  elsif known is null and inner_mode < 3 then
    inner_mode := income_key_mode(key, inner_mode, hits);
  end if;
  if key = 'personen' then
    inner_mode := greatest(inner_mode, 1);
  end if;
  return redact_income_node(value, case when inner_mode < 3 then coalesce(known, case when key = 'personen' then income_schema() -> key end) end, inner_mode, key in ('sollwert', 'istwert'), depth + 1, hits);
end
$function$;
COMMENT ON FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[]) IS 'A member''s value without raw income; null when the member goes.';

CREATE FUNCTION redact_income_node(node jsonb, known jsonb, mode integer, exempt boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(node);
  given jsonb := node;
  written text;
  result jsonb;
begin
  -- Deeper than a document nests on purpose, and short of what the server's stack holds.
  if depth > 64 then
    return 'null';
  end if;
  if kind <> 'object' and kind <> 'array' then
    return redact_income_leaf(node, known, mode, depth, hits);
  end if;
  -- Most parts of a document have no word of income, and are left after one look. Large ones far down are looked at in
  -- their parts: a look at every level would read the document once per level.
  if mode = 0 and (hits = '{}' and depth < 4 or depth in (1, 2) or pg_column_size(node) < 2000 or depth = 64) then
    written := case when hits <> '{}' and pg_column_size(node) >= 2000 then without_harmless(node::text) else node::text end;
    if is_clean(written, hits) then
      return node;
    end if;
  end if;
  -- A head and its rows are two.
  if mode < 3 and hits <> '{}' and (kind = 'array' or jsonb_path_exists(node, 'strict $.* ? (@.type() == "object" || @.type() == "array")')) then
    given := redact_income_table(node, hits);
  end if;
  if kind = 'object' then
    result := redact_income_object(given, known, mode,
      mode = 2 or mode in (0, 1) and not exempt and hits <> '{}' and names_an_income(given, hits), depth, hits);
  else
    result := redact_income_array(given, known, mode, depth, hits);
  end if;
  return case when mode = 3 and result in ('{}', '[]') then null else result end;
end
$function$;
COMMENT ON FUNCTION redact_income_node(node jsonb, known jsonb, mode integer, exempt boolean, depth integer, hits text[]) IS 'A part of a document without raw income; null when it goes.';

CREATE FUNCTION redact_income_object(node jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return (
    select coalesce(jsonb_object_agg(member.key, member.clean), '{}')
    from (
      select entry.key,
        case
          -- A number goes by the name itself.
          when jsonb_typeof(entry.value) <> 'number' and entry.key <> translate(entry.key, '0123456789', '') and is_amount_name(entry.key, mode, hits) then null
          when jsonb_typeof(entry.value) in ('boolean', 'null') then entry.value
          -- Most members pass here, because a call for each takes longer.
          when mode = 0 and not named and entry.path is distinct from '"x"' and pg_column_size(entry.value) < 2000 and is_clean(entry.key || '"' || entry.value, hits) then entry.value
          else redact_income_member(entry.key, entry.value, entry.path, mode, named, depth, hits)
        end as clean
      from (select each.key, each.value, case when jsonb_typeof(known) = 'object' then known -> each.key end as path from jsonb_each(node) as each) as entry
      offset 0
    ) as member
    where member.clean is not null);
end
$function$;
COMMENT ON FUNCTION redact_income_object(node jsonb, known jsonb, mode integer, named boolean, depth integer, hits text[]) IS 'An object without raw income.';

CREATE FUNCTION redact_income_results(results jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE STRICT
RETURN keep_result_values(results, redact_income(results));
COMMENT ON FUNCTION redact_income_results(results jsonb) IS 'Result entries of a meeting without raw income; every entry keeps its members.';

CREATE FUNCTION redact_income_table(node jsonb, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  cleaned jsonb := node;
  found record;
  head record;
begin
  if jsonb_typeof(node) = 'array' then
    if jsonb_typeof(node -> 0) is distinct from 'array' or jsonb_array_length(node) < 2 or not is_hit((node -> 0)::text, hits)
      or exists (select from jsonb_array_elements(node -> 0) as cell where jsonb_typeof(cell) <> 'string' or has_amount(cell #>> '{}')) then
      return node;
    end if;
    head := income_columns(node -> 0, hits);
    return case when head.places is null then node
      else jsonb_build_array(node -> 0) || blank_income_cells(node - 0, head.places, '{}', head.width, true, 0) end;
  end if;
  for found in
    select member.key, member.value from jsonb_each(node) as member
    where case
        -- Labels alone are a head under any name; objects are one where they are called so.
        when jsonb_typeof(member.value) = 'array' and jsonb_typeof(member.value -> 0) = 'string' then
          jsonb_array_length(member.value) <= 200 and is_hit(member.value::text, hits)
        when jsonb_typeof(member.value) in ('array', 'object') and is_table_head(income_fold(member.key)) then
          not jsonb_path_exists(member.value, 'lax $[*].* ? (@.type() == "object" || @.type() == "array")') and is_hit(member.value::text, hits)
        else false
      end
  loop
    head := income_columns(found.value, hits);
    continue when head.places is null and head.names is null;
    select jsonb_object_agg(member.key,
        case when member.key = found.key or jsonb_typeof(member.value) not in ('array', 'object') then member.value
        else blank_income_cells(member.value, head.places, coalesce(head.names, '{}'), head.width, false, 0) end)
      into cleaned from jsonb_each(cleaned) as member;
  end loop;
  return cleaned;
end
$function$;
COMMENT ON FUNCTION redact_income_table(node jsonb, hits text[]) IS 'A table without the amounts in its income columns; anything else as it is.';

CREATE FUNCTION redact_income_text(value text, everywhere boolean, depth integer, hits text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  blanks constant text := e' \t\n\r';
  inner_document jsonb;
  cleaned jsonb;
  written text := value;
  scrubbed text;
begin
  if left(ltrim(value, blanks), 1) in ('[', '{', '"') and right(rtrim(value, blanks), 1) in (']', '}', '"') then
    begin
      inner_document := value::jsonb;
    exception when others then
      inner_document := null;
    end;
    if jsonb_typeof(inner_document) = 'string' then
      cleaned := to_jsonb(redact_income_text(inner_document #>> '{}', everywhere, depth + 1, hits));
    elsif inner_document is not null then
      cleaned := redact_income_document(inner_document, case when everywhere then 2 else 0 end, depth + 1, income_hits(inner_document::text));
    end if;
    if inner_document is not null then
      return case when cleaned = inner_document then value else cleaned::text end;
    end if;
  end if;
  -- What is left of a number may be an amount by itself: 190 of 127.0.0.1900 EUR.
  for round in 1..4 loop
    scrubbed := scrub_income_text(written, everywhere, hits);
    exit when scrubbed = written;
    written := scrubbed;
    exit when written !~ '[[:alnum:]][.,]?\[entfernt\]|\[entfernt\][.,]?[[:alnum:]]';
  end loop;
  return written;
end
$function$;
COMMENT ON FUNCTION redact_income_text(value text, everywhere boolean, depth integer, hits text[]) IS 'A text without the raw income in it, also where it is JSON.';

CREATE FUNCTION redact_lead()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.name := redact_income(new.name);
  new.status := redact_income(new.status);
  new.source_type := redact_income(new.source_type);
  new.archive_reason_code := redact_income(new.archive_reason_code);
  new.product_domain := redact_income(new.product_domain);
  -- Other changes, such as of the status, are many, and to look through the document is most of their work.
  if tg_op = 'INSERT' or new.parsed_data is distinct from old.parsed_data then
    new.parsed_data := redact_income(new.parsed_data);
  end if;
  return new;
end
$function$;

CREATE FUNCTION redact_lead_analysis()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.analysis, new.analysis_v2, new.din_check));
begin
  new.analysis := redact_income_document(new.analysis, 0, 0, hits);
  new.analysis_v2 := redact_income_document(new.analysis_v2, 0, 0, hits);
  new.din_check := redact_income_document(new.din_check, 0, 0, hits);
  return new;
end
$function$;

CREATE FUNCTION redact_meeting_intelligence()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits constant text[] := income_hits(concat_ws(e'\n', new.failure_reason, new.customer_persona, new.conversation_type, new.summary, new.next_steps, new.results));
begin
  if hits <> '{}' then
    new.failure_reason := redact_income(new.failure_reason);
    new.customer_persona := redact_income(new.customer_persona);
    new.conversation_type := redact_income(new.conversation_type);
    new.summary := redact_income(new.summary);
  end if;
  new.next_steps := redact_income_document(new.next_steps, 0, 0, hits);
  new.results := keep_result_values(new.results, redact_income_document(new.results, 0, 0, hits));
  return new;
end
$function$;

CREATE FUNCTION redact_signal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.kind := redact_income(new.kind);
  new.title := redact_income(new.title);
  new.quelle := redact_income(new.quelle);
  new.outcome := redact_income(new.outcome);
  return new;
end
$function$;

CREATE FUNCTION redeliver(subscription_id uuid, cursors bigint[])
 RETURNS TABLE(cursor bigint, state text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  subscription hook_subscriptions;
begin
  select * into subscription from hook_subscriptions
    where id = redeliver.subscription_id and deleted_at is null for no key update;
  return query
  with asked as (
    select wanted.cursor,
      case when not has_event(wanted.cursor) then 'gone'
        when event_cursors.event_type <> all (subscription.event_types) then 'unlisted'
        when waiting.due_at is not null then 'waiting'
        when waiting.cursor is null and not exists (
          select from hook_attempts
          where hook_attempts.subscription_id = subscription.id and hook_attempts.cursor = wanted.cursor
            and hook_attempts.outcome = 'd') then 'not_sent'
        else 'sent' end as state
    from unnest(cursors) as wanted (cursor)
    left join event_cursors on event_cursors.cursor = wanted.cursor
    left join hook_outstanding as waiting
      on waiting.subscription_id = subscription.id and waiting.cursor = wanted.cursor
    where subscription.id is not null
  ), due as (
    insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
    select subscription.id, asked.cursor, 0, now() from asked where asked.state = 'sent'
    on conflict (subscription_id, cursor) do update
      set attempts = 0, due_at = excluded.due_at, changed_at = excluded.changed_at where hook_outstanding.due_at is null
  )
  select asked.cursor, asked.state from asked;
  perform pg_notify('hooks_changed', '');
end
$function$;
COMMENT ON FUNCTION redeliver(subscription_id uuid, cursors bigint[]) IS 'Sends deliveries that have ended again. state: sent; gone: the feed no longer holds the event; unlisted: its type is not wanted; waiting: an attempt is due already; not_sent: it waits for its turn. No row: no such subscription.';
REVOKE EXECUTE ON FUNCTION redeliver(subscription_id uuid, cursors bigint[]) FROM PUBLIC;

CREATE FUNCTION refuse_alias_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  -- Under a snapshot from before the lock it would not see what others committed.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'aliases are written at the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform take_lock('merge_kontakte');
  if exists (select from new_rows join kontakt_aliases on kontakt_aliases.alias_key = new_rows.canonical_key)
    or exists (select from new_rows join kontakt_aliases on kontakt_aliases.canonical_key = new_rows.alias_key) then
    raise exception 'an alias leads to a surviving key, never to another alias: use merge_kontakte(alias_key, canonical_key)'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$;

CREATE FUNCTION refuse_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  raise exception 'a row of % keeps its key for life: insert a new row instead', tg_table_name
    using errcode = 'integrity_constraint_violation';
end
$function$;

CREATE FUNCTION renumber_vertraege(document jsonb, places integer[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (string_agg(
         CASE
             WHEN (pointer.place IS NULL) THEN part.value
             ELSE (('"vertraege['::text || (COALESCE((renumber_vertraege.places)[(pointer.place + 1)], pointer.place))::text) || substr(part.value, (length(('"vertraege['::text || (pointer.place)::text)) + 1)))
         END, ''::text ORDER BY part."position"))::jsonb AS string_agg
    FROM (regexp_split_to_table((renumber_vertraege.document)::text, '(?="vertraege\[\d)'::text) WITH ORDINALITY part(value, "position")
      CROSS JOIN LATERAL ( SELECT ("substring"(part.value, '^"vertraege\[(0|[1-9]\d{0,5})\]'::text))::integer AS place) pointer);
END;
COMMENT ON FUNCTION renumber_vertraege(document jsonb, places integer[]) IS 'A document whose pointers at contracts follow them to their new places.';

CREATE FUNCTION renumbered_haushalt(theirs haushalte, places integer[])
 RETURNS haushalte
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  theirs.haushalt := jsonb_set(theirs.haushalt, '{vertraege}', (
    select coalesce(jsonb_agg(coalesce(theirs.haushalt -> 'vertraege' -> (array_position(places, place) - 1), 'null') order by place), '[]')
    from generate_series(0, (select max(place) from unnest(places) as place)) as place));
  theirs.provenance := renumber_vertraege(theirs.provenance, places);
  theirs.din_check := renumber_vertraege(theirs.din_check, places);
  theirs.empfehlungen_aktuell := renumber_vertraege(theirs.empfehlungen_aktuell, places);
  return theirs;
end
$function$;
COMMENT ON FUNCTION renumbered_haushalt(theirs haushalte, places integer[]) IS 'A record with its contracts moved to their places in the united list.';

CREATE FUNCTION replay_hook(subscription_id uuid, after bigint, OUT reached bigint, OUT lowest bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  select cursor into reached from hook_subscriptions
    where id = replay_hook.subscription_id and deleted_at is null for update;
  lowest := (select feed_state.horizon from feed_state);
  if after between lowest and reached then
    delete from hook_outstanding
      where hook_outstanding.subscription_id = replay_hook.subscription_id
        and hook_outstanding.cursor > replay_hook.after and hook_outstanding.cursor <= reached;
    update hook_subscriptions set cursor = after, replayed_version = version + 1 where id = replay_hook.subscription_id;
  end if;
end
$function$;
COMMENT ON FUNCTION replay_hook(subscription_id uuid, after bigint, OUT reached bigint, OUT lowest bigint) IS 'Sends everything after a cursor again. reached: the position before, null: there is no such subscription; refused below lowest, the horizon, and beyond the position.';
REVOKE EXECUTE ON FUNCTION replay_hook(subscription_id uuid, after bigint, OUT reached bigint, OUT lowest bigint) FROM PUBLIC;

CREATE FUNCTION scrub_income_text(value text, everywhere boolean, hits text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  written constant text := income_plain(value);
  long constant boolean := length(written) > 5000;
  cleaned text;
begin
  if not everywhere and not long and not is_income_text(income_fold(written)) then
    return value;
  end if;
  with sentences as materialized (
    select * from income_sentences(written, long, everywhere, hits)
  ),
  total as (
    select coalesce(sum(size), 0) > 20000 as large from sentences where concerned or answer
  )
  select string_agg(
      case
        when not concerned and not answer then sentence
        when large or size > 5000 then scrub_numbers(sentence)
        when answer or everywhere or is_income_text(income_fold(sentence)) then scrub_amounts(sentence)
        else sentence
      end, '' order by place)
    into cleaned
    from sentences cross join total;
  return case when cleaned = written then value else cleaned end;
end
$function$;
COMMENT ON FUNCTION scrub_income_text(value text, everywhere boolean, hits text[]) IS 'A text without the amounts in its sentences about income, or in all of them.';

CREATE FUNCTION scrub_numbers(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(value, '[0-9][0-9.,]*'::text, '[entfernt]'::text, 'g'::text), '[a-zäöüß]*(hundert|tausend|million)[a-zäöüß]*'::text, '[entfernt]'::text, 'gi'::text);
COMMENT ON FUNCTION scrub_numbers(value text) IS 'A text with every number replaced by [entfernt].';

CREATE FUNCTION sequence_events(row_limit integer, known_identity text, log_floor bigint, late jsonb, sleeping boolean, wanted_types text[])
 RETURNS TABLE(cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
#variable_conflict use_variable
declare
  current constant text := database_identity();
  commits constant text := current_setting('synchronous_commit');
  own_xid bigint;
  advanced boolean;
  sleeps boolean;
  seen record;
  sequenced integer := 0;
begin
  perform from feed_lock for update;
  own_xid := pg_current_xact_id()::text::bigint;
  advanced := take_feed(current);
  sleeps := set_feed_sleep(sleeping);
  if known_identity is distinct from current then
    select feed.log_floor, feed.late into log_floor, late from feed;
  end if;
  select feed_state.head,
    array(select found.log_id from unsequenced_events(log_floor, late, row_limit) as found (log_id)) as log_ids,
    (select events.log_id from events where events.log_id > sequence_events.log_floor
      order by events.log_id desc limit 1) as newest,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax,
    array(select running::text::bigint from pg_snapshot_xip(pg_current_snapshot()) as running) as running
  into strict seen from feed_state;
  if seen.log_ids <> '{}' then
    insert into event_cursors (cursor, log_id, event_type)
    select seen.head + row_number() over (order by events.log_id), events.log_id, events.event_type
    from events
    where events.log_id = any (seen.log_ids);
    get diagnostics sequenced = row_count;
    perform pg_notify('event_sequenced', '');
  end if;
  perform set_config('synchronous_commit', case
    when sequenced = 0 and not advanced then 'off' when commits = 'off' then 'local' else commits end, true);
  state := json_build_object(
    'identity', current, 'advanced', advanced, 'sleeps', sleeps, 'floor', log_floor, 'late', late,
    'head_before', seen.head, 'head', seen.head + sequenced, 'sequenced', sequenced,
    'scanned_to', case when cardinality(seen.log_ids) = row_limit then seen.log_ids[row_limit] end,
    'newest', coalesce(seen.newest, log_floor), 'xid', own_xid, 'xmax', seen.xmax, 'running', seen.running);
  return next;
  if sequenced > 0 then
    return query select bodies.* from sequenced_bodies(seen.head, wanted_types) as bodies;
  end if;
end
$function$;
COMMENT ON FUNCTION sequence_events(row_limit integer, known_identity text, log_floor bigint, late jsonb, sleeping boolean, wanted_types text[]) IS 'Gives the next cursors to events without one. The statement events/sequence_events calls it.';
REVOKE EXECUTE ON FUNCTION sequence_events(row_limit integer, known_identity text, log_floor bigint, late jsonb, sleeping boolean, wanted_types text[]) FROM PUBLIC;

CREATE FUNCTION sequenced_bodies(after_cursor bigint, wanted_types text[])
 RETURNS TABLE(cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH given AS MATERIALIZED (
          SELECT event_cursors.cursor,
             event_cursors.log_id
            FROM event_cursors
           WHERE ((event_cursors.cursor > sequenced_bodies.after_cursor) AND (event_cursors.event_type = ANY (sequenced_bodies.wanted_types)))
         ), wanted AS (
          SELECT given.cursor,
             found.event,
             sum((found.event).bytes) OVER (ORDER BY given.cursor) AS total
            FROM (given
              CROSS JOIN LATERAL ( SELECT events.*::events AS event
                    FROM events
                   WHERE (events.log_id = given.log_id)
                  LIMIT 1) found)
         )
  SELECT wanted.cursor,
     (wanted.event).event_type AS event_type,
     (wanted.event).id AS id,
     ((EXTRACT(epoch FROM (wanted.event).occurred_at) * (1000)::numeric))::bigint AS int8,
         CASE
             WHEN (wanted.total <= 4000000) THEN event_body(wanted.event)
             ELSE NULL::text
         END AS "case",
     NULL::text AS state
    FROM wanted;
END;
COMMENT ON FUNCTION sequenced_bodies(after_cursor bigint, wanted_types text[]) IS 'Called by sequence_events: the events of a batch. Beyond 4 MB of them in all a body is null.';

CREATE FUNCTION set_feed_sleep(wanted boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  sleeping constant boolean := wanted and current_setting('max_prepared_transactions') = '0';
begin
  perform setval('feed_sleep', sleeping::integer) where (select feed_sleep.last_value = 1 from feed_sleep) <> sleeping;
  return sleeping;
end
$function$;
COMMENT ON FUNCTION set_feed_sleep(wanted boolean) IS 'Called by sequence_events: sets whether writers wake the sequencer; returns whether they do.';

CREATE FUNCTION shared_keys_of(further text[], lead_ids uuid[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  others constant uuid[] := array(select other from leads_of(further) as other where other <> all (lead_ids));
begin
  return array(
    with carried as (
      select key, coalesce(kontakt_aliases.canonical_key, key) as contact
      from unnest(further) as key
      left join kontakt_aliases on kontakt_aliases.alias_key = key
    ),
    theirs as (
      select kontakt_key(leads.email) as key from leads where leads.id = any (others)
      union
      select kontakt_key(leads.phone) from leads where leads.id = any (others)
      union
      select lead_analyses.kontakt_key from lead_analyses
      where lead_analyses.kontakt_key = any (further) and lead_analyses.lead_id <> all (lead_ids)
      union
      select signals.kontakt_key from signals
      where signals.kontakt_key = any (further) and signals.lead_id <> all (lead_ids)
    ),
    foreign_contacts as (
      select carried.contact from carried where carried.contact <> all (further) or carried.key in (select theirs.key from theirs)
      union
      select kontakt_aliases.canonical_key from kontakt_aliases
      where kontakt_aliases.canonical_key = any (array(select carried.contact from carried)) and kontakt_aliases.alias_key <> all (further)
    )
    select carried.key from carried where carried.contact in (select foreign_contacts.contact from foreign_contacts) order by carried.key);
end
$function$;
COMMENT ON FUNCTION shared_keys_of(further text[], lead_ids uuid[]) IS 'Which of the further keys of some leads belong to other people as well.';

CREATE FUNCTION signal_payload(signal signals)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('signal_id', (signal).id, 'kind', (signal).kind, 'title', (signal).title, 'score', (signal).score, 'status', (signal).status, 'kontakt_key', (signal).kontakt_key, 'lead_id', (signal).lead_id, 'quelle', (signal).quelle);
COMMENT ON FUNCTION signal_payload(signal signals) IS 'data of signal.opened and signal.status_changed.';

CREATE FUNCTION store_outstanding(ended ended_attempt[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from hook_outstanding
  using unnest(ended) as one
  where one.outcome = 'd' and hook_outstanding.subscription_id = one.subscription_id
    and hook_outstanding.cursor = one.cursor and hook_outstanding.attempts = one.attempt - 1;
  insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
  select one.subscription_id, one.cursor, one.attempt,
    case one.outcome when 'r' then now() + one.retry_ms * interval '1 millisecond' end
  from unnest(ended) as one
  join hook_subscriptions on hook_subscriptions.id = one.subscription_id and hook_subscriptions.deleted_at is null
  where one.outcome <> 'd'
  on conflict (subscription_id, cursor) do update
    set attempts = excluded.attempts, due_at = excluded.due_at, changed_at = excluded.changed_at
    where hook_outstanding.attempts = excluded.attempts - 1;
end
$function$;
COMMENT ON FUNCTION store_outstanding(ended ended_attempt[]) IS 'Called by record_attempts: what was delivered is outstanding no more, what failed is.';

CREATE FUNCTION store_progress(locked uuid[], ended ended_attempt[], positions jsonb)
 RETURNS TABLE(subscription_id uuid, version integer, paused boolean)
 LANGUAGE sql
BEGIN ATOMIC
 UPDATE hook_subscriptions SET cursor = GREATEST(hook_subscriptions.cursor, known.cursor), consecutive_failures = known.failures, failing_since =
         CASE
             WHEN ((hook_subscriptions.consecutive_failures = 0) AND (known.failures > 0)) THEN now()
             ELSE (hook_subscriptions.failing_since)::timestamp with time zone
         END, active = (known.active AND (known.failures < hook_failures_max())), paused_at =
         CASE
             WHEN (known.active AND (known.failures >= hook_failures_max())) THEN now()
             ELSE (hook_subscriptions.paused_at)::timestamp with time zone
         END, version = (hook_subscriptions.version + ((known.active AND (known.failures >= hook_failures_max())))::integer)
    FROM ( SELECT subscription.id,
             subscription.active,
                 CASE
                     WHEN ((((store_progress.positions -> (subscription.id)::text) ->> 'version'::text))::integer = subscription.version) THEN (((store_progress.positions -> (subscription.id)::text) ->> 'cursor'::text))::bigint
                     ELSE NULL::bigint
                 END AS cursor,
                 CASE
                     WHEN subscription.active THEN count_failures(subscription.consecutive_failures, ARRAY( SELECT one.*::ended_attempt AS one
                        FROM unnest(store_progress.ended) one(subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class, excerpt, headers, retry_ms)
                       WHERE ((one.subscription_id = subscription.id) AND (one.version = subscription.version))
                       ORDER BY (one.started_at + ((one.duration_ms)::double precision * '00:00:00.001'::interval)), one.cursor))
                     ELSE subscription.consecutive_failures
                 END AS failures
            FROM hook_subscriptions subscription
           WHERE (subscription.id = ANY (store_progress.locked))) known
   WHERE (hook_subscriptions.id = known.id)
   RETURNING hook_subscriptions.id,
     hook_subscriptions.version,
     (NOT ((hook_subscriptions.paused_at)::timestamp with time zone IS DISTINCT FROM now()));
END;
COMMENT ON FUNCTION store_progress(locked uuid[], ended ended_attempt[], positions jsonb) IS 'Called by record_attempts: counts final failures, pauses at the tenth, moves positions.';

CREATE FUNCTION take_feed(current text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  known constant text := (select feed.identity from feed);
begin
  if known is null then
    update feed set identity = current;
  elsif known <> current then
    perform advance_feed();
  end if;
  return coalesce(known <> current, false);
end
$function$;
COMMENT ON FUNCTION take_feed(current text) IS 'Called by sequence_events, under the lock: advances the feed where another database gave out its last cursors; returns whether it did.';

CREATE FUNCTION take_lock(wanted text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from write_locks where write_locks.name = take_lock.wanted for update;
  if not found then
    -- The first time. Of two at once, one waits here for the other.
    insert into write_locks (name) values (take_lock.wanted)
    on conflict (name) do update set name = excluded.name;
  end if;
end
$function$;
COMMENT ON FUNCTION take_lock(wanted text) IS 'Waits until no other transaction holds the lock of this name, and holds it until the end of this one. Needs the rights on write_locks.';

CREATE FUNCTION takes_writes()
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET work_mem TO '64kB'
AS $function$
begin
  if current_setting('transaction_read_only')::boolean then
    return false;
  end if;
  perform count(*) from generate_series(1, 10000);
  return true;
exception
  when disk_full then
    return false;
  -- temp_file_limit says nothing about the disk.
  when configuration_limit_exceeded then
    return true;
end
$function$;
COMMENT ON FUNCTION takes_writes() IS 'Whether writers can commit at the moment; /readyz asks.';

CREATE FUNCTION touch_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.updated_at = old.updated_at then
    new.updated_at := now();
  end if;
  return new;
end
$function$;

CREATE FUNCTION unite_haushalte(mine haushalte, theirs haushalte)
 RETURNS haushalte
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  united haushalte := mine;
  mine_moments constant jsonb := provenance_moments(mine.provenance);
  theirs_moments jsonb;
  their_check_is_newer boolean;
begin
  if jsonb_typeof(mine.haushalt -> 'vertraege') = 'array' and jsonb_typeof(theirs.haushalt -> 'vertraege') = 'array' then
    theirs := renumbered_haushalt(theirs, vertraege_places(mine.haushalt -> 'vertraege', theirs.haushalt -> 'vertraege'));
  end if;
  theirs_moments := provenance_moments(theirs.provenance);
  their_check_is_newer := theirs.din_check is not null and (mine.din_check is null
    or coalesce(iso_moment(theirs.din_check ->> 'erstellt_am'), '-infinity') > coalesce(iso_moment(mine.din_check ->> 'erstellt_am'), '-infinity'));
  united.haushalt := unite_values(mine.haushalt, theirs.haushalt, '', mine_moments, theirs_moments);
  united.provenance := unite_provenance(mine, theirs, mine_moments, theirs_moments);
  if their_check_is_newer then
    united.din_check := theirs.din_check;
    united.empfehlungen_aktuell := coalesce(theirs.empfehlungen_aktuell, mine.empfehlungen_aktuell);
  else
    united.empfehlungen_aktuell := coalesce(mine.empfehlungen_aktuell, theirs.empfehlungen_aktuell);
  end if;
  united.quelle := case when theirs.updated_at > mine.updated_at then coalesce(theirs.quelle, mine.quelle) else coalesce(mine.quelle, theirs.quelle) end;
  united.updated_at := greatest(mine.updated_at, theirs.updated_at);
  return united;
end
$function$;
COMMENT ON FUNCTION unite_haushalte(mine haushalte, theirs haushalte) IS 'Two household records as one, under the key of the first.';

CREATE FUNCTION unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 WITH entries AS (
          SELECT name.name,
             string_to_array(translate(field.path, '[]'::text, '.'::text), '.'::text) AS place,
             field.path
            FROM (jsonb_object_keys((COALESCE((unite_provenance.mine).provenance, '{}'::jsonb) || COALESCE((unite_provenance.theirs).provenance, '{}'::jsonb))) name(name)
              CROSS JOIN LATERAL ( SELECT "substring"(name.name, '^(?:vertraege\[\d+\])?[^\[]*'::text) AS path) field)
         ), chosen AS (
          SELECT entries.name,
                 CASE
                     WHEN (is_unknown(((unite_provenance.mine).haushalt #> entries.place)) AND is_unknown(((unite_provenance.theirs).haushalt #> entries.place))) THEN COALESCE(((unite_provenance.mine).provenance -> entries.name), ((unite_provenance.theirs).provenance -> entries.name))
                     WHEN other_value_wins(((unite_provenance.mine).haushalt #> entries.place), ((unite_provenance.theirs).haushalt #> entries.place), entries.path, unite_provenance.mine_moments, unite_provenance.theirs_moments) THEN ((unite_provenance.theirs).provenance -> entries.name)
                     ELSE ((unite_provenance.mine).provenance -> entries.name)
                 END AS entry
            FROM entries
         )
  SELECT jsonb_object_agg(chosen.name, chosen.entry) FILTER (WHERE (chosen.entry IS NOT NULL)) AS jsonb_object_agg
    FROM chosen;
END;
COMMENT ON FUNCTION unite_provenance(mine haushalte, theirs haushalte, mine_moments jsonb, theirs_moments jsonb) IS 'The provenance of two united records.';

CREATE FUNCTION unite_records(survivor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  mine haushalte;
  theirs haushalte;
  united_keys text[] := '{}';
begin
  loop
    select haushalte.* into mine from haushalte where haushalte.kontakt_key = survivor for update;
    for theirs in
      select haushalte.*
      from haushalte
      where haushalte.kontakt_key in (select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = survivor)
      order by haushalte.updated_at desc, haushalte.kontakt_key
      for update
    loop
      united_keys := united_keys || theirs.kontakt_key;
      mine := case when mine.kontakt_key is null then theirs else unite_haushalte(mine, theirs) end;
    end loop;
    exit when mine.kontakt_key is null;
    update haushalte
    set (haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at) =
      (mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle, now())
    where haushalte.kontakt_key = survivor;
    exit when found;
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle)
    values (survivor, mine.haushalt, mine.provenance, mine.din_check, mine.empfehlungen_aktuell, mine.quelle)
    on conflict do nothing;
    exit when found;
  end loop;
  -- Not what a writer has stored under an alias since: the next merge unites that.
  delete from haushalte where haushalte.kontakt_key = any (united_keys);
end
$function$;
COMMENT ON FUNCTION unite_records(survivor text) IS 'Called by merge_kontakte: unites the household records of a contact.';

CREATE FUNCTION unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if mine = theirs then
    return mine;
  end if;
  if path = 'vertraege' and jsonb_typeof(mine) = 'array' and jsonb_typeof(theirs) = 'array' then
    return (
      select coalesce(jsonb_agg(unite_values(mine -> place, theirs -> place, format('vertraege[%s]', place), mine_moments, theirs_moments) order by place), '[]')
      from generate_series(0, greatest(jsonb_array_length(mine), jsonb_array_length(theirs)) - 1) as place);
  end if;
  if jsonb_typeof(mine) = 'object' and jsonb_typeof(theirs) = 'object'
    and cardinality(string_to_array(path, '.')) <= 64
    and (
      path ~ '^vertraege\[\d+\]$' or mine_moments -> 'inside' ? path or theirs_moments -> 'inside' ? path
      or not (mine_moments -> 'own' ? path or theirs_moments -> 'own' ? path)) then
    return (
      select coalesce(jsonb_object_agg(
        name, unite_values(mine -> name, theirs -> name, concat_ws('.', nullif(path, ''), name), mine_moments, theirs_moments)), '{}')
      from jsonb_object_keys(mine || theirs) as name);
  end if;
  return case when other_value_wins(mine, theirs, path, mine_moments, theirs_moments) then theirs else coalesce(mine, theirs) end;
end
$function$;
COMMENT ON FUNCTION unite_values(mine jsonb, theirs jsonb, path text, mine_moments jsonb, theirs_moments jsonb) IS 'One field of two profiles as one; path leads to it.';

CREATE FUNCTION vertrag_identity(vertrag jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH named AS (
          SELECT member.member,
             NULLIF(regexp_replace(lower_form(NORMALIZE((vertrag_identity.vertrag ->> member.member), NFKC)), '[[:space:][:punct:]]'::text, ''::text, 'g'::text), ''::text) AS value
            FROM unnest(ARRAY['sparte'::text, 'versicherer'::text, 'vertragsnummer'::text]) member(member)
         )
  SELECT
         CASE
             WHEN ((count(named.value) >= 2) AND bool_or(((named.member = 'sparte'::text) AND (named.value IS NOT NULL)))) THEN (jsonb_object_agg(named.member, named.value))::text
             ELSE (vertrag_identity.vertrag)::text
         END AS vertrag
    FROM named;
END;
COMMENT ON FUNCTION vertrag_identity(vertrag jsonb) IS 'What two records call the same contract by.';

CREATE FUNCTION vertraege_places(mine jsonb, theirs jsonb)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH contracts AS (
          SELECT named.is_mine,
             named.place,
             named.identity,
             row_number() OVER (PARTITION BY named.is_mine, named.identity ORDER BY named.place) AS turn
            FROM ( SELECT lists.is_mine,
                     ((contract.ordinality)::integer - 1) AS place,
                     vertrag_identity(contract.value) AS identity
                    FROM (( VALUES (true,vertraege_places.mine), (false,vertraege_places.theirs)) lists(is_mine, vertraege)
                      CROSS JOIN LATERAL jsonb_array_elements(lists.vertraege) WITH ORDINALITY contract(value, ordinality))
                  OFFSET 0) named
         ), placed AS (
          SELECT contracts.place AS their_place,
             same.place,
             count(*) FILTER (WHERE (same.place IS NULL)) OVER (ORDER BY contracts.place) AS nth_new
            FROM (contracts
              LEFT JOIN contracts same ON ((same.is_mine AND (same.identity = contracts.identity) AND (same.turn = contracts.turn))))
           WHERE (NOT contracts.is_mine)
         )
  SELECT COALESCE(array_agg(COALESCE(placed.place, ((jsonb_array_length(vertraege_places.mine) + (placed.nth_new)::integer) - 1)) ORDER BY placed.their_place), '{}'::integer[]) AS "coalesce"
    FROM placed;
END;
COMMENT ON FUNCTION vertraege_places(mine jsonb, theirs jsonb) IS 'Where each of their contracts stands in the united list, which begins with mine.';

CREATE FUNCTION wake_sequencer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select feed_sleep.last_value = 1 from feed_sleep) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$function$;

CREATE FUNCTION without_harmless(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(written, (income_schema_harmless() || '|mindestlohn|beziehung|risikozuschl'::text), ' '::text, 'gi'::text);
COMMENT ON FUNCTION without_harmless(written text) IS 'The text of a document without the words that sound like an income and are known to be none.';

CREATE FUNCTION without_speaker(said text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (POSITION((':'::text) IN (split_part(said, '
'::text, 1))) > 0) THEN substr(said, (POSITION((':'::text) IN (said)) + 1)) ELSE said END;
COMMENT ON FUNCTION without_speaker(said text) IS 'A turn without who says it: what follows the first colon of its first line.';

CREATE TRIGGER advisory_docs_emit_changed AFTER UPDATE ON advisory_docs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_changed();

CREATE TRIGGER advisory_docs_emit_created AFTER INSERT ON advisory_docs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_created();

CREATE TRIGGER advisory_docs_income BEFORE INSERT OR UPDATE OF title ON advisory_docs FOR EACH ROW WHEN (has_amount(new.title)) EXECUTE FUNCTION redact_advisory_doc();

CREATE TRIGGER advisory_docs_key BEFORE UPDATE OF id ON advisory_docs FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER api_keys_changed AFTER INSERT OR DELETE OR UPDATE OF digest, scopes, expires_at, revoked_at OR TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_api_keys_changed();

CREATE TRIGGER appointments_emit_changed AFTER UPDATE ON appointments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_changed();

CREATE TRIGGER appointments_emit_created AFTER INSERT ON appointments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_created();

CREATE TRIGGER appointments_encode BEFORE INSERT OR UPDATE OF meeting_url ON appointments FOR EACH ROW WHEN (NOT is_uri(new.meeting_url) AND new.meeting_url !~ '[[:space:]]'::text) EXECUTE FUNCTION encode_meeting_url();

CREATE TRIGGER appointments_income BEFORE INSERT OR UPDATE OF title, status, platform, customer_display_name, source, intelligence_status ON appointments FOR EACH ROW WHEN (has_amount(concat_ws('
'::text, new.title, new.status, new.platform, new.customer_display_name, new.source, new.intelligence_status))) EXECUTE FUNCTION redact_appointment();

CREATE TRIGGER appointments_key BEFORE UPDATE OF id ON appointments FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER events_income BEFORE INSERT ON events FOR EACH ROW WHEN (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)'::text OR new.object_type ~ '[0-9]'::text) EXECUTE FUNCTION redact_event_object();

CREATE TRIGGER events_transaction BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION draw_transaction_id();

CREATE TRIGGER events_wake AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake_sequencer();

CREATE TRIGGER haushalte_emit_changed AFTER UPDATE ON haushalte REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_changed();

CREATE TRIGGER haushalte_emit_created AFTER INSERT ON haushalte REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_created();

CREATE TRIGGER haushalte_income BEFORE INSERT OR UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell ON haushalte FOR EACH ROW EXECUTE FUNCTION redact_haushalt();

CREATE TRIGGER haushalte_income_quelle BEFORE INSERT OR UPDATE OF quelle ON haushalte FOR EACH ROW WHEN (has_amount(new.quelle)) EXECUTE FUNCTION redact_haushalt_quelle();

CREATE TRIGGER haushalte_key BEFORE UPDATE OF kontakt_key ON haushalte FOR EACH ROW WHEN (new.kontakt_key <> old.kontakt_key) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER haushalte_touch BEFORE UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell, quelle ON haushalte FOR EACH ROW WHEN (old.haushalt IS DISTINCT FROM new.haushalt OR old.provenance IS DISTINCT FROM new.provenance OR old.din_check IS DISTINCT FROM new.din_check OR old.empfehlungen_aktuell IS DISTINCT FROM new.empfehlungen_aktuell OR old.quelle IS DISTINCT FROM new.quelle) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER hook_subscriptions_begin BEFORE INSERT ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION begin_subscription();

CREATE TRIGGER hook_subscriptions_changed AFTER INSERT OR DELETE OR UPDATE ON hook_subscriptions FOR EACH STATEMENT WHEN (current_setting('app.recording'::text, true) IS DISTINCT FROM 'on'::text) EXECUTE FUNCTION notify_hooks_changed();

CREATE TRIGGER hook_subscriptions_deleted AFTER DELETE ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION drop_outstanding();

CREATE TRIGGER hook_subscriptions_failing AFTER UPDATE OF consecutive_failures ON hook_subscriptions FOR EACH ROW WHEN (new.consecutive_failures > old.consecutive_failures) EXECUTE FUNCTION note_hook_failures();

CREATE TRIGGER hook_subscriptions_left AFTER UPDATE OF deleted_at ON hook_subscriptions FOR EACH ROW WHEN (new.deleted_at IS NOT NULL) EXECUTE FUNCTION drop_outstanding();

CREATE TRIGGER hook_subscriptions_version BEFORE UPDATE ON hook_subscriptions FOR EACH ROW WHEN (current_setting('app.recording'::text, true) IS DISTINCT FROM 'on'::text) EXECUTE FUNCTION raise_subscription_version();

CREATE TRIGGER kontakt_aliases_flat_on_insert AFTER INSERT ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();

CREATE TRIGGER kontakt_aliases_flat_on_update AFTER UPDATE ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();

CREATE TRIGGER lead_analyses_emit_checked AFTER UPDATE ON lead_analyses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_checked();

CREATE TRIGGER lead_analyses_emit_completed AFTER INSERT ON lead_analyses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_completed();

CREATE TRIGGER lead_analyses_income BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION redact_lead_analysis();

CREATE TRIGGER lead_analyses_key BEFORE UPDATE OF id ON lead_analyses FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER lead_analyses_projection BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION project_lead_analysis();

CREATE TRIGGER leads_emit_changed AFTER UPDATE ON leads REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_changed();

CREATE TRIGGER leads_emit_created AFTER INSERT ON leads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_created();

CREATE TRIGGER leads_income BEFORE INSERT OR UPDATE OF name, status, source_type, archive_reason_code, product_domain, parsed_data ON leads FOR EACH ROW WHEN (new.parsed_data IS NOT NULL OR has_amount(concat_ws('
'::text, new.name, new.status, new.source_type, new.archive_reason_code, new.product_domain))) EXECUTE FUNCTION redact_lead();

CREATE TRIGGER leads_key BEFORE UPDATE OF id ON leads FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER meeting_intelligence_emit_changed AFTER UPDATE ON meeting_intelligence REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_changed();

CREATE TRIGGER meeting_intelligence_emit_found AFTER INSERT ON meeting_intelligence REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_found();

CREATE TRIGGER meeting_intelligence_income BEFORE INSERT OR UPDATE OF failure_reason, customer_persona, conversation_type, summary, next_steps, results ON meeting_intelligence FOR EACH ROW EXECUTE FUNCTION redact_meeting_intelligence();

CREATE TRIGGER meeting_intelligence_key BEFORE UPDATE OF appointment_id ON meeting_intelligence FOR EACH ROW WHEN (new.appointment_id <> old.appointment_id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER signals_emit_changed AFTER UPDATE ON signals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_changed();

CREATE TRIGGER signals_emit_opened AFTER INSERT ON signals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_opened();

CREATE TRIGGER signals_income BEFORE INSERT OR UPDATE OF kind, title, quelle, outcome ON signals FOR EACH ROW WHEN (has_amount(concat_ws('
'::text, new.kind, new.title, new.quelle, new.outcome))) EXECUTE FUNCTION redact_signal();

CREATE TRIGGER signals_key BEFORE UPDATE OF id ON signals FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER signals_touch BEFORE UPDATE OF kind, title, status, score, lead_id, kontakt_key, quelle, outcome ON signals FOR EACH ROW WHEN (old.kind IS DISTINCT FROM new.kind OR old.title IS DISTINCT FROM new.title OR old.status IS DISTINCT FROM new.status OR old.score::numeric IS DISTINCT FROM new.score::numeric OR old.lead_id IS DISTINCT FROM new.lead_id OR old.kontakt_key IS DISTINCT FROM new.kontakt_key OR old.quelle IS DISTINCT FROM new.quelle OR old.outcome IS DISTINCT FROM new.outcome) EXECUTE FUNCTION touch_updated_at();
