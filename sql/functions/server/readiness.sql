-- Whether the server takes writes: it is no standby and not read-only, and its disk has room. The rows of the series
-- are written to a temporary file, because they need more than work_mem.
create or replace function takes_writes() returns boolean
  language plpgsql volatile set search_path = public, pg_temp set work_mem = '64kB' as $$
begin
  if current_setting('transaction_read_only')::boolean then
    return false;
  end if;
  perform count(*) from generate_series(1, 10000);
  return true;
exception
  when disk_full then
    return false;
  -- temp_file_limit has nothing to do with the disk.
  when configuration_limit_exceeded then
    return true;
end
$$;
comment on function takes_writes is 'Whether writers can commit at the moment; /readyz asks.';
