-- What was granted before each second, instead of running totals up to its end: a claim adds a second at most, and changes none.
-- What was counted in the minute before is forgotten, as by a crash. Processes of an earlier version cannot claim any more.

truncate rate_windows;
alter table rate_windows
  drop column totals,
  drop column expired,
  add column earlier bigint[] not null,
  add column total bigint not null;
comment on column rate_windows.seconds is 'Unix seconds in which requests were asked for, ascending, at most 61.';
comment on column rate_windows.earlier is 'By second: requests granted before it, since the row was made.';
comment on column rate_windows.total is 'Requests granted since the row was made.';
