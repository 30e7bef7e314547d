-- Erasing a person, again: what an attempt left that nobody saw the end of; events in other spellings and of the
-- person's conversations; leads that had one of the keys once; and thousands of leads in one person.
-- Builds events_names_idx anew, 2 s for 1,000,000 events, while the sequencer waits.

-- Kept where a claim ends without a record, and only there.
alter table hook_deliveries add column maybe_sent boolean not null default false;
comment on column hook_deliveries.maybe_sent is 'Whether some attempt may have arrived that nobody recorded: the process stopped or died meanwhile, or its claim lapsed.';

-- UUIDs and keys in lower case: emit_event takes them as writers spell them.
drop index events_names_idx;
create index events_names_idx on events using brin (
  (lower(object_id)) text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.001),
  (lower(coalesce(links ->> 'lead_id', data ->> 'lead_id'))) text_bloom_ops (n_distinct_per_range = 1300, false_positive_rate = 0.001),
  (links ->> 'session_id') text_bloom_ops (n_distinct_per_range = 500, false_positive_rate = 0.005),
  (lower(data ->> 'kontakt_key')) text_bloom_ops (n_distinct_per_range = 500, false_positive_rate = 0.005),
  (kontakt_key_hint(data ->> 'email')) text_bloom_ops (n_distinct_per_range = 500),
  (kontakt_key_hint(data ->> 'phone')) text_bloom_ops (n_distinct_per_range = 500)
) with (pages_per_range = 64, autosummarize = on);

drop function kontakt_holdings, erase_kontakt, find_kontakt, gone_leads_of, events_about, is_about;

-- Each name that is looked up in an index of blocks costs 2 ms at 1,000,000 events; to read them all costs as much as
-- some hundred names. For a caller that sets both, so that they are as they were when it ends.
create function read_all(wanted boolean) returns void
  language plpgsql as $$
begin
  perform set_config('enable_seqscan', wanted::text, true), set_config('enable_bitmapscan', (not wanted)::text, true);
end
$$;
comment on function read_all is 'A piece of erase_kontakt: whether the next statements read whole tables.';

-- Arrays of thousands are hashed only where the plan knows them: hence plan_cache_mode here and below.
create or replace function leads_of(keys text[]) returns setof uuid
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
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
$$;

