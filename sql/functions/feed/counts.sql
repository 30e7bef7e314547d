-- Counting events, most along the index of their types.

-- How many events of some types have a cursor in a range.
create or replace function count_events(event_types text[], after_cursor bigint, up_to bigint) returns bigint
  language sql stable
begin atomic
  select count(*)
  from event_cursors
  where event_cursors.event_type = any (event_types)
    and event_cursors.cursor > after_cursor and event_cursors.cursor <= up_to;
end;
comment on function count_events is 'How many events of these types have a cursor above the one and up to the other.';

-- A look for each type, along event_cursors_type_idx.
create or replace function count_events_at_most(event_types text[], after_cursor bigint, up_to bigint, count_max integer) returns integer
  language sql stable
begin atomic
  select count(*)::integer
  from (
    select
    from unnest(event_types) as wanted (event_type)
    cross join lateral (
      select
      from event_cursors
      where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, after_cursor)
        and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, up_to)
        and event_cursors.cursor > after_cursor
      order by event_cursors.event_type, event_cursors.cursor
      limit count_max
    ) as of_type
    limit count_max
  ) as counted;
end;
comment on function count_events_at_most is 'count_events, but no more than so many.';

-- Where the position was behind when the range was made, some of it had ended: there are no more than it had then.
create or replace function count_left(event_types text[], from_cursor bigint, to_cursor bigint, events bigint, count_max integer) returns bigint
  language sql stable
  return least(events, count_events_at_most(event_types, from_cursor, to_cursor, count_max));
comment on function count_left is 'Events of a range that are left to be caught up with, no more than so many.';

-- What ended is written before the position passes it: a moment, or for as long as a request before it takes. Of what
-- ended, the types that were taken away since do not count: a look for each, along the key.
create or replace function count_in_turn(of_no integer, event_types text[], after_cursor bigint, count_max integer) returns integer
  language sql stable
begin atomic
  select greatest(0, count_events_at_most(event_types, after_cursor, 9223372036854775807, count_max + ended.count) - ended.count)
  from (
    select count(*)::integer as count
    from (
      (select from hook_failures
      where hook_failures.no = of_no and hook_failures.cursor > after_cursor
        and (select event_cursors.event_type from event_cursors where event_cursors.cursor = hook_failures.cursor) = any (event_types)
      limit count_max)
      union all
      (select from hook_retries
      where hook_retries.no = of_no and hook_retries.cursor > after_cursor
        and (select event_cursors.event_type from event_cursors where event_cursors.cursor = hook_retries.cursor) = any (event_types)
      limit count_max)
      union all
      -- The partitions of days before the first of these events, by the clock of another machine, are not read.
      (select from hook_attempts
      where hook_attempts.no = of_no and hook_attempts.cursor > after_cursor and hook_attempts.outcome = 'd'
        and hook_attempts.started_at > (
          -- Of a clock that was ahead it tells nothing.
          select case when event_cursors.sequenced_at <= now() then event_cursors.sequenced_at - interval '1 minute' else '-infinity' end
          from event_cursors
          where event_cursors.cursor > after_cursor order by event_cursors.cursor limit 1)
        and (select event_cursors.event_type from event_cursors where event_cursors.cursor = hook_attempts.cursor) = any (event_types)
      limit count_max)
    ) as each_of
  ) as ended;
end;
comment on function count_in_turn is 'Events above the position of a subscription that have not been tried, no more than so many.';

-- What counts for each subscription is planned once: planning it for the values of each takes longer than counting.
create or replace function count_pending_deliveries(count_max integer) returns integer
  language sql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off
begin atomic
  select count(*)::integer
  from (
    (select
    from hook_subscriptions
    join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    cross join lateral generate_series(1, count_in_turn(hook_positions.no, hook_subscriptions.event_types, hook_positions.cursor, count_max))
    where hook_subscriptions.active
    limit count_max)
    union all
    (select
    from hook_retries
    join hook_positions on hook_positions.no = hook_retries.no
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    where hook_subscriptions.active and hook_retries.cursor > 0
    limit count_max)
    union all
    (select
    from hook_skips
    join hook_positions on hook_positions.no = hook_skips.no
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    cross join lateral generate_series(1, count_left(hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor, hook_skips.events, count_max))
    where hook_subscriptions.active and hook_skips.catching_up
    limit count_max)
    limit count_max
  ) as counted;
end;
comment on function count_pending_deliveries is 'Events above the positions of active subscriptions, what is left of the ranges they catch up with, and what waits for its moment, test events apart; no more than so many.';

-- Subscriptions that the owner paused do not count.
create or replace function count_given_up(count_max integer) returns integer
  language sql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off
begin atomic
  with hooks_in_use as (
    select hook_positions.no, hook_positions.cursor, hook_subscriptions.active, hook_subscriptions.event_types
    from hook_subscriptions
    join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    where hook_subscriptions.active or hook_subscriptions.pause_reason is null
  )
  select least(sum(counted.events), count_max)::integer
  from (
    select count(*) as events
    from (select from hook_failures join hooks_in_use on hooks_in_use.no = hook_failures.no and hook_failures.cursor > 0 limit count_max) as failed
    union all
    select count(*)
    from (select from hook_retries join hooks_in_use on hooks_in_use.no = hook_retries.no and hook_retries.cursor > 0 where not hooks_in_use.active limit count_max) as stopped
    union all
    select count(*)
    from (
      select
      from hooks_in_use
      cross join lateral generate_series(1, count_in_turn(hooks_in_use.no, hooks_in_use.event_types, hooks_in_use.cursor, count_max))
      where not hooks_in_use.active
      limit count_max
    ) as behind
    union all
    select count(*)
    from (
      select
      from hooks_in_use
      join hook_skips on hook_skips.no = hooks_in_use.no
      cross join lateral generate_series(1, count_left(hooks_in_use.event_types, hook_skips.from_cursor, hook_skips.to_cursor, hook_skips.events, count_max))
      where hook_skips.catching_up and not hooks_in_use.active
      limit count_max
    ) as interrupted
    union all
    select coalesce(sum(hook_skips.events), 0)
    from hook_skips
    join hooks_in_use on hooks_in_use.no = hook_skips.no
    where hook_skips.reason = 'paused' and not hook_skips.catching_up
  ) as counted;
end;
comment on function count_given_up is 'Events that arrive only when the owner has them sent again: failed, missed, and all that waits for a subscription that failures paused; no more than so many.';
