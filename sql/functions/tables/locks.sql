-- One transaction at a time: merging, erasing, the number of subscriptions.

-- The row is not updated, so a lock leaves nothing behind.
create or replace function take_lock(wanted text) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
  perform from write_locks where write_locks.name = take_lock.wanted for update;
  if not found then
    -- The first time. Of two at once, one waits here for the other.
    insert into write_locks (name) values (take_lock.wanted)
    on conflict (name) do update set name = excluded.name;
  end if;
end
$$;
comment on function take_lock is
  'Waits until no other transaction holds the lock of this name, and holds it until the end of this one. Needs '
  'the rights on write_locks.';
