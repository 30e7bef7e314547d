-- What one transaction at a time may do waits for a row. An advisory lock would do for that, but every login of the
-- database may take one, and hold it, without any right.

create table write_locks (
  name text primary key
);
comment on table write_locks is 'A row for each thing that one transaction at a time may do; take_lock locks it.';
comment on column write_locks.name is 'What is done under the lock: the name of a function or a table.';

insert into write_locks (name) values ('merge_kontakte'), ('hook_subscriptions');
