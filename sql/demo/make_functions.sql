-- What loads demo data, for one session.
create or replace function pg_temp.insert_rows(target regclass, rows jsonb) returns void
  language plpgsql as $$
begin
  execute (
    select format('insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1)', target,
      string_agg(quote_ident(attname), ', '))
    from pg_attribute
    where attrelid = target and attnum > 0 and not attisdropped and attgenerated = '') using rows;
end
$$;

-- A large demo makes no events: a million leads would bury the feed. Every other trigger stays, that of income too.
create or replace function pg_temp.switch_events(action text) returns void
  language plpgsql as $$
begin
  execute (
    select string_agg(format('alter table %s %s trigger %I', tgrelid::regclass, action, tgname), ';')
    from pg_trigger where tgname like '%\_emit\_%');
end
$$;
