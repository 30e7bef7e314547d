-- Grants one request to a key if fewer than permits_max were granted in the last 60 seconds, in any process.
-- Counted by second over 61 cells: never more than permits_max in any 60 s, at most one second too strict.
-- Always one row. used: granted in the window now. wait_seconds: 0 when granted, else until one is free again.
-- Requests of one key line up behind its row; those of other keys do not wait.
--
-- $1 key_id
-- $2 permits_max
-- $3 at           null: the database clock
--
-- Uses rate_windows_pkey.
prepare claim_permit (uuid, integer, timestamptz) as
with clock as (
  select floor(extract(epoch from coalesce($3, clock_timestamp())))::bigint as second
)
insert into rate_windows (key_id, second, cells, used, granted)
select $1, clock.second, array_fill(0, array[(clock.second % 61)::integer]) || 1 || array_fill(0, array[60 - (clock.second % 61)::integer]), 1, true
from clock
on conflict (key_id) do update
set (second, cells, used, granted) = (
  select counted.second,
    array_agg(counted.cell + case when counted.used < $2 and counted.position = counted.second % 61 then 1 else 0 end order by counted.position),
    min(counted.used) + case when min(counted.used) < $2 then 1 else 0 end,
    min(counted.used) < $2
  from (
    select kept.second, kept.position, kept.cell, sum(kept.cell) over ()::integer as used
    from (
      select newest.second, cell.position - 1 as position,
        -- The cell stands for the last second that fell on it; older than 60 seconds, it is empty again.
        case when rate_windows.second - (rate_windows.second - cell.position + 1 + 61) % 61 > newest.second - 61
          then cell.cell else 0 end as cell
      from (select greatest(excluded.second, rate_windows.second) as second) as newest,
        unnest(rate_windows.cells) with ordinality as cell (cell, position)
    ) as kept
  ) as counted
  group by counted.second
)
returning granted, used,
  case when granted then 0 else (
    select min(61 - age.age)::integer
    from (
      select cell.age, sum(cell.cell) over (order by cell.age desc) as freed
      from (
        select (second - cell.position + 1 + 61) % 61 as age, cell.cell
        from unnest(cells) with ordinality as cell (cell, position)
      ) as cell
    ) as age
    where age.freed > used - $2
  ) end as wait_seconds;
