-- What every writer can rely on: updated_at moves when a row changes, and a row keeps its key for life.

-- Unless the writer sets it: an import may bring its own moments.
create or replace function touch_updated_at() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if new.updated_at = old.updated_at then
    new.updated_at := now();
  end if;
  return new;
end
$$;

-- The argument is the channel.
create or replace function notify_changed() returns trigger
  language plpgsql as $$
begin
  perform pg_notify(tg_argv[0], '');
  return null;
end
$$;

-- Events name objects by their keys, and compare a row before and after by its key.
create or replace function refuse_key_change() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a row of % keeps its key for life: insert a new row instead', tg_table_name
    using errcode = 'integrity_constraint_violation';
end
$$;
