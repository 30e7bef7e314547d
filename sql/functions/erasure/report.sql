-- What would be erased.
--
-- @needs erasure/person

create or replace function leads_shown(lead_ids uuid[], row_limit integer) returns jsonb
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
comment on function leads_shown is 'What distinguishes one lead from another, newest first: [{id, name, email, phone, created_at}].';

-- This one, kontakt_holdings and erase_kontakt are for the dashboard: it may call them, instead of deleting from every table.
-- What a page shows first: without a look into the log it answers at once, however much there is.
create or replace function kontakt_leads(identity text, row_limit integer)
  returns table (canonical_key text, keys text[], shared_keys text[], lead_count integer, leads jsonb)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select person.canonical_key, person.keys, person.shared_keys, cardinality(person.lead_ids), leads_shown(person.lead_ids, row_limit)
  from kontakt_person(identity) as person
  where person.canonical_key is not null;
end;
comment on function kontakt_leads is 'The person an identity stands for: keys and leads, up to row_limit of them. No row where the text is no identity.';
revoke execute on function kontakt_leads from public;

create or replace function kontakt_holdings(identity text)
  returns table (canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
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
$$;
comment on function kontakt_holdings is 'What erase_kontakt would erase; no row where nothing is stored of the person.';
revoke execute on function kontakt_holdings from public;
