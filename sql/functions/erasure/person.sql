-- Erasure: all that is stored of one person goes, in one transaction.
--
-- Who a person is: the contact of the key (surviving key and aliases), every lead that carries one of these keys, and
-- every lead without an identity of its own whose analyses or signals name one. The other keys of those leads count
-- too, with the contact each belongs to, unless another person has one of them as well: a number that two leads
-- share, a contact with a key that none of these leads carries. Those stay, and the report names them.

create or replace function leads_of(keys text[]) returns setof uuid
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  hints constant text[] := kontakt_key_hints(keys);
begin
  return query
    select leads.id from leads
    where kontakt_key_hint(leads.email) = any (hints) and kontakt_key(leads.email) = any (keys)
      or kontakt_key_hint(leads.phone) = any (hints) and kontakt_key(leads.phone) = any (keys)
      or leads.id = any (array(select substr(key, 6)::uuid from unnest(keys) as key where key like 'lead:%'));
end
$$;
comment on function leads_of is 'The leads that carry one of the keys.';

-- A key is another contact's if one key of that contact is none of these leads', or belongs to another lead too.
create or replace function shared_keys_of(further text[], lead_ids uuid[]) returns text[]
  language plpgsql stable set search_path = public, pg_temp as $$
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
      select carried.contact from carried
      where carried.contact <> all (further) or carried.key in (select theirs.key from theirs)
      union
      select kontakt_aliases.canonical_key from kontakt_aliases
      where kontakt_aliases.canonical_key = any (array(select carried.contact from carried))
        and kontakt_aliases.alias_key <> all (further)
    )
    select carried.key from carried
    where carried.contact in (select foreign_contacts.contact from foreign_contacts)
    order by carried.key);
end
$$;
comment on function shared_keys_of is 'Which of the further keys of some leads belong to other people as well.';

-- From the tables of people alone, without a look into the log.
create or replace function kontakt_person(
    identity text, out canonical_key text, out keys text[], out shared_keys text[], out lead_ids uuid[])
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  further text[];
begin
  canonical_key := canonical_kontakt_key(identity);
  -- A lead that was never merged stands for its person: known by mail, else by phone.
  if canonical_key like 'lead:%' and not exists (
      select from kontakt_aliases where kontakt_aliases.canonical_key = kontakt_person.canonical_key) then
    canonical_key := coalesce((
      select canonical_kontakt_key(coalesce(kontakt_key(leads.email), kontakt_key(leads.phone)))
      from leads
      where leads.id = substr(kontakt_person.canonical_key, 6)::uuid), canonical_key);
  end if;
  keys := array(
    select kontakt_person.canonical_key where kontakt_person.canonical_key is not null
    union
    select kontakt_aliases.alias_key from kontakt_aliases
    where kontakt_aliases.canonical_key = kontakt_person.canonical_key);
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
    cross join lateral (
      values ('lead:' || leads.id), (kontakt_key(leads.email)), (kontakt_key(leads.phone))
    ) as carried (key)
    where leads.id = any (lead_ids) and carried.key is not null and carried.key <> all (keys)
    group by carried.key);
  shared_keys := shared_keys_of(further, lead_ids);
  keys := array(select key from unnest(keys || further) as key where key <> all (shared_keys) order by key);
end
$$;
comment on function kontakt_person is
  'Keys and leads of the person that an identity stands for. shared_keys: keys of their leads that others have too.';
