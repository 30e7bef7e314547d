-- The schema after all migrations, for reading. Generated: bun run schema.
-- psql loads it into an empty database; the service's own way is its command migrate. The partitions of hook_attempts by
-- day are left out: make_attempt_partitions makes them.

-- The body of a function may name what comes later.
SET check_function_bodies = off;

CREATE EXTENSION pg_trgm;

CREATE TYPE income_mode AS ENUM ('open', 'zone', 'named', 'income');

CREATE TYPE log_look AS (
  head bigint,
  log_ids bigint[],
  newest_log_id bigint,
  xmax bigint,
  running bigint[],
  scanned_to bigint
);
COMMENT ON TYPE log_look IS 'What look_at_log saw: the head, the events that wait for a cursor, the newest event there is, the transactions that were running, and up to where it looked if that is not to the end.';

CREATE DOMAIN instant AS timestamp with time zone
  CONSTRAINT instant_check CHECK (VALUE >= '0001-01-01 00:00:00+00'::timestamp with time zone AND VALUE < '10000-01-01 00:00:00+00'::timestamp with time zone);
COMMENT ON DOMAIN instant IS 'A moment that JSON can carry as an ISO 8601 date-time: years 1 to 9999, never infinity.';

CREATE DOMAIN score AS numeric
  CONSTRAINT score_check CHECK (VALUE >= '-1000000'::integer::numeric AND VALUE <= 1000000::numeric);
COMMENT ON DOMAIN score IS 'A number that JSON can carry: finite, between -1,000,000 and 1,000,000.';

CREATE SEQUENCE events_log_id_seq;

CREATE SEQUENCE feed_wake MINVALUE 0 MAXVALUE 1;
COMMENT ON SEQUENCE feed_wake IS 'last_value 1: the sequencer wants to be woken by every commit. 0: events come so often that it looks by itself.';

CREATE SEQUENCE feed_watch MINVALUE 0;
COMMENT ON SEQUENCE feed_watch IS 'last_value: up to which second, as a unix time, the sequencer is to notify others of every batch.';

CREATE SEQUENCE hook_test_events_seq INCREMENT BY -1;

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

CREATE TABLE erased_events (
  cursor bigint NOT NULL,
  erased_at instant NOT NULL DEFAULT now(),
  CONSTRAINT erased_events_pkey PRIMARY KEY (cursor)
);
COMMENT ON TABLE erased_events IS 'Events that were erased within the last hour: an attempt that ends late is not recorded with the receiver''s answer.';

CREATE TABLE event_cursors (
  cursor bigint NOT NULL,
  log_id bigint NOT NULL,
  sequenced_at instant NOT NULL DEFAULT clock_timestamp(),
  event_type text NOT NULL,
  CONSTRAINT event_cursors_pkey PRIMARY KEY (cursor)
) PARTITION BY RANGE (cursor);
COMMENT ON TABLE event_cursors IS 'The feed: the cursor of every event, in the order in which events became visible. A cursor whose event was erased stays, and points at nothing.';
COMMENT ON COLUMN event_cursors.cursor IS 'Position in the feed; ascending, with gaps where a partition was closed early.';
COMMENT ON COLUMN event_cursors.log_id IS 'The event. Unique in each partition.';
COMMENT ON COLUMN event_cursors.sequenced_at IS 'When the event got its cursor; retention counts from here.';
CREATE INDEX event_cursors_type_idx ON ONLY event_cursors USING btree (event_type, cursor);

CREATE TABLE event_cursors_1 PARTITION OF event_cursors FOR VALUES FROM ('1') TO ('10000001');
COMMENT ON COLUMN event_cursors_1.cursor IS 'Position in the feed; ascending, with gaps where a partition was closed early.';
COMMENT ON COLUMN event_cursors_1.log_id IS 'The event. Unique in each partition.';
COMMENT ON COLUMN event_cursors_1.sequenced_at IS 'When the event got its cursor; retention counts from here.';
CREATE UNIQUE INDEX event_cursors_1_log_id_idx ON event_cursors_1 USING btree (log_id);

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
  CONSTRAINT events_pkey PRIMARY KEY (log_id)
) PARTITION BY RANGE (log_id);
COMMENT ON TABLE events IS 'The log: every event, appended by the writer''s transaction. event_cursors gives its place in the feed.';
COMMENT ON COLUMN events.log_id IS 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
COMMENT ON COLUMN events.data IS 'Personal: the payload.';
CREATE INDEX events_names_idx ON ONLY events USING brin (lower(object_id) text_bloom_ops (n_distinct_per_range='280', false_positive_rate='0.001'), lower(COALESCE(links ->> 'lead_id'::text, data ->> 'lead_id'::text)) text_bloom_ops (n_distinct_per_range='280', false_positive_rate='0.001'), (links ->> 'session_id'::text) text_bloom_ops (n_distinct_per_range='140', false_positive_rate='0.005'), lower(COALESCE(data ->> 'kontakt_key'::text, data ->> 'canonical_key'::text)) text_bloom_ops (n_distinct_per_range='140', false_positive_rate='0.005'), kontakt_key_hint(data ->> 'email'::text) text_bloom_ops (n_distinct_per_range='280'), kontakt_key_hint(data ->> 'phone'::text) text_bloom_ops (n_distinct_per_range='280')) WITH (pages_per_range='12', autosummarize='on');

CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('1') TO ('10000001');
COMMENT ON COLUMN events_1.log_id IS 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
COMMENT ON COLUMN events_1.data IS 'Personal: the payload.';

CREATE TABLE feed (
  only_row boolean NOT NULL DEFAULT true,
  head_floor bigint NOT NULL DEFAULT 0,
  horizon bigint NOT NULL DEFAULT 0,
  identity text,
  CONSTRAINT feed_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_head_floor_check CHECK (head_floor >= 0 AND head_floor <= '9000000000000000'::bigint),
  CONSTRAINT feed_horizon_check CHECK (horizon >= 0 AND horizon <= '9000000000000000'::bigint),
  CONSTRAINT feed_only_row_check CHECK (only_row)
);
COMMENT ON TABLE feed IS 'One row: the bounds of the feed. A process that gives out cursors locks it, and does not update it.';
COMMENT ON COLUMN feed.head_floor IS 'The head is the greatest cursor, or this where it is greater: after a partition was closed early or the feed was advanced.';
COMMENT ON COLUMN feed.horizon IS 'The highest expired cursor.';
COMMENT ON COLUMN feed.identity IS 'The database that gave out the cursors, see database_identity. In another one the feed advances first.';

CREATE TABLE feed_floor (
  only_row boolean NOT NULL DEFAULT true,
  log_id bigint NOT NULL DEFAULT 0,
  cursor bigint NOT NULL DEFAULT 0,
  late jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT feed_floor_pkey PRIMARY KEY (only_row),
  CONSTRAINT feed_floor_only_row_check CHECK (only_row)
) WITH (fillfactor=10);
COMMENT ON TABLE feed_floor IS 'One row, written about once a second: where a sequencer that knows nothing yet begins to look.';
COMMENT ON COLUMN feed_floor.log_id IS 'Every event up to it has a cursor, or belongs to a transaction that ended without it or is in late.';
COMMENT ON COLUMN feed_floor.cursor IS 'Cursors of events above log_id are above it.';
COMMENT ON COLUMN feed_floor.late IS 'Transactions that ran for long: xid, and the log_id and cursor from which to look again when it has ended. One that has ended has xid 0: up to there it was looked for.';

CREATE FUNCTION kontakt_key(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
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
  cursor bigint NOT NULL,
  started_at instant NOT NULL,
  no integer NOT NULL,
  fence integer NOT NULL,
  duration_ms integer NOT NULL,
  attempt smallint NOT NULL,
  status smallint,
  outcome "char" NOT NULL,
  error_class text,
  excerpt text,
  headers text,
  CONSTRAINT hook_attempts_pkey PRIMARY KEY (no, cursor, started_at),
  CONSTRAINT hook_attempts_error_class_check CHECK (error_class = ANY (ARRAY['dns'::text, 'connect'::text, 'tls'::text, 'timeout'::text, 'status'::text, 'blocked'::text])),
  CONSTRAINT hook_attempts_excerpt_check CHECK (length(excerpt) <= 1024),
  CONSTRAINT hook_attempts_headers_check CHECK (length(headers) <= 1024),
  CONSTRAINT hook_attempts_outcome_check CHECK (outcome = ANY (ARRAY['d'::"char", 'r'::"char", 'f'::"char"]))
) PARTITION BY RANGE (started_at);
COMMENT ON TABLE hook_attempts IS 'Every attempt to deliver, written once; a partition for each day, kept as long as the feed keeps events.';
COMMENT ON COLUMN hook_attempts.no IS 'The subscription, see hook_positions.';
COMMENT ON COLUMN hook_attempts.attempt IS '1 for the first of a delivery, and again for the first of a redelivery.';
COMMENT ON COLUMN hook_attempts.status IS 'Status of the answer; null: none came.';
COMMENT ON COLUMN hook_attempts.outcome IS 'd: delivered. r: to be tried again. f: failed for good.';
COMMENT ON COLUMN hook_attempts.error_class IS 'Why it was no success; null: it was one.';
COMMENT ON COLUMN hook_attempts.excerpt IS 'Personal: the beginning of the answer, as the receiver wrote it.';
COMMENT ON COLUMN hook_attempts.headers IS 'Personal: headers of an answer that is no success, a line each.';
CREATE INDEX hook_attempts_started_idx ON ONLY hook_attempts USING brin (started_at) WITH (pages_per_range='16', autosummarize='on');

CREATE TABLE hook_attempts_other PARTITION OF hook_attempts DEFAULT;

CREATE TABLE hook_failures (
  no integer NOT NULL,
  cursor bigint NOT NULL,
  failed_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_failures_pkey PRIMARY KEY (no, cursor),
  CONSTRAINT hook_failures_cursor_check CHECK (cursor >= '-9007199254740991'::bigint AND cursor <= '9007199254740991'::bigint)
);
COMMENT ON TABLE hook_failures IS 'Final failures that were neither sent again nor dismissed.';

CREATE TABLE hook_health (
  no integer NOT NULL,
  unit "char" NOT NULL,
  at instant NOT NULL,
  outcome "char" NOT NULL,
  reason text NOT NULL,
  bucket smallint NOT NULL,
  attempts integer NOT NULL,
  first_at instant NOT NULL,
  last_at instant NOT NULL,
  CONSTRAINT hook_health_pkey PRIMARY KEY (no, unit, at, outcome, reason, bucket),
  CONSTRAINT hook_health_attempts_check CHECK (attempts > 0),
  CONSTRAINT hook_health_unit_check CHECK (unit = ANY (ARRAY['m'::"char", 'h'::"char"]))
);
COMMENT ON TABLE hook_health IS 'Attempts by subscription, time, outcome, reason and duration, counted from hook_attempts. Minutes are kept for two hours, hours for 31 days.';
COMMENT ON COLUMN hook_health.no IS 'The subscription, see hook_positions.';
COMMENT ON COLUMN hook_health.unit IS 'm: the row counts a minute. h: an hour.';
COMMENT ON COLUMN hook_health.at IS 'When the minute or the hour begins.';
COMMENT ON COLUMN hook_health.outcome IS 'As in hook_attempts.';
COMMENT ON COLUMN hook_health.reason IS 'Of a failed attempt: the status of the answer, else the error class. Empty: it delivered.';
COMMENT ON COLUMN hook_health.bucket IS 'How long it took, see duration_bucket.';
COMMENT ON COLUMN hook_health.first_at IS 'When the first of these attempts began; last_at: the last.';
CREATE INDEX hook_health_at_idx ON hook_health USING btree (unit, at);

CREATE TABLE hook_health_state (
  only_row boolean NOT NULL DEFAULT true,
  counted_to instant NOT NULL,
  CONSTRAINT hook_health_state_pkey PRIMARY KEY (only_row),
  CONSTRAINT hook_health_state_only_row_check CHECK (only_row)
);
COMMENT ON TABLE hook_health_state IS 'One row: up to when attempts are counted in hook_health.';

CREATE TABLE hook_positions (
  no integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  subscription_id uuid NOT NULL,
  cursor bigint NOT NULL,
  claimed_to bigint NOT NULL,
  worker uuid,
  fence integer NOT NULL DEFAULT 0,
  counted_from integer NOT NULL DEFAULT 0,
  deleted_at instant,
  CONSTRAINT hook_positions_pkey PRIMARY KEY (no),
  CONSTRAINT hook_positions_subscription_id_key UNIQUE (subscription_id),
  CONSTRAINT hook_positions_check CHECK (cursor >= 0 AND claimed_to >= cursor AND claimed_to <= '9007199254740991'::bigint),
  CONSTRAINT hook_positions_fence_check CHECK (fence >= 0 AND fence <= 2000000000)
) WITH (fillfactor=20, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0.02);
COMMENT ON TABLE hook_positions IS 'How far each subscription is: every event of its types up to cursor has ended, or is in hook_retries or a range of hook_skips. Written about once a second; hook_attempts tells what ended above.';
COMMENT ON COLUMN hook_positions.no IS 'Stands for the subscription in other tables: it is in every attempt.';
COMMENT ON COLUMN hook_positions.claimed_to IS 'How far the worker may have sent. Written before it sends, so that an erasure can tell who may have received an event.';
COMMENT ON COLUMN hook_positions.worker IS 'The process that delivers, see hook_workers.';
COMMENT ON COLUMN hook_positions.fence IS 'Goes up with every change of worker and every change that is not the worker''s. What a process records under an older fence moves nothing, unless it still is the worker.';
COMMENT ON COLUMN hook_positions.counted_from IS 'The fence under which the count of failures began where it stands: of the last change of worker, or of the last reactivation. What a process counted under an older one is not written.';
COMMENT ON COLUMN hook_positions.deleted_at IS 'When the subscription was deleted. The row stays as long as its attempts.';

CREATE TABLE hook_redeliveries (
  no integer NOT NULL,
  cursors bigint[] NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_redeliveries_pkey PRIMARY KEY (no)
);
COMMENT ON TABLE hook_redeliveries IS 'The deliveries of each subscription that the owner sent again together, the last time. Kept for a day.';
COMMENT ON COLUMN hook_redeliveries.no IS 'The subscription, see hook_positions.';
COMMENT ON COLUMN hook_redeliveries.cursors IS 'Their events. What is in hook_retries is on its way, what is in hook_failures failed again.';

CREATE TABLE hook_retries (
  no integer NOT NULL,
  cursor bigint NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  due_at instant NOT NULL DEFAULT now(),
  taken_by integer,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_retries_pkey PRIMARY KEY (no, cursor),
  CONSTRAINT hook_retries_attempts_check CHECK (attempts >= 0 AND attempts <= 4),
  CONSTRAINT hook_retries_cursor_check CHECK (cursor >= '-9007199254740991'::bigint AND cursor <= '9007199254740991'::bigint)
);
COMMENT ON TABLE hook_retries IS 'Deliveries that wait for a moment and not for their turn: for their next attempt, a redelivery, a test event.';
COMMENT ON COLUMN hook_retries.cursor IS 'The event; below 0: one of hook_test_events.';
COMMENT ON COLUMN hook_retries.attempts IS 'Attempts made so far.';
COMMENT ON COLUMN hook_retries.taken_by IS 'The fence under which it was taken last. What its worker says it has under way decides, so what it did not hear of is taken again.';
COMMENT ON COLUMN hook_retries.created_at IS 'When it failed first, or was asked for.';
CREATE INDEX hook_retries_due_idx ON hook_retries USING btree (no, due_at);
CREATE INDEX hook_retries_untried_idx ON hook_retries USING btree (no, created_at) WHERE attempts = 0;

CREATE TABLE hook_skips (
  no integer NOT NULL,
  to_cursor bigint NOT NULL,
  from_cursor bigint NOT NULL,
  claimed_to bigint NOT NULL DEFAULT 0,
  reason text NOT NULL,
  events bigint NOT NULL,
  catching_up boolean NOT NULL DEFAULT false,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_skips_pkey PRIMARY KEY (no, to_cursor),
  CONSTRAINT hook_skips_check CHECK (from_cursor >= 0 AND from_cursor <= to_cursor AND to_cursor <= '9007199254740991'::bigint),
  CONSTRAINT hook_skips_claimed_to_check CHECK (claimed_to >= 0 AND claimed_to <= '9007199254740991'::bigint),
  CONSTRAINT hook_skips_reason_check CHECK (reason = ANY (ARRAY['paused'::text, 'expired'::text]))
);
COMMENT ON TABLE hook_skips IS 'Ranges of the feed that a subscription did not get: (from_cursor, to_cursor].';
COMMENT ON COLUMN hook_skips.from_cursor IS 'Moves on while the range is caught up with.';
COMMENT ON COLUMN hook_skips.claimed_to IS 'How far the worker may have sent of it, written before it sends.';
COMMENT ON COLUMN hook_skips.reason IS 'paused: passed over when the subscription was reactivated. expired: retained no longer.';
COMMENT ON COLUMN hook_skips.events IS 'How many events of the subscription''s types the range had when it was made.';
COMMENT ON COLUMN hook_skips.catching_up IS 'Whether the worker of the subscription delivers it, next to new events.';

CREATE TABLE hook_subscriptions (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  target_url text NOT NULL,
  event_types text[] NOT NULL,
  label text,
  source text NOT NULL DEFAULT 'api'::text,
  active boolean NOT NULL DEFAULT true,
  created_at instant NOT NULL DEFAULT now(),
  secret text NOT NULL,
  old_secret text,
  old_secret_until instant,
  old_secret_leads boolean NOT NULL DEFAULT false,
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since instant,
  paused_at instant,
  pause_reason text,
  CONSTRAINT hook_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT hook_subscriptions_check CHECK (active = (paused_at IS NULL)),
  CONSTRAINT hook_subscriptions_check1 CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
  CONSTRAINT hook_subscriptions_consecutive_failures_check CHECK (consecutive_failures >= 0 AND consecutive_failures <= 1000000),
  CONSTRAINT hook_subscriptions_event_types_check CHECK (cardinality(event_types) >= 1 AND array_position(event_types, NULL::text) IS NULL AND event_types <@ ARRAY['lead.created'::text, 'lead.stage_changed'::text, 'lead.archived'::text, 'analysis.completed'::text, 'din.check_completed'::text, 'haushalt.updated'::text, 'kontakt.merged'::text, 'appointment.scheduled'::text, 'appointment.cancelled'::text, 'appointment.updated'::text, 'meeting.intelligence_ready'::text, 'meeting.intelligence_failed'::text, 'advisory_doc.approved'::text, 'advisory_doc.sent'::text, 'signal.opened'::text, 'signal.status_changed'::text, 'signal.outcome_recorded'::text]),
  CONSTRAINT hook_subscriptions_label_check CHECK (length(label) <= 200),
  CONSTRAINT hook_subscriptions_pause_reason_check CHECK (length(pause_reason) <= 500),
  CONSTRAINT hook_subscriptions_source_check CHECK (source = ANY (ARRAY['api'::text, 'zapier'::text, 'make'::text])),
  CONSTRAINT hook_subscriptions_target_url_check CHECK (target_url ~~ 'https://%'::text AND length(target_url) <= 2048)
);
COMMENT ON TABLE hook_subscriptions IS 'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
COMMENT ON COLUMN hook_subscriptions.target_url IS 'Canonical form of an https address; checked again at every attempt.';
COMMENT ON COLUMN hook_subscriptions.active IS 'False while paused: nothing is sent, and the position stays.';
COMMENT ON COLUMN hook_subscriptions.secret IS 'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
COMMENT ON COLUMN hook_subscriptions.old_secret IS 'The secret before the last rotation, encrypted alike; signs next to the new one until old_secret_until.';
COMMENT ON COLUMN hook_subscriptions.old_secret_leads IS 'Whether the single-valued signature header still uses the old secret.';
COMMENT ON COLUMN hook_subscriptions.consecutive_failures IS 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
COMMENT ON COLUMN hook_subscriptions.failing_since IS 'When the last run of final failures began.';
COMMENT ON COLUMN hook_subscriptions.pause_reason IS 'Why the owner paused it, perhaps empty; null: it is active, or was paused after ten final failures in a row.';

CREATE TABLE hook_test_events (
  cursor bigint NOT NULL DEFAULT nextval('hook_test_events_seq'::regclass),
  no integer NOT NULL,
  envelope jsonb NOT NULL,
  created_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_test_events_pkey PRIMARY KEY (cursor),
  CONSTRAINT hook_test_events_envelope_check CHECK (((envelope ->> 'id'::text)::uuid) IS NOT NULL)
);
COMMENT ON TABLE hook_test_events IS 'Test events, which are in no feed. A cursor below 0 stands for one.';

CREATE TABLE hook_workers (
  id uuid NOT NULL,
  lock_key integer,
  session_at instant NOT NULL DEFAULT now(),
  lease_until instant NOT NULL,
  server_started_at instant NOT NULL DEFAULT pg_postmaster_start_time(),
  missed_at instant,
  leaving boolean NOT NULL DEFAULT false,
  started_at instant NOT NULL DEFAULT now(),
  CONSTRAINT hook_workers_pkey PRIMARY KEY (id)
) WITH (fillfactor=20);
COMMENT ON TABLE hook_workers IS 'Processes that deliver. One is alive while its lease lasts and its session holds its lock, and for a moment after.';
COMMENT ON COLUMN hook_workers.lock_key IS 'Its session holds the advisory lock (20230, lock_key). Null: it has no session of its own, and is missed when its lease is over.';
COMMENT ON COLUMN hook_workers.session_at IS 'When lock_key changed last. A process whose lock is newer than a cut of the connections was back after it.';
COMMENT ON COLUMN hook_workers.lease_until IS 'Renewed every few seconds. A process that is stopped loses its subscriptions a moment later.';
COMMENT ON COLUMN hook_workers.server_started_at IS 'Start of the server on which the lease was renewed last, or the process was noticed as missed. After a restart or a failover no session holds a lock yet: then the lease decides, and a process that was missed before is missed again from then on.';
COMMENT ON COLUMN hook_workers.missed_at IS 'When another process first saw that the lease is over or the lock not held. A session that was cut off, and a process that waited for the database, have a moment to come back.';
COMMENT ON COLUMN hook_workers.leaving IS 'It ends: it keeps what is busy, and counts in no share.';

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

CREATE FUNCTION is_date_time(value text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET standard_conforming_strings TO 'on'
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
  webhook_url text,
  mail_to text,
  language text,
  CONSTRAINT notice_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT notice_settings_language_check CHECK (language = ANY (ARRAY['de'::text, 'en'::text])),
  CONSTRAINT notice_settings_only_row_check CHECK (only_row)
);
COMMENT ON TABLE notice_settings IS 'One row: where notices to the owner go, as entered in the dashboard. Null: as the settings of the process say.';
COMMENT ON COLUMN notice_settings.webhook_url IS 'May hold a token.';
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
  channel text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  sent_at instant,
  status integer,
  error_class text,
  CONSTRAINT owner_notices_pkey PRIMARY KEY (id),
  CONSTRAINT owner_notices_channel_check CHECK (channel = ANY (ARRAY['webhook'::text, 'email'::text])),
  CONSTRAINT owner_notices_check CHECK ((subscription_id IS NULL) = (failures IS NULL))
);
COMMENT ON TABLE owner_notices IS 'Notices to the owner, one row for each way: a subscription reached so many failures in a row, or the owner asked for a test. Tried for a day, kept for 30.';
COMMENT ON COLUMN owner_notices.subscription_id IS 'Null, like failures: a test.';
COMMENT ON COLUMN owner_notices.due_at IS 'When it is sent, or sent again: moved on before each attempt.';
COMMENT ON COLUMN owner_notices.sent_at IS 'When it was accepted; null: not yet, or never.';
COMMENT ON COLUMN owner_notices.status IS 'What the receiver or the mail server answered last.';
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

CREATE VIEW feed_partitions AS
 SELECT parent.relname::text AS parent,
    child.oid::regclass AS partition,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''(\d+)''\)'::text))[1]::bigint AS first,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''(\d+)''\)'::text))[1]::bigint - 1 AS last
   FROM pg_inherits
     JOIN pg_class child ON child.oid = pg_inherits.inhrelid
     JOIN pg_class parent ON parent.oid = pg_inherits.inhparent
  WHERE pg_inherits.inhparent = ANY (ARRAY['events'::regclass::oid, 'event_cursors'::regclass::oid]);
