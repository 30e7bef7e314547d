-- Merging contacts: the only way an alias comes to be. Aliases stay flat, one hop from alias to survivor.
--
-- @needs events/emit, merging/records, tables/locks

-- Merges the contact that alias_key stands for into the one canonical_key stands for. Both may be spelled
-- in any form. Merging a contact with itself, again, or the other way round changes nothing and emits nothing.
-- Serialised by one lock: two merges at once could otherwise make a chain or a cycle.
-- Analyses and signals keep the key they were written with, as their events do: every key of a contact leads to it,
-- and rewriting them would move updated_at of signals that did not change.
create or replace function merge_kontakte(alias_key text, canonical_key text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  loser text;
  survivor text;
begin
  if kontakt_key(alias_key) is null or kontakt_key(canonical_key) is null then
    raise exception 'merge_kontakte takes two identities: email:, phone: or lead: and a value, in any spelling'
      using errcode = 'invalid_parameter_value';
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
$$;
comment on function merge_kontakte is
  'Merges one contact into another and unites their household records; returns whether anything changed.';
revoke execute on function merge_kontakte from public;
