-- Of the events that subscriptions got or were to get in 24 hours, how many there are, and how many have not arrived
-- by now: they wait, have failed, or are behind. Once for each subscription. Counts end at count_max for each.
-- An event that got its cursor within the last on_its_way_ms is not behind, unless the subscription is paused:
-- positions are stored every few seconds.
--
-- $1 count_max
-- $2 on_its_way_ms
--
-- Reads the whole table of subscriptions: there are at most HOOKS_MAX.
-- @uses hook_outstanding_pkey, hook_attempts_pkey, event_cursors_type_idx
-- @not_null events, missing: sums
prepare get_arrivals (integer, integer) as
-- Once, and not for each webhook.
with day as materialized (
  select cursor_at(now() - interval '24 hours') as after, cursor_at(now() - $2 * interval '1 millisecond') as up_to
)
select coalesce(sum(counted.events), 0)::integer as events, coalesce(sum(counted.missing), 0)::integer as missing
from day
cross join hook_subscriptions
-- A new one was not to get what came before its first attempt.
cross join lateral (
  select greatest(day.after, case when hook_subscriptions.created_at > now() - interval '24 hours' then coalesce((
    select hook_attempts.cursor - 1
    from hook_attempts
    where hook_attempts.subscription_id = hook_subscriptions.id
    order by hook_attempts.cursor
    limit 1), hook_subscriptions.cursor) end) as after
) as wanted
cross join lateral (
  select
    count_events_at_most(hook_subscriptions.event_types, wanted.after, 9223372036854775807, $1) as events,
    count_events_at_most(hook_subscriptions.event_types, greatest(wanted.after, hook_subscriptions.cursor),
      case when hook_subscriptions.active then day.up_to else 9223372036854775807 end, $1)
      + (select count(*) from (select from hook_outstanding
        where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.cursor > wanted.after
          and hook_outstanding.cursor <= hook_subscriptions.cursor
        limit $1) as counted) as missing
) as counted
where hook_subscriptions.deleted_at is null;