COMMENT ON VIEW feed_partitions IS 'The partitions of events and event_cursors with the first and last number each can hold.';

CREATE VIEW feed_settled AS
 SELECT LEAST(log_id, min((late.mark ->> 'log_id'::text)::bigint)) AS log_id,
    LEAST(cursor, min((late.mark ->> 'cursor'::text)::bigint)) AS cursor
   FROM feed_floor
     LEFT JOIN LATERAL jsonb_array_elements(late) late(mark) ON true
  GROUP BY only_row;
COMMENT ON VIEW feed_settled IS 'Every event up to log_id has a cursor or never gets one; cursors of events above it are above cursor.';

CREATE VIEW feed_state AS
 SELECT horizon,
    GREATEST(head_floor, ( SELECT event_cursors.cursor
           FROM event_cursors
          ORDER BY event_cursors.cursor DESC
         LIMIT 1)) AS head
   FROM feed;
COMMENT ON VIEW feed_state IS 'The bounds of the feed: its head is the last cursor given out, its horizon the highest expired one.';

CREATE VIEW finished_log_partitions AS
 SELECT partition,
    first
   FROM feed_partitions
     CROSS JOIN feed_settled
  WHERE parent = 'events'::text AND last <= (( SELECT events_log_id_seq.last_value
           FROM events_log_id_seq)) AND COALESCE((( SELECT event_cursors.log_id
           FROM event_cursors
          WHERE event_cursors.log_id >= feed_partitions.first
          ORDER BY event_cursors.log_id
         LIMIT 1)) > last, true) AND (( SELECT events.log_id
           FROM events
          WHERE events.log_id >= feed_partitions.first AND events.log_id <= feed_partitions.last AND events.log_id > feed_settled.log_id
          ORDER BY events.log_id
         LIMIT 1)) IS NULL;
COMMENT ON VIEW finished_log_partitions IS 'Partitions of events of which every event has had a cursor and has expired; prune_log drops them.';

CREATE FUNCTION duration_bucket(duration_ms integer)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
RETURN (width_bucket(duration_ms, ARRAY[5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2500, 5000, 10000]))::smallint;
COMMENT ON FUNCTION duration_bucket(duration_ms integer) IS 'Which of 18 durations in milliseconds an attempt has; the dashboard knows the same bounds.';

CREATE VIEW hook_attempts_counted AS
 SELECT no,
    started_at,
    outcome,
        CASE
            WHEN error_class IS NULL THEN ''::text
            WHEN error_class = 'status'::text THEN status::text
            ELSE error_class
        END AS reason,
    duration_bucket(duration_ms) AS bucket
   FROM hook_attempts
  WHERE cursor > 0;
COMMENT ON VIEW hook_attempts_counted IS 'Attempts with what hook_health counts them by, but those of test events.';

CREATE VIEW hook_backlogs AS
 SELECT hook_subscriptions.id AS subscription_id,
    hook_positions.no,
    hook_subscriptions.active,
    workers.owned,
    ahead.next_cursor,
    due.since AS due_since,
        CASE
            WHEN NOT workers.owned THEN LEAST(due.since, ( SELECT GREATEST(min(hook_skips.created_at::timestamp with time zone), (( SELECT hook_workers.lease_until
                       FROM hook_workers
                      WHERE hook_workers.id = hook_positions.worker))::timestamp with time zone) AS "greatest"
               FROM hook_skips
              WHERE hook_skips.no = hook_positions.no AND hook_skips.catching_up
             HAVING count(*) > 0))
            ELSE NULL::timestamp with time zone
        END AS unowned_since,
    LEAST(
        CASE
            WHEN NOT hook_subscriptions.active OR ahead.next_cursor IS NOT NULL THEN hook_positions.cursor
            ELSE NULL::bigint
        END, ( SELECT hook_skips.from_cursor
           FROM hook_skips
          WHERE hook_skips.no = hook_positions.no AND hook_skips.reason = 'paused'::text
          ORDER BY hook_skips.from_cursor
         LIMIT 1), ( SELECT hook_retries.cursor - 1
           FROM hook_retries
          WHERE hook_retries.no = hook_positions.no AND hook_retries.cursor > 0
          ORDER BY hook_retries.cursor
         LIMIT 1), ( SELECT hook_failures.cursor - 1
           FROM hook_failures
          WHERE hook_failures.no = hook_positions.no AND hook_failures.cursor > 0
          ORDER BY hook_failures.cursor
         LIMIT 1)) AS catch_up_cursor
   FROM hook_subscriptions
     JOIN hook_positions ON hook_positions.subscription_id = hook_subscriptions.id
     CROSS JOIN LATERAL ( SELECT min(oldest.cursor) AS next_cursor,
            min(oldest.sequenced_at::timestamp with time zone) AS since
           FROM unnest(hook_subscriptions.event_types) wanted(event_type)
             CROSS JOIN LATERAL ( SELECT event_cursors.cursor,
                    event_cursors.sequenced_at
                   FROM event_cursors
                  WHERE ((ROW(event_cursors.event_type, event_cursors.cursor) > ROW(wanted.event_type, hook_positions.cursor))) AND ((ROW(event_cursors.event_type, event_cursors.cursor) <= ROW(wanted.event_type, '9223372036854775807'::bigint))) AND event_cursors.cursor > hook_positions.cursor
                  ORDER BY event_cursors.event_type, event_cursors.cursor
                 LIMIT 1) oldest) ahead
     CROSS JOIN LATERAL ( SELECT (EXISTS ( SELECT
                   FROM hook_workers
                  WHERE hook_workers.id = hook_positions.worker AND hook_workers.lease_until::timestamp with time zone > now())) AS owned) workers
     CROSS JOIN LATERAL ( SELECT LEAST(ahead.since, (( SELECT hook_retries.due_at
                   FROM hook_retries
                  WHERE hook_retries.no = hook_positions.no AND hook_retries.due_at::timestamp with time zone <= now()
                  ORDER BY hook_retries.due_at
                 LIMIT 1))::timestamp with time zone, (( SELECT hook_retries.created_at
                   FROM hook_retries
                  WHERE hook_retries.no = hook_positions.no AND hook_retries.attempts = 0
                  ORDER BY hook_retries.created_at
                 LIMIT 1))::timestamp with time zone) AS since) due;
COMMENT ON VIEW hook_backlogs IS 'How far behind each subscription is. owned: a live process delivers to it. next_cursor: its first event above the position. due_since: when the oldest delivery that could be sent came, or was due again. unowned_since: since when one of these, or a range to catch up with, waits without such a process. catch_up_cursor: GET /events gives after it everything that was not received; null: nothing is missing.';

CREATE VIEW hook_owned_subscriptions AS
 SELECT id,
    target_url,
    to_json(event_types)::text AS event_types,
    secret,
        CASE
            WHEN old_secret_until::timestamp with time zone > now() THEN old_secret
            ELSE NULL::text
        END AS old_secret,
    old_secret_leads,
    consecutive_failures,
    COALESCE(( SELECT json_agg(json_build_object('to', hook_skips.to_cursor, 'from', hook_skips.from_cursor, 'claimed_to', hook_skips.claimed_to) ORDER BY hook_skips.to_cursor) AS json_agg
           FROM hook_positions
             JOIN hook_skips ON hook_skips.no = hook_positions.no AND hook_skips.catching_up
          WHERE hook_positions.subscription_id = hook_subscriptions.id), '[]'::json)::text AS ranges
   FROM hook_subscriptions;
COMMENT ON VIEW hook_owned_subscriptions IS 'What the worker of a subscription has to know of it: where to send, how to sign, which ranges to catch up with.';

CREATE VIEW hook_worker_states AS
 SELECT id,
    leaving,
    missed_at,
    state.expired OR state.gone AND server_started_at::timestamp with time zone = pg_postmaster_start_time() AS missed,
    state.expired AND state.gone AS away
   FROM hook_workers
     CROSS JOIN LATERAL ( SELECT hook_workers.lease_until::timestamp with time zone <= now() AS expired,
            hook_workers.lock_key IS NOT NULL AND NOT (EXISTS ( SELECT
                   FROM pg_locks
                  WHERE pg_locks.locktype = 'advisory'::text AND pg_locks.classid = 20230::oid AND pg_locks.objid::bigint = hook_workers.lock_key AND pg_locks.database = (( SELECT pg_database.oid
                           FROM pg_database
                          WHERE pg_database.datname = current_database())))) AS gone) state;
COMMENT ON VIEW hook_worker_states IS 'missed: the lease is over, or the session is gone, though it has been on this server. away: both are, as after an outage of the database.';

