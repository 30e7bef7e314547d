-- What the owner did last, newest first, with the name of the key or the webhook, also of a webhook that was deleted
-- in the dashboard.
--
-- $1 row_limit
--
-- @uses owner_actions_pkey, owner_actions_deleted_idx, hook_subscriptions_pkey, api_keys_pkey
prepare list_owner_actions (integer) as
select owner_actions.at, owner_actions.action, owner_actions.subject, owner_actions.client,
  coalesce(hook.name, api_key.name, deleted.name) as name
from owner_actions
left join lateral (
  select case when owner_actions.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then owner_actions.subject::uuid end as uuid
) as named on true
left join lateral (
  select coalesce(nullif(hook_subscriptions.label, ''),
    substring(hook_subscriptions.target_url from '//([^/?#]+)')) as name
  from hook_subscriptions
  where hook_subscriptions.id = named.uuid
) as hook on true
left join lateral (
  select api_keys.label as name
  from api_keys
  where api_keys.id = named.uuid
) as api_key on true
left join lateral (
  select deletions.name
  from owner_actions as deletions
  where deletions.subject = owner_actions.subject and deletions.name is not null
  limit 1
) as deleted on true
order by owner_actions.id desc
limit $1;
