-- All that is stored of a person.

-- Everything of a person but events, and what events are known by. Arrays are empty, never null.
-- other_lead_ids: leads that carry none of the keys, and that events, analyses or signals tie to one.
create or replace function find_kontakt(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out lead_ids uuid[], out other_lead_ids uuid[],
    out analysis_ids uuid[], out appointment_ids uuid[], out signal_ids uuid[], out advisory_doc_ids uuid[], out sessions uuid[],
    out lead_names text[], out names text[], out hints text[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
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
$$;
comment on function find_kontakt is 'All keys and rows of the person that an identity stands for. lead_names: ids of leads, deleted ones too; names: keys and all ids; sessions: their conversations; hints: those of the keys.';
