-- The erasure itself, and what it would erase.
--
-- @needs erasure/person, erasure/find_kontakt, tables/personal

create or replace function leads_shown(lead_ids uuid[], row_limit integer) returns jsonb
  language sql stable set timezone = 'UTC'
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
comment on function leads_shown is
  'What distinguishes one lead from another, newest first: [{id, name, email, phone, created_at}].';

-- The dashboard may call this one, kontakt_holdings and erase_kontakt, instead of deleting from every table. Each has
-- the settings for all that it calls: arrays of thousands are hashed only where the plan knows them, and rows are found
-- by indexes whatever the statistics are. Without a look into the log this one answers at once, however much there is.
create or replace function kontakt_leads(identity text, row_limit integer)
  returns table (canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb)
  language sql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off
begin atomic
  select person.canonical_key, person.keys, person.shared_keys, cardinality(person.lead_ids),
    leads_shown(person.lead_ids, row_limit)
  from kontakt_person(identity) as person
  where person.canonical_key is not null;
end;
comment on function kontakt_leads is
  'The person an identity stands for: keys and leads, up to row_limit of them. No row where the text is no identity.';

create or replace function counts_of(person record, cursors bigint[]) returns jsonb
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  made constant record := count_attempts(cursors);
begin
  return (select jsonb_object_agg(kept.key, jsonb_array_length(kept.value)) from jsonb_each(person.stored) as kept)
    || jsonb_build_object('events', cardinality(person.log_ids), 'hook_deliveries', made.deliveries,
      'hook_attempts', made.attempts);
end
$$;
comment on function counts_of is 'How many rows a person of find_kontakt has, by table.';

create or replace function kontakt_holdings(identity text)
  returns table (
    canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  person constant record := find_kontakt(identity);
  cursors constant bigint[] := cursors_of(person.log_ids);
begin
  return query
    select person.canonical_key, person.keys, person.shared_keys, leads_shown(person.other_lead_ids, null),
      held.counts, delivery_report(cursors)
    from counts_of(person, cursors) as held (counts)
    where exists (select from jsonb_each(held.counts) as counted where counted.value <> '0');
end
$$;
comment on function kontakt_holdings is 'What erase_kontakt would erase; no row where nothing is stored of the person.';

-- Locks, in this order: merges; the rows, leads first, so that nothing new can refer to them; the feed, so that the
-- sequencer is through with what is committed; deliveries. What a writer commits later comes after the erasure.
-- Cursors stay as they are, and point at nothing.
create or replace function erase_kontakt(identity text)
  returns table (
    canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql volatile security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  person record;
  locked jsonb := '{}';
  goes record;
  cursors bigint[];
begin
  perform take_lock('merge_kontakte');
  loop
    person := find_kontakt(identity);
    exit when person.stored = locked;
    locked := person.stored;
    for goes in select * from personal_tables() where table_name <> 'events' order by place desc loop
      execute format(
        'select from %1$I where %2$I = any ($1::%3$s[]) order by %2$I for update',
        goes.table_name, goes.key_column, goes.key_type)
        using array(select jsonb_array_elements_text(locked -> goes.table_name));
    end loop;
  end loop;
  perform from feed_lock for update;
  cursors := cursors_of(person.log_ids);
  return query
    select person.canonical_key, person.keys, person.shared_keys, leads_shown(person.other_lead_ids, null),
      held.counts, delivery_report(cursors)
    from counts_of(person, cursors) as held (counts)
    where exists (select from jsonb_each(held.counts) as counted where counted.value <> '0');
  for goes in select * from personal_tables() where table_name <> 'events' order by place loop
    execute format('delete from %I where %I = any ($1::%s[])', goes.table_name, goes.key_column, goes.key_type)
      using array(select jsonb_array_elements_text(locked -> goes.table_name));
  end loop;
  delete from events where events.log_id = any (person.log_ids);
  perform forget_deliveries(cursors);
end
$$;
comment on function erase_kontakt is
  'Erases all that is stored of a person, events and deliveries included; returns what went, which subscriptions had '
  'received it, and which leads had one of the keys once. No row where nothing was stored.';
revoke execute on function kontakt_leads, kontakt_holdings, erase_kontakt from public;
