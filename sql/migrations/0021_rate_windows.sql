-- What was granted before each second, instead of running totals up to its end: a claim adds a second at most, and changes none.
-- What was counted in the minute before is forgotten, as by a crash.

drop table rate_windows;

-- Unlogged: a logged table would cost a flush to disk per request.
create unlogged table rate_windows (
  key_id uuid primary key,
  seconds bigint[] not null,
  earlier bigint[] not null,
  total bigint not null,
  granted integer not null
) with (fillfactor = 50);
comment on table rate_windows is 'Rate limit: requests granted to a key. Forgotten by a crash, on purpose.';
comment on column rate_windows.seconds is 'Unix seconds in which requests were asked for, ascending, at most 61.';
comment on column rate_windows.earlier is 'By second: requests granted before it, since the row was made.';
comment on column rate_windows.total is 'Requests granted since the row was made.';
comment on column rate_windows.granted is 'Requests granted by the last statement.';
