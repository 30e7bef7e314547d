-- From any key of a contact to the one that survives.

create or replace function canonical_kontakt_key(identity text) returns text
  language plpgsql stable strict set search_path = public, pg_temp as $$
declare
  own_key constant text := kontakt_key(identity);
begin
  return coalesce((select kontakt_aliases.canonical_key from kontakt_aliases
    where kontakt_aliases.alias_key = own_key), own_key);
end
$$;
comment on function canonical_kontakt_key is
  'The surviving key of the contact that any spelling of an identity stands for; null where it is none. Writers '
  'store under it.';

-- A writer that sets aliases by hand keeps them flat as well.
create or replace function refuse_alias_chain() returns trigger
  language plpgsql
  set search_path = public, pg_temp
  -- In the middle of a bulk load there are no statistics yet, and the planner would walk all aliases for each new one.
  set enable_seqscan = off as $$
begin
  perform take_lock('merge_kontakte');
  if exists (select from new_rows join kontakt_aliases on kontakt_aliases.alias_key = new_rows.canonical_key)
    or exists (select from new_rows join kontakt_aliases on kontakt_aliases.canonical_key = new_rows.alias_key) then
    raise exception 'an alias leads to a surviving key: use merge_kontakte(alias_key, canonical_key)'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