CREATE FUNCTION advance_feed(OUT head bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from feed for update;
  -- A crash must not take back a head that a reader has.
  perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
  update feed set head_floor = case
      -- Two closed partitions that were lost may be ahead of the clock.
      when feed_state.head < clock.now then greatest(feed_state.head + 2 * events_partition_width(), clock.now)
      else feed_state.head + 1000000000
    end,
    identity = database_identity()
    from feed_state, (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now) as clock
    where feed_state.head < 9000000000000000
    returning feed.head_floor into advance_feed.head;
  if head is null then
    raise exception 'the feed has no room left to advance' using errcode = 'numeric_value_out_of_range';
  end if;
  perform make_feed_partitions();
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

CREATE FUNCTION income_question(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "substring"("right"(value, 1000), '([^.!?\n]*)\?[^?]*$'::text);
COMMENT ON FUNCTION income_question(value text) IS 'The last question of a text.';

CREATE FUNCTION is_income_text(written text, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  lowered text := income_lower(written);
  chunk text;
  word text;
  class text;
  measured boolean := false;
begin
  -- An address may have any word in it.
  if not lowered like any (hits) or position('@' in lowered) > 0 and lowered ~ '^[ ]*[^ @]+@[^ @]+[ ]*$' then
    return false;
  end if;
  lowered := without_look_alikes(lowered);
  foreach chunk in array string_to_array(lowered, ' ') loop
    continue when not chunk like any (hits);
    foreach word in array income_split(chunk) loop
      class := income_word_class(income_form(income_fold(word)));
      if class = 'income' then
        return true;
      end if;
      measured := measured or class = 'measure';
    end loop;
  end loop;
  if is_income_phrase(lowered) or lowered like '%eur%'
      and lowered ~ ('(^|[^a-z])(' || income_schema_names() || ')($|[^a-z])') collate "C" then
    return true;
  end if;
  return measured and exists (
    select from regexp_split_to_table(income_form(income_fold(lowered)), '[,;] ') as part
    where income_measure(income_split(part)));
end
$function$;
COMMENT ON FUNCTION is_income_text(written text, hits text[]) IS 'Whether a text speaks of an income.';

CREATE FUNCTION asks_for_income(value text, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN is_income_text(COALESCE(income_question(value), ''::text), hits);
COMMENT ON FUNCTION asks_for_income(value text, hits text[]) IS 'Whether a text ends by asking for an income.';

CREATE FUNCTION attempts_between(since timestamp with time zone, before timestamp with time zone)
 RETURNS TABLE(no integer, started_at timestamp with time zone, outcome "char", reason text, bucket smallint)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_indexscan TO 'off'
 SET random_page_cost TO '4'
AS $function$
begin
  return query
    select attempt.no, attempt.started_at::timestamptz, attempt.outcome, attempt.reason, attempt.bucket
    from hook_attempts_counted as attempt
    where attempt.started_at >= since and attempt.started_at < before;
end
$function$;
COMMENT ON FUNCTION attempts_between(since timestamp with time zone, before timestamp with time zone) IS 'Attempts that started from a moment on and before another.';

CREATE FUNCTION attempts_of(cursors bigint[])
 RETURNS SETOF hook_attempts
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
AS $function$
begin
  if cardinality(cursors) > 500 then
    perform read_whole_tables(true);
    return query
      select hook_attempts.*
      from hook_positions
      cross join unnest(cursors) as erased (cursor)
      join hook_attempts on hook_attempts.no = hook_positions.no and hook_attempts.cursor = erased.cursor;
    return;
  end if;
  return query
    select made.*
    from hook_positions
    cross join unnest(cursors) as erased (cursor)
    cross join lateral (
      select hook_attempts.*
      from hook_attempts
      where hook_attempts.no = hook_positions.no and hook_attempts.cursor = erased.cursor
      offset 0
    ) as made;
end
$function$;
COMMENT ON FUNCTION attempts_of(cursors bigint[]) IS 'The attempts to deliver these events.';

CREATE FUNCTION blank_income_cells(part jsonb, places integer[], names text[], width integer, nested boolean, depth integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  if depth > 4 then
    return part;
  elsif jsonb_typeof(part) = 'object' then
    return (
      select coalesce(
        jsonb_object_agg(member.key, blank_income_cells(member.value, places, names, width, false, depth + 1)), '{}')
      from jsonb_each(part) as member
      where not (member.key = any (names) and is_amount_value(member.value)));
  elsif jsonb_typeof(part) <> 'array' then
    return part;
  end if;
  return (
    select coalesce(jsonb_agg(
      case
        when jsonb_typeof(cell.value) in ('object', 'array')
          then blank_income_cells(cell.value, places, names, width, true, depth + 1)
        when cell.place - 1 = any (places) and (nested or jsonb_array_length(part) = width)
          and is_amount_value(cell.value) then 'null'
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

CREATE FUNCTION catch_up_cursor(subscription hook_subscriptions)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN (SELECT hook_backlogs.catch_up_cursor FROM hook_backlogs WHERE (hook_backlogs.subscription_id = (catch_up_cursor.subscription).id));
COMMENT ON FUNCTION catch_up_cursor(subscription hook_subscriptions) IS 'The cursor after which GET /events gives everything the subscription has not received; null: nothing is missing.';

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

CREATE FUNCTION close_cursor_partition(keep interval, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  head constant bigint := (select feed_state.head from feed_state);
  last_of_partition constant bigint := (head - 1) / events_partition_width() * events_partition_width() + events_partition_width();
  oldest constant timestamptz := (
    select event_cursors.sequenced_at from event_cursors
    where event_cursors.cursor > last_of_partition - events_partition_width() order by event_cursors.cursor limit 1);
begin
  if head < last_of_partition and (oldest <= at - least(interval '1 day', keep / 30) or oldest > at + interval '1 day') then
    perform make_feed_partition('event_cursors', last_of_partition + 1);
    -- A crash must not take back a head that a reader has.
    perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
    update feed set head_floor = last_of_partition where feed.head_floor < last_of_partition;
  end if;
end
$function$;
COMMENT ON FUNCTION close_cursor_partition(keep interval, at timestamp with time zone) IS 'Called by prune_events: begins a new partition of event_cursors.';

CREATE FUNCTION concerns_income(written text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return is_exotic(written) or has_income_piece(income_lower(written));
end
$function$;
COMMENT ON FUNCTION concerns_income(written text) IS 'Whether a text may hold an income.';

CREATE FUNCTION count_ended(of_no integer, event_types text[], after_cursor bigint, up_to bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return (
    select count(*)
    from (
      select hook_attempts.cursor from hook_attempts
      where hook_attempts.no = of_no and hook_attempts.cursor > after_cursor and hook_attempts.cursor <= up_to and hook_attempts.outcome = 'd'
      union
      select hook_failures.cursor from hook_failures
      where hook_failures.no = of_no and hook_failures.cursor > after_cursor and hook_failures.cursor <= up_to
      union
      select hook_retries.cursor from hook_retries
      where hook_retries.no = of_no and hook_retries.cursor > after_cursor and hook_retries.cursor <= up_to
    ) as ended
    join event_cursors on event_cursors.cursor = ended.cursor
    where event_cursors.event_type = any (event_types) and event_cursors.cursor > after_cursor and event_cursors.cursor <= up_to);
end
$function$;
COMMENT ON FUNCTION count_ended(of_no integer, event_types text[], after_cursor bigint, up_to bigint) IS 'How many events of these types in a range of cursors a subscription was delivered, failed at or waits for the moment of.';

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

CREATE FUNCTION count_expired(below bigint)
 RETURNS TABLE(no integer, from_cursor bigint, to_cursor bigint, events bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  edges bigint[] := array(
    select hook_positions.cursor from hook_positions where hook_positions.cursor < below and hook_positions.deleted_at is null
    union
    select hook_skips.from_cursor from hook_skips where hook_skips.from_cursor < below and hook_skips.to_cursor > below
    order by 1);
begin
  if edges = '{}' then
    return;
  end if;
  return query
  with counted as materialized (
    select width_bucket(event_cursors.cursor - 1, edges) as edge, event_cursors.event_type, count(*) as events
    from event_cursors
    where event_cursors.cursor > edges[1] and event_cursors.cursor <= below
    group by width_bucket(event_cursors.cursor - 1, edges), event_cursors.event_type
  ),
  behind as (
    select hook_positions.no, hook_positions.subscription_id, hook_positions.cursor as from_cursor, null::bigint as to_cursor
    from hook_positions
    where hook_positions.cursor < below and hook_positions.deleted_at is null
    union all
    select hook_skips.no, hook_positions.subscription_id, hook_skips.from_cursor, hook_skips.to_cursor
    from hook_skips
    join hook_positions on hook_positions.no = hook_skips.no
    where hook_skips.from_cursor < below and hook_skips.to_cursor > below
  )
  select behind.no, behind.from_cursor, behind.to_cursor, coalesce(sum(counted.events), 0)::bigint
    - count_ended(behind.no, hook_subscriptions.event_types, behind.from_cursor, below)
  from behind
  join hook_subscriptions on hook_subscriptions.id = behind.subscription_id
  left join counted on counted.event_type = any (hook_subscriptions.event_types)
    and counted.edge >= array_position(edges, behind.from_cursor)
  group by behind.no, behind.from_cursor, behind.to_cursor, hook_subscriptions.event_types;
end
$function$;
COMMENT ON FUNCTION count_expired(below bigint) IS 'Called by expire_hook_positions: how many events up to a cursor the subscriptions behind it have not got; to_cursor: of this range, null: of the position.';

CREATE FUNCTION count_in_turn(of_no integer, event_types text[], after_cursor bigint, count_max integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT GREATEST(0, (count_events_at_most(count_in_turn.event_types, count_in_turn.after_cursor, '9223372036854775807'::bigint, (count_in_turn.count_max + ended.count)) - ended.count)) AS "greatest"
    FROM ( SELECT (count(*))::integer AS count
            FROM (( SELECT
                    FROM hook_failures
                   WHERE ((hook_failures.no = count_in_turn.of_no) AND (hook_failures.cursor > count_in_turn.after_cursor) AND (( SELECT event_cursors.event_type
                            FROM event_cursors
                           WHERE (event_cursors.cursor = hook_failures.cursor)) = ANY (count_in_turn.event_types)))
                  LIMIT count_in_turn.count_max)
                 UNION ALL
                 ( SELECT
                    FROM hook_retries
                   WHERE ((hook_retries.no = count_in_turn.of_no) AND (hook_retries.cursor > count_in_turn.after_cursor) AND (( SELECT event_cursors.event_type
                            FROM event_cursors
                           WHERE (event_cursors.cursor = hook_retries.cursor)) = ANY (count_in_turn.event_types)))
                  LIMIT count_in_turn.count_max)
                 UNION ALL
                 ( SELECT
                    FROM hook_attempts
                   WHERE ((hook_attempts.no = count_in_turn.of_no) AND (hook_attempts.cursor > count_in_turn.after_cursor) AND (hook_attempts.outcome = 'd'::"char") AND ((hook_attempts.started_at)::timestamp with time zone > ( SELECT
                                 CASE
                                     WHEN ((event_cursors.sequenced_at)::timestamp with time zone <= now()) THEN ((event_cursors.sequenced_at)::timestamp with time zone - '00:01:00'::interval)
                                     ELSE '-infinity'::timestamp with time zone
                                 END AS "case"
                            FROM event_cursors
                           WHERE (event_cursors.cursor > count_in_turn.after_cursor)
                           ORDER BY event_cursors.cursor
                          LIMIT 1)) AND (( SELECT event_cursors.event_type
                            FROM event_cursors
                           WHERE (event_cursors.cursor = hook_attempts.cursor)) = ANY (count_in_turn.event_types)))
                  LIMIT count_in_turn.count_max)) each_of) ended;
END;
COMMENT ON FUNCTION count_in_turn(of_no integer, event_types text[], after_cursor bigint, count_max integer) IS 'Events above the position of a subscription that have not been tried, no more than so many.';

CREATE FUNCTION count_left(event_types text[], from_cursor bigint, to_cursor bigint, events bigint, count_max integer)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN LEAST(events, (count_events_at_most(event_types, from_cursor, to_cursor, count_max))::bigint);
COMMENT ON FUNCTION count_left(event_types text[], from_cursor bigint, to_cursor bigint, events bigint, count_max integer) IS 'Events of a range that are left to be caught up with, no more than so many.';

CREATE FUNCTION count_given_up(count_max integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 WITH hooks_in_use AS (
          SELECT hook_positions.no,
             hook_positions.cursor,
             hook_subscriptions.active,
             hook_subscriptions.event_types
            FROM (hook_subscriptions
              JOIN hook_positions ON ((hook_positions.subscription_id = hook_subscriptions.id)))
           WHERE (hook_subscriptions.active OR (hook_subscriptions.pause_reason IS NULL))
         )
  SELECT (LEAST(sum(counted.events), (count_given_up.count_max)::numeric))::integer AS "least"
    FROM ( SELECT count(*) AS events
            FROM ( SELECT
                    FROM (hook_failures
                      JOIN hooks_in_use ON (((hooks_in_use.no = hook_failures.no) AND (hook_failures.cursor > 0))))
                  LIMIT count_given_up.count_max) failed
         UNION ALL
          SELECT count(*) AS count
            FROM ( SELECT
                    FROM (hook_retries
                      JOIN hooks_in_use ON (((hooks_in_use.no = hook_retries.no) AND (hook_retries.cursor > 0))))
                   WHERE (NOT hooks_in_use.active)
                  LIMIT count_given_up.count_max) stopped
         UNION ALL
          SELECT count(*) AS count
            FROM ( SELECT
                    FROM (hooks_in_use
                      CROSS JOIN LATERAL generate_series(1, count_in_turn(hooks_in_use.no, hooks_in_use.event_types, hooks_in_use.cursor, count_given_up.count_max)) generate_series(generate_series))
                   WHERE (NOT hooks_in_use.active)
                  LIMIT count_given_up.count_max) behind
         UNION ALL
          SELECT count(*) AS count
            FROM ( SELECT
                    FROM ((hooks_in_use
                      JOIN hook_skips ON ((hook_skips.no = hooks_in_use.no)))
                      CROSS JOIN LATERAL generate_series((1)::bigint, count_left(hooks_in_use.event_types, hook_skips.from_cursor, hook_skips.to_cursor, hook_skips.events, count_given_up.count_max)) generate_series(generate_series))
                   WHERE (hook_skips.catching_up AND (NOT hooks_in_use.active))
                  LIMIT count_given_up.count_max) interrupted
         UNION ALL
          SELECT COALESCE(sum(hook_skips.events), (0)::numeric) AS "coalesce"
            FROM (hook_skips
              JOIN hooks_in_use ON ((hooks_in_use.no = hook_skips.no)))
           WHERE ((hook_skips.reason = 'paused'::text) AND (NOT hook_skips.catching_up))) counted;
END;
COMMENT ON FUNCTION count_given_up(count_max integer) IS 'Events that arrive only when the owner has them sent again: failed, missed, and all that waits for a subscription that failures paused; no more than so many.';

CREATE FUNCTION count_pending_deliveries(count_max integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM (( SELECT
            FROM ((hook_subscriptions
              JOIN hook_positions ON ((hook_positions.subscription_id = hook_subscriptions.id)))
              CROSS JOIN LATERAL generate_series(1, count_in_turn(hook_positions.no, hook_subscriptions.event_types, hook_positions.cursor, count_pending_deliveries.count_max)) generate_series(generate_series))
           WHERE hook_subscriptions.active
          LIMIT count_pending_deliveries.count_max)
         UNION ALL
         ( SELECT
            FROM ((hook_retries
              JOIN hook_positions ON ((hook_positions.no = hook_retries.no)))
              JOIN hook_subscriptions ON ((hook_subscriptions.id = hook_positions.subscription_id)))
           WHERE (hook_subscriptions.active AND (hook_retries.cursor > 0))
          LIMIT count_pending_deliveries.count_max)
         UNION ALL
         ( SELECT
            FROM (((hook_skips
              JOIN hook_positions ON ((hook_positions.no = hook_skips.no)))
              JOIN hook_subscriptions ON ((hook_subscriptions.id = hook_positions.subscription_id)))
              CROSS JOIN LATERAL generate_series((1)::bigint, count_left(hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor, hook_skips.events, count_pending_deliveries.count_max)) generate_series(generate_series))
           WHERE (hook_subscriptions.active AND hook_skips.catching_up)
          LIMIT count_pending_deliveries.count_max)
  LIMIT count_pending_deliveries.count_max) counted;
END;
COMMENT ON FUNCTION count_pending_deliveries(count_max integer) IS 'Events above the positions of active subscriptions, what is left of the ranges they catch up with, and what waits for its moment, test events apart; no more than so many.';

CREATE FUNCTION unsequenced_events(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer)
 RETURNS TABLE(log_ids bigint[], scanned_to bigint)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH sequenced AS MATERIALIZED (
          SELECT event_cursors.log_id
            FROM event_cursors
           WHERE ((event_cursors.log_id > unsequenced_events.after_log_id) AND (event_cursors.log_id <= '9223372036854775807'::bigint) AND (event_cursors.cursor > unsequenced_events.after_cursor))
           ORDER BY event_cursors.log_id
          LIMIT unsequenced_events.sequenced_limit
         ), chunk AS MATERIALIZED (
          SELECT count(*) AS events,
                 CASE
                     WHEN (count(*) = unsequenced_events.sequenced_limit) THEN max(sequenced.log_id)
                     ELSE NULL::bigint
                 END AS up_to
            FROM sequenced
         ), logged AS (
          SELECT events.log_id
            FROM events
           WHERE ((events.log_id > unsequenced_events.after_log_id) AND (events.log_id <= COALESCE(( SELECT chunk.up_to
                    FROM chunk), '9223372036854775807'::bigint)))
           ORDER BY events.log_id
          LIMIT (unsequenced_events.row_limit + ( SELECT chunk.events
                    FROM chunk))
         ), waiting AS (
          SELECT logged.log_id
            FROM logged
         EXCEPT
          SELECT sequenced.log_id
            FROM sequenced
   ORDER BY 1
  LIMIT unsequenced_events.row_limit
         )
  SELECT COALESCE(array_agg(waiting.log_id ORDER BY waiting.log_id), '{}'::bigint[]) AS "coalesce",
         CASE
             WHEN (count(*) = unsequenced_events.row_limit) THEN max(waiting.log_id)
             ELSE ( SELECT chunk.up_to
                FROM chunk)
         END AS up_to
    FROM waiting;
END;
COMMENT ON FUNCTION unsequenced_events(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer) IS 'Ids of visible events without a cursor, oldest first, and up to where it looked; null: to the end. The caller vouches that none is at or below after_log_id, and that cursors of events above it are above after_cursor.';

CREATE FUNCTION count_unsequenced(count_max integer, OUT total integer, OUT since instant)
 RETURNS record
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH RECURSIVE mark AS (
          SELECT feed_floor.log_id,
             feed_floor.cursor
            FROM feed_floor
         UNION ALL
          SELECT ((late.mark ->> 'log_id'::text))::bigint AS int8,
             ((late.mark ->> 'cursor'::text))::bigint AS int8
            FROM (feed_floor
              CROSS JOIN LATERAL jsonb_array_elements(feed_floor.late) late(mark))
           WHERE (((late.mark ->> 'xid'::text))::bigint <> ALL (ARRAY( SELECT ((xid.xid)::text)::bigint AS xid
                    FROM pg_snapshot_xip(pg_current_snapshot()) xid(xid))))
   ORDER BY 1
  LIMIT 1
         ), chunks AS (
          SELECT mark.log_id AS scanned_to,
             mark.cursor,
             NULL::bigint AS first_log_id,
             0 AS total
            FROM mark
         UNION ALL
          SELECT found.scanned_to,
             chunks_1.cursor,
             COALESCE(chunks_1.first_log_id, found.log_ids[1]) AS "coalesce",
             (chunks_1.total + cardinality(found.log_ids))
            FROM (chunks chunks_1
              CROSS JOIN LATERAL unsequenced_events(chunks_1.scanned_to, chunks_1.cursor, 20000, GREATEST(count_unsequenced.count_max, 1)) found(log_ids, scanned_to))
           WHERE ((chunks_1.scanned_to IS NOT NULL) AND (chunks_1.total < GREATEST(count_unsequenced.count_max, 1)))
         )
  SELECT LEAST(max(chunks.total), count_unsequenced.count_max) AS "least",
     ( SELECT events.occurred_at
            FROM events
           WHERE (events.log_id = ( SELECT min(chunks_1.first_log_id) AS min
                    FROM chunks chunks_1))) AS occurred_at
    FROM chunks;
END;
COMMENT ON FUNCTION count_unsequenced(count_max integer, OUT total integer, OUT since instant) IS 'Events that wait for their cursor, no more than so many, and when the oldest of them occurred.';

CREATE FUNCTION create_hook_position()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  made_no integer;
begin
  insert into hook_positions as position (subscription_id, cursor, claimed_to)
  select new.id, feed_state.head, feed_state.head from feed_state
  -- A subscription that was deleted, and put back: what was left for the report of an erasure is not to be sent.
  on conflict (subscription_id) do update
    set deleted_at = null, cursor = excluded.cursor, claimed_to = excluded.claimed_to, fence = position.fence + 1,
      counted_from = position.fence + 1
    returning position.no into made_no;
  delete from hook_retries where no = made_no;
  delete from hook_skips where no = made_no;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION create_hook_position() FROM PUBLIC;

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
  select feed_state.horizon, greatest(feed_state.head, feed_state.horizon) into lower_bound, upper_bound from feed_state;
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

CREATE FUNCTION deliver_missed(subscription_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  wanted integer;
begin
  select hook_positions.no into wanted
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = deliver_missed.subscription_id and hook_subscriptions.active
  for update;
  return case when wanted is not null then deliver_missed_of(wanted) end;
end
$function$;
COMMENT ON FUNCTION deliver_missed(subscription_id uuid) IS 'Puts all that an active subscription missed on its way, as far as the feed retains it; how many. Null: there is no such subscription, or it is paused.';
REVOKE EXECUTE ON FUNCTION deliver_missed(subscription_id uuid) FROM PUBLIC;

CREATE FUNCTION deliver_missed_of(wanted integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  types constant text[] := (
    select hook_subscriptions.event_types
    from hook_subscriptions
    join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    where hook_positions.no = wanted);
  is_started boolean;
  ranges bigint;
  failures bigint;
begin
  update hook_retries set attempts = 0, due_at = now(), created_at = now() where no = wanted;
  with started as (
    update hook_skips
    set catching_up = true,
      -- Some may have been sent again one by one since. One of those that failed is counted as a failure.
      events = least(hook_skips.events, count_events(types, hook_skips.from_cursor, hook_skips.to_cursor)
        - count_ended(wanted, types, hook_skips.from_cursor, hook_skips.to_cursor))
    where no = wanted and reason = 'paused' and not catching_up
    returning events
  )
  select count(*) > 0, coalesce(sum(started.events), 0) into is_started, ranges from started;
  -- How far an earlier one is says nothing of this one, also where none of it is remembered.
  delete from hook_redeliveries
  where no = wanted and (is_started or exists (select from hook_failures where hook_failures.no = wanted and hook_failures.cursor > 0));
  with ended as (
    -- A test event that failed is no loss.
    delete from hook_failures where no = wanted and cursor > 0 returning no, cursor
  ),
  -- One whose type was taken away since is dismissed.
  again as materialized (
    select ended.no, ended.cursor
    from ended
    where (select event_cursors.event_type from event_cursors where event_cursors.cursor = ended.cursor) = any (types)
  ),
  -- More would make the page slow that shows how far it is.
  remembered as (
    insert into hook_redeliveries (no, cursors)
    select again.no, array_agg(again.cursor) from again group by again.no having count(*) <= 10000
    on conflict (no) do update set cursors = excluded.cursors, created_at = excluded.created_at
  )
  insert into hook_retries (no, cursor) select no, cursor from again on conflict do nothing;
  get diagnostics failures = row_count;
  -- Also where their count is 0.
  update hook_positions set fence = fence + 1 where no = wanted and is_started;
  perform pg_notify('hooks_changed', '');
  return ranges + failures;
end
$function$;
COMMENT ON FUNCTION deliver_missed_of(wanted integer) IS 'Called by deliver_missed and reactivate_hook: puts all that a subscription missed on its way; how many.';

CREATE FUNCTION deliveries_of(cursors bigint[], made hook_attempts[])
 RETURNS TABLE(no integer, event_type text, received boolean, possibly boolean, first_at timestamp with time zone, last_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  nos constant integer[] := array(select hook_positions.no from hook_positions);
begin
  return query
  with tried as (
    select attempt.no, attempt.cursor, bool_or(attempt.outcome = 'd') as received,
      -- Without a name, a connection or a good certificate nothing was sent; a kept connection may break after that.
      bool_or(attempt.error_class is null or attempt.error_class not in ('dns', 'tls', 'blocked')) as sent,
      min(attempt.started_at)::timestamptz as first_at, max(attempt.started_at)::timestamptz as last_at
    from unnest(made) as attempt
    group by attempt.no, attempt.cursor
  ),
  unrecorded as (
    select known.no, known.cursor, bool_or(known.retried) as retried
    from unrecorded_deliveries(cursors) as known
    group by known.no, known.cursor
  ),
  waiting as (
    select found.no, found.cursor, bool_or(found.failed) as failed
    from (
      select hook_retries.no, hook_retries.cursor, false as failed from hook_retries where hook_retries.no = any (nos) and hook_retries.cursor = any (cursors)
      union all
      select hook_failures.no, hook_failures.cursor, true from hook_failures where hook_failures.no = any (nos) and hook_failures.cursor = any (cursors)
    ) as found
    group by found.no, found.cursor
  )
  select no, event_cursors.event_type, coalesce(tried.received, false),
    not coalesce(tried.received, false) and (coalesce(tried.sent, unrecorded.no is not null) or coalesce(unrecorded.retried, false)
      -- An attempt of another process sent nothing, and this one may be sending; one that waits was passed over.
      or unrecorded.no is not null and waiting.no is null
      -- A retry that was taken becomes a failure when its webhook is switched on without what it missed.
      or tried.no is null and waiting.failed),
    coalesce(tried.first_at, event_cursors.sequenced_at), coalesce(tried.last_at, event_cursors.sequenced_at)
  from tried
  full join unrecorded using (no, cursor)
  full join waiting using (no, cursor)
  join event_cursors using (cursor)
  where event_cursors.cursor = any (cursors);
end
$function$;
COMMENT ON FUNCTION deliveries_of(cursors bigint[], made hook_attempts[]) IS 'Every delivery of these events that was tried, may have been sent, or waits; made are the attempts. received: one was accepted. possibly: none was, and one may have arrived.';

CREATE FUNCTION delivery_report(cursors bigint[], made hook_attempts[], OUT deliveries bigint, OUT recipients jsonb)
 RETURNS record
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
BEGIN ATOMIC
 WITH known AS MATERIALIZED (
          SELECT found.no,
             found.event_type,
             found.received,
             found.possibly,
             found.first_at,
             found.last_at
            FROM deliveries_of(delivery_report.cursors, delivery_report.made) found(no, event_type, received, possibly, first_at, last_at)
         ), recipients AS (
          SELECT hook_positions.subscription_id,
             count(*) FILTER (WHERE known.received) AS received,
             count(*) FILTER (WHERE known.possibly) AS possibly,
             min(known.first_at) AS first_at,
             max(known.last_at) AS last_at,
             array_agg(DISTINCT known.event_type) AS event_types
            FROM (known
              JOIN hook_positions ON ((hook_positions.no = known.no)))
           WHERE (known.received OR known.possibly)
           GROUP BY hook_positions.subscription_id
         )
  SELECT ( SELECT count(*) AS count
            FROM known) AS count,
     COALESCE(jsonb_agg(jsonb_build_object('subscription_id', recipients.subscription_id, 'label', hook_subscriptions.label, 'target_url', hook_subscriptions.target_url, 'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at, 'last_at', recipients.last_at, 'event_types', to_jsonb(recipients.event_types)) ORDER BY recipients.first_at, recipients.subscription_id), '[]'::jsonb) AS "coalesce"
    FROM (recipients
      LEFT JOIN hook_subscriptions ON ((hook_subscriptions.id = recipients.subscription_id)));
END;
COMMENT ON FUNCTION delivery_report(cursors bigint[], made hook_attempts[], OUT deliveries bigint, OUT recipients jsonb) IS 'How many deliveries of these events there are, and which subscriptions received them, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].';

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

CREATE FUNCTION ended_late(late jsonb, look log_look)
 RETURNS feed_floor
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT true,
     ((one.value ->> 'log_id'::text))::bigint AS int8,
     ((one.value ->> 'cursor'::text))::bigint AS int8,
     ended_late.late AS late
    FROM jsonb_array_elements(ended_late.late) one(value)
   WHERE (((one.value ->> 'xid'::text))::bigint <> ALL ((ended_late.look).running))
   ORDER BY ((one.value ->> 'log_id'::text))::bigint
  LIMIT 1;
END;
COMMENT ON FUNCTION ended_late(late jsonb, look log_look) IS 'Called by sequence_events: the lowest mark of the late transactions that were not running any more.';

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
  attempts hook_attempts[];
  report record;
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
  perform from feed for update;
  cursors := cursors_of(log_ids);
  perform lock_deliveries();
  attempts := array(select made from attempts_of(cursors) as made);
  report := delivery_report(cursors, attempts);
  perform forget_deliveries(cursors, attempts);
  delete from events where events.log_id = any (log_ids);
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  recipients := report.recipients;
  counts := counts || jsonb_build_object(
    'events', cardinality(log_ids), 'hook_deliveries', report.deliveries, 'hook_attempts', cardinality(attempts));
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$function$;
COMMENT ON FUNCTION erase_kontakt(identity text) IS 'Erases all that is stored of a person, events and deliveries included; says what went, which subscriptions had received it, and which leads had one of the keys once. No row where nothing was stored.';
REVOKE EXECUTE ON FUNCTION erase_kontakt(identity text) FROM PUBLIC;

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

CREATE FUNCTION event_receivers(cursors bigint[])
 RETURNS TABLE(cursor bigint, subscription_id uuid, state text, ended_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
with found as (
  select hook_positions.no, event_cursors.cursor, 6 as rank, null::timestamptz as ended_at
  from event_cursors
  join hook_subscriptions on event_cursors.event_type = any (hook_subscriptions.event_types)
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where event_cursors.cursor = any (cursors)
  union all
  select attempt.no, attempt.cursor, case attempt.outcome when 'd' then 3 when 'f' then 4 else 5 end,
    attempt.started_at + attempt.duration_ms * interval '1 millisecond'
  from hook_positions
  cross join lateral (
    select hook_attempts.no, hook_attempts.cursor, hook_attempts.outcome, hook_attempts.started_at, hook_attempts.duration_ms
    from hook_attempts
    where hook_attempts.no = hook_positions.no and hook_attempts.cursor = any (cursors)
    order by hook_attempts.cursor
  ) as attempt
  union all
  select due.no, due.cursor, 1, null
  from hook_positions
  cross join lateral (
    select hook_retries.no, hook_retries.cursor
    from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.cursor = any (cursors)
    order by hook_retries.cursor
  ) as due
  union all
  select failure.no, failure.cursor, 2, null
  from hook_positions
  cross join lateral (
    select hook_failures.no, hook_failures.cursor
    from hook_failures
    where hook_failures.no = hook_positions.no and hook_failures.cursor = any (cursors)
    order by hook_failures.cursor
  ) as failure
),
known as (
  select found.no, found.cursor, min(found.rank) as rank, max(found.ended_at) as ended_at
  from found
  group by found.no, found.cursor
  having max(found.rank) = 6
),
reached as materialized (
  select hook_positions.no, hook_positions.subscription_id, hook_positions.cursor,
    coalesce((select max(hook_skips.to_cursor) from hook_skips where hook_skips.no = hook_positions.no), 0) as skipped_to
  from hook_positions
)
select known.cursor, reached.subscription_id,
  case
    when known.rank < 5 then (array['pending', 'failed', 'delivered', 'failed'])[known.rank]
    when known.cursor > reached.skipped_to then case when known.cursor > reached.cursor then 'pending' end
    else coalesce(
      (select case when hook_skips.catching_up then 'pending' else 'skipped' end
      from hook_skips
      where hook_skips.no = known.no and hook_skips.to_cursor >= known.cursor and hook_skips.from_cursor < known.cursor
      order by hook_skips.to_cursor
      limit 1),
      case when known.cursor > reached.cursor then 'pending' end)
  end,
  known.ended_at
from known
join reached on reached.no = known.no
$function$;
COMMENT ON FUNCTION event_receivers(cursors bigint[]) IS 'How far events came at each subscription that lists their type; state is null where an event never was to be delivered.';

CREATE FUNCTION events_about(person record)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
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
  perform read_whole_tables(cardinality(names) > 500);
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

CREATE FUNCTION events_partition_width()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 10000000;
COMMENT ON FUNCTION events_partition_width() IS 'How many cursors a partition of event_cursors holds, and how many events one of events.';

CREATE FUNCTION expire_hook_positions(below bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update hook_skips
  set reason = 'expired', catching_up = false, created_at = now(),
    -- Its types may be others by now, and the attempts in it may have gone before.
    events = least(hook_skips.events, count_events(hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor)
      - count_ended(hook_skips.no, hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor))
  from hook_positions
  join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
  where hook_positions.no = hook_skips.no and hook_skips.to_cursor <= below and hook_skips.reason <> 'expired';
  with behind as materialized (
    -- Of a range no more than it has.
    select expired.no, expired.from_cursor, expired.to_cursor, least(expired.events, hook_skips.events) as events
    from count_expired(below) as expired
    left join hook_skips on hook_skips.no = expired.no and hook_skips.to_cursor = expired.to_cursor
  ),
  cut as (
    update hook_skips
    set events = hook_skips.events - behind.events, from_cursor = below
    from behind
    where hook_skips.no = behind.no and hook_skips.to_cursor = behind.to_cursor
  ),
  waiting as (
    -- count_ended has subtracted these, above the position and in ranges. What arrived before it was sent again is not lost,
    -- nor is what would not be sent any more.
    select hook_retries.no, min(hook_retries.cursor) - 1 as from_cursor, count(*) as events
    from hook_retries
    join hook_positions on hook_positions.no = hook_retries.no
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    join event_cursors on event_cursors.cursor = hook_retries.cursor and event_cursors.event_type = any (hook_subscriptions.event_types)
    where hook_retries.cursor between 1 and below and not exists (
      select from hook_attempts
      where hook_attempts.no = hook_retries.no and hook_attempts.cursor = hook_retries.cursor and hook_attempts.outcome = 'd' offset 0)
    group by hook_retries.no
  ),
  lost as (
    select behind.no, behind.from_cursor, behind.events from behind
    union all
    select waiting.no, waiting.from_cursor, waiting.events from waiting
  )
  insert into hook_skips (no, from_cursor, to_cursor, reason, events)
  select lost.no, min(lost.from_cursor), below, 'expired', sum(lost.events)
  from lost
  where lost.events > 0
  group by lost.no
  on conflict (no, to_cursor) do update
    set from_cursor = least(hook_skips.from_cursor, excluded.from_cursor), events = hook_skips.events + excluded.events;
  update hook_positions
  set cursor = greatest(cursor, below), claimed_to = greatest(claimed_to, below), fence = fence + 1
  where deleted_at is null and (
    cursor < below
    or exists (select from hook_skips where hook_skips.no = hook_positions.no and hook_skips.catching_up and hook_skips.from_cursor = below));
  if found then
    perform pg_notify('hooks_changed', '');
  end if;
  delete from hook_retries where cursor between 1 and below;
  delete from hook_failures where cursor between 1 and below;
end
$function$;
COMMENT ON FUNCTION expire_hook_positions(below bigint) IS 'Called by prune_events: nothing waits for an event that is gone.';

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

CREATE FUNCTION follow_hook_types()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update hook_positions
  set fence = hook_positions.fence + 1, cursor = reached.cursor, claimed_to = greatest(hook_positions.claimed_to, reached.cursor)
  from (
    select before.no, case
      when count_events_at_most(old.event_types, before.cursor, 9223372036854775807, 1) = 0
        then greatest(before.cursor, (select feed_state.head from feed_state))
      else before.cursor end as cursor
    from hook_positions as before
    where before.subscription_id = new.id
    for update
  ) as reached
  where hook_positions.no = reached.no;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION follow_hook_types() FROM PUBLIC;

CREATE FUNCTION forget_deliveries(cursors bigint[], attempts hook_attempts[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  nos constant integer[] := array(select hook_positions.no from hook_positions);
  made hook_attempts;
begin
  insert into erased_events (cursor) select erased from unnest(cursors) as erased on conflict do nothing;
  foreach made in array attempts loop
    delete from hook_attempts
      where hook_attempts.no = made.no and hook_attempts.cursor = made.cursor and hook_attempts.started_at = made.started_at;
  end loop;
  delete from hook_retries where hook_retries.no = any (nos) and hook_retries.cursor = any (cursors);
  delete from hook_failures where hook_failures.no = any (nos) and hook_failures.cursor = any (cursors);
  perform pg_notify('events_erased', '');
end
$function$;
COMMENT ON FUNCTION forget_deliveries(cursors bigint[], attempts hook_attempts[]) IS 'Called by erase_kontakt: deliveries of these events go, and none of them is recorded later.';

CREATE FUNCTION forget_expired_answers(since timestamp with time zone, row_limit integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  expired record;
begin
  for expired in
    select answered.no, answered.cursor, answered.started_at
    from hook_positions
    cross join lateral (
      select hook_attempts.no, hook_attempts.cursor, hook_attempts.started_at
      from hook_attempts
      where hook_attempts.no = hook_positions.no and hook_attempts.cursor between 1 and (select feed.horizon from feed)
        and hook_attempts.started_at >= since and (hook_attempts.excerpt is not null or hook_attempts.headers is not null)
      offset 0
    ) as answered
    limit row_limit
  loop
    update hook_attempts set excerpt = null, headers = null
      where hook_attempts.no = expired.no and hook_attempts.cursor = expired.cursor and hook_attempts.started_at = expired.started_at;
  end loop;
end
$function$;
COMMENT ON FUNCTION forget_expired_answers(since timestamp with time zone, row_limit integer) IS 'Called by prune_attempts: of attempts since a moment to deliver events that have expired, answers go.';

CREATE FUNCTION forget_pause_reason()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.pause_reason := null;
  return new;
end
$function$;

CREATE FUNCTION income_lower(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN replace(replace(replace(lower((written COLLATE "C")), 'Ä'::text, 'ä'::text), 'Ö'::text, 'ö'::text), 'Ü'::text, 'ü'::text);
COMMENT ON FUNCTION income_lower(written text) IS 'A text in lower case, the same in every database.';

CREATE FUNCTION has_number_word(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((income_lower(value) ~~ ANY ('{%hundert%,%tausend%,%million%,%hundred%,%thousand%,%grand%,%zig%,%ßig%,%ssig%,%zehn%,%elf%,%zwölf%,%zwoelf%,%teen%,%ty%,%ein%,%zwei%,%zwo%,%drei%,%vier%,%fünf%,%fuenf%,%sechs%,%sieben%,%acht%,%neun%,%null%}'::text[])) AND (value ~* ('hundert|tausend|million|hundred|thousand|grand|(z|ß|ss)ig|zehn|(elf|zw(ö|oe)lf)\s?(€|eur)|(teen|ty)\s?(k|€|eur|usd|grand)|\m(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)([- ]?(komma )?(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null))+\M'::text COLLATE "C")));
COMMENT ON FUNCTION has_number_word(value text) IS 'Whether a text has an amount in words.';

CREATE FUNCTION is_exotic(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (value ~ '[^\u0001-\u00ac\u00ae-\u017f\u2010-\u2026\u20ac]'::text);
COMMENT ON FUNCTION is_exotic(value text) IS 'Whether a text has characters that may hide a word or a digit.';

CREATE FUNCTION income_plain(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_exotic(value) THEN translate(NORMALIZE(value, NFKC), (('٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙٬٫'::text || '′ʼ'::text) || '­​‌‍‎‏⁠﻿﷐﷑﷒︎️⃣'::text), '01234567890123456789012345678901234567890123456789''.'''''::text) ELSE value END;
COMMENT ON FUNCTION income_plain(value text) IS 'A text in one form of Unicode (NFKC), with ASCII digits and without invisible characters.';

CREATE FUNCTION has_amount(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((value ~ ('[0-9½¼¾]'::text COLLATE "C")) OR has_number_word(value) OR (is_exotic(value) AND (income_plain(value) ~ '[0-9]'::text)));
COMMENT ON FUNCTION has_amount(value text) IS 'Whether a text has a digit or a number in words.';

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

CREATE FUNCTION income_phrases()
 RETURNS TABLE(class text, kind text, signs text, pattern text, example text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT list.class,
     list.kind,
     list.signs,
     list.pattern,
     list.example
    FROM ( VALUES ('income'::text,'takes home'::text,'hause|heim|die hand'::text,('auf die hand|nach hause (bring|nimm|geh|komm|trag|hat|nehm)'::text || '|(bring|geht|gehe|komm|nimm|trag)[a-z]* .{0,40}(nach hause|\mheim\M)'::text),'Mein Mann bringt 31337 heim.'::text), ('income'::text,'earns a year'::text,'earn|make|made|making|get'::text,('\m(make|makes|making|made|earn|earns|earned|get|gets|getting) .{0,30}'::text || '((a|per|each|every) (year|month|week|hour)|annually|yearly|monthly|p\.a\.)'::text),'She makes 31,337 a year'::text), ('income'::text,'pay for a time'::text,'pay'::text,'(base|net|gross|annual|monthly|hourly|weekly|yearly|home)[- ]pay($|[^a-z])'::text,'base pay 31337'::text), ('income'::text,'receives a pension'::text,'rente'::text,((('(bezieh|bezog|bekomm|krieg|erhalt|ausgezahlt)[a-z]*( .*)? [a-z]*rente'::text || '|rente[ :,].*(bezieh|bezog|bekomm|krieg|erhalt|ausgezahlt)'::text) || '|(aktuelle|bezogene|laufende|staatliche|ausgezahlte|derzeitige)[rns]?[-_ ]renten?'::text) || '|rente[ :,(]+(laufend|lauft|in zahlung)'::text),'gesetzliche Rente, laufend: 31337'::text), ('income'::text,'is paid by an employer'::text,'bekom|krieg|zahlt|überw|ueberw|komm'::text,('(bekomm|krieg|zahlt)[a-z]* .*(\m(chef|firma|arbeit|arbeitgeber|betrieb|arbeitsamt|jobcenter)\M)'::text || '|(bekomm|krieg)[a-z]* .*\muberwiesen|komm[a-z]* .*\mkonto\M.*\m(chef|firma|arbeitgeber)\M'::text),'Ich krieg vom Chef 31337.'::text), ('income'::text,'is left after deductions'::text,'nach abz|nach st'::text,('nach (den |allen )?(abzug[a-z]*|steuern?) .*(bleib|ubrig|verfugung|raus)[a-z]*'::text || '|(bleib|ubrig|verfugung)[a-z]* .*nach (den |allen )?(abzug|steuer)'::text),'Nach Abzügen bleiben mir 31337.'::text), ('income'::text,'the rate of a freelancer'::text,'ensatz|essatz'::text,'(stundensatz|tagessatz)[a-z ]* (freelancer|freiberuf|selbst)'::text,'Stundensatz als Freelancer 95 €'::text), ('income'::text,'is paid by a company of his own'::text,'zahl|zieh|nehm|nimm|entn'::text,(('zahl(e|t|en)? (sich|mir|uns)\M.*\maus\M|\m(entnimmt|entnehme|entnehmen)\M'::text || '|(ziehe?|zieht|nehme?|nimmt) .{0,40}aus (der|dem|meiner|meinem|seiner|ihrer) '::text) || '(gmbh|firma|praxis|kanzlei|betrieb|unternehmen)'::text),'Er zahlt sich als Geschäftsführer 31337 aus.'::text), ('income'::text,'comes in'::text,'rein|raus'::text,((('(hab|habe|haben|hat|komm|kommt|kommen|krieg|bekomm|bring|hole?|mach)[a-z]* (.{0,60} )?'::text || '(rein|raus|herein|heraus)\M(?! ?(geh|muss|zahl)).{0,20}(monat|jahr|netto|$|[.!?])'::text) || '|(monat|jahr).{0,30}\m(rein|raus|herein|heraus)'::text) || '(kommt|bekomm[a-z]*)?(?! ?(geh|muss|zahl))($|[ .!?])'::text),'Ich hab so 31337 raus im Monat'::text), ('income'::text,'comes to by work'::text,'komm'::text,('(arbeit|halbtags|teilzeit|vollzeit|schicht|job|stunden).*\mkomm(e|t|en)? (wir |ich |sie |er )?'::text || '(so |ca\.? |etwa |ungefahr |rund )*auf\M'::text),'Sie arbeitet halbtags und kommt auf 31337.'::text), ('stays'::text,'a need'::text,'absicher|schutz|ausfall|verlust|wegfall|erhalt'::text,(('(absicherung|absichern|sicherung|schutz|ausfall|verlust|wegfall|erhalt) '::text || '(des|der|eines|ihres|seines|meines|deren|von|vom)( [a-z]+)? '::text) || '[a-z-]*(einkommens?|gehalts?|lohn(es|s)?|verdienste?s?)\M'::text),'Absicherung des Einkommens mit 1.500 Euro BU-Rente'::text), ('stays'::text,'a name'::text,'frau|herr|hr.|fr.|famil|dr.'::text,'\m(frau|herrn?|hr\.|fr\.|familie|dr\.) (lohn|gehalt|sold|pension|gewinn|honorar|netto)\M'::text,'Frau Lohn, Hausnummer 12, 50667 Köln'::text)) list(class, kind, signs, pattern, example);
END;
COMMENT ON FUNCTION income_phrases() IS 'Phrases that speak of an income, or only seem to, with an example of each.';

CREATE FUNCTION income_schema_names()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN 'betrag[-_ .]?monat[-_ .]?eur|brutto[-_ .]?jahr[-_ .]?eur|einkommen|einnahmen|mieteinnahmen[-_ .]?kalt[-_ .]?monat[-_ .]?eur|nebeneinkuenfte[-_ .]?monat[-_ .]?eur|netto[-_ .]?monat[-_ .]?eur|privatentnahme[-_ .]?monat[-_ .]?eur|rente[-_ .]?bezogen[-_ .]?monat[-_ .]?eur'::text;
COMMENT ON FUNCTION income_schema_names() IS 'Names of the flagged fields, as a pattern. Generated.';

CREATE FUNCTION income_pieces()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH pieces AS (
          SELECT DISTINCT replace(piece.piece, '+'::text, ' '::text) AS piece
            FROM string_to_table(((('personen eink einna eikom enkom gehä gehae gehal gehat gehl geahl lohn löhn loehn lonh bezug bezüg bezueg bezog bezie bekom verdi ferdi vedien verg hono gage wage netto neto brutto bruto salar salär salaer income earn revenu payr payc pays takeh stipen annual monthl yearl rgeld ngeld sgeld kgeld zgeld lgeld flegeg hartz ialhilf bafo bafö zuschu zuschl ntsch unterh entn tantie abfin gratif dividen aussch alimen alimon remuner profit turnov lertr sertr tertr rertr l_ertr s_ertr t_ertr r_ertr gewin umsa umsä berschu pension ruheg erhält erhaelt _erhalt kriegt ausgez ijob njob i-job n-job steuernd kirchens solida alabga gsbeitr ohnsteu ntgelt bonu boni fixum sonderz istungspr folgspr nachtspr beiterpr leichspr kaufspr heitspr haltspr ebspr umspr onspr onapr sbeteil zulag zuwend standshilf beihilf sachbez zahlbetr gratui severan allowan support benefit compens gsgeb diät diaet diat apanag sold rente soli alg zve net gross u00 jae '::text || ( SELECT string_agg(replace(replace(income_phrases.signs, ' '::text, '+'::text), '|'::text, ' '::text), ' '::text) AS string_agg
                    FROM income_phrases() income_phrases(class, kind, signs, pattern, example)
                   WHERE (income_phrases.class = 'income'::text))) || ' '::text) || ( SELECT string_agg(split_part(name.name, '['::text, 1), ' '::text) AS string_agg
                    FROM string_to_table(income_schema_names(), '|'::text) name(name))), ' '::text) piece(piece)
         )
  SELECT array_agg(pieces.piece) AS array_agg
    FROM pieces
   WHERE (NOT (EXISTS ( SELECT
            FROM pieces other
           WHERE ((other.piece <> pieces.piece) AND (POSITION((other.piece) IN (pieces.piece)) > 0)))));
END;
COMMENT ON FUNCTION income_pieces() IS 'Pieces of text of which whatever concerns an income has one, in lower case.';

CREATE FUNCTION income_look()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT string_agg(piece.piece, '|'::text) AS string_agg
    FROM unnest(income_pieces()) piece(piece);
END;
COMMENT ON FUNCTION income_look() IS 'The pieces as one pattern.';

CREATE FUNCTION income_piece_patterns()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg((('%'::text || piece.piece) || '%'::text)) AS array_agg
    FROM unnest(income_pieces()) piece(piece);
END;
COMMENT ON FUNCTION income_piece_patterns() IS 'The pieces as patterns for LIKE.';

CREATE FUNCTION has_income_piece(lowered text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (length(lowered) < 300) THEN (lowered ~~ ANY (income_piece_patterns())) ELSE (lowered ~ (income_look() COLLATE "C")) END;
COMMENT ON FUNCTION has_income_piece(lowered text) IS 'Whether a text in lower case may concern an income.';

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
  return (select count(*) < subscriptions_max from hook_subscriptions);
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

CREATE FUNCTION income_amounts()
 RETURNS TABLE(step integer, kind text, signs text, pattern text, replacement text, example text, cleaned text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT list.step,
     list.kind,
     list.signs,
     list.pattern,
     list.replacement,
     list.example,
     list.cleaned
    FROM ( VALUES (1,'a number with separators'::text,NULL::text,((('(\+|\m0)[0-9][-0-9 /()]{5,}[0-9]|(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?![0-9])'::text || '|[0-9]{1,2}(:[0-9]{2})+|[0-9](( |-| [.,] )[0-9]){2,}(?![0-9])'::text) || '|[0-9]{1,3}(([ .,''’‘´`·_\u00a0\u202f]|''''|&nbsp;|&thinsp;|[.] )[0-9]{3})+([.,][0-9]{1,2})?(?![0-9])'::text) || '|[0-9]+([.,][0-9]+)*(e[0-9]+)?|[0-9]+[kt][0-9]{1,3}(?![0-9a-zäöüß])|[0-9]*[½¼¾]'::text),'«\&»'::text,'3 2 0 0; 3''200; 48,500.00; 0171 3920001'::text,'¤; ¤; ¤; ¤'::text), (2,'a number without'::text,NULL::text,'[0-9]+(e[0-9]+|[kt][0-9]{1,3})?[½¼¾]?'::text,'«\&»'::text,'3200 3k2 1e3'::text,'¤ ¤ ¤'::text), (3,'a date or a time'::text,'-__-|:__|.__.|._.'::text,('«((19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]'::text || '|[0-3]?[0-9]\.[01]?[0-9]\.(19|20)?[0-9]{2}|[0-9]{1,2}(:[0-9]{2})+)»'::text),'\1'::text,'am 01.03.2026 um 15:30'::text,'am 01.03.2026 um 15:30'::text), (4,'a day and a month'::text,'.__».|._».|uhr'::text,'«([0-3]?[0-9]\.[01]?[0-9])»(\.)|«([0-2]?[0-9]\.[0-5][0-9])»(\s?uhr)'::text,'\1\2\3\4'::text,'bis 15.03. um 15.30 Uhr'::text,'bis 15.03. um 15.30 Uhr'::text), (5,'a range'::text,'-|–|—|bis|und| to '::text,'«([^»]*)»(,-+|,–)?({until})«([^»]*)»'::text,'«\1\3\5»'::text,'3.000 bis 4.000'::text,'¤'::text), (6,'a share'::text,'\%|rozent'::text,'«([^»]*)»(\s?(%|prozent))'::text,'\1\2'::text,'80 %, 100 Prozent'::text,'80 %, 100 Prozent'::text), (7,'a count'::text,'stunde|std| h|tag|woche|monate|monatsg|jahre|qm|m²|km|kind|person|mal'::text,('«([^»]*)»(\s?(-stunden|stunden|std|h|tagen?|wochen|monaten?|monatsgehältern?|jahren?|qm|m²|km|kinder'::text || '|personen|mal)\M)'::text),'\1\2'::text,'38,5 Stunden, 120 qm'::text,'38,5 Stunden, 120 qm'::text), (8,'with a currency before it'::text,'€|eur|chf|usd|$'::text,'({currency})\s?{n}(,-+|,–)?(\s?{unit})?(\s?{currency})?'::text,'¤'::text,'€3, EUR 3 Tsd.'::text,'¤, ¤'::text), (9,'with a unit or a currency after it'::text,'€|$|chf|»_e|»_k|»k|»_t|»t|»e|»_m|»m|»_h|»h|»_g|»g|»,|»_u|»u'::text,'{n}(,-+|,–)?\s?({unit}(\s?{currency})?|{currency})'::text,'¤'::text,'3,2k, 85 TEUR, 65 €, 3½ Tausend'::text,'¤, ¤, ¤, ¤'::text), (10,'a year'::text,'«19__»|«20__»'::text,(('(\m(seit|ab|in|anfang|mitte|ende|stand:?|jahre?|januar|februar|m(ä|ae)rz|april|mai|juni'::text || '|juli|august|september|oktober|november|dezember|bescheid|steuerbescheid)\s+)«((19|20)[0-9]{2})»'::text) || '(?!\s?(netto|brutto))'::text),'\1\4'::text,'seit 2019, Stand 2024'::text,'seit 2019, Stand 2024'::text), (11,'a postcode'::text,'«_____»'::text,'(«[0-9]{1,4}»\s?[a-z]?,?\s+|\mplz:?\s*)«([0-9]{5})»(?=\s+[a-zäöü]|$)'::text,'\1\2'::text,'Hausnummer 12, 50667 Köln'::text,'Hausnummer 12, 50667 Köln'::text), (12,'a large number'::text,'«'::text,('«([^»]*([0-9]{3}|[.,][0-9]{2}|[0-9][ -][0-9][ -][0-9]|[½¼¾]|[0-9][ekt][0-9])[^»]*'::text || '|[0-9]{1,2},[0-9])»(,-+|,–)?'::text),'¤'::text,'3200; 12,50; 2,6'::text,'¤; ¤; ¤'::text), (13,'a number before netto or brutto'::text,'»_netto|»_brutto|»netto|»brutto'::text,'«[^»]*»(?=\s?(netto|brutto)\M)'::text,'¤'::text,'65 brutto'::text,'¤ brutto'::text), (14,'a range of amounts'::text,'-|–|—|bis|und| to '::text,'(¤|{n})({until}¤)+'::text,'¤'::text,'3 € bis 4 €'::text,'¤'::text)) list(step, kind, signs, pattern, replacement, example, cleaned);
END;
COMMENT ON FUNCTION income_amounts() IS 'The steps in which amounts are found, with an example of each.';

CREATE FUNCTION income_pattern(pattern text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN translate(replace(replace(replace(replace(pattern, '{n}'::text, '«[^»]*»'::text), '{currency}'::text, '(€|euros?\M|eur\M|chf|usd|\$)'::text), '{unit}'::text, '(tsd\.?|tausend|teur|t€|k€|keur|mio\.?|mrd\.?|million(en)?|hundert|thousand|grand\M|k\M|t\M)'::text), '{until}'::text, '\s?(-|–|—|bis( zu)?|und|to)\s?'::text), '«»¤'::text, '﷐﷑﷒'::text);
COMMENT ON FUNCTION income_pattern(pattern text) IS 'A pattern with its names resolved.';

CREATE FUNCTION income_amount_steps()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg(ARRAY[income_pattern(income_amounts.pattern), income_pattern(income_amounts.replacement), (('%'::text || replace(income_pattern(income_amounts.signs), '|'::text, '%|%'::text)) || '%'::text)] ORDER BY income_amounts.step) AS array_agg
    FROM income_amounts() income_amounts(step, kind, signs, pattern, replacement, example, cleaned);
END;
COMMENT ON FUNCTION income_amount_steps() IS 'Of each step the pattern, what replaces it, and its signs as patterns for LIKE.';

CREATE FUNCTION income_answers(turns jsonb, hits text[])
 RETURNS boolean[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  answers boolean[] := '{}';
  said text;
  waiting integer := 0;
begin
  for said in select coalesce(income_turn(element), '') from jsonb_array_elements(turns) as element loop
    answers := answers || (waiting > 0 and position('?' in said) = 0);
    if position('?' in said) > 0 then
      waiting := case
        when is_hit(said, hits) and asks_for_income(said, hits) then 3
        when is_further_question(income_question(said) || '?') then waiting
        else 0
      end;
    elsif waiting > 0 then
      -- An answer that was cleaned before is one, so that a second time changes nothing. The speaker is no part of it.
      waiting := case
        when said = '' or position('[entfernt]' in said) > 0 or has_amount(without_speaker(said)) then 0
        else waiting - 1
      end;
    end if;
  end loop;
  return answers;
end
$function$;
COMMENT ON FUNCTION income_answers(turns jsonb, hits text[]) IS 'For each element of an array, whether it answers a question about an income.';

CREATE FUNCTION income_blanks()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN e' \u0009\n\u000d\u000c\u000b '::text;
COMMENT ON FUNCTION income_blanks() IS 'Characters that say nothing around a text.';

CREATE FUNCTION income_changes(given jsonb, columns text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits constant text[] := income_hits((select string_agg(given ->> name, e'\n') from unnest(columns) as name));
  named constant boolean := hits <> '{}' and 'kind' = any (columns)
    and coalesce(is_income_label(given ->> 'kind', hits), false);
begin
  if hits = '{}' then
    return '{}';
  end if;
  return (
    select coalesce(jsonb_object_agg(each.name, each.cleaned), '{}')
    from (
      select name,
        case when name = 'results' then keep_result_values(given -> name, document) else document end as cleaned
      from unnest(columns) as name
      cross join redact_income_document(given -> name,
        case when named and name in ('title', 'outcome') then 'named' else 'open' end::income_mode, 0, hits) as document
    ) as each
    where each.cleaned <> given -> each.name);
end
$function$;
COMMENT ON FUNCTION income_changes(given jsonb, columns text[]) IS 'Those of a row''s columns that hold raw income, with what is left of them.';

CREATE FUNCTION income_columns(head jsonb, hits text[], OUT places integer[], OUT names text[])
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if jsonb_typeof(head) = 'array' then
    select array_agg(element.place::integer - 1) into places
    from jsonb_array_elements(head) with ordinality as element (value, place)
    where case jsonb_typeof(element.value)
        when 'string' then is_income_heading(element.value, hits)
        when 'object' then is_hit(element.value::text, hits) and names_an_income(element.value, hits)
          and not jsonb_path_exists(element.value, '$.* ? (@.type() == "object" || @.type() == "array")')
        else false
      end;
    select array_agg(member.value) into names
    from unnest(places) as place, jsonb_each_text(
      case when jsonb_typeof(head -> place) = 'object' then head -> place else '{}' end) as member
    where length(member.value) between 1 and 60;
  else
    select array_agg(member.key) into names
    from jsonb_each(head) as member
    where is_income_heading(member.value, hits) and income_key(member.key) <> all (income_siblings())
      and income_key(member.key) not in ('name', 'text', 'notiz', 'status');
  end if;
end
$function$;
COMMENT ON FUNCTION income_columns(head jsonb, hits text[], OUT places integer[], OUT names text[]) IS 'The columns of a table that are incomes, by the table''s head.';

CREATE FUNCTION income_fold(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((translate(income_plain(value), 'äöüÄÖÜßéèêáàâ'::text, 'aouaouseeeaaa'::text) COLLATE "C"));
COMMENT ON FUNCTION income_fold(value text) IS 'A text in lower case, with umlauts as a, o, u.';

CREATE FUNCTION income_form(folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(folded, 'ttoe'::text, 'to-e'::text), 'ae'::text, 'a'::text), 'oe'::text, 'o'::text), 'ue'::text, 'u'::text), 'to-e'::text, 'toe'::text), 'ss'::text, 's'::text), 'tt'::text, 't'::text), 'mm'::text, 'm'::text), 'nn'::text, 'n'::text), 'll'::text, 'l'::text), 'ieh'::text, 'ie'::text);
COMMENT ON FUNCTION income_form(folded text) IS 'The form in which the words of a folded text are looked up.';

CREATE FUNCTION income_head(word text, OUT class text, OUT size integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  ending constant integer := length(word) - length(rtrim(word, 'ensr'));
begin
  for span in reverse least(length(word), 28) .. 3 loop
    class := income_lexicon() ->> ('form ' || right(word, span));
    if class is null and span - ending >= 4 then
      class := income_lexicon() ->> ('head ' || left(right(word, span), span - ending));
    end if;
    if class is not null then
      size := span;
      return;
    end if;
  end loop;
end
$function$;
COMMENT ON FUNCTION income_head(word text, OUT class text, OUT size integer) IS 'The class and the length of the last part of a word that is listed.';

CREATE FUNCTION income_hits(written text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  exotic constant boolean := is_exotic(written);
  lowered constant text := income_lower(case when exotic then income_plain(written) else written end);
begin
  if not has_income_piece(lowered) then
    return '{}';
  end if;
  return array(
    select '' where exotic
    union all
    select '%' || piece || '%' from unnest(income_pieces()) as piece where position(piece in lowered) > 0);
end
$function$;
COMMENT ON FUNCTION income_hits(written text) IS 'The pieces that a document has, as patterns for LIKE; none where nothing need be removed.';

CREATE FUNCTION income_key(key text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN translate(income_fold(key), '_- ./:[]()0123456789'::text, ''::text);
COMMENT ON FUNCTION income_key(key text) IS 'A member''s name without what is no letter.';

CREATE FUNCTION income_key_mode(key text, mode income_mode, hits text[])
 RETURNS income_mode
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  parts text[];
  known jsonb := income_schema();
begin
  if key = translate(key, '[]./', '') and position('__' in key) = 0 then
    return case when is_hit('"' || key || '"', hits) and is_income_name(key) then 'income' else mode end;
  end if;
  parts := array(
    select part from string_to_table(translate(replace(key, '__', '.'), '[]/:>', '.....'), '.') as part
    where translate(part, '0123456789*$', '') <> '');
  for position in 1 .. cardinality(parts) loop
    known := case when jsonb_typeof(known) = 'object' then known -> parts[position] end;
    if known = '"x"' then
      return 'income';
    end if;
  end loop;
  if known is null and is_hit(key, hits) and exists (
      select from unnest(parts) as part where is_income_name(part)) then
    return 'income';
  end if;
  return case when 'personen' = any (parts) and (known is null or jsonb_typeof(known) = 'object')
    then greatest(mode, 'zone') else mode end;
end
$function$;
COMMENT ON FUNCTION income_key_mode(key text, mode income_mode, hits text[]) IS 'The mode in which an unpublished member is redacted, by its name.';

CREATE FUNCTION income_words()
 RETURNS TABLE(place text, class text, example text, words text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT list.place,
     list.class,
     list.example,
     list.words
    FROM ( VALUES ('head'::text,'income'::text,'grundgehalt'::text,'einkommen einkunft einkünfte einnahme gehalt gehälter lohn löhne besoldung wehrsold ehrensold grundsold bezüge verdienst entgelt salär salary salaries income earning revenue payroll paycheck payslip remuneration stipend stipendium stipendien honorarium monatsgage jahresgage eink'::text), ('head'::text,'income'::text,'weihnachtsgeld'::text,'kindergeld elterngeld mutterschaftsgeld kurzarbeitergeld krankengeld arbeitslosengeld bürgergeld wohngeld pflegegeld weihnachtsgeld urlaubsgeld trinkgeld taschengeld übergangsgeld insolvenzgeld sitzungsgeld verletztengeld blindengeld betreuungsgeld ruhegeld übergangsgebührnisse urlaubsgelder weihnachtsgelder trinkgelder sitzungsgelder sozialhilfe bafög gründungszuschuss aufwandsentschädigung kinderzuschlag unterhalt alimente honorar vergütung privatentnahme tantieme abfindung gratifikation dividende ausschüttung'::text), ('head'::text,'income'::text,'mietertrag'::text,'kapitalertrag kapitalerträge zinsertrag zinserträge mietertrag mieterträge pachtertrag pachterträge wertpapierertrag wertpapiererträge gewinn umsatz umsätze jahresüberschuss pension witwenrente witwerrente waisenrente nettorente bruttorente zusatzrente minijob midijob nebenjob zuversteuerndes lohnsteuer einkommensteuer einkommenssteuer kirchensteuer solidaritätszuschlag sozialabgabe sozialversicherungsbeitrag sozialversicherungsbeiträge'::text), ('head'::text,'income'::text,'jahresbonus'::text,'bonus boni fixum sonderzahlung leistungsprämie erfolgsprämie weihnachtsprämie mitarbeiterprämie ausgleichsprämie gehaltsprämie verkaufsprämie anwesenheitsprämie erfolgsbeteiligung entlohnung schichtzuschlag nachtzuschlag feiertagszuschlag sonntagszuschlag familienzuschlag ortszuschlag überstundenzuschlag diäten apanage rentenbezug rentenbezüge alimony takehome profit turnover dividend bonuses zulage witwengeld waisengeld sozialgeld karenzgeld ausbildungsgeld familienbeihilfe notstandshilfe sonderzuwendung jubiläumszuwendung rentenzahlbetrag versorgungsbezug sachbezug lohnersatzleistung gewinnentnahme eigenentnahme einnahmenüberschuss abschlussbonus sozialversicherungsbrutto steuerbrutto svbrutto umsatzprämie vertriebsprämie jubiläumsprämie inflationsprämie coronaprämie gratuity unemploymentbenefit childbenefit childallowance housingallowance housingbenefit totalcompensation annualcompensation employeecompensation severance childsupport dividendenertrag dividendenerträge'::text), ('head'::text,'claim'::text,'altersrente_aktuell'::text,'rente altersrente betriebsrente erwerbsminderungsrente'::text), ('head'::text,'open'::text,'gehaltshoehe'::text,'höhe betrag summe wert klasse band spanne niveau historie verlauf entwicklung situation verhältnis verhältnisse nachweis angabe bescheinigung abrechnung mitteilung erhöhung steigerung anpassung zahlung auszahlung eingang zufluss bestandteil komponente aufstellung übersicht jahr monat woche stunde monatlich jährlich vorjahr euro gesamt liste feld information profil durchschnitt mittelwert schätzung struktur range amount value level history statement eintrag position bescheid gespräch streifen tüte verhandlung zettel vorschuss plus'::text), ('head'::text,'measure'::text,'monatsnetto'::text,'netto brutto'::text), ('head'::text,'priced'::text,'nettobeitrag'::text,'beitrag beiträge prämie premium sparrate rate tarif police prämienzahlung einzahlung zuzahlung monatsbeitrag pflichtbeitrag arbeitgeberanteil arbeitnehmeranteil contribution product produkt sozialprodukt inlandsprodukt wertschöpfung'::text), ('head'::text,'priced'::text,'nettokaltmiete'::text,'preis kosten gebühr gebühren courtage provision rechnung faktura angebot reparatur schaden schäden miete kaltmiete warmmiete pacht leasing umlage ausgabe aufwand aufwendung honorarrechnung kaufpreis anschaffung price cost fee premium invoice charge discount rabatt skonto umsatzsteuer mehrwertsteuer payment'::text), ('head'::text,'priced'::text,'bruttorendite'::text,'rendite verzinsung zins zinsen rückkauf ablauf ablaufleistung dividendenrendite yield'::text), ('head'::text,'priced'::text,'nettodeckung'::text,'deckung deckungssumme leistung versicherung versicherungssumme erstattung entschädigung selbstbeteiligung selbstbehalt absicherung coverage cover deductible'::text), ('head'::text,'priced'::text,'nettovermoegen'::text,'vermögen guthaben sachwert inventar inventarwert gebäudewert fahrzeugwert zeitwert depot darlehen kredit hypothek restschuld mortgage loan asset debt verkehrswert neuwert wiederbeschaffung versicherungswert abschreibung warenwert lagerwert'::text), ('head'::text,'priced'::text,'einkommensluecke'::text,'fläche wohnfläche nutzfläche grundfläche gewicht volumen tonnage energie kalorien registertonne weight area volume floor rauminhalt prozent quote anteil faktor ratio percent bedarf lücke wunsch gap need'::text), ('head'::text,'stays'::text,'einkommensausfall'::text,'bedürfnis sicherung schutz ausfall verlust fortzahlung umwandlung verzicht vorstellung prognose grenze obergrenze untergrenze limit freigrenze freibetrag freibeträge pfändung pfändungsgrenze minimum wunschrente anspruch ansprüche anwartschaft vorsorge einbuße minderung risiko hürde shortfall'::text), ('head'::text,'stays'::text,'unterhaltspflicht'::text,'unterhaltszahlung unterhaltspflicht unterhaltsverpflichtung unterhaltsleistung unterhaltsschuld unterhaltskosten verpflichtung pflicht schulden lebensunterhalt konto konten girokonto sparplan'::text), ('head'::text,'stays'::text,'krankentagegeld'::text,'tagegeld krankentagegeld krankenhaustagegeld pflegetagegeld pflegemonatsgeld sterbegeld verdienstausfall ausfallgeld ersatz versicherte versicherter versichert schutzbrief baustein paket berufsunfähigkeitsrente unfallrente pflegerente hinterbliebenenrente leibrente wunschrente garantierente mindestrente zielrente rentenfaktor grundfähigkeitsrente riesterrente rüruprente basisrente privatrente burente'::text), ('head'::text,'stays'::text,'treuebonus'::text,'schadenfreiheitsbonus treuebonus neukundenbonus wechselbonus tarifbonus kassenbonus vorsorgebonus gesundheitsbonus rabattbonus sofortbonus bonusprogramm beitragsbonus schlussbonus schlussgewinn überschussbonus zinsbonus willkommensbonus cashback bonusmalus bonuspunkt bonusheft bonussystem gewinnbeteiligung gewinnanteil überschussbeteiligung gewinnverwendung gewinnspiel gewinnchance gewinnwarnung gewinnzahl hauptgewinn lottogewinn kursgewinn buchgewinn kontogewinn zugewinn raumgewinn zeitgewinn informationsgewinn erkenntnisgewinn punktgewinn kundengewinn flächengewinn bonusklasse bonusstufe'::text), ('head'::text,'stays'::text,'gehaltsempfaenger'::text,'empfänger bezieher nehmer geber arbeitnehmer arbeitgeber millionär buchhalter buchhaltung buchhalterin büro stelle pensionär soldat referent berater beraterin anwalt arzt ärztin kanzlei handwerker verein gesellschaft unternehmen abteilung berechtigte berechtigter partei mensch gruppe träger inhaber rechner steuerberater steuerhilfeverein steuerhilfe pflichtiger schuldner gläubiger pfleger'::text), ('head'::text,'stays'::text,'gehaltsantrag'::text,'erklärung formular antrag vertrag verträge vereinbarung vertragswerk ordnung verordnung gesetz tarifvertrag unterlage dokument ordner brief schreiben ausdruck kopie akte datei fragebogen beleg quittung beratung analyse check vergleich test frage thema titel wort text name bezeichnung kategorie kennzeichen nummer nr kennung code schlüssel schlüsselnummer link url reference tabelle'::text), ('head'::text,'stays'::text,'gehaltsstufe'::text,'tag datum termin zeitpunkt beginn ende eintritt alter lebensalter altersgrenze frist stufe gruppe status stand art typ form modus regelung steuerklasse zeitraum periode turnus fälligkeit zyklus anzahl zahl häufigkeit index punkt punkte score note version satz ziel zeit dauer schuld bestand zuwachs point day days bracket cap date count id number type class'::text), ('head'::text,'stays'::text,'lohnbuero_kasse'::text,'orden kreuz medaille automat hof straße allee weg platz haus gebäude halle wagen waage maschine anlage gerät kasse kassen fonds stock stiftung börse raum zimmer etage system software portal modul programm app seite reiter spalte steuer grundsteuer umsatzsteuervoranmeldung kfzsteuer spielautomat schein zeichen marke preisgeld adel dienst zuschuss zuschlag kapital erlös ertrag reichweite berechnung prüfung statistik planung optimierung sicherheit stabilität schwankung einstufung erfassung hinweis verwendung abtretung schere ungleichheit politik tax protection replacement continuation fund margin pot'::text), ('head'::text,'stays'::text,'mindestlohn'::text,'belohnung mindestlohn mindesteinkommen mindestgehalt vollmacht iserlohn heilbronn kobold leopold soldatenzahl engagement baggage luggage language sausage elearning learning unterhaltung unterhaltungselektronik gewähr alkoholgehalt wassergehalt zuckergehalt fettgehalt salzgehalt feuchtigkeitsgehalt sauerstoffgehalt goldgehalt silbergehalt eiweißgehalt nährstoffgehalt wahrheitsgehalt informationsgehalt energiegehalt koffeingehalt nikotingehalt schadstoffgehalt säuregehalt kalkgehalt medikamenteneinnahme tabletteneinnahme arzneimitteleinnahme arzneieinnahme pilleneinnahme nahrungseinnahme verdauung stromverbrauch pensionskasse pensionsfonds pensionierung pensionsalter pensionszusage pensionsrückstellung pensionspferd pferdepension tierpension hundepension frühstückspension halbpension vollpension familienpension referenz konferenz transparenz nutzungsentgelt kontoführungsentgelt verwahrentgelt bankentgelt entgeltgruppe entgeltumwandlung überziehungsentgelt heimentgelt bettbezüge kissenbezüge sitzbezüge polsterbezüge stoffbezüge querbezüge wagenumsatz aktienumsatz handelsumsatz energieumsatz grundumsatz lagerumsatz kalorienumsatz'::text), ('head'::text,'stays'::text,'riesterzulage'::text,'riesterzulage kinderzulage altersvorsorgezulage grundzulage sparzulage forschungszulage investitionszulage eigenheimzulage'::text), ('form'::text,'stays'::text,'einnahmezeit'::text,'gehalten gehaltene gehaltenen gehaltener lohnen lohnt lohnte lohnend lohnende gewinnen gewinnt gewann bezüglich unterhalten unterhaltsam unterhaltend einnahmezeit einnahmezeiten abhängig abhängige abhängigen abhängiger abhängiges stark starke starken schwach schwache schwachen arm unabhängig unabhängige orientiert orientierte bezogen pensioniert pensionierte honoriert gestaffelt gerecht wirksam wirksame wirksamen frei freie freien los verdiener verdieners verdienern verdienerin gewinner gewinners gewinnern gewinnung gewinnungen unterhalter unterhalters mieter mietern bezüger bezügern rang rangs pensioner pensioners'::text), ('form'::text,'priced'::text,'miete_kostet'::text,'rent rents kostet kostete kosteten gekostet'::text), ('form'::text,'open'::text,'gehaltsbezug'::text,'bezug bezugs bezuges'::text), ('form'::text,'income'::text,'monatsverdient'::text,'verdienen verdient verdiene verdiente verdienten verdienend besoldet entlohnt'::text), ('form'::text,'income'::text,'eikommen'::text,'eikommen enkommen einkommn verdint verdihnt vedient ferdient gehlt geahlt gehatl lonh'::text), ('word'::text,'income'::text,'jae'::text,'sold gage gagen wage wages alg alg1 algi algii alg2 zve soli hartz hartz4 hartziv earn earns earned jae'::text), ('word'::text,'measure'::text,'net'::text,'netto brutto net gross'::text), ('word'::text,'neutral'::text,'gehalt_partner'::text,'eur euro euros chf usd tsd teur cent monat monate monats monatlich monatliche monatlicher monatliches monatlichen mtl jahr jahre jahres jährlich jährliche jährliches jährlicher jährlichen pa woche wochen wöchentlich stunde stunden stündlich täglich month months monthly year years yearly annual annually week weekly hour hourly daily current currently total gesamt gesamtes gesamte aktuell aktuelle aktuelles aktueller derzeit derzeitig derzeitige heute jetzt neu neue neues alt altes alte vorjahr vorjahres laufendes laufend laufende letztes letzter letzte last letzt vorletzt kunde kunden kundin partner partners partnerin person personen persönlich persönliches mann ehemann ehefrau frau ehegatte ehegatten ehepartner kind kinder haushalt haushalts hh familie familien mutter vater eltern client customer spouse household person1 person2 p k v vn vp der die das des dem den und oder the and or my mein meine sein ihr sonstige sonstiges sonstiger weitere weiteres andere other eigene eigenes eigener own circa ca geschätzt geschätztes angegeben angegebenes durchschnittlich durchschnittliches regelmäßig regelmäßiges fest festes fixes variabel variabler variables monatl jährl rund etwa hauptverdiener hauptverdienerin alleinverdiener alleinverdienerin zweitverdiener zweitverdienerin mitarbeiter mitarbeiterin arbeitnehmer arbeitnehmerin antragsteller antragstellerin versicherungsnehmer versicherungsnehmerin'::text), ('word'::text,'preposition'::text,'prozent_vom_netto'::text,'aus von vom vor nach zum zur für for of from per pro als durch bei beim im in am ab seit bis ohne inkl abzgl exkl zzgl mit auf an über unter trotz'::text), ('word'::text,'stops'::text,'ziel_gehalt'::text,'anzahl zahl prozent ziel wunsch gewünscht gewünschte gewünschtes benötigt benötigte benötigtes bedarf soll fiktiv fiktives mindest minimum versichert versicherte versichertes garantiert garantierte prognostiziert prognostizierte prognose kalkuliert geplant geplantes künftig künftige künftiges erwartet erwartetes desired target required expected insured minimal age zulage zulagen worth'::text), ('word'::text,'claim'::text,'net_pay'::text,'pay'::text), ('received'::text,'received'::text,'aktuelle_rente'::text,'aktuell aktuelle aktueller bezogen bezogene laufend laufende erhalten erhaltene ausgezahlt ausgezahlte staatlich staatliche derzeit derzeitige heutige gegenwärtige empfangen empfangene received current überwiesen überwiesene netto brutto net gross base takehome annual monthly yearly weekly hourly overtime severance holiday sick'::text), ('beginning'::text,'stays'::text,'wunschgehalt'::text,'anzahl prozent ziel wunsch gewünscht benötigt mindest versichert garantiert geplant'::text), ('part'::text,'income'::text,'gehaltsxyz'::text,'einkommen einkünfte einkunft gehalts besoldung salary income'::text)) list(place, class, example, words);
END;
COMMENT ON FUNCTION income_words() IS 'The words that the rule knows, with their classes and an example of each.';

CREATE FUNCTION income_lexicon()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH each AS (
          SELECT income_words.place,
             income_words.class,
             income_form(income_fold(word.word)) AS form
            FROM income_words() income_words(place, class, example, words),
             LATERAL string_to_table(income_words.words, ' '::text) word(word)
         ), stems AS (
          SELECT each.class,
             each.form,
             rtrim(each.form, 'ensr'::text) AS stem
            FROM each
           WHERE (each.place = 'head'::text)
         ), keys AS (
          SELECT ((each.place || ' '::text) || each.form) AS key,
             each.class,
             1 AS rank
            FROM each
           WHERE (each.place = ANY (ARRAY['form'::text, 'word'::text]))
         UNION ALL
          SELECT ('head '::text || stems.stem),
             stems.class,
             1
            FROM stems
           WHERE (length(stems.stem) >= 4)
         UNION ALL
          SELECT (('form '::text || stems.form) || ending.ending),
             stems.class,
             2
            FROM stems,
             unnest('{"",s,es,e,en,n}'::text[]) ending(ending)
           WHERE (length(stems.stem) < 4)
         )
  SELECT jsonb_object_agg(first.key, first.class) AS jsonb_object_agg
    FROM ( SELECT DISTINCT ON (keys.key) keys.key,
             keys.class
            FROM keys
           ORDER BY keys.key, keys.rank, keys.class) first;
END;
COMMENT ON FUNCTION income_lexicon() IS 'The class of each word of income_words, by where it stands.';

CREATE FUNCTION income_measure(words text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  word text;
  class text;
  measured boolean := false;
begin
  foreach word in array words loop
    continue when word = '';
    class := coalesce(income_lexicon() ->> ('word ' || word), (income_head(word)).class);
    if class = 'priced' then
      return false;
    end if;
    measured := measured or class = 'measure'
      or (position('neto' in word) > 0 or position('bruto' in word) > 0) and income_word_class(word) = 'measure';
  end loop;
  return measured;
end
$function$;
COMMENT ON FUNCTION income_measure(words text[]) IS 'Whether netto or brutto stands for an income in these words.';

CREATE FUNCTION income_member_mode(key text, value jsonb, known jsonb, mode income_mode, named boolean, hits text[])
 RETURNS income_mode
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  object constant boolean := jsonb_typeof(value) = 'object';
begin
  if key = 'sollwert' and object and mode < 'income' then
    return mode;
  end if;
  mode := case when named then 'named' else mode end;
  if known = '"b"' and jsonb_typeof(value) <> 'boolean' then
    return greatest(mode, income_key_mode(key, mode, hits));
  elsif known = '"x"' or mode = 'income' then
    return 'income';
  elsif named and income_key(key) ~ ('^(wert|betrag|summe|value|amount|hohe|hoehe|monat|jahr|jaehr|min|max|von|bis'
      '|antwort|answer|angabe|eur|brutto|netto|zahl|base|basis|fix|haupt|a$)') then
    return 'income';
  elsif key = 'istwert' and object and mode in ('open', 'zone') and is_income_istwert(value, hits) then
    return 'named';
  elsif object and jsonb_typeof(known) is distinct from 'object' and pg_column_size(value) < 2000
    and is_hit(key || value, hits) and is_paid(key, value) then
    return 'income';
  elsif known is null then
    mode := income_key_mode(key, mode, hits);
  end if;
  return case when key = 'personen' then greatest(mode, 'zone') else mode end;
end
$function$;
COMMENT ON FUNCTION income_member_mode(key text, value jsonb, known jsonb, mode income_mode, named boolean, hits text[]) IS 'The mode in which a member is redacted.';

CREATE FUNCTION income_name_class(form text, joined text, words integer, last text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  class text := case when words > 1 then income_word_class(joined) else last end;
  decided constant text := case when class in ('income', 'priced', 'stays', 'claim') then class else last end;
begin
  if decided is not null and decided <> 'bound' then
    return decided;
  end if;
  class := income_word_class(regexp_replace(form, '[^a-z]+', '', 'g'));
  return case
    when class in ('income', 'priced', 'stays') and form !~ '[^a-z](aus|von|vom|vor|of|from|pro|per)[^a-z]' collate "C"
      then class
    else decided
  end;
end
$function$;
COMMENT ON FUNCTION income_name_class(form text, joined text, words integer, last text) IS 'The class of the last word of a name, or of all its words together.';

CREATE FUNCTION income_name_words(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (lower(name) = ANY (ARRAY[name, upper(name)])) THEN name ELSE regexp_replace(income_plain(name), '([a-zäöüß0-9])([A-ZÄÖÜ])'::text, '\1 \2'::text, 'g'::text) END;
COMMENT ON FUNCTION income_name_words(name text) IS 'A name with a blank before each word.';

CREATE FUNCTION income_number_words()
 RETURNS TABLE(kind text, pattern text, example text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH words(ones, cipher) AS (
          VALUES (((('(ein|eine|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(ö|oe)lf'::text || '|[a-zäöüß]*zig|[a-zäöüß]*(ß|ss)ig'::text) || '|[a-zäöüß]*zehn|[a-z]*halb|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]*teen'::text) || '|(twen|thir|for|fif|six|seven|eigh|nine)ty)'::text),'(eins?|zwei|zwo|drei|vier|f(ü|ue)nf|sechs|sieben|acht|neun|null)'::text)
         )
  SELECT list.kind,
     list.pattern,
     list.example
    FROM words,
     LATERAL ( VALUES ('thousands'::text,(((((('(('::text || words.ones) || '|komma|point|{n})[- ])*'::text) || '[a-zäöüß]*(hundert|tausend|million(en)?|thousand|hundred|grand\M)[a-zäöüß]*'::text) || '([- ](und[- ]|and[- ])?'::text) || words.ones) || '(?![a-zäöüß]))?(\s?{currency})?'::text),'dreitausendzweihundert Euro'::text), ('with a currency'::text,(((('('::text || words.ones) || '[- ])?'::text) || words.ones) || '\s?({currency}|k\M)'::text),'fünfzig Euro'::text), ('ciphers'::text,(((('\m'::text || words.cipher) || '([- ]?(komma )?'::text) || words.cipher) || ')+\M'::text),'drei zwo'::text)) list(kind, pattern, example);
END;
COMMENT ON FUNCTION income_number_words() IS 'Amounts in words, with an example of each.';

CREATE FUNCTION income_number_word_pattern()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT income_pattern(string_agg(income_number_words.pattern, '|'::text)) AS income_pattern
    FROM income_number_words() income_number_words(kind, pattern, example);
END;
COMMENT ON FUNCTION income_number_word_pattern() IS 'Amounts in words as one pattern.';

CREATE FUNCTION income_word_list(place text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg(income_form(income_fold(word.word))) AS array_agg
    FROM income_words() list(place, class, example, words),
     LATERAL string_to_table(list.words, ' '::text) word(word)
   WHERE (list.place = income_word_list.place);
END;
COMMENT ON FUNCTION income_word_list(place text) IS 'The words of one place.';

CREATE FUNCTION income_patterns(place text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg(((
         CASE
             WHEN (income_patterns.place = 'part'::text) THEN '%'::text
             ELSE ''::text
         END || word.word) || '%'::text)) AS array_agg
    FROM unnest(income_word_list(income_patterns.place)) word(word);
END;
COMMENT ON FUNCTION income_patterns(place text) IS 'The words of one place as patterns for LIKE.';

CREATE FUNCTION income_phrase_steps(class text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg(ARRAY[sign.sign,
         CASE
             WHEN (income_phrase_steps.class = 'income'::text) THEN income_form(list.pattern)
             ELSE list.pattern
         END]) AS array_agg
    FROM income_phrases() list(class, kind, signs, pattern, example),
     LATERAL string_to_table(list.signs, '|'::text) sign(sign)
   WHERE (list.class = income_phrase_steps.class);
END;
COMMENT ON FUNCTION income_phrase_steps(class text) IS 'Each sign of the phrases of a class, with the phrase''s pattern.';

CREATE FUNCTION income_schema_core()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{"meta": {"version": "s", "erstellt_am": "s"}, "kunde": {"name": "s", "alter": "n", "adresse": {"ort": "s", "plz": "s", "land": "s", "strasse": "s"}, "kontakt": {"email": "s", "telefon": "s"}, "geburtsdatum": "s"}, "results": {"kind": "s", "label": "s", "level": "s", "score": "n", "value": "s", "status": "s", "field_key": "s", "rationale": "s", "output_type": "s", "generated_at": "s", "recommendation": "s"}, "haushalt": {"tiere": {"art": "s", "anzahl": "n"}, "ziele": {"zieljahr": "n", "bezeichnung": "s", "zielbetrag_eur": "n"}, "personen": {"name": "s", "alter": "n", "beruf": "s", "rolle": "s", "raucher": "b", "einkommen": "x", "kv_status": "s", "geburtsdatum": "s", "taetigkeitsstatus": "s", "wirtschaftlich_abhaengig": "b", "eigenes_einkommen_vorhanden": "b"}, "einnahmen": "x", "fahrzeuge": {"art": "s", "anzahl": "n"}, "vermoegen": {"art": "s", "wert_eur": "n"}, "immobilien": {"nutzung": "s", "wert_eur": "n", "mieteinnahmen_kalt_monat_eur": "x"}, "kinder_anzahl": "n", "wohnsituation": {"baujahr": "n", "wohnstatus": "s", "gebaeudeart": "s", "wohnflaeche_qm": "n", "oeltank_vorhanden": "b", "photovoltaik_vorhanden": "b"}, "beziehungsstatus": "s", "haushaltsgroesse": "n", "verbindlichkeiten": {"art": "s", "rate_monat_eur": "n", "restschuld_eur": "n", "zinsbindung_bis": "s"}}, "produkte": {"kfz": {"hsn": "s", "tsn": "s", "deckung": "s", "km_jahr": "n", "fahrerkreis": "s", "fahrzeugart": "s", "erstzulassung": "s", "werkstattbindung": "b", "sf_klasse_vollkasko": "s", "sf_klasse_haftpflicht": "s", "selbstbeteiligung_tk_eur": "n", "selbstbeteiligung_vk_eur": "n"}, "pflege": {"art": "s", "dynamik_prozent": "n", "vorerkrankungen": "b", "leistung_pg_1_eur": "n", "leistung_pg_2_eur": "n", "leistung_pg_3_eur": "n", "leistung_pg_4_eur": "n", "leistung_pg_5_eur": "n"}, "unfall": {"gliedertaxe": "s", "personenkreis": "s", "todesfall_eur": "n", "grundsumme_eur": "n", "progression_prozent": "n", "vollinvaliditaet_eur": "n"}, "hausrat": {"glas": "b", "elementar": "b", "wohnflaeche_qm": "n", "summe_je_qm_eur": "n", "fahrraddiebstahl_eur": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b"}, "risikoleben": {"anlass": "s", "raucher": "b", "verlauf": "s", "endalter": "n", "ueberkreuz": "b", "bezugsberechtigt": "s", "todesfallsumme_eur": "n"}, "rechtsschutz": {"bausteine": "s", "wartezeit_monate": "n", "laufende_streitigkeit": "b", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n"}, "wohngebaeude": {"baujahr": "n", "gefahren": "s", "elementar_zone": "n", "wert_1914_mark": "n", "wohnflaeche_qm": "n", "selbstbeteiligung_eur": "n", "versicherungssumme_eur": "n", "unterversicherungsverzicht": "b", "grobe_fahrlaessigkeit_verzicht": "b"}, "altersvorsorge": {"bav_vorhanden": "b", "risikoneigung": "s", "wunschrente_eur": "n", "riester_vorhanden": "b", "rentenbeginn_alter": "n", "sparrate_monat_eur": "n", "schicht_1_rente_eur": "n", "schicht_2_rente_eur": "n", "schicht_3_rente_eur": "n", "basisrente_vorhanden": "b", "renteninformation_stand": "s", "gesetzliche_rente_prognose_eur": "n"}, "privathaftpflicht": {"tarifkreis": "s", "mietsachschaeden": "b", "deckungssumme_eur": "n", "forderungsausfall": "b", "schluesselverlust": "b", "selbstbeteiligung_eur": "n", "deliktunfaehige_kinder": "b", "gefaelligkeitsschaeden": "b"}, "berufsunfaehigkeit": {"endalter": "n", "au_klausel": "b", "karenz_monate": "n", "risikozuschlag": "b", "dynamik_prozent": "n", "rente_monat_eur": "n", "vorerkrankungen": "b", "nachversicherung": "b", "personalverantwortung": "b", "abstrakte_verweisung_verzicht": "b", "beruf_taetigkeitsanteil_buero_prozent": "n"}, "krankenversicherung": {"kasse": "s", "system": "s", "chefarzt": "b", "vorerkrankungen": "b", "selbstbehalt_eur": "n", "beihilfesatz_prozent": "n", "krankentagegeld_ab_tag": "n", "krankentagegeld_eur_tag": "n", "zahn_erstattung_prozent": "n", "stationaer_unterbringung": "s"}}, "din_check": {"bewertung": {"zeilen": {"name": "s", "rang": "s", "status": "s", "istwert": {"quellen": {"typ": "s", "pfad": "s", "wert_eur": "n", "bezeichnung": "s"}, "wert_eur": "n", "beschreibung": "s"}, "relevant": "b", "sollwert": {"typ": "s", "einheit": "s", "wert_eur": "n", "beschreibung": "s"}, "in_analyse": "b", "bedarfsstufe": "n", "relevanz_quelle": "s"}, "engine_version": "s", "params_version": "s", "luecken_nach_stufe": {"stufe": "n", "themen": "s"}, "unbekannt_in_analyse": "s"}, "erstellt_am": "s"}, "vertraege": {"ablauf": "s", "beginn": "s", "quelle": "s", "sparte": "s", "status": "s", "zahlweise": "s", "leistungen": "s", "beitrag_eur": "n", "versicherer": "s", "vertragsnummer": "s", "versicherte_person": "s"}}'::jsonb;
COMMENT ON FUNCTION income_schema_core() IS 'The published schemas as a tree of members: n number, s text, b boolean, x raw income. Generated.';

CREATE FUNCTION income_schema()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((income_schema_core() -> 'din_check'::text) || (income_schema_core() -> 'haushalt'::text)) || (income_schema_core() -> 'results'::text)) || income_schema_core()) || jsonb_build_object('analysis', income_schema_core()));
COMMENT ON FUNCTION income_schema() IS 'The schemas as income_schema_core has them, for whatever a document may be.';

CREATE FUNCTION income_sentences(written text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (written ~ '[.!?]["”)]?\s|\n'::text) THEN string_to_array(regexp_replace(regexp_replace(written, '([.!?]["”)]?\s+(?=[A-ZÄÖÜ])|[^:\s]\s*\n\s*\n)'::text, '\1﷐'::text, 'g'::text), ('(\m(ca|inkl|incl|exkl|zzgl|bzw|mtl|j(ä|ae)hrl|max|min|mind|evtl|ggf|etc|usw|tsd|mio|mrd|nr|dr|hr|fr|tel|str'::text || '|lt|gem|abz|[a-z])\.\s+)\ufdd0'::text), '\1'::text, 'gi'::text), '﷐'::text) ELSE ARRAY[written] END;
COMMENT ON FUNCTION income_sentences(written text) IS 'The sentences of a text.';

CREATE FUNCTION income_siblings()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{art,typ,type,kind,label,titel,title,feld,feldname,field,fieldkey,fieldname,pfad,path,thema,topic,quelle,source,bezeichnung,beschreibung,description,kategorie,category,schlussel,schluessel,key,merkmal,attribut,attribute,kennzahl,position,posten,frage,question,q,prompt}'::text[];
COMMENT ON FUNCTION income_siblings() IS 'Members by which an object says what its amounts are.';

CREATE FUNCTION income_split(lowered text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN string_to_array(translate(lowered, e' \n\u0009_./:,;[](){}<>$*&|+=#"''?!%€0123456789-'::text, repeat(' '::text, 39)), ' '::text);
COMMENT ON FUNCTION income_split(lowered text) IS 'The words of a text; a hyphen joins two.';

CREATE FUNCTION income_turn(element jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(element) WHEN 'string'::text THEN (element #>> '{}'::text[]) WHEN 'object'::text THEN (SELECT string_agg((member.value #>> '{}'::text[]), '
'::text) AS string_agg FROM jsonb_each(income_turn.element) member(key, value) WHERE ((jsonb_typeof(member.value) = 'string'::text) AND (income_key(member.key) <> ALL ('{speaker,sprecher,role,rolle,von,name}'::text[])))) ELSE ''::text END;
COMMENT ON FUNCTION income_turn(element jsonb) IS 'What is said in an element of a conversation; a number says nothing.';

CREATE FUNCTION income_word_class(word text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  whole constant text := income_lexicon() ->> ('word ' || word);
  rest text := word;
  measured boolean := false;
  head record;
begin
  if whole is not null then
    return whole;
  end if;
  if word like any (income_patterns('beginning')) then
    return 'stays';
  end if;
  while rest <> '' loop
    head := income_head(rest);
    if head.class = 'measure' then
      measured := true;
    elsif head.class in ('income', 'priced', 'stays', 'claim') then
      return case when head.class = 'claim' and measured then 'income' else head.class end;
    elsif head.class is null and income_lexicon() ->> ('word ' || rtrim(rest, 's')) = 'neutral' then
      exit;
    elsif head.class is null then
      return case
        when rest like any (income_patterns('part')) then 'income'
        when measured then 'measure'
        -- Bruttosozialprodukt: what is measured is no income that is listed.
        when rest like any ('{neto%,bruto%}') then 'bound'
      end;
    end if;
    rest := left(rest, -head.size);
  end loop;
  return case when measured then 'measure' else 'open' end;
end
$function$;
COMMENT ON FUNCTION income_word_class(word text) IS 'The class of a word, as in income_words; bound, or null, where it is unknown.';

CREATE FUNCTION scrub_amounts(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  marked text := replace(value, '[entfernt]', income_pattern('¤'));
  steps constant text[] := income_amount_steps();
  lowered text;
begin
  -- Most numbers have no separators, and the pattern for those that do takes the most time.
  if marked ~ '[0-9][^0-9a-zA-Z]{1,3}[0-9]|[0-9]&|[+]' then
    marked := regexp_replace(marked, steps[1][1], steps[1][2], 'gi');
  else
    marked := regexp_replace(marked, steps[2][1], steps[2][2], 'gi');
  end if;
  if has_number_word(marked) then
    marked := regexp_replace(marked, income_number_word_pattern(), income_pattern('¤'), 'gi');
  end if;
  lowered := income_lower(marked);
  for step in 3 .. array_length(steps, 1) loop
    if lowered like any (string_to_array(steps[step][3], '|')) then
      marked := regexp_replace(marked, steps[step][1], steps[step][2], 'gi');
    end if;
  end loop;
  return replace(translate(marked, income_pattern('«»'), ''), income_pattern('¤'), '[entfernt]');
end
$function$;
COMMENT ON FUNCTION scrub_amounts(value text) IS 'A text with every amount of money replaced by [entfernt].';

CREATE FUNCTION is_amount_alone(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (has_amount(value) AND ((value ~ '^[^[:alpha:]]*[0-9][^[:alpha:]]*$'::text) OR (scrub_amounts(income_plain(value)) ~ '^\W*(ca|etwa|rund)?\W*\[entfernt\]\W*(netto|brutto|im monat|mtl|pa|p\.a)?\W*$'::text)));
COMMENT ON FUNCTION is_amount_alone(value text) IS 'Whether a text is an amount and nothing else.';

CREATE FUNCTION is_amount_name(name text, mode income_mode, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  plain constant text := income_plain(translate(name, '_', ' '));
begin
  if translate(name, '123456789', '000000000') not like '%00%' then
    return false;
  elsif mode = 'income' and name !~ '[a-z]_?(19|20)[0-9]{2}$' then
    return scrub_amounts(income_plain(name)) <> income_plain(name);
  end if;
  return is_hit('"' || name || '"', hits) and is_income_text(plain, hits)
    and scrub_amounts(regexp_replace(plain, '(^|[^0-9])(19|20)[0-9]{2}($|[^0-9])', '', 'g')) like '%[entfernt]%';
end
$function$;
COMMENT ON FUNCTION is_amount_name(name text, mode income_mode, hits text[]) IS 'Whether a member''s name holds the amount of an income.';

CREATE FUNCTION is_moment(value text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((value ~~ '____-__-__%'::text) AND (value ~ '^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$'::text));
COMMENT ON FUNCTION is_moment(value text) IS 'Whether a text is a date or a moment.';

CREATE FUNCTION is_amount_value(value jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(value) WHEN 'number'::text THEN true WHEN 'string'::text THEN (is_amount_alone((value #>> '{}'::text[])) AND (NOT is_moment((value #>> '{}'::text[])))) ELSE false END;
COMMENT ON FUNCTION is_amount_value(value jsonb) IS 'Whether a value is an amount and nothing else.';

CREATE FUNCTION is_awaited(up_to bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return exists (
    select from hook_positions
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    where hook_subscriptions.active and (
      hook_positions.cursor < up_to and has_events(hook_subscriptions.event_types, hook_positions.cursor, up_to)
      or exists (select from hook_retries where hook_retries.no = hook_positions.no and hook_retries.cursor between 1 and up_to)
      or exists (
        select from hook_skips
        where hook_skips.no = hook_positions.no and hook_skips.catching_up and hook_skips.from_cursor < up_to)));
end
$function$;
COMMENT ON FUNCTION is_awaited(up_to bigint) IS 'Called by prune_events: whether an event with a cursor up to this one is still to be delivered.';

CREATE FUNCTION is_further_question(sentence text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((length(sentence) <= 60) AND (sentence ~* (('^\W*((kunde|kundin|berater|beraterin|agent|client|[a-z])\s*:)?\W*'::text || '((und|also|na|and|so)\W+)*(wie ?viel|genau|ungef(ä|ae)hr|how much|roughly|exactly)'::text) || '( denn| genau| ungef(ä|ae)hr| exactly)?\W*$'::text)));
COMMENT ON FUNCTION is_further_question(sentence text) IS 'Whether a question only asks on.';

CREATE FUNCTION is_hit(written text, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((hits <> '{}'::text[]) AND ((income_lower(written) ~~ ANY (hits)) OR ((''::text = ANY (hits)) AND is_exotic(written))));
COMMENT ON FUNCTION is_hit(written text, hits text[]) IS 'Whether a part of a document may concern an income.';

CREATE FUNCTION is_income_heading(label jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  return jsonb_typeof(label) = 'string' and length(label #>> '{}') <= 100 and is_hit(label::text, hits)
    and not has_amount(label #>> '{}') and position('[entfernt]' in label::text) = 0
    and is_income_label(label #>> '{}', hits);
end
$function$;
COMMENT ON FUNCTION is_income_heading(label jsonb, hits text[]) IS 'Whether a text may be the head of a column of incomes.';

CREATE FUNCTION is_income_istwert(istwert jsonb, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return (
    select coalesce(
      bool_and(source.income) or bool_or(source.income and source.wert = istwert -> 'wert_eur'), false)
    from (
      select entry -> 'wert_eur' as wert,
        case jsonb_typeof(entry)
          when 'object' then names_an_income(entry, hits)
          when 'string' then is_income_text(income_plain(entry #>> '{}'), hits)
          else false
        end as income
      from jsonb_array_elements(
        case when jsonb_typeof(istwert -> 'quellen') = 'array' then istwert -> 'quellen' else '[]' end) as entry
    ) as source);
end
$function$;
COMMENT ON FUNCTION is_income_istwert(istwert jsonb, hits text[]) IS 'Whether the actual value of a DIN row is nothing but an income.';

CREATE FUNCTION is_income_label(label text, hits text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if position(' ' in label) = 0 then
    return position('@' in label) = 0 and label !~ '[.][a-z]{3,4}$' and is_income_name(label);
  end if;
  return is_income_text(income_plain(label), hits) or length(label) <= 40 and is_income_name(label);
end
$function$;
COMMENT ON FUNCTION is_income_label(label text, hits text[]) IS 'Whether a label names an income.';

CREATE FUNCTION is_income_name(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  form constant text := income_form(income_fold(income_name_words(name)));
  word text;
  class text;
  last text;
  joined text := '';
  words integer := 0;
  measured boolean := false;
  received boolean := false;
begin
  foreach word in array string_to_array(translate(form, '_-./:,;[](){}<>$*&|+=#"''?!', repeat(' ', 28)), ' ') loop
    if not income_lexicon() ? ('word ' || word) then
      word := translate(word, '0123456789', '');
    end if;
    continue when word = '';
    class := income_word_class(word);
    if class = 'measure' then
      measured := true;
    elsif word = any (income_word_list('received')) then
      received := true;
    elsif class = 'stops' then
      return false;
    elsif class = 'preposition' then
      exit when joined <> '' or measured;
    elsif class is distinct from 'neutral' then
      joined := joined || word;
      words := words + 1;
      last := case when class is null or class = 'open' then last else class end;
    end if;
  end loop;
  last := income_name_class(form, joined, words, last);
  return case when last = 'income' or form ~ ('^(' || income_form(income_schema_names()) || ')$') collate "C" then true
    when last = 'claim' then received or measured
    when last in ('priced', 'stays', 'bound') then false
    else measured
  end;
end
$function$;
COMMENT ON FUNCTION is_income_name(name text) IS 'Whether a member is named after an income.';

CREATE FUNCTION is_income_phrase(lowered text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  steps constant text[] := income_phrase_steps('income');
begin
  for step in 1 .. array_length(steps, 1) loop
    if position(steps[step][1] in lowered) > 0 and income_form(income_fold(lowered)) ~ steps[step][2] collate "C" then
      return true;
    end if;
  end loop;
  return false;
end
$function$;
COMMENT ON FUNCTION is_income_phrase(lowered text) IS 'Whether a text has a phrase that speaks of an income.';

CREATE FUNCTION is_paid(key text, node jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return node ?| '{base,basis,fix}' and node ?| '{bonus,variable,variabel}'
    or is_income_name(key || '_laufend') and exists (
      select from jsonb_each(node) as member
      where income_key(member.key) ~ '^(bezieht|bezogen|bezug|erhalt|ausgezahlt|received)'
        or jsonb_typeof(member.value) = 'string' and income_key(member.key) in ('status', 'art', 'typ', 'type', 'stand')
          and income_lower(member.value #>> '{}') ~ '(laufend|bezogen|bezieht|in zahlung|ausgezahlt|received|paid)');
end
$function$;
COMMENT ON FUNCTION is_paid(key text, node jsonb) IS 'Whether the members of an object say that it is received now.';

CREATE FUNCTION is_table_head(key text, value jsonb, hits text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((jsonb_typeof(value) = 'array'::text) AND (jsonb_typeof((value -> 0)) = 'string'::text)) THEN ((jsonb_array_length(value) <= 200) AND is_hit((value)::text, hits)) WHEN (jsonb_typeof(value) = ANY (ARRAY['array'::text, 'object'::text])) THEN ((regexp_replace(income_fold(key), '^(table)?_?'::text, ''::text) ~~ ANY ('{head%,kopf%,col%,spalte%,field%,feld%,label%,kateg%,categ%,titl%,titel%,uebersch%,uberschr%,schema%,key%,name%,serie%,dimension%,legend%,merkmal%,frage%,question%}'::text[])) AND (NOT jsonb_path_exists(value, '$[*].*?(@.type() == "object" || @.type() == "array")'::jsonpath)) AND is_hit((value)::text, hits)) ELSE false END;
COMMENT ON FUNCTION is_table_head(key text, value jsonb, hits text[]) IS 'Whether a member is the head of a table whose rows are next to it.';

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
 SET standard_conforming_strings TO 'on'
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
      case when jsonb_typeof(entry.value) = 'object' and jsonb_typeof(entry.clean) = 'object' then (
        select coalesce(jsonb_object_agg(kept.name, null), '{}')
        from unnest('{value,score}'::text[]) as kept (name) where entry.value ? kept.name) || entry.clean
      else entry.clean end
      order by entry.position)
    from rows from (jsonb_array_elements(results), jsonb_array_elements(cleaned))
      with ordinality as entry (value, clean, position));
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
  attempts constant hook_attempts[] := array(select made from attempts_of(cursors) as made);
  report constant record := delivery_report(cursors, attempts);
begin
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  other_leads := leads_shown(person.other_lead_ids, null);
  recipients := report.recipients;
  counts := jsonb_build_object(
    'leads', cardinality(person.lead_ids),
    'lead_analyses', cardinality(person.analysis_ids),
    'haushalte', (select count(*) from haushalte where haushalte.kontakt_key = any (person.keys)),
    'kontakt_aliases', (select count(*) from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys)),
    'appointments', cardinality(person.appointment_ids),
    'meeting_intelligence', (select count(*) from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids)),
    'signals', cardinality(person.signal_ids),
    'advisory_docs', cardinality(person.advisory_doc_ids),
    'events', cardinality(log_ids), 'hook_deliveries', report.deliveries, 'hook_attempts', cardinality(attempts));
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
 SET standard_conforming_strings TO 'on'
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
 SET standard_conforming_strings TO 'on'
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
 SET enable_bitmapscan TO 'on'
AS $function$
begin
  perform read_whole_tables(cardinality(hints) > 500);
  -- Materialized, so that it is found by events_names_idx and not by its type.
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

CREATE FUNCTION leave_hook()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  left_no integer;
begin
  update hook_positions set deleted_at = now(), worker = null, fence = fence + 1
    where subscription_id = old.id
    returning no into left_no;
  -- What may have been sent stays for the report of an erasure, as long as the position.
  delete from hook_retries where no = left_no and taken_by is null;
  delete from hook_failures where no = left_no;
  delete from hook_skips where no = left_no and claimed_to <= from_cursor;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION leave_hook() FROM PUBLIC;

CREATE FUNCTION left_behind_by(gone uuid[], OUT row_ids uuid[], OUT sessions uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
AS $function$
begin
  perform read_whole_tables(cardinality(gone) > 500);
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

CREATE FUNCTION lock_deliveries()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '2s'
AS $function$
begin
  lock table hook_positions in exclusive mode;
  lock table hook_failures in share row exclusive mode;
  lock table only hook_attempts in share row exclusive mode;
end
$function$;
COMMENT ON FUNCTION lock_deliveries() IS 'Called by erase_kontakt: until the transaction ends nothing is claimed or recorded. Fails with 55P03 after 2 s.';

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

CREATE FUNCTION look_at_log(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer)
 RETURNS SETOF log_look
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT GREATEST(feed.head_floor, look_at_log.after_cursor, ( SELECT event_cursors.cursor
            FROM event_cursors
           WHERE (event_cursors.cursor > look_at_log.after_cursor)
           ORDER BY event_cursors.cursor DESC
          LIMIT 1)) AS "greatest",
     unsequenced.log_ids,
     GREATEST(look_at_log.after_log_id, ( SELECT events.log_id
            FROM events
           WHERE (events.log_id > look_at_log.after_log_id)
           ORDER BY events.log_id DESC
          LIMIT 1)) AS "greatest",
     ((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint AS pg_snapshot_xmax,
     ARRAY( SELECT ((xid.xid)::text)::bigint AS xid
            FROM pg_snapshot_xip(pg_current_snapshot()) xid(xid)) AS "array",
     unsequenced.scanned_to
    FROM (feed
      CROSS JOIN LATERAL unsequenced_events(look_at_log.after_log_id, look_at_log.after_cursor, look_at_log.sequenced_limit, look_at_log.row_limit) unsequenced(log_ids, scanned_to));
END;
COMMENT ON FUNCTION look_at_log(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer) IS 'Called by sequence_events: what waits for a cursor in the next chunk of the log, and what the sequencer has to know to say how far the log is settled.';

CREATE FUNCTION lower_form(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (lower((NORMALIZE(value, NFC) COLLATE "und-x-icu")) COLLATE "C");
COMMENT ON FUNCTION lower_form(value text) IS 'Unicode NFC, lower case.';

CREATE FUNCTION make_attempt_partition(day date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
declare
  partition constant text := 'hook_attempts_' || to_char(day, 'YYYYMMDD');
  day_begins constant timestamptz := day;
  day_ends constant timestamptz := day + 1;
begin
  if to_regclass(partition) is not null then
    return true;
  end if;
  lock table only hook_attempts in share update exclusive mode;
  lock table hook_attempts_other in access exclusive mode;
  execute format('create table %I (like hook_attempts including defaults including constraints including comments, check (started_at >= %L and started_at < %L))',
    partition, day_begins, day_ends);
  execute format('with early as (delete from hook_attempts_other where started_at >= $1 and started_at < $2 returning *) insert into %I select * from early', partition)
    using day_begins, day_ends;
  execute format('alter table hook_attempts attach partition %I for values from (%L) to (%L)', partition, day_begins, day_ends);
  execute format('alter table %I drop constraint %I', partition, partition || '_started_at_check');
  return true;
exception when lock_not_available then
  return false;
end
$function$;
COMMENT ON FUNCTION make_attempt_partition(day date) IS 'Called by make_attempt_partitions: makes one day; false: not now.';

CREATE FUNCTION make_attempt_partitions(at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  day date;
begin
  perform take_lock('make_attempt_partitions');
  for day in select (at - interval '1 day')::date + n from generate_series(0, 4) as n loop
    exit when not make_attempt_partition(day);
  end loop;
end
$function$;
COMMENT ON FUNCTION make_attempt_partitions(at timestamp with time zone) IS 'Makes the partitions of hook_attempts around a moment, ahead of time.';
REVOKE EXECUTE ON FUNCTION make_attempt_partitions(at timestamp with time zone) FROM PUBLIC;

CREATE FUNCTION make_feed_partition(parent text, wanted bigint)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  key constant text := case parent when 'events' then 'log_id' when 'event_cursors' then 'cursor' end;
  lower_bound constant bigint := (wanted - 1) / events_partition_width() * events_partition_width() + 1;
  upper_bound constant bigint := lower_bound + events_partition_width();
  partition constant text := parent || '_' || lower_bound;
begin
  perform take_lock('make_feed_partition');
  if to_regclass(partition) is null then
    execute format('create table %I (like %I including defaults including constraints including comments, check (%I >= %s and %I < %s))',
      partition, parent, key, lower_bound, key, upper_bound);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, partition, lower_bound, upper_bound);
    execute format('alter table %I drop constraint %I', partition, partition || '_' || key || '_check');
    if parent = 'event_cursors' then
      -- No event gets a second cursor. Not on the parent, where the cursor would have to be part of it.
      execute format('create unique index %I on %I (log_id)', partition || '_log_id_idx', partition);
    end if;
  end if;
  return partition;
end
$function$;
COMMENT ON FUNCTION make_feed_partition(parent text, wanted bigint) IS 'Makes the partition of events or event_cursors that holds a number, unless it exists; returns its name.';

CREATE FUNCTION make_feed_partitions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  head bigint := (select feed_state.head from feed_state);
  drawn bigint := (select last_value from events_log_id_seq);
begin
  perform make_feed_partition('event_cursors', head + 1), make_feed_partition('event_cursors', head + 1 + events_partition_width());
  perform make_feed_partition('events', drawn + 1), make_feed_partition('events', drawn + 1 + events_partition_width());
end
$function$;
COMMENT ON FUNCTION make_feed_partitions() IS 'Makes the partitions that the next events and cursors need, ahead of time.';
REVOKE EXECUTE ON FUNCTION make_feed_partitions() FROM PUBLIC;

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
declare
  person constant boolean :=
    document ?| '{rolle,alter,geburtsdatum,adresse,kontakt,vorname,nachname,email,telefon,phone}';
begin
  -- One inside the other, the cheapest question first: the planner would order them otherwise.
  return exists (
    select from jsonb_each(document) as member
    where case when jsonb_typeof(member.value) = 'string' and is_hit(member.value::text, hits) then
      case when income_key(member.key) = any (income_siblings()) or income_key(member.key) = 'name' and not person then
        is_income_label(member.value #>> '{}', hits)
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

CREATE FUNCTION newest_log_id()
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
RETURN COALESCE(GREATEST((SELECT events.log_id FROM events ORDER BY events.log_id DESC LIMIT 1), (SELECT event_cursors.log_id FROM event_cursors ORDER BY event_cursors.log_id DESC LIMIT 1)), (SELECT feed_floor.log_id FROM feed_floor), (0)::bigint);
COMMENT ON FUNCTION newest_log_id() IS 'Called by repair_feed and get_feed_fault: the id of the newest event that is or was in the log.';

CREATE FUNCTION newest_sequenced_at(first_cursor bigint, last_cursor bigint, at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
RETURN (WITH own AS (SELECT GREATEST((SELECT CASE WHEN ((event_cursors.sequenced_at)::timestamp with time zone <= newest_sequenced_at.at) THEN (event_cursors.sequenced_at)::timestamp with time zone ELSE NULL::timestamp with time zone END AS "case" FROM event_cursors WHERE ((event_cursors.cursor >= newest_sequenced_at.first_cursor) AND (event_cursors.cursor <= newest_sequenced_at.last_cursor)) ORDER BY event_cursors.cursor LIMIT 1), ((SELECT event_cursors.sequenced_at FROM event_cursors WHERE ((event_cursors.cursor >= newest_sequenced_at.first_cursor) AND (event_cursors.cursor <= newest_sequenced_at.last_cursor)) ORDER BY event_cursors.cursor DESC LIMIT 1))::timestamp with time zone) AS sequenced_at) SELECT CASE WHEN (own.sequenced_at <= newest_sequenced_at.at) THEN own.sequenced_at ELSE COALESCE(((SELECT later.sequenced_at FROM (feed_partitions CROSS JOIN LATERAL (SELECT event_cursors.sequenced_at FROM event_cursors WHERE ((event_cursors.cursor >= feed_partitions.first) AND (event_cursors.cursor <= feed_partitions.last)) ORDER BY event_cursors.cursor LIMIT 1) later) WHERE ((feed_partitions.parent = 'event_cursors'::text) AND (feed_partitions.first > newest_sequenced_at.last_cursor) AND ((later.sequenced_at)::timestamp with time zone <= newest_sequenced_at.at)) ORDER BY feed_partitions.first LIMIT 1))::timestamp with time zone, own.sequenced_at) END AS "coalesce" FROM own);
COMMENT ON FUNCTION newest_sequenced_at(first_cursor bigint, last_cursor bigint, at timestamp with time zone) IS 'Called by prune_events: when the newest cursor of a partition was given out, as far as the clock tells.';

CREATE FUNCTION note_hook_failures()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into owner_notices (subscription_id, failures, channel)
  select new.id, reached.failures, channel.name
  from unnest(array[5, 8, hook_failures_max()]) as reached (failures)
  cross join unnest(array['webhook', 'email']) as channel (name)
  where case when new.failing_since is not distinct from old.failing_since then old.consecutive_failures else 0 end < reached.failures
    and new.consecutive_failures >= reached.failures;
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

CREATE FUNCTION oldest_log_id()
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
RETURN (SELECT (max(events.log_id) + 1) FROM (((feed_state CROSS JOIN feed_floor) LEFT JOIN LATERAL (SELECT event_cursors.sequenced_at FROM event_cursors ORDER BY event_cursors.cursor LIMIT 1) first ON (true)) JOIN events ON ((NOT (EXISTS (SELECT FROM event_cursors WHERE (event_cursors.log_id = events.log_id)))))) WHERE ((feed_state.horizon > 0) AND (events.log_id <= COALESCE((SELECT min(((mark.value ->> 'log_id'::text))::bigint) AS min FROM jsonb_array_elements(feed_floor.late) mark(value)), events.log_id)) AND CASE WHEN (first.sequenced_at IS NOT NULL) THEN ((events.log_id < (SELECT min(event_cursors.log_id) AS min FROM event_cursors)) OR ((events.occurred_at)::timestamp with time zone < (first.sequenced_at)::timestamp with time zone)) ELSE ((events.log_id <= feed_floor.log_id) AND (feed_floor.log_id <= newest_log_id()) AND (feed_floor.cursor <= feed_state.head)) END));
COMMENT ON FUNCTION oldest_log_id() IS 'Called by repair_feed: the id from which on an event without a cursor waits for one, while those below have expired; null: none of those in the log has expired.';

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

CREATE FUNCTION prune_attempts(keep interval, at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
 SET lock_timeout TO '200ms'
AS $function$
declare
  oldest text := (
    select child.relname from pg_inherits join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'hook_attempts'::regclass and child.relname ~ '^hook_attempts_\d{8}$'
    order by child.relname limit 1);
begin
  delete from hook_attempts_other where started_at <= at - keep;
  delete from hook_test_events where created_at <= at - keep;
  delete from hook_skips where reason = 'expired' and created_at <= at - keep;
  -- Those of events go with their events: as long as one is there, it can be sent again.
  delete from hook_failures where failed_at <= at - keep and cursor < 0;
  delete from hook_redeliveries where created_at <= at - interval '1 day';
  delete from erased_events where erased_at <= at - interval '1 hour';
  delete from hook_workers where lease_until <= at - interval '1 day';
  -- Of a clock that was ahead and went back: the longest delay is a day and a fifth.
  update hook_retries set due_at = at
    where hook_retries.ctid = any (array(select hook_retries.ctid from hook_retries where hook_retries.due_at > at + interval '2 days' for update skip locked));
  with gone as (
    delete from hook_positions where deleted_at <= at - keep - interval '1 day' returning no
  ),
  taken as (
    delete from hook_retries using gone where hook_retries.no = gone.no
  )
  delete from hook_skips using gone where hook_skips.no = gone.no;
  -- The oldest day is the next to go. So many that the run is short.
  perform forget_expired_answers(coalesce(to_date(right(oldest, 8), 'YYYYMMDD') + 1, '-infinity'), 10000);
  if oldest is null or to_date(right(oldest, 8), 'YYYYMMDD') + 1 > at - keep then
    return 0;
  end if;
  execute format('drop table %I', oldest);
  return 1;
end
$function$;
COMMENT ON FUNCTION prune_attempts(keep interval, at timestamp with time zone) IS 'Drops the oldest day of attempts when it has expired, and what else is older than the retention time; 1: there may be more.';
REVOKE EXECUTE ON FUNCTION prune_attempts(keep interval, at timestamp with time zone) FROM PUBLIC;

CREATE FUNCTION prune_events(keep interval, at timestamp with time zone, uptime interval, OUT horizon bigint, OUT partitions_dropped integer, OUT partitions_left integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
declare
  candidate record;
  newest_cursor bigint;
  newest_at timestamptz;
  settled bigint;
  unexplained integer := 0;
  expired regclass[] := '{}';
  partition regclass;
begin
  perform take_lock('prune_events');
  horizon := (select feed.horizon from feed);
  -- Where the row of feed_floor is lost, nothing is settled.
  settled := coalesce((select feed_settled.cursor from feed_settled), 0);
  partitions_left := 0;
  for candidate in
    select * from feed_partitions
    where parent = 'event_cursors' and last <= (select feed_state.head from feed_state)
    order by first
  loop
    newest_cursor := (
      select event_cursors.cursor from event_cursors
      where event_cursors.cursor between candidate.first and candidate.last order by event_cursors.cursor desc limit 1);
    newest_at := newest_sequenced_at(candidate.first, candidate.last, at);
    exit when newest_at > at - keep
      or newest_at > at - keep - interval '1 day' and is_awaited(newest_cursor);
    unexplained := unexplained + coalesce(newest_at <= at - keep - uptime, false)::integer;
    -- Of an event above the settled part the sequencer would not know any more that it had a cursor.
    if unexplained > 1 or newest_cursor > settled then
      partitions_left := partitions_left + 1;
    else
      -- The last event's cursor, not the partition's: a reader that has all of it is not behind.
      horizon := greatest(horizon, newest_cursor);
      expired := expired || candidate.partition;
    end if;
  end loop;
  partitions_dropped := cardinality(expired);
  if partitions_dropped > 0 then
    perform expire_hook_positions(horizon);
  end if;
  perform close_cursor_partition(keep, at), make_feed_partitions();
  foreach partition in array expired loop
    execute format('drop table %s', partition);
  end loop;
  update feed set horizon = prune_events.horizon where feed.horizon < prune_events.horizon;
end
$function$;
COMMENT ON FUNCTION prune_events(keep interval, at timestamp with time zone, uptime interval, OUT horizon bigint, OUT partitions_dropped integer, OUT partitions_left integer) IS 'Drops what the feed need not keep any more, and makes the next partitions ahead. partitions_left: expired, and left for the next runs.';
REVOKE EXECUTE ON FUNCTION prune_events(keep interval, at timestamp with time zone, uptime interval, OUT horizon bigint, OUT partitions_dropped integer, OUT partitions_left integer) FROM PUBLIC;

CREATE FUNCTION prune_log(keep interval, at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '200ms'
AS $function$
declare
  width constant bigint := events_partition_width();
  last_of_partition constant bigint := (select (last_value - 1) / width * width + width from events_log_id_seq);
  oldest constant timestamptz := (
    select events.occurred_at from events
    where events.log_id > last_of_partition - width and events.log_id <= last_of_partition order by events.log_id limit 1);
  -- Only if the next one is there: an id cannot be given back where this transaction fails.
  closing constant boolean := (oldest <= at - least(interval '1 day', keep / 30) or oldest > at + interval '1 day')
    and to_regclass('events_' || last_of_partition + 1) is not null;
  finished regclass[];
  partition regclass;
begin
  if closing is not true and not exists (select from finished_log_partitions) then
    return 0;
  end if;
  lock table events in access exclusive mode;
  if closing and (select last_value from events_log_id_seq) < last_of_partition then
    perform setval('events_log_id_seq', last_of_partition);
  end if;
  finished := array(select finished_log_partitions.partition from finished_log_partitions order by finished_log_partitions.first);
  foreach partition in array finished loop
    execute format('drop table %s', partition);
  end loop;
  perform make_feed_partitions();
  return cardinality(finished);
end
$function$;
COMMENT ON FUNCTION prune_log(keep interval, at timestamp with time zone) IS 'Drops partitions of events that no cursor points to any more, and begins a new one; returns how many it dropped.';
REVOKE EXECUTE ON FUNCTION prune_log(keep interval, at timestamp with time zone) FROM PUBLIC;

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

CREATE FUNCTION raise_hook_fence()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update hook_positions set fence = fence + 1, counted_from = fence + 1 where subscription_id = new.id;
  return null;
end
$function$;
REVOKE EXECUTE ON FUNCTION raise_hook_fence() FROM PUBLIC;

CREATE FUNCTION reactivate_hook(subscription_id uuid, deliver_missed boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  position hook_positions;
  types text[];
  head bigint;
begin
  update hook_subscriptions set active = true, paused_at = null, consecutive_failures = 0
    where hook_subscriptions.id = reactivate_hook.subscription_id and not hook_subscriptions.active
    returning hook_subscriptions.event_types into types;
  if types is null then
    return false;
  end if;
  select hook_positions.* into position from hook_positions
    where hook_positions.subscription_id = reactivate_hook.subscription_id for update;
  head := (select feed_state.head from feed_state);
  insert into hook_skips (no, from_cursor, to_cursor, claimed_to, reason, events, catching_up)
  select position.no, position.cursor, head, least(position.claimed_to, head), 'paused', counted.events, deliver_missed
  from (
    -- The position is up to a second old: what ended above it is not missed, or stands in hook_failures.
    select count_events(types, position.cursor, head) - count_ended(position.no, types, position.cursor, head) as events
  ) as counted
  where counted.events > 0
  on conflict (no, to_cursor) do update set from_cursor = excluded.from_cursor, reason = 'paused', events = excluded.events, catching_up = excluded.catching_up;
  -- The fence went up with the subscription's row, by raise_hook_fence.
  update hook_positions set cursor = head, claimed_to = head where hook_positions.no = position.no;
  if deliver_missed then
    perform deliver_missed_of(position.no);
  else
    update hook_skips
    set catching_up = false,
      events = count_events(types, hook_skips.from_cursor, hook_skips.to_cursor)
        - count_ended(position.no, types, hook_skips.from_cursor, hook_skips.to_cursor)
    where hook_skips.no = position.no and hook_skips.catching_up;
    delete from hook_skips where hook_skips.no = position.no and hook_skips.reason = 'paused' and hook_skips.events <= 0;
    insert into hook_failures (no, cursor)
    select hook_retries.no, hook_retries.cursor from hook_retries where hook_retries.no = position.no and hook_retries.cursor > 0
    on conflict do nothing;
    delete from hook_retries where hook_retries.no = position.no;
  end if;
  return true;
end
$function$;
COMMENT ON FUNCTION reactivate_hook(subscription_id uuid, deliver_missed boolean) IS 'Lets a paused subscription receive again; false: it is not paused.';
REVOKE EXECUTE ON FUNCTION reactivate_hook(subscription_id uuid, deliver_missed boolean) FROM PUBLIC;

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
 SET standard_conforming_strings TO 'on'
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

CREATE FUNCTION redact_event_data(data jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
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
      and member.value #>> '{}' ~* ('^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(email|phone|lead):\S+|https?://\S+'
        || '|[^\s@]+@[^\s@]+|\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?)?)$'));
end
$function$;
COMMENT ON FUNCTION redact_event_data(data jsonb) IS 'The data of an event without raw income; what identifies something is as it was.';

CREATE FUNCTION redact_income(document jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return redact_income_document(document, 'open', 0, income_hits(document::text));
end
$function$;
COMMENT ON FUNCTION redact_income(document jsonb) IS 'A document without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income(document text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'public', 'pg_temp'
 SET standard_conforming_strings TO 'on'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hits text[];
begin
  if not has_amount(document) then
    return document;
  end if;
  hits := income_hits(document);
  return case when hits = '{}' then document else redact_income_text(document, false, 0, hits) end;
end
$function$;
COMMENT ON FUNCTION redact_income(document text) IS 'A text without the raw income amounts of persons; idempotent.';

CREATE FUNCTION redact_income_array(node jsonb, known jsonb, mode income_mode, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  named boolean;
  answers boolean[] := '{}';
begin
  -- ["Nettoeinkommen", 3200]: the name is an element.
  named := mode = 'open' and jsonb_array_length(node) <= 20 and exists (
    select from jsonb_array_elements(node) as entry
    where case when jsonb_typeof(entry) = 'string' and length(entry #>> '{}') <= 100 and is_hit(entry::text, hits)
      then is_income_label(entry #>> '{}', hits) end);
  if mode < 'named' and hits <> '{}' and position('?' in node::text) > 0 then
    answers := income_answers(node, hits);
  end if;
  return (
    select coalesce(jsonb_agg(element.clean order by element.place), '[]')
    from (
      -- An answer that goes becomes null: else the next turn would be one, a second time.
      select entry.place, coalesce(redact_income_node(entry.value, known,
        case
          when answers[entry.place] then 'named'
          when named and jsonb_typeof(entry.value) in ('number', 'string') then 'zone'
          else mode
        end, false, depth + 1, hits), case when answers[entry.place] then 'null'::jsonb end) as clean
      from jsonb_array_elements(node) with ordinality as entry (value, place)
      offset 0
    ) as element
    where element.clean is not null);
end
$function$;
COMMENT ON FUNCTION redact_income_array(node jsonb, known jsonb, mode income_mode, depth integer, hits text[]) IS 'An array without raw income.';

CREATE FUNCTION redact_income_node(node jsonb, known jsonb, mode income_mode, exempt boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(node);
  -- Deeper than a document nests on purpose. Each level writes anew what is below it.
  deep constant boolean := depth > 64 or depth > 10 and pg_column_size(node) > 64000;
  given jsonb := node;
  result jsonb;
begin
  if kind not in ('object', 'array') then
    return redact_income_leaf(node, known, mode, depth, hits);
  end if;
  -- Most parts of a document are left after one look. Large ones far down are looked at in their parts: a look at
  -- every level would read the document once per level.
  if mode = 'open' and (depth < 3 or deep or pg_column_size(node) < 2000) and not is_hit(node::text, hits) then
    return node;
  elsif deep then
    return 'null';
  end if;
  -- A head and its rows are two.
  if mode < 'income' and hits <> '{}' and (kind = 'array'
      or jsonb_path_exists(node, 'strict $.* ? (@.type() == "object" || @.type() == "array")')) then
    given := redact_income_table(node, hits);
  end if;
  if kind = 'object' then
    result := redact_income_object(given, known, mode,
      mode = 'named' or mode < 'named' and not exempt and hits <> '{}' and names_an_income(given, hits), depth, hits);
  else
    result := redact_income_array(given, known, mode, depth, hits);
  end if;
  return case when mode = 'income' and result in ('{}', '[]') then null else result end;
end
$function$;
COMMENT ON FUNCTION redact_income_node(node jsonb, known jsonb, mode income_mode, exempt boolean, depth integer, hits text[]) IS 'A part of a document without raw income; null when it goes.';

CREATE FUNCTION redact_income_document(document jsonb, mode income_mode, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE STRICT
RETURN CASE WHEN ((mode = 'open'::income_mode) AND (hits = '{}'::text[])) THEN document ELSE COALESCE(redact_income_node(document, income_schema(), mode, false, depth, hits), 'null'::jsonb) END;
COMMENT ON FUNCTION redact_income_document(document jsonb, mode income_mode, depth integer, hits text[]) IS 'A document without raw income, in a mode and at a depth.';

CREATE FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode income_mode, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  written text;
  cleaned text;
begin
  if jsonb_typeof(leaf) = 'number' then
    return case when mode = 'open' or mode < 'income' and known = '"n"' then leaf end;
  elsif jsonb_typeof(leaf) <> 'string' or mode = 'open' and not is_hit(leaf::text, hits) then
    return leaf;
  end if;
  written := leaf #>> '{}';
  if not has_amount(written) or is_moment(written) then
    return leaf;
  elsif mode = 'income' then
    return null;
  elsif mode = 'zone' and jsonb_typeof(known) is distinct from 'string'
    and left(ltrim(written, income_blanks()), 2) collate "C" !~ '^(0[0-9]|[+])'
    and btrim(scrub_amounts(written), income_blanks()) = '[entfernt]' then
    return null;
  elsif mode = 'zone' and not is_hit(leaf::text, hits) then
    return leaf;
  end if;
  cleaned := redact_income_text(written, mode = 'named', depth, hits);
  return case when cleaned = written then leaf else to_jsonb(cleaned) end;
end
$function$;
COMMENT ON FUNCTION redact_income_leaf(leaf jsonb, known jsonb, mode income_mode, depth integer, hits text[]) IS 'A number or a text without raw income; null when it goes.';

CREATE FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind constant text := jsonb_typeof(value);
begin
  -- A number goes by the name itself.
  if kind <> 'number' and is_amount_name(key, mode, hits) then
    return null;
  elsif kind in ('boolean', 'null') then
    return value;
  -- A score of an income field rates it from 0 to 100; what is beyond is the income itself.
  elsif named and key = 'score' and kind = 'number' then
    return case when value::numeric between 0 and 100 then value end;
  -- Most members of a person: published, and no word of income.
  elsif mode < 'named' and not named and known in ('"n"', '"s"')
      and (kind = 'number' or kind = 'string' and not is_hit(value::text, hits))
    or mode = 'open' and not named and known is distinct from '"x"' and pg_column_size(value) < 2000
      and not is_hit(key || '"' || value, hits) then
    return value;
  end if;
  mode := income_member_mode(key, value, known, mode, named, hits);
  return redact_income_node(value,
    case when mode < 'income' then coalesce(known, case when key = 'personen' then income_schema() -> key end) end,
    mode, key in ('sollwert', 'istwert'), depth + 1, hits);
end
$function$;
COMMENT ON FUNCTION redact_income_member(key text, value jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[]) IS 'A member''s value without raw income; null when the member goes.';

CREATE FUNCTION redact_income_object(node jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return (
    select coalesce(jsonb_object_agg(member.key, member.clean), '{}')
    from (
      select each.key, redact_income_member(each.key, each.value,
        case when jsonb_typeof(known) = 'object' then known -> each.key end, mode, named, depth, hits) as clean
      from jsonb_each(node) as each
      offset 0
    ) as member
    where member.clean is not null);
end
$function$;
COMMENT ON FUNCTION redact_income_object(node jsonb, known jsonb, mode income_mode, named boolean, depth integer, hits text[]) IS 'An object without raw income.';

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
    if jsonb_typeof(node -> 0) is distinct from 'array' or jsonb_array_length(node) < 2
      or not is_hit((node -> 0)::text, hits) or exists (
        select from jsonb_array_elements(node -> 0) as cell
        where jsonb_typeof(cell) <> 'string' or has_amount(cell #>> '{}')) then
      return node;
    end if;
    head := income_columns(node -> 0, hits);
    return case when head.places is null then node else jsonb_build_array(node -> 0)
      || blank_income_cells(node - 0, head.places, '{}', jsonb_array_length(node -> 0), true, 0) end;
  end if;
  for found in
    select member.key, member.value from jsonb_each(node) as member where is_table_head(member.key, member.value, hits)
  loop
    head := income_columns(found.value, hits);
    continue when head.places is null and head.names is null;
    select jsonb_object_agg(member.key,
        case when member.key = found.key or jsonb_typeof(member.value) not in ('array', 'object') then member.value
        else blank_income_cells(member.value, head.places, coalesce(head.names, '{}'),
          case jsonb_typeof(found.value) when 'array' then jsonb_array_length(found.value) end, false, 0) end)
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
  given jsonb;
  cleaned jsonb;
begin
  if left(ltrim(value, income_blanks()), 1) in ('[', '{', '"')
      and right(rtrim(value, income_blanks()), 1) in (']', '}', '"') then
    begin
      given := value::jsonb;
    exception when others then
      given := null;
    end;
    if jsonb_typeof(given) = 'string' then
      cleaned := to_jsonb(redact_income_text(given #>> '{}', everywhere, depth + 1, hits));
    elsif given is not null then
      cleaned := redact_income_document(given,
        case when everywhere then 'named' else 'open' end::income_mode, depth + 1,
        -- Its letters may have been escaped.
        case when '%u00%' = any (hits) then income_hits(given::text) else hits end);
    end if;
    if given is not null then
      return case when cleaned = given then value else cleaned::text end;
    end if;
  end if;
  return scrub_income_text(value, everywhere, hits);
end
$function$;
COMMENT ON FUNCTION redact_income_text(value text, everywhere boolean, depth integer, hits text[]) IS 'A text without the raw income in it, also where it is JSON.';

CREATE FUNCTION redact_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  changes constant jsonb := income_changes(to_jsonb(new), tg_argv);
begin
  if changes <> '{}' then
    new := jsonb_populate_record(new, changes);
  end if;
  return new;
end
$function$;
COMMENT ON FUNCTION redact_row() IS 'Cleans the columns that its trigger names.';

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

CREATE FUNCTION refuse_old_snapshot()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  raise exception 'A subscription was changed while this waited for it: run it again' using errcode = 'serialization_failure';
end
$function$;
COMMENT ON FUNCTION refuse_old_snapshot() IS 'Fails with 40001: what a statement reads next to a row that it locked is from before the row was changed.';

CREATE FUNCTION refuse_position_loss()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  raise exception 'the position of a webhook is kept as long as the webhook: delete that one instead'
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

CREATE FUNCTION repair_feed(OUT mended text[], OUT head bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  newest bigint;
  oldest bigint;
  settled record;
  is_floor_lost boolean;
begin
  lock table events in share mode;
  mended := '{}';
  insert into feed (horizon)
    select coalesce(min(feed_partitions.first) - 1, 0) from feed_partitions where feed_partitions.parent = 'event_cursors'
    on conflict do nothing;
  if found then
    -- A reader may have a head that is in no table any more.
    perform advance_feed();
    mended := mended || 'the row of feed was missing'::text;
  end if;
  perform from feed for update;
  insert into feed_floor default values on conflict do nothing;
  is_floor_lost := found;
  if is_floor_lost then
    mended := mended || 'the row of feed_floor was missing'::text;
  end if;
  newest := newest_log_id();
  if (select last_value from events_log_id_seq) < newest then
    perform setval('events_log_id_seq', newest);
    mended := mended || 'ids of events would have come again'::text;
  end if;
  oldest := coalesce(oldest_log_id(), 0);
  select coalesce(min(events.log_id) - 1, newest) as log_id into settled
    from events
    where events.log_id >= oldest and not exists (select from event_cursors where event_cursors.log_id = events.log_id);
  head := (select feed_state.head from feed_state);
  if (select max(hook_positions.cursor) from hook_positions) > head then
    head := advance_feed();
    mended := mended || 'cursors that a subscription has passed would have come again'::text;
  end if;
  update feed_floor
    set log_id = place.log_id, late = '[]',
      cursor = coalesce((select min(event_cursors.cursor) - 1 from event_cursors where event_cursors.log_id > place.log_id), repair_feed.head)
    from (select least(settled.log_id, greatest(before.log_id, oldest - 1)) as log_id from feed_floor as before) as place
    where is_floor_lost or feed_floor.log_id > settled.log_id or feed_floor.cursor > repair_feed.head
      -- Of such an event the sequencer does not see that it has a cursor, and would give it a second one.
      or exists (select from event_cursors where event_cursors.log_id > feed_floor.log_id and event_cursors.cursor <= feed_floor.cursor);
  if found and not is_floor_lost then
    mended := mended || 'the sequencer would have looked in the wrong place'::text;
  end if;
  perform make_feed_partitions();
end
$function$;
COMMENT ON FUNCTION repair_feed(OUT mended text[], OUT head bigint) IS 'Puts the state of the feed right by what its tables hold; says what was wrong. Cursors that were given out stay as they are.';

CREATE FUNCTION scrub_income_text(value text, everywhere boolean, hits text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  written constant text := income_plain(value);
  sentences text[] := income_sentences(written);
  coarse boolean := length(written) > 20000;
  waiting integer := 0;
  concerned boolean;
  sentence text;
begin
  if array_length(sentences, 1) is null then
    return value;
  end if;
  for place in 1 .. array_length(sentences, 1) loop
    sentence := sentences[place];
    concerned := everywhere or is_income_text(sentence, hits);
    if position('?' in right(rtrim(sentence, income_blanks() || '"”)'), 1)) > 0 then
      if asks_for_income(sentence, hits) then
        waiting := 4;
      elsif not is_further_question(sentence) then
        waiting := 0;
      end if;
    end if;
    if (concerned or waiting between 1 and 3) and (position('[entfernt]' in sentence) > 0 or has_amount(sentence)) then
      sentences[place] := case when coarse or length(sentence) > 5000
        then scrub_numbers(sentence) else scrub_amounts(sentence) end;
      waiting := case when waiting between 1 and 3 then 0 else waiting end;
    end if;
    waiting := greatest(waiting - 1, 0);
  end loop;
  return case when array_to_string(sentences, '') = written then value else array_to_string(sentences, '') end;
end
$function$;
COMMENT ON FUNCTION scrub_income_text(value text, everywhere boolean, hits text[]) IS 'A text without the amounts in its sentences about income, or in all of them.';

CREATE FUNCTION scrub_numbers(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(regexp_replace(value, '[0-9][0-9.,]*'::text, '[entfernt]'::text, 'g'::text), '[a-zäöüß]*(hundert|tausend|million)[a-zäöüß]*'::text, '[entfernt]'::text, 'gi'::text);
COMMENT ON FUNCTION scrub_numbers(value text) IS 'A text with every number replaced by [entfernt].';

CREATE FUNCTION sequence_events(row_limit integer, sequenced_limit integer, known_identity text, after_log_id bigint, after_cursor bigint, late jsonb, settling boolean, wanted_types text[], sequenced_by text)
 RETURNS TABLE(cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  current constant text := database_identity();
  floor feed_floor := row(true, after_log_id, after_cursor, late);
  start feed_floor;
  look log_look;
  ended feed_floor;
  is_locked boolean := false;
  is_stored boolean := known_identity is distinct from current;
  earlier_xid xid8;
  own_xid xid8;
begin
  if is_stored then
    perform take_feed(current);
    select feed_floor.* into floor from feed_floor;
  end if;
  start := floor;
  loop
    earlier_xid := pg_current_xact_id_if_assigned();
    select looked.* into look from look_at_log(start.log_id, start.cursor, sequenced_limit, row_limit) as looked;
    ended := case when floor.late <> '[]' then ended_late(floor.late, look) end;
    if ended.log_id < start.log_id then
      start := ended;
      continue;
    end if;
    -- Cursors expired while the process stood still, and their events would get new ones. What is stored is above them.
    if not is_stored and start.cursor < (select feed.horizon from feed) then
      is_stored := true;
      select feed_floor.* into start from feed_floor;
      floor := start;
      continue;
    end if;
    exit when is_locked or look.log_ids = '{}';
    perform from feed for update;
    is_locked := true;
    exit when (select feed.head_floor from feed) <= look.head and not exists (select from event_cursors where event_cursors.cursor > look.head);
  end loop;
  -- Drawn after the look, it is above that of every transaction that drew an id seen there.
  own_xid := case when earlier_xid is null and (settling or look.log_ids <> '{}') then pg_current_xact_id() end;
  if look.log_ids = '{}' then
    state := sequencer_state(current, floor, start, look, look.head, own_xid);
    return next;
    return;
  end if;
  perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
  return query
  with logged as materialized (
    select look.head + row_number() over (order by events.log_id) as cursor, events.*
    from events
    where events.log_id > start.log_id and events.log_id <= look.log_ids[cardinality(look.log_ids)] and events.log_id = any (array(select unnest(look.log_ids)))
  ),
  stored as (
    insert into event_cursors (cursor, log_id, event_type)
    select logged.cursor, logged.log_id, logged.event_type from logged
    returning event_cursors.cursor
  ),
  batch as (select coalesce(max(stored.cursor), look.head) as head from stored)
  select null::bigint, null::text, null::uuid, null::bigint, null::text,
    sequencer_state(current, floor, start, look, batch.head, own_xid)
  from batch
  left join lateral (select pg_notify('event_sequenced', sequenced_by) from feed_watch
    where batch.head > look.head and feed_watch.last_value >= extract(epoch from now())) as notified on true
  union all
  select wanted.cursor, wanted.event_type, wanted.id, (extract(epoch from wanted.occurred_at) * 1000)::bigint,
    case when wanted.bytes <= 4000000 then row_to_json(envelope)::text end, null
  from (
    select logged.*, sum(pg_column_size(logged.data)) over (order by logged.log_id) as bytes
    from logged where logged.event_type = any (wanted_types)
  ) as wanted
  cross join lateral (select wanted.id, wanted.event_type, wanted.schema_version, wanted.occurred_at, wanted.object_type,
    wanted.object_id, wanted.links, wanted.data) as envelope;
end
$function$;
COMMENT ON FUNCTION sequence_events(row_limit integer, sequenced_limit integer, known_identity text, after_log_id bigint, after_cursor bigint, late jsonb, settling boolean, wanted_types text[], sequenced_by text) IS 'Gives the next cursors to events without one. The statement events/sequence_events calls it.';
REVOKE EXECUTE ON FUNCTION sequence_events(row_limit integer, sequenced_limit integer, known_identity text, after_log_id bigint, after_cursor bigint, late jsonb, settling boolean, wanted_types text[], sequenced_by text) FROM PUBLIC;

CREATE FUNCTION sequencer_state(identity text, floor feed_floor, start feed_floor, look log_look, head bigint, xid xid8)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (json_build_object('identity', identity, 'floor_log_id', (floor).log_id, 'floor_cursor', (floor).cursor, 'late', (floor).late, 'after_log_id', (start).log_id, 'after_cursor', (start).cursor, 'head_before', (look).head, 'head', head, 'sequenced', cardinality((look).log_ids), 'scanned_to', (look).scanned_to, 'newest_log_id', (look).newest_log_id, 'xid', ((xid)::text)::bigint, 'xmax', (look).xmax, 'running', (look).running))::text;
COMMENT ON FUNCTION sequencer_state(identity text, floor feed_floor, start feed_floor, look log_look, head bigint, xid xid8) IS 'Called by sequence_events: the row that tells how far it looked.';

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

CREATE FUNCTION take_feed(identity text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select feed.identity from feed) = take_feed.identity then
    return;
  end if;
  -- Another process may have been first.
  perform from feed for update;
  if (select feed.identity from feed) is null then
    update feed set identity = take_feed.identity;
  elsif (select feed.identity from feed) <> take_feed.identity then
    perform advance_feed();
  end if;
end
$function$;
COMMENT ON FUNCTION take_feed(identity text) IS 'Called by sequence_events: advances the feed where another database gave out its last cursors.';

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
 SET standard_conforming_strings TO 'on'
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

CREATE FUNCTION unrecorded_deliveries(cursors bigint[])
 RETURNS TABLE(no integer, cursor bigint, retried boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH erased AS (
          SELECT event_cursors.cursor,
             event_cursors.event_type,
             event_cursors.sequenced_at
            FROM event_cursors
           WHERE (event_cursors.cursor = ANY (unrecorded_deliveries.cursors))
         ), reach AS (
          SELECT hook_positions.no,
             hook_positions.subscription_id,
             hook_positions.cursor AS after_cursor,
             hook_positions.claimed_to AS up_to,
             hook_positions.deleted_at
            FROM hook_positions
         UNION ALL
          SELECT hook_skips.no,
             hook_positions.subscription_id,
             hook_skips.from_cursor,
             LEAST(hook_skips.claimed_to, hook_skips.to_cursor) AS up_to,
             NULL::timestamp with time zone AS deleted_at
            FROM (hook_skips
              JOIN hook_positions ON ((hook_positions.no = hook_skips.no)))
         )
  SELECT reach.no,
     erased.cursor,
     false
    FROM ((reach
      LEFT JOIN hook_subscriptions ON ((hook_subscriptions.id = reach.subscription_id)))
      JOIN erased ON (((erased.cursor > reach.after_cursor) AND (erased.cursor <= reach.up_to) AND ((hook_subscriptions.id IS NULL) OR (erased.event_type = ANY (hook_subscriptions.event_types))) AND ((COALESCE(reach.deleted_at, (hook_subscriptions.paused_at)::timestamp with time zone) IS NULL) OR ((erased.sequenced_at)::timestamp with time zone <= (COALESCE(reach.deleted_at, (hook_subscriptions.paused_at)::timestamp with time zone) + '00:00:10'::interval))))))
 UNION ALL
  SELECT hook_retries.no,
     hook_retries.cursor,
     true
    FROM hook_retries
   WHERE ((hook_retries.no = ANY (ARRAY( SELECT hook_positions.no
            FROM hook_positions))) AND (hook_retries.cursor = ANY (unrecorded_deliveries.cursors)) AND (hook_retries.taken_by IS NOT NULL));
END;
COMMENT ON FUNCTION unrecorded_deliveries(cursors bigint[]) IS 'Deliveries of these events that may be under way, or were when their process ended. retried: by a retry that was taken.';

CREATE FUNCTION update_hook_health(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  lower_bound timestamptz;
  upper_bound timestamptz := moment - interval '1 minute';
  touched integer;
begin
  select hook_health_state.counted_to into lower_bound from hook_health_state for update;
  -- The clock was ahead and has gone back: counting begins anew with the last hour that was counted before.
  if lower_bound > moment + interval '1 hour' then
    lower_bound := greatest(
      date_trunc('hour', moment - interval '1 day'),
      (select max(hook_health.at) from hook_health where hook_health.unit = 'h' and hook_health.at <= moment));
    delete from hook_health where hook_health.at >= lower_bound;
  end if;
  if upper_bound <= lower_bound then
    return 0;
  end if;
  with minutes as (
    select attempt.no, date_trunc('minute', attempt.started_at) as minute, attempt.outcome, attempt.reason, attempt.bucket,
      count(*) as attempts, min(attempt.started_at) as first_at, max(attempt.started_at) as last_at
    from attempts_between(lower_bound, upper_bound) as attempt
    group by attempt.no, minute, attempt.outcome, attempt.reason, attempt.bucket
  )
  insert into hook_health (no, unit, at, outcome, reason, bucket, attempts, first_at, last_at)
  select minutes.no, unit.short, date_trunc(unit.name, minutes.minute), minutes.outcome, minutes.reason, minutes.bucket, sum(minutes.attempts),
    min(minutes.first_at), max(minutes.last_at)
  from minutes
  cross join (values ('m'::"char", 'minute'), ('h'::"char", 'hour')) as unit (short, name)
  group by 1, 2, 3, 4, 5, 6
  on conflict (no, unit, at, outcome, reason, bucket) do update set attempts = hook_health.attempts + excluded.attempts,
    first_at = least(hook_health.first_at, excluded.first_at), last_at = greatest(hook_health.last_at, excluded.last_at);
  get diagnostics touched = row_count;
  update hook_health_state set counted_to = upper_bound;
  delete from hook_health where hook_health.unit = 'm' and hook_health.at < moment - interval '2 hours';
  delete from hook_health where hook_health.unit = 'h' and hook_health.at < moment - interval '31 days';
  return touched;
end
$function$;
COMMENT ON FUNCTION update_hook_health(moment timestamp with time zone) IS 'Adds attempts that started up to a minute ago to hook_health, and forgets what is older than it keeps; how many rows it touched.';
REVOKE EXECUTE ON FUNCTION update_hook_health(moment timestamp with time zone) FROM PUBLIC;

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
  if (select feed_wake.last_value = 1 from feed_wake) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$function$;

CREATE FUNCTION without_look_alikes(lowered text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  steps constant text[] := income_phrase_steps('stays');
begin
  for step in 1 .. array_length(steps, 1) loop
    if position(steps[step][1] in lowered) > 0 then
      lowered := regexp_replace(lowered, steps[step][2], ' ', 'g');
    end if;
  end loop;
  return lowered;
end
$function$;
COMMENT ON FUNCTION without_look_alikes(lowered text) IS 'A text without phrases that only seem to speak of an income.';

CREATE FUNCTION without_speaker(said text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(said, '^[^:\n]*:'::text, ''::text);
COMMENT ON FUNCTION without_speaker(said text) IS 'A turn without who says it.';

CREATE TRIGGER advisory_docs_emit_changed AFTER UPDATE ON advisory_docs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_changed();

CREATE TRIGGER advisory_docs_emit_created AFTER INSERT ON advisory_docs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_advisory_doc_created();

CREATE TRIGGER advisory_docs_income BEFORE INSERT OR UPDATE OF title ON advisory_docs FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.title))) EXECUTE FUNCTION redact_row('title');

CREATE TRIGGER advisory_docs_key BEFORE UPDATE OF id ON advisory_docs FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER api_keys_changed AFTER INSERT OR DELETE OR UPDATE OF digest, scopes, expires_at, revoked_at OR TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_api_keys_changed();

CREATE TRIGGER appointments_emit_changed AFTER UPDATE ON appointments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_changed();

CREATE TRIGGER appointments_emit_created AFTER INSERT ON appointments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_appointment_created();

CREATE TRIGGER appointments_encode BEFORE INSERT OR UPDATE OF meeting_url ON appointments FOR EACH ROW WHEN (NOT is_uri(new.meeting_url) AND new.meeting_url !~ '[[:space:]]'::text) EXECUTE FUNCTION encode_meeting_url();

CREATE TRIGGER appointments_income BEFORE INSERT OR UPDATE OF title, status, platform, customer_display_name, source, intelligence_status ON appointments FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.title, new.status, new.platform, new.customer_display_name, new.source, new.intelligence_status))) EXECUTE FUNCTION redact_row('title', 'status', 'platform', 'customer_display_name', 'source', 'intelligence_status');

CREATE TRIGGER appointments_key BEFORE UPDATE OF id ON appointments FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER events_income BEFORE INSERT ON events FOR EACH ROW WHEN (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)'::text OR new.object_type ~ '[0-9]'::text) EXECUTE FUNCTION redact_row('object_type', 'object_id');

CREATE TRIGGER events_transaction BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION draw_transaction_id();

CREATE TRIGGER events_wake AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake_sequencer();

CREATE TRIGGER haushalte_emit_changed AFTER UPDATE ON haushalte REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_changed();

CREATE TRIGGER haushalte_emit_created AFTER INSERT ON haushalte REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_haushalt_created();

CREATE TRIGGER haushalte_income BEFORE INSERT OR UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell ON haushalte FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell))) EXECUTE FUNCTION redact_row('haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell');

CREATE TRIGGER haushalte_income_quelle BEFORE INSERT OR UPDATE OF quelle ON haushalte FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.quelle))) EXECUTE FUNCTION redact_row('quelle');

CREATE TRIGGER haushalte_key BEFORE UPDATE OF kontakt_key ON haushalte FOR EACH ROW WHEN (new.kontakt_key <> old.kontakt_key) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER haushalte_touch BEFORE UPDATE OF haushalt, provenance, din_check, empfehlungen_aktuell, quelle ON haushalte FOR EACH ROW WHEN (old.haushalt IS DISTINCT FROM new.haushalt OR old.provenance IS DISTINCT FROM new.provenance OR old.din_check IS DISTINCT FROM new.din_check OR old.empfehlungen_aktuell IS DISTINCT FROM new.empfehlungen_aktuell OR old.quelle IS DISTINCT FROM new.quelle) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER hook_positions_kept BEFORE DELETE ON hook_positions FOR EACH ROW WHEN (old.deleted_at IS NULL) EXECUTE FUNCTION refuse_position_loss();

CREATE TRIGGER hook_subscriptions_changed AFTER INSERT OR DELETE OR UPDATE OF active, target_url, event_types, secret, old_secret, old_secret_until, old_secret_leads ON hook_subscriptions FOR EACH STATEMENT EXECUTE FUNCTION notify_hooks_changed();

CREATE TRIGGER hook_subscriptions_failing AFTER UPDATE OF consecutive_failures ON hook_subscriptions FOR EACH ROW WHEN (new.consecutive_failures > old.consecutive_failures OR new.failing_since::timestamp with time zone IS DISTINCT FROM old.failing_since::timestamp with time zone) EXECUTE FUNCTION note_hook_failures();

CREATE TRIGGER hook_subscriptions_fenced AFTER UPDATE OF active ON hook_subscriptions FOR EACH ROW WHEN (new.active AND NOT old.active) EXECUTE FUNCTION raise_hook_fence();

CREATE TRIGGER hook_subscriptions_followed AFTER INSERT ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION create_hook_position();

CREATE TRIGGER hook_subscriptions_left AFTER DELETE ON hook_subscriptions FOR EACH ROW EXECUTE FUNCTION leave_hook();

CREATE TRIGGER hook_subscriptions_reactivated BEFORE INSERT OR UPDATE OF active ON hook_subscriptions FOR EACH ROW WHEN (new.active AND new.pause_reason IS NOT NULL) EXECUTE FUNCTION forget_pause_reason();

CREATE TRIGGER hook_subscriptions_retyped AFTER UPDATE OF event_types ON hook_subscriptions FOR EACH ROW WHEN (old.event_types IS DISTINCT FROM new.event_types) EXECUTE FUNCTION follow_hook_types();

CREATE TRIGGER kontakt_aliases_flat_on_insert AFTER INSERT ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();

CREATE TRIGGER kontakt_aliases_flat_on_update AFTER UPDATE ON kontakt_aliases REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_alias_chain();

CREATE TRIGGER lead_analyses_emit_checked AFTER UPDATE ON lead_analyses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_checked();

CREATE TRIGGER lead_analyses_emit_completed AFTER INSERT ON lead_analyses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_analysis_completed();

CREATE TRIGGER lead_analyses_income BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.analysis, new.analysis_v2, new.din_check))) EXECUTE FUNCTION redact_row('analysis', 'analysis_v2', 'din_check');

CREATE TRIGGER lead_analyses_key BEFORE UPDATE OF id ON lead_analyses FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER lead_analyses_projection BEFORE INSERT OR UPDATE OF analysis, analysis_v2, din_check ON lead_analyses FOR EACH ROW EXECUTE FUNCTION project_lead_analysis();

CREATE TRIGGER leads_emit_changed AFTER UPDATE ON leads REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_changed();

CREATE TRIGGER leads_emit_created AFTER INSERT ON leads REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_lead_created();

CREATE TRIGGER leads_income BEFORE INSERT OR UPDATE OF name, status, source_type, archive_reason_code, product_domain ON leads FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.name, new.status, new.source_type, new.archive_reason_code, new.product_domain))) EXECUTE FUNCTION redact_row('name', 'status', 'source_type', 'archive_reason_code', 'product_domain');

CREATE TRIGGER leads_income_documents BEFORE INSERT OR UPDATE OF parsed_data ON leads FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.parsed_data))) EXECUTE FUNCTION redact_row('parsed_data');

CREATE TRIGGER leads_key BEFORE UPDATE OF id ON leads FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER meeting_intelligence_emit_changed AFTER UPDATE ON meeting_intelligence REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_changed();

CREATE TRIGGER meeting_intelligence_emit_found AFTER INSERT ON meeting_intelligence REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_meeting_found();

CREATE TRIGGER meeting_intelligence_income BEFORE INSERT OR UPDATE OF failure_reason, customer_persona, conversation_type, summary, next_steps, results ON meeting_intelligence FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.failure_reason, new.customer_persona, new.conversation_type, new.summary, new.next_steps, new.results))) EXECUTE FUNCTION redact_row('failure_reason', 'customer_persona', 'conversation_type', 'summary', 'next_steps', 'results');

CREATE TRIGGER meeting_intelligence_key BEFORE UPDATE OF appointment_id ON meeting_intelligence FOR EACH ROW WHEN (new.appointment_id <> old.appointment_id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER signals_emit_changed AFTER UPDATE ON signals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_changed();

CREATE TRIGGER signals_emit_opened AFTER INSERT ON signals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION emit_signal_opened();

CREATE TRIGGER signals_income BEFORE INSERT OR UPDATE OF kind, title, quelle, outcome ON signals FOR EACH ROW WHEN (concerns_income(concat_ws(' '::text, new.kind, new.title, new.quelle, new.outcome))) EXECUTE FUNCTION redact_row('kind', 'title', 'quelle', 'outcome');

CREATE TRIGGER signals_key BEFORE UPDATE OF id ON signals FOR EACH ROW WHEN (new.id <> old.id) EXECUTE FUNCTION refuse_key_change();

CREATE TRIGGER signals_touch BEFORE UPDATE OF kind, title, status, score, lead_id, kontakt_key, quelle, outcome ON signals FOR EACH ROW WHEN (old.kind IS DISTINCT FROM new.kind OR old.title IS DISTINCT FROM new.title OR old.status IS DISTINCT FROM new.status OR old.score::numeric IS DISTINCT FROM new.score::numeric OR old.lead_id IS DISTINCT FROM new.lead_id OR old.kontakt_key IS DISTINCT FROM new.kontakt_key OR old.quelle IS DISTINCT FROM new.quelle OR old.outcome IS DISTINCT FROM new.outcome) EXECUTE FUNCTION touch_updated_at();
