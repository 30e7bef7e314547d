-- Erasure: all that is stored of one person goes, in one transaction; and what finds it without reading whole tables.
--
-- Who a person is: the contact of the key (surviving key and aliases), every lead that carries one of these keys, and
-- every lead without an identity of its own whose analyses or signals name one. The other keys of those leads count
-- too, with the contact each belongs to, unless somebody else has one of them as well: a number that two leads share, a
-- contact with a key that none of these leads carries. Those stay, and are told.

-- Equal for all spellings of a key that are plain: what stands before the @, the last digits of a number. What is not
-- plain is '?'. Not strict and without settings, so that it is put into the plan: two of them cost a lead 4 µs, where
-- kontakt_key takes 15 to 30 each and would cost its writer a quarter of the rate.
create function kontakt_key_hint(value text) returns text
  language sql immutable parallel safe
  return case
    when value is null then null
    when octet_length(value) <> length(value) then '?'
    when strpos(value, '@') > 0 then lower(ltrim(split_part(split_part(value, '@', 1), ':', -1), e' \t\n\x0b\f\r') collate "C")
    when translate(value, '0123456789 ()+/.-', '') = '' then right(translate(value, ' ()+/.-', ''), 5)
    else '?'
  end;
comment on function kontakt_key_hint is 'What an index has of an identity: equal, or ?, for every text with the same kontakt_key.';

create function kontakt_key_hints(keys text[]) returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(distinct kontakt_key_hint(identity.value)) || array['?']
  from unnest(keys) as key
  -- Of an address the name alone: the domain may be spelled in Punycode.
  cross join lateral (select regexp_replace(substring(key from ':(.*)'), '@.*', '@') as value) as identity
  where key not like 'lead:%';
end;
comment on function kontakt_key_hints is 'The hints that a spelling of one of the keys can have.';

create index leads_email_hint_idx on leads (kontakt_key_hint(email));
create index leads_phone_hint_idx on leads (kontakt_key_hint(phone));
create index lead_analyses_kontakt_idx on lead_analyses (kontakt_key) where kontakt_key is not null;
create index signals_kontakt_idx on signals (kontakt_key) where kontakt_key is not null;
create index appointments_session_idx on appointments (session_id) where lead_id is null and session_id is not null;
-- Deliveries lie in the order of their events, but for rows that moved into space that pruning freed. A B-tree costs
-- 6 µs for each delivery, a third of what the table does; this costs nothing that can be measured.
create index hook_deliveries_cursor_idx on hook_deliveries using brin (cursor int8_minmax_multi_ops)
  with (pages_per_range = 16, autosummarize = on);

-- Whom an event is about, by blocks of the feed: a look at 1,000,000 events takes 2 ms for each name, and the sequencer
-- writes next to nothing. B-trees on the same would make every event half again as dear.
create index events_names_idx on events using brin (
  object_id text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.001),
  (coalesce(links ->> 'lead_id', data ->> 'lead_id')) text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.001),
  (data ->> 'kontakt_key') text_bloom_ops (n_distinct_per_range = 500, false_positive_rate = 0.005),
  (kontakt_key_hint(data ->> 'email')) text_bloom_ops (n_distinct_per_range = 500),
  (kontakt_key_hint(data ->> 'phone')) text_bloom_ops (n_distinct_per_range = 500)
) with (pages_per_range = 64, autosummarize = on);

-- These two are put into the plan as well, as long as what they are given is no call of a function.
create function tells_of(data jsonb, keys text[], hints text[]) returns boolean
  language sql immutable parallel safe
  return (kontakt_key_hint(data ->> 'email') = any (hints) and kontakt_key(data ->> 'email') = any (keys))
    or (kontakt_key_hint(data ->> 'phone') = any (hints) and kontakt_key(data ->> 'phone') = any (keys));
comment on function tells_of is 'Whether the payload of an event has the address or the number of one of the keys.';

create function is_about(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], keys text[], hints text[]) returns boolean
  language sql immutable parallel safe
  return object_id = any (names)
    or coalesce(links ->> 'lead_id', data ->> 'lead_id') = any (lead_ids)
    or data ->> 'kontakt_key' = any (keys)
    or tells_of(data, keys, hints);
comment on function is_about is 'Whether an event names one of these rows, leads or keys; hints are those of the keys.';

create function leads_of(keys text[]) returns setof uuid
  language sql stable set enable_seqscan = off
