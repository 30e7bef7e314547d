-- One transaction at a time: merging, erasing, the number of subscriptions.

-- Under a snapshot from before the lock it would not see what others committed. The row is not updated, so a lock
-- leaves nothing behind.
create or replace function take_lock(wanted text) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the lock % needs the isolation level read committed', wanted
      using errcode = 'invalid_transaction_state';
  end if;
  perform from write_locks where write_locks.name = take_lock.wanted for update;
  if not found then
    raise exception 'there is no lock %', wanted;
  end if;
end
$$;
comment on function take_lock is
  'Waits until no other transaction holds the lock of this name, and holds it until the end of this one. Needs '
  'the rights on write_locks.';
