-- Ends what disable_events.sql began.
do $$
begin
  execute (
    select string_agg(format('alter table %s enable trigger %I', tgrelid::regclass, tgname), ';') from pg_trigger
    where tgname like '%\_emit\_%');
end
$$;