begin atomic
  select leads.id from leads
  where kontakt_key_hint(leads.email) = any (kontakt_key_hints(keys)) and kontakt_key(leads.email) = any (keys)
  union
  select leads.id from leads
  where kontakt_key_hint(leads.phone) = any (kontakt_key_hints(keys)) and kontakt_key(leads.phone) = any (keys)
  union
  select leads.id from leads
  where leads.id = any (array(select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%'));
end;
comment on function leads_of is 'The leads that carry one of the keys as email, as phone or as their id.';

-- Leads that a writer has deleted are still told of by the events of their making.
create function gone_leads_of(keys text[], hints text[]) returns setof uuid
  language sql stable set enable_seqscan = off
begin atomic
  -- Apart, so that it is looked up in events_names_idx and not by its type.
  with telling as materialized (
    select events.event_type, events.links
    from events
    where tells_of(events.data, keys, hints)
  )
  select told.lead_id
  from (
    select (telling.links ->> 'lead_id')::uuid as lead_id from telling where telling.event_type = 'lead.created'
    union
    select (event_outbox.links ->> 'lead_id')::uuid from event_outbox
    where tells_of(event_outbox.data, keys, hints) and event_outbox.event_type = 'lead.created'
    union
    select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%'
  ) as told
  where told.lead_id is not null and not exists (select from leads where leads.id = told.lead_id);
end;
comment on function gone_leads_of is 'Leads with one of the keys of which no row is left.';

create function events_about(names text[], lead_ids text[], keys text[], hints text[]) returns setof bigint
  language sql stable set enable_seqscan = off
begin atomic
  select events.cursor
  from events
  where is_about(events.object_id, events.links, events.data, names, lead_ids, keys, hints);
end;
comment on function events_about is 'The cursors of the events that name one of these rows, leads or keys.';

-- Everything of a person but events. Arrays are empty, never null.
create function find_kontakt(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out lead_ids uuid[], out analysis_ids uuid[],
    out appointment_ids uuid[], out signal_ids uuid[], out advisory_doc_ids uuid[], out names text[], out hints text[])
  language plpgsql stable set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  further text[];
  foreign_contacts text[];
  gone uuid[];
  sessions uuid[];
  left_behind uuid[];
begin
  canonical_key := canonical_kontakt_key(identity);
  -- A lead that was never merged stands for its person: known by mail, else by phone.
  if canonical_key like 'lead:%' and not exists (select from kontakt_aliases where kontakt_aliases.canonical_key = find_kontakt.canonical_key) then
    canonical_key := coalesce((
      select canonical_kontakt_key(coalesce(kontakt_key(leads.email), kontakt_key(leads.phone)))
      from leads
      where leads.id = substr(find_kontakt.canonical_key, 6)::uuid), canonical_key);
  end if;
  keys := array(
    select find_kontakt.canonical_key where find_kontakt.canonical_key is not null
    union
    select kontakt_aliases.alias_key from kontakt_aliases where kontakt_aliases.canonical_key = find_kontakt.canonical_key);
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
      and not exists (select from kontakt_aliases where kontakt_aliases.alias_key = 'lead:' || leads.id));
  further := array(
    select carried.key
    from leads
    cross join lateral (values ('lead:' || leads.id), (kontakt_key(leads.email)), (kontakt_key(leads.phone))) as carried (key)
    where leads.id = any (lead_ids) and carried.key is not null and carried.key <> all (keys)
    group by carried.key);
  -- Of another contact: one of its keys is none of these leads', or somebody else's too.
  foreign_contacts := array(
    select canonical_kontakt_key(key)
    from unnest(further) as key
    where canonical_kontakt_key(key) <> all (further)
      or exists (
        select from kontakt_aliases
        where kontakt_aliases.canonical_key = canonical_kontakt_key(key) and kontakt_aliases.alias_key <> all (further))
      or exists (select from leads_of(array[key]) as other where other <> all (lead_ids))
      or exists (select from lead_analyses where lead_analyses.kontakt_key = key and lead_analyses.lead_id <> all (lead_ids))
      or exists (select from signals where signals.kontakt_key = key and signals.lead_id <> all (lead_ids)));
  shared_keys := array(select key from unnest(further) as key where canonical_kontakt_key(key) = any (foreign_contacts) order by key);
  keys := array(select key from unnest(keys || further) as key where key <> all (shared_keys) order by key);
  hints := kontakt_key_hints(keys);
  gone := array(select gone_leads_of(keys, hints));
  lead_ids := lead_ids || gone;
  -- What deleted leads left behind has lost its lead_id; events still name both.
  left_behind := case when gone <> '{}' then array(
    select substr(kontakt_key_lead(events.object_id), 6)::uuid
    from events
    where coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id') = any (gone::text[])
      and events.object_type in ('appointment', 'signal', 'advisory_doc')) else '{}' end;
  analysis_ids := array(
    select lead_analyses.id from lead_analyses where lead_analyses.lead_id = any (lead_ids)
    union
    select lead_analyses.id from lead_analyses where lead_analyses.kontakt_key = any (keys));
  sessions := array(
    select leads.session_id from leads where leads.id = any (lead_ids) and leads.session_id is not null
    union
    select lead_analyses.session_id from lead_analyses where lead_analyses.id = any (analysis_ids) and lead_analyses.session_id is not null);
  appointment_ids := array(
    select appointments.id from appointments where appointments.lead_id = any (lead_ids)
    union
    select appointments.id from appointments where appointments.session_id = any (sessions) and appointments.lead_id is null
    union
    select appointments.id from appointments where appointments.id = any (left_behind) and appointments.lead_id is null);
  signal_ids := array(
    select signals.id from signals where signals.lead_id = any (lead_ids)
    union
    select signals.id from signals where signals.kontakt_key = any (keys)
    union
    select signals.id from signals where signals.id = any (left_behind) and signals.lead_id is null and signals.kontakt_key is null);
  advisory_doc_ids := array(
    select advisory_docs.id from advisory_docs where advisory_docs.lead_id = any (lead_ids)
    union
    select advisory_docs.id from advisory_docs where advisory_docs.id = any (left_behind) and advisory_docs.lead_id is null);
  names := keys || (lead_ids || analysis_ids || appointment_ids || signal_ids || advisory_doc_ids)::text[];
end
$$;
comment on function find_kontakt is 'All keys and rows of the person that an identity stands for. shared_keys: keys of their leads that others carry too; names: keys and ids; hints: those of the keys.';

-- Received: an attempt was accepted. Possibly: it was answered otherwise, broke off, or is under way.
create function recipients_of(delivery_ids bigint[]) returns jsonb
  language sql stable set timezone = 'UTC' set enable_seqscan = off
begin atomic
  with sent as (
    select hook_deliveries.subscription_id, events.event_type,
      hook_deliveries.state = 'delivered' or coalesce(arrived.accepted, false) as received,
      coalesce(arrived.first_at, hook_deliveries.ended_at, hook_deliveries.due_at) as first_at,
      coalesce(arrived.last_at, hook_deliveries.ended_at, hook_deliveries.due_at) as last_at
    from hook_deliveries
    join events on events.cursor = hook_deliveries.cursor
    cross join lateral (
      select bool_or(hook_attempts.error_class is null) as accepted, min(hook_attempts.started_at) as first_at,
        max(hook_attempts.started_at) as last_at
      from hook_attempts
      where hook_attempts.delivery_id = hook_deliveries.id
        -- Without a name, a connection or a good certificate nothing was sent; a kept connection may break after that.
        and (hook_attempts.error_class is null or hook_attempts.error_class not in ('dns', 'tls', 'blocked'))
    ) as arrived
    where hook_deliveries.id = any (delivery_ids)
      and (hook_deliveries.state = 'delivered' or hook_deliveries.claim is not null or arrived.first_at is not null)
  ),
  recipients as (
    select sent.subscription_id, count(*) filter (where sent.received) as received, count(*) filter (where not sent.received) as possibly,
      min(sent.first_at) as first_at, max(sent.last_at) as last_at, array_agg(distinct sent.event_type) as event_types
    from sent
    group by sent.subscription_id
  )
  select coalesce(jsonb_agg(jsonb_build_object(
      'subscription_id', recipients.subscription_id, 'label', hook_subscriptions.label, 'target_url', hook_subscriptions.target_url,
      'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at, 'last_at', recipients.last_at,
      'event_types', to_jsonb(recipients.event_types)) order by recipients.first_at, recipients.subscription_id), '[]')
  from recipients
  left join hook_subscriptions on hook_subscriptions.id = recipients.subscription_id;
end;
comment on function recipients_of is 'Which subscriptions received these deliveries, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].';

create function kontakt_holdings(identity text)
  returns table (canonical_key text, keys text[], shared_keys text[], counts jsonb, recipients jsonb)
  language plpgsql stable set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  person record;
  cursors bigint[];
  delivery_ids bigint[];
begin
  person := find_kontakt(identity);
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  cursors := array(select events_about(person.names, person.lead_ids::text[], person.keys, person.hints));
  delivery_ids := array(select hook_deliveries.id from hook_deliveries where hook_deliveries.cursor = any (cursors));
  recipients := recipients_of(delivery_ids);
  counts := jsonb_build_object(
    'leads', (select count(*) from leads where leads.id = any (person.lead_ids)),
    'lead_analyses', cardinality(person.analysis_ids),
    'haushalte', (select count(*) from haushalte where haushalte.kontakt_key = any (person.keys)),
    'kontakt_aliases', (select count(*) from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys)),
    'appointments', cardinality(person.appointment_ids),
    'meeting_intelligence', (select count(*) from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids)),
    'signals', cardinality(person.signal_ids),
    'advisory_docs', cardinality(person.advisory_doc_ids),
    'events', cardinality(cursors) + (
      select count(*) from event_outbox
      where is_about(event_outbox.object_id, event_outbox.links, event_outbox.data, person.names, person.lead_ids::text[], person.keys, person.hints)),
    'hook_deliveries', cardinality(delivery_ids),
    'hook_attempts', (select count(*) from hook_attempts where hook_attempts.delivery_id = any (delivery_ids)));
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$$;
comment on function kontakt_holdings is 'What erase_kontakt would erase; no row where nothing is stored of the person.';

