-- What a delivery is sent with as of now: address, exact body, and the encrypted secrets that sign it. None where its event
-- is gone, or none of this subscription.
--
-- $1 subscription_id
-- $2 cursor           below 0: a test event
--
-- @uses hook_subscriptions_pkey, hook_positions_subscription_id_key, event_cursors_pkey, events_pkey, hook_test_events_pkey
-- @not_null target_url, secret, old_secret_leads: of the subscription; the outer joins are to its event
prepare get_delivery_request (uuid, bigint) as
select hook_subscriptions.target_url, hook_subscriptions.secret,
  case when hook_subscriptions.old_secret_until > now() then hook_subscriptions.old_secret end as old_secret,
  hook_subscriptions.old_secret_leads, coalesce(logged.id, (tested.envelope ->> 'id')::uuid) as event_id,
  coalesce(tested.envelope::text, row_to_json(logged)::text) as body
from hook_subscriptions
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
left join hook_test_events as tested on tested.cursor = $2 and tested.no = hook_positions.no
left join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
    events.links, events.data
  from event_cursors
  join events on events.log_id = event_cursors.log_id
  where event_cursors.cursor = $2 and event_cursors.event_type = any (hook_subscriptions.event_types)
) as logged on true
where hook_subscriptions.id = $1 and (tested.cursor is not null or logged.id is not null);
