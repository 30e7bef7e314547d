-- Notifies every process of changed API keys.

create or replace function notify_api_keys_changed() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('api_keys_changed', '');
  return null;
end
$$;