-- Locks, in this order: merges; the leads, so that nothing new can be hung on them; the rows; then the feed, so that the
-- sequencer is through with what is committed and begins nothing new; the deliveries by id, as whoever records attempts
-- does. What a writer commits later comes after the erasure.
-- Cursors stay as they are: head and horizon do not move, and a gap is a gap like those at the end of a day.
create function erase_kontakt(identity text)
  returns table (canonical_key text, keys text[], shared_keys text[], counts jsonb, recipients jsonb)
  language plpgsql volatile set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  person record;
  locked uuid[] := '{}';
  cursors bigint[];
  delivery_ids bigint[];
begin
  -- Under a snapshot from before the locks it would not see what was written meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erase_kontakt needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  loop
    person := find_kontakt(identity);
    perform from leads where leads.id = any (person.lead_ids) order by leads.id for update;
    exit when person.lead_ids <@ locked;
    locked := person.lead_ids;
  end loop;
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
  ),
  -- The command redact remembers the key of a row.
  progress as (
    delete from redaction_progress where redaction_progress.after_key = any (person.names)
  )
  select jsonb_build_object(
    'leads', (select count(*) from leads_gone), 'lead_analyses', (select count(*) from analyses),
    'haushalte', (select count(*) from haushalte_gone), 'kontakt_aliases', (select count(*) from aliases),
    'appointments', (select count(*) from appointments_gone), 'meeting_intelligence', (select count(*) from meetings),
    'signals', (select count(*) from signals_gone), 'advisory_docs', (select count(*) from advisory_docs_gone))
  into counts;

  perform from feed for update;
  cursors := array(select events_about(person.names, person.lead_ids::text[], person.keys, person.hints));
  delivery_ids := array(
    select hook_deliveries.id from hook_deliveries where hook_deliveries.cursor = any (cursors) order by hook_deliveries.id for update);
  -- Asked after the lock: what was recorded up to now counts.
  recipients := recipients_of(delivery_ids);
  with
  attempts as (
    delete from hook_attempts where hook_attempts.delivery_id = any (delivery_ids) returning 1
  ),
  deliveries as (
    delete from hook_deliveries where hook_deliveries.id = any (delivery_ids) returning 1
  ),
  sequenced as (
    delete from events where events.cursor = any (cursors) returning 1
  ),
  waiting as (
    delete from event_outbox
    where is_about(event_outbox.object_id, event_outbox.links, event_outbox.data, person.names, person.lead_ids::text[], person.keys, person.hints)
    returning 1
  )
  select counts || jsonb_build_object(
    'events', (select count(*) from sequenced) + (select count(*) from waiting),
    'hook_deliveries', (select count(*) from deliveries), 'hook_attempts', (select count(*) from attempts))
  into counts;

  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  if exists (select from jsonb_each_text(counts) as counted where counted.value <> '0') then
    return next;
  end if;
end
$$;
comment on function erase_kontakt is 'Erases all that is stored of a person, the feed and deliveries included; tells what went and who had received it. No row where nothing was stored.';
