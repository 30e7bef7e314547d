-- Ends what disable_events.sql began.
do $$
declare
  emitting record;
begin
  for emitting in select tgrelid::regclass as name, tgname from pg_trigger where tgname like '%\_emit\_%' loop
    execute format('alter table %s enable trigger %I', emitting.name, emitting.tgname);
  end loop;
end
$$;
