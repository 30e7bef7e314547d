-- What was done in the dashboard.

create or replace function hook_name(label text, target_url text) returns text
  language sql immutable parallel safe
  return coalesce(nullif(label, ''), substring(target_url from '//([^/?#]+)'));
comment on function hook_name is 'What the owner calls a webhook: its label, else the host and port of its address.';

-- Kept for a year.
create or replace function note_owner_action(action text, subject text, name text, client text) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into owner_actions (action, subject, name, client)
  values (note_owner_action.action, note_owner_action.subject, left(coalesce(note_owner_action.name,
    (select hook_name(hooks.label, hooks.target_url) from hook_subscriptions as hooks
      where hooks.id::text = note_owner_action.subject),
    (select api_keys.label from api_keys where api_keys.id::text = note_owner_action.subject)), 260),
    note_owner_action.client);
  delete from owner_actions where id in (
    select old.id from owner_actions as old where old.at < now() - interval '1 year' order by old.id limit 100);
end
$$;
comment on function note_owner_action is 'Writes down what the owner did; forgets what is older than a year.';
revoke execute on function note_owner_action from public;
