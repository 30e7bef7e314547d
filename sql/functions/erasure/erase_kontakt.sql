-- The erasure itself.

create or replace function delete_rows_of(person record, out counts jsonb)
  language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
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
$$;
comment on function delete_rows_of is 'Called by erase_kontakt: all rows of a person of find_kontakt but events and deliveries; how many, by table.';

create or replace function lock_rows_of(person record) returns void
  language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform from leads where leads.id = any (person.lead_ids) order by leads.id for update;
  perform from lead_analyses where lead_analyses.id = any (person.analysis_ids) order by lead_analyses.id for update;
  perform from haushalte where haushalte.kontakt_key = any (person.keys) order by haushalte.kontakt_key for update;
  perform from appointments where appointments.id = any (person.appointment_ids) order by appointments.id for update;
  perform from signals where signals.id = any (person.signal_ids) order by signals.id for update;
  perform from advisory_docs where advisory_docs.id = any (person.advisory_doc_ids) order by advisory_docs.id for update;
end
$$;
comment on function lock_rows_of is 'Called by erase_kontakt: what a writer has under way with rows of a person is waited for.';

-- Locks, in this order: merges; the leads, so that nothing new can refer to them; the rows; the feed, so that the
-- sequencer is through with what is committed; deliveries. What a writer commits later comes after the erasure.
-- Cursors stay as they are, and point at nothing.
create or replace function erase_kontakt(identity text)
  returns table (canonical_key text, keys text[], shared_keys text[], other_leads jsonb, counts jsonb, recipients jsonb)
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off as $$
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
$$;
comment on function erase_kontakt is 'Erases all that is stored of a person, events and deliveries included; says what went, which subscriptions had received it, and which leads had one of the keys once. No row where nothing was stored.';
revoke execute on function erase_kontakt from public;