-- What tables of people say, without a look into the feed.
create function kontakt_person(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out lead_ids uuid[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  further text[];
  others uuid[];
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
  others := array(select other from leads_of(further) as other where other <> all (lead_ids));
  -- Of another contact: one of its keys is none of these leads', or somebody else's too.
  shared_keys := array(
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
  keys := array(select key from unnest(keys || further) as key where key <> all (shared_keys) order by key);
end
$$;
comment on function kontakt_person is 'Keys and leads of the person that an identity stands for. shared_keys: keys of their leads that others carry too.';

-- Put into the plan, as long as what it is given is no call of a function.
create function is_about(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[], hints text[]) returns boolean
  language sql immutable parallel safe
  return lower(object_id) = any (names)
    or lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) = any (lead_ids)
    or (links ->> 'session_id' = any (sessions) and lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) is null)
    or lower(data ->> 'kontakt_key') = any (keys)
    or tells_of(data, keys, hints);
comment on function is_about is 'Whether an event names one of these rows, leads or keys, or no lead and one of these conversations; hints are those of the keys.';

create function deliveries_of(cursors bigint[]) returns setof bigint
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = on as $$
begin
  perform read_all(cardinality(cursors) > 500);
  return query select hook_deliveries.id from hook_deliveries where hook_deliveries.cursor = any (cursors);
end
$$;
comment on function deliveries_of is 'The deliveries of these events.';

-- Everything of a person but events, and what events are known by. Arrays are empty, never null.
-- other_lead_ids: leads that carry none of the keys, which events, analyses or signals tie to one.
create function find_kontakt(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out lead_ids uuid[], out other_lead_ids uuid[],
    out analysis_ids uuid[], out appointment_ids uuid[], out signal_ids uuid[], out advisory_doc_ids uuid[], out sessions uuid[],
    out lead_names text[], out names text[], out hints text[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = on as $$
declare
  told uuid[];
  created uuid[];
  gone uuid[];
  left_behind uuid[];
begin
  select person.canonical_key, person.keys, person.shared_keys, person.lead_ids
  into canonical_key, keys, shared_keys, lead_ids
  from kontakt_person(identity) as person;
  hints := kontakt_key_hints(keys);
  -- Apart, so that it is looked up in events_names_idx and not by its type.
  with telling as materialized (
    select events.event_type, events.links from events where tells_of(events.data, keys, hints)
    union all
    select event_outbox.event_type, event_outbox.links from event_outbox where tells_of(event_outbox.data, keys, hints)
  )
  select coalesce(array_agg((telling.links ->> 'lead_id')::uuid), '{}'),
    coalesce(array_agg((telling.links ->> 'lead_id')::uuid) filter (where telling.event_type = 'lead.created'), '{}')
  into told, created
  from telling
  where telling.links ->> 'lead_id' is not null;
  other_lead_ids := array(
    select leads.id
    from leads
    where leads.id <> all (lead_ids)
      and leads.id in (
        select unnest(told)
        union
        select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union
        select signals.lead_id from signals where signals.kontakt_key = any (keys)));
  -- Leads that a writer has deleted are still told of by the events of their making.
  gone := array(
    select lead_id
    from (select unnest(created) union select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%') as known (lead_id)
    where not exists (select from leads where leads.id = known.lead_id));
  lead_names := (lead_ids || gone)::text[];
  analysis_ids := array(
    select lead_analyses.id from lead_analyses where lead_analyses.lead_id = any (lead_ids)
    union
    select lead_analyses.id from lead_analyses where lead_analyses.kontakt_key = any (keys));
  -- What deleted leads left behind has lost its lead_id; events still name both.
  perform read_all(cardinality(gone) > 500);
  with
  naming as materialized (
    select events.object_type, events.object_id, events.links
    from events
    where gone <> '{}' and lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = any (gone::text[])
  )
  select
    array(select substr(kontakt_key_lead(naming.object_id), 6)::uuid from naming where naming.object_type in ('appointment', 'signal', 'advisory_doc')),
    array(
      select (naming.links ->> 'session_id')::uuid from naming where naming.links ->> 'session_id' is not null
      union
      select leads.session_id from leads where leads.id = any (lead_ids) and leads.session_id is not null
      union
      select lead_analyses.session_id from lead_analyses where lead_analyses.id = any (analysis_ids) and lead_analyses.session_id is not null)
  into left_behind, sessions;
  perform read_all(false);
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
  names := keys || lead_names || (analysis_ids || appointment_ids || signal_ids || advisory_doc_ids)::text[];
end
$$;
comment on function find_kontakt is 'All keys and rows of the person that an identity stands for. lead_names: ids of leads, deleted ones too; names: keys and all ids; sessions: their conversations; hints: those of the keys.';

create function events_about(
    names text[], lead_ids text[], sessions text[], keys text[], hints text[], out cursors bigint[], out outbox_ids bigint[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = on as $$
begin
  outbox_ids := array(
    select event_outbox.outbox_id
    from event_outbox
    where is_about(event_outbox.object_id, event_outbox.links, event_outbox.data, names, lead_ids, sessions, keys, hints));
  perform read_all(cardinality(names) > 500);
  cursors := array(
    select events.cursor
    from events
    where is_about(events.object_id, events.links, events.data, names, lead_ids, sessions, keys, hints));
end
$$;
comment on function events_about is 'The events that is_about says yes to, in the feed and on their way there.';

-- Received: an attempt was accepted. Possibly: it was answered otherwise, broke off, is under way, or nobody recorded it.
create or replace function recipients_of(delivery_ids bigint[]) returns jsonb
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
      and (hook_deliveries.state = 'delivered' or hook_deliveries.claim is not null or hook_deliveries.maybe_sent
        or arrived.first_at is not null)
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

create function leads_shown(lead_ids uuid[], row_limit integer) returns jsonb
  language sql stable set timezone = 'UTC' set enable_seqscan = off
begin atomic
  select coalesce(jsonb_agg(jsonb_build_object(
      'id', shown.id, 'name', shown.name, 'email', shown.email, 'phone', shown.phone, 'created_at', shown.created_at)
    order by shown.created_at desc, shown.id desc), '[]')
  from (
    select leads.id, leads.name, leads.email, leads.phone, leads.created_at
    from leads
    where leads.id = any (lead_ids)
    order by leads.created_at desc, leads.id desc
    limit row_limit
  ) as shown;
end;
comment on function leads_shown is 'What tells one lead from another, newest first: [{id, name, email, phone, created_at}].';

-- What a page shows first: no look into the feed, so it is answered at once however much there is.
create function kontakt_leads(identity text, row_limit integer)
  returns table (canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select person.canonical_key, person.keys, person.shared_keys, cardinality(person.lead_ids), leads_shown(person.lead_ids, row_limit)
  from kontakt_person(identity) as person
  where person.canonical_key is not null;
end;
comment on function kontakt_leads is 'Who it is that an identity stands for: keys and leads, so many of them. No row where it is none.';

create function kontakt_holdings(identity text)
  returns table (canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  person record;
  about record;
  delivery_ids bigint[];
begin
  person := find_kontakt(identity);
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  other_leads := leads_shown(person.other_lead_ids, null);
  about := events_about(person.names, person.lead_names, person.sessions::text[], person.keys, person.hints);
  delivery_ids := array(select deliveries_of(about.cursors));
  recipients := recipients_of(delivery_ids);
  counts := jsonb_build_object(
    'leads', cardinality(person.lead_ids),
    'lead_analyses', cardinality(person.analysis_ids),
    'haushalte', (select count(*) from haushalte where haushalte.kontakt_key = any (person.keys)),
    'kontakt_aliases', (select count(*) from kontakt_aliases where kontakt_aliases.alias_key = any (person.keys)),
    'appointments', cardinality(person.appointment_ids),
    'meeting_intelligence', (select count(*) from meeting_intelligence where meeting_intelligence.appointment_id = any (person.appointment_ids)),
    'signals', cardinality(person.signal_ids),
    'advisory_docs', cardinality(person.advisory_doc_ids),
    'events', cardinality(about.cursors) + cardinality(about.outbox_ids),
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
  returns table (canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  person record;
  locked uuid[];
  about record;
  delivery_ids bigint[];
begin
  -- Under a snapshot from before the locks it would not see what was written meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'erase_kontakt needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  locked := (select found.lead_ids from kontakt_person(identity) as found);
  loop
    perform from leads where leads.id = any (locked) order by leads.id for update;
    person := find_kontakt(identity);
    exit when person.lead_ids = locked;
    locked := person.lead_ids;
  end loop;
  other_leads := leads_shown(person.other_lead_ids, null);
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
  about := events_about(person.names, person.lead_names, person.sessions::text[], person.keys, person.hints);
  delivery_ids := array(
    select hook_deliveries.id from hook_deliveries
    where hook_deliveries.id = any (array(select deliveries_of(about.cursors))) order by hook_deliveries.id for update);
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
    delete from events where events.cursor = any (about.cursors) returning 1
  ),
  waiting as (
    delete from event_outbox where event_outbox.outbox_id = any (about.outbox_ids) returning 1
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
comment on function erase_kontakt is 'Erases all that is stored of a person, the feed and deliveries included; tells what went, who had received it, and which leads had one of the keys once. No row where nothing was stored.';

revoke execute on function kontakt_leads, kontakt_holdings, erase_kontakt from public;
