-- Merging contacts: the only way an alias comes to be. Aliases stay flat, one hop from alias to survivor.

-- Merges the contact that alias_key stands for into the one canonical_key stands for. Both may be spelled
-- in any form. Merging a contact with itself, again, or the other way round changes nothing and emits nothing.
-- Serialised by one lock: two merges at once could otherwise make a chain or a cycle.
create function merge_kontakte(alias_key text, canonical_key text) returns boolean
  language plpgsql set search_path = public, pg_temp as $$
declare
  loser text := kontakt_key(alias_key);
  survivor text := kontakt_key(canonical_key);
begin
  if loser is null or survivor is null then
    raise exception 'merge_kontakte takes two identity keys' using errcode = 'invalid_parameter_value';
  end if;
  -- Under a snapshot from before the lock, two merges would not see each other.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'merge_kontakte needs the isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtext('merge_kontakte'));
  loser := coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = loser), loser);
  survivor := coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = survivor), survivor);
  if loser = survivor then
    return false;
  end if;
  update kontakt_aliases set canonical_key = survivor where kontakt_aliases.canonical_key = loser;
  insert into kontakt_aliases (alias_key, canonical_key) values (loser, survivor);
  -- Merged into a key without a record, the contact keeps the record it has, under its new key.
  insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle)
  select survivor, haushalte.haushalt, haushalte.provenance, haushalte.din_check, haushalte.empfehlungen_aktuell, haushalte.quelle
  from haushalte
  where haushalte.kontakt_key = loser
  on conflict do nothing;
  if found then
    delete from haushalte where haushalte.kontakt_key = loser;
  end if;
  perform emit_event('kontakt.merged', 'kontakt', survivor, '{}',
    jsonb_build_object('canonical_key', survivor, 'alias_key', loser));
  return true;
end
$$;
comment on function merge_kontakte is 'Merges one contact into another; returns whether anything changed.';
