-- Makes the roles of a workspace, or brings them up to date: each may do what its query files do, and no more. The owner
-- of the tables runs it, with the right to make roles; the service's way is its command roles. By hand:
--   begin; execute prepare_roles('workspace', 5000); \i sql/roles/grant_roles.sql  commit;
-- Rights that somebody else granted on tables and functions of the schema to these roles go.
do $$
declare
  prefix constant text := current_setting('workspace.role_prefix');
  api constant text := prefix || '_api';
  worker constant text := prefix || '_worker';
  dashboard constant text := prefix || '_dashboard';
  writer constant text := prefix || '_writer';
  dba constant text := prefix || '_dba';
  -- Encrypted or digests; of no use to whoever tunes statements.
  secrets constant text[] := array['api_keys.digest', 'hook_subscriptions.secret', 'hook_subscriptions.old_secret', 'owner_sessions.digest'];
  rule record;
begin
  perform pg_advisory_xact_lock(hashtext('grant_roles'));

  -- Settings hold for the role that logs in, and are not inherited: api, worker and dba log in themselves, once they have
  -- a password. dashboard and writer are groups: for whichever API shows the dashboard, for the platform's own logins.
  for rule in
    select named.role, named.options
    from (values (api, 'login'), (worker, 'login'), (dba, 'login'), (dashboard, 'nologin'), (writer, 'nologin')) as named (role, options)
    where not exists (select from pg_roles where pg_roles.rolname = named.role)
  loop
    execute format('create role %I %s', rule.role, rule.options);
  end loop;

  -- What the pools set for themselves when they connect directly. A pooler drops it, and the role brings it back.
  for rule in
    select setting.role, setting.name, setting.value
    from (values
      (api, 'statement_timeout', current_setting('workspace.statement_timeout_ms')),
      (api, 'lock_timeout', '3s'),
      (api, 'idle_in_transaction_session_timeout', '10s'),
      (api, 'plan_cache_mode', 'force_custom_plan'),
      (api, 'jit', 'off'),
      (worker, 'statement_timeout', '30s'),
      (worker, 'lock_timeout', '10s'),
      (worker, 'idle_in_transaction_session_timeout', '10s'),
      (worker, 'plan_cache_mode', 'force_generic_plan'),
      (worker, 'enable_seqscan', 'off'),
      (worker, 'jit', 'off'),
      -- A forgotten transaction would keep vacuum from working, and a lock that waits stops everybody behind it.
      (dba, 'statement_timeout', '5min'),
      (dba, 'lock_timeout', '1s'),
      (dba, 'idle_in_transaction_session_timeout', '1min'),
      (dba, 'default_transaction_read_only', 'on')
    ) as setting (role, name, value)
  loop
    execute format('alter role %I in database %I set %I = %L', rule.role, current_database(), rule.name, rule.value);
  end loop;

  -- Up to PostgreSQL 14 everybody could make tables here, and such a database keeps that through an upgrade.
  revoke create on schema public from public;
  -- As the migration did it; a backup that was restored without privileges has lost that.
  for rule in
    select pg_proc.oid::regprocedure as function from pg_proc where pg_proc.pronamespace = 'public'::regnamespace and pg_proc.prosecdef
  loop
    execute format('revoke execute on function %s from public', rule.function);
  end loop;
  for rule in select unnest(array[api, worker, dashboard, writer, dba]) as role loop
    execute format('grant connect on database %I to %I', current_database(), rule.role);
    execute format('grant usage on schema public to %I', rule.role);
    execute format('revoke all on all tables in schema public from %I', rule.role);
    execute format('revoke all on all sequences in schema public from %I', rule.role);
    execute format('revoke all on all functions in schema public from %I', rule.role);
  end loop;

  for rule in
    select granted.role, granted.privilege, granted.object
    from (values
      -- REST and tools.
      (api, 'select', 'schema_migrations'),
      (api, 'select', 'leads'),
      (api, 'select', 'lead_analyses'),
      (api, 'select', 'haushalte'),
      (api, 'select', 'kontakt_aliases'),
      (api, 'select', 'appointments'),
      (api, 'select', 'meeting_intelligence'),
      (api, 'select', 'signals'),
      (api, 'select', 'event_types'),
      (api, 'select', 'sample_events'),
      (api, 'select', 'events'),
      (api, 'select', 'feed'),
      (api, 'select (id, digest, scopes, expires_at, revoked_at, last_used_at)', 'api_keys'),
      (api, 'update (last_used_at)', 'api_keys'),
      (api, 'select, insert, update', 'rate_windows'),
      (api, 'select (id, target_url, event_types, label, source, active, created_at, secret, old_secret, old_secret_until)', 'hook_subscriptions'),
      (api, 'insert (id, target_url, event_types, label, source, secret)', 'hook_subscriptions'),
      (api, 'delete', 'hook_subscriptions'),
      -- Metrics.
      (api, 'select (consecutive_failures)', 'hook_subscriptions'),
      (api, 'select (id, subscription_id, due_at, created_at)', 'hook_queue'),
      (api, 'select (subscription_id, taken_id)', 'hook_positions'),
      (api, 'select (subscription_id, lapses_at)', 'hook_leases'),
      (api, 'select (outbox_id, occurred_at)', 'event_outbox'),

      -- Sequencing, delivering, pruning.
      (worker, 'select', 'schema_migrations'),
      (worker, 'select, update (head, idle)', 'feed'),
      (worker, 'select, delete', 'event_outbox'),
      (worker, 'select, insert', 'events'),
      (worker, 'select', 'hook_subscriptions'),
      (worker, 'update (active, paused_at, consecutive_failures, failing_since, failing_cursor, missed_since, missed_cursor)', 'hook_subscriptions'),
      (worker, 'usage', 'hook_queue_id_seq'),
      (worker, 'select, insert (id, subscription_id, cursor, claim, due_at), update (attempts, due_at, claim, maybe_sent), delete', 'hook_queue'),
      (worker, 'select, update (taken_id, version, closed_at), delete', 'hook_positions'),
      -- Of leases and outcomes nothing is updated: only who may update a column may lock a row.
      (worker, 'select, insert, delete, update (lapses_at)', 'hook_leases'),
      (worker, 'select (id, claim, created_at), insert, update (maybe_sent), delete', 'hook_outcomes'),
      (worker, 'select (delivery_id, claim), insert, delete', 'hook_other_attempts'),
      (worker, 'select, insert (subscription_id, failures), update (due_at), delete', 'owner_notices'),
      (worker, 'execute', 'make_events_partition'),
      (worker, 'execute', 'prune_events'),

      -- The dashboard, beside what the API may, and the commands keys, hooks and erase.
      (dashboard, 'select', 'schema_migrations'),
      (dashboard, 'select', 'api_keys'),
      (dashboard, 'insert (prefix, digest, label, scopes, expires_at), update (revoked_at)', 'api_keys'),
      (dashboard, 'select', 'feed'),
      (dashboard, 'select', 'events'),
      (dashboard, 'select', 'event_types'),
      (dashboard, 'select', 'sample_events'),
      (dashboard, 'select (outbox_id, occurred_at)', 'event_outbox'),
      (dashboard, 'select', 'rate_windows'),
      (dashboard, 'select', 'hook_subscriptions'),
      (dashboard, 'update (active, paused_at, consecutive_failures, secret, old_secret, old_secret_until, old_secret_leads, missed_since, missed_cursor)', 'hook_subscriptions'),
      (dashboard, 'select, insert (id, subscription_id, cursor, test_event, due_at, created_at, maybe_sent), update (attempts, due_at, claim, maybe_sent)', 'hook_queue'),
      (dashboard, 'select', 'hook_positions'),
      (dashboard, 'select', 'hook_leases'),
      (dashboard, 'select, delete', 'hook_outcomes'),
      (dashboard, 'select, insert (delivery_id, claim, started_at, duration_ms, status, excerpt)', 'hook_other_attempts'),
      (dashboard, 'select', 'hook_deliveries'),
      (dashboard, 'select', 'hook_attempts'),
      (dashboard, 'select, insert (digest), update (used_at), delete', 'owner_sessions'),
      (dashboard, 'execute', 'kontakt_leads'),
      (dashboard, 'execute', 'kontakt_holdings'),
      (dashboard, 'execute', 'erase_kontakt'),

      -- The platform. Events, income and updated_at come by themselves; contacts are merged by merge_kontakte alone.
      (writer, 'select, insert, update, delete', 'leads'),
      (writer, 'select, insert, update, delete', 'lead_analyses'),
      (writer, 'select, insert, update, delete', 'haushalte'),
      (writer, 'select, insert, update, delete', 'appointments'),
      (writer, 'select, insert, update, delete', 'meeting_intelligence'),
      (writer, 'select, insert, update, delete', 'signals'),
      (writer, 'select, insert, update, delete', 'advisory_docs'),
      (writer, 'select', 'kontakt_aliases'),
      (writer, 'select', 'event_types'),
      (writer, 'execute', 'emit_event'),
      (writer, 'execute', 'merge_kontakte')
    ) as granted (role, privilege, object)
    union all
    -- Everything but secrets; new tables too.
    select dba, case when bool_or(seen.secret) then format('select (%s)', string_agg(quote_ident(seen.attname), ', ') filter (where not seen.secret)) else 'select' end,
      quote_ident(seen.relname)
    from (
      select pg_class.relname, pg_attribute.attname, pg_class.relname || '.' || pg_attribute.attname = any (secrets) as secret
      from pg_class
      join pg_attribute on pg_attribute.attrelid = pg_class.oid and pg_attribute.attnum > 0 and not pg_attribute.attisdropped
      where pg_class.relnamespace = 'public'::regnamespace and pg_class.relkind in ('r', 'p', 'v') and not pg_class.relispartition
    ) as seen
    group by seen.relname
  loop
    execute format('grant %s on %s %s to %I', rule.privilege, case rule.privilege when 'execute' then 'function' when 'usage' then 'sequence' else 'table' end, rule.object, rule.role);
  end loop;
end
$$;
