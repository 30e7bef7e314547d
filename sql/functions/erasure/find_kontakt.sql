-- What is stored of a person, and what of it goes.

create or replace function rows_of(person record, left_behind uuid[], sessions uuid[]) returns jsonb
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  keys constant text[] := person.keys;
  lead_ids constant uuid[] := person.lead_ids;
  appointment_ids constant uuid[] := array(
    select id from appointments
    where lead_id = any (lead_ids) or lead_id is null and (session_id = any (sessions) or id = any (left_behind)));
begin
  return jsonb_build_object(
    'leads', lead_ids,
    'lead_analyses', array(select id from lead_analyses where lead_id = any (lead_ids) or kontakt_key = any (keys)),
    'haushalte', array(select kontakt_key from haushalte where kontakt_key = any (keys)),
    'kontakt_aliases', array(select alias_key from kontakt_aliases where alias_key = any (keys)),
    'appointments', appointment_ids,
    'meeting_intelligence', array(
      select appointment_id from meeting_intelligence where appointment_id = any (appointment_ids)),
    'signals', array(
      select id from signals
      where lead_id = any (lead_ids) or kontakt_key = any (keys)
        or id = any (left_behind) and lead_id is null and kontakt_key is null),
    'advisory_docs', array(
      select id from advisory_docs where lead_id = any (lead_ids) or id = any (left_behind) and lead_id is null));
end
$$;
comment on function rows_of is 'Called by find_kontakt: the keys of the rows of a person, by table.';

-- other_lead_ids: leads that carry none of the keys, and that events, analyses or signals tie to one.
create or replace function find_kontakt(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out other_lead_ids uuid[],
    out stored jsonb, out log_ids bigint[])
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  person constant record := kontakt_person(identity);
  hints constant text[] := kontakt_key_hints(person.keys);
  in_events constant record := leads_in_events(person.keys, hints);
  gone constant uuid[] := array(
    select unnest(in_events.created)
    union select substr(key, 6)::uuid from unnest(person.keys) as key where key like 'lead:%'
    except select leads.id from leads where leads.id = any (person.lead_ids || in_events.created));
  left_behind constant record := left_behind_by(gone);
  lead_names constant text[] := person.lead_ids || gone;
  sessions constant uuid[] := left_behind.sessions || array(
    select leads.session_id from leads where leads.id = any (person.lead_ids)
    union
    select lead_analyses.session_id from lead_analyses
    where lead_analyses.lead_id = any (person.lead_ids) or lead_analyses.kontakt_key = any (person.keys));
begin
  canonical_key := person.canonical_key;
  keys := person.keys;
  shared_keys := person.shared_keys;
  other_lead_ids := array(
    select leads.id
    from leads
    where leads.id <> all (person.lead_ids)
      and leads.id in (
        select unnest(in_events.named)
        union select lead_analyses.lead_id from lead_analyses where lead_analyses.kontakt_key = any (keys)
        union select signals.lead_id from signals where signals.kontakt_key = any (keys)));
  stored := rows_of(person, left_behind.row_ids, sessions);
  log_ids := events_about(
    keys || lead_names || array(
      select jsonb_array_elements_text(kept.value) from jsonb_each(stored) as kept where kept.key <> 'leads'),
    lead_names, sessions::text[], keys, hints);
end
$$;
comment on function find_kontakt is
  'Keys, rows by table (stored) and events of the person that an identity stands for. No array is null.';
