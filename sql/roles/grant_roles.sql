-- Makes the roles of a workspace, or brings them up to date: each may do what its query files do, and no more. The owner
-- of the tables runs it, with the right to make roles; the service's way is its command roles. By hand, in psql:
--   \i sql/roles/prepare_roles.sql
--   begin;
--   execute prepare_roles('workspace', 5000);
--   \i sql/roles/grant_roles.sql
--   commit;
-- Other rights of these roles on the workspace's tables and functions go. What belongs to another owner or to an extension
-- stays as it is.
do $$
declare
  owner constant regrole := (select pg_class.relowner from pg_class where pg_class.oid = 'schema_migrations'::regclass);
  rule record;
begin
  if not pg_has_role(owner, 'usage') then
    raise exception 'the tables belong to %, and % does not have its rights', owner, current_user using errcode = 'insufficient_privilege';
  end if;
  -- Two at once would change the same catalog rows.
  lock table schema_migrations in share row exclusive mode;
  if not exists (select from pg_roles where pg_roles.rolname = current_user and (pg_roles.rolcreaterole or pg_roles.rolsuper)) then
    raise exception '% may not make roles: alter role % createrole', current_user, current_user using errcode = 'insufficient_privilege';
  end if;

  -- Every other login of the cluster could connect, and hold what needs no right: connections, temporary tables, locks. Those
  -- that belong to one of the roles below can still.
  if pg_has_role((select pg_database.datdba from pg_database where pg_database.datname = current_database()), 'usage') then
    execute format('revoke connect, temporary on database %I from public', current_database());
  else
    raise warning 'every login may still connect: the owner of the database revokes that (revoke connect, temporary on database % from public)', current_database();
  end if;

  -- Settings hold for the role that logs in, and are not inherited: api, worker and dba log in themselves, once they have
  -- a password. dashboard and writer are groups: for an API that shows the dashboard, for the platform's own logins.
  for rule in
    select current_setting('workspace.role_prefix') || '_' || named.role as role, named.options
    from (values ('api', 'login'), ('worker', 'login'), ('dba', 'login'), ('dashboard', 'nologin'), ('writer', 'nologin')) as named (role, options)
  loop
    if not exists (select from pg_roles where pg_roles.rolname = rule.role) then
      execute format('create role %I %s', rule.role, rule.options);
    end if;
    execute format('grant connect, temporary on database %I to %I', current_database(), rule.role);
    execute format('grant usage on schema public to %I', rule.role);
  end loop;

  -- What the pools set for themselves when they connect directly. A pooler drops it, and the role brings it back.
  for rule in
    select setting.role, setting.name, setting.value
    from (values
      ('api', 'statement_timeout', current_setting('workspace.statement_timeout_ms')),
      ('api', 'lock_timeout', '3s'),
      ('api', 'idle_in_transaction_session_timeout', '10s'),
      ('api', 'default_transaction_isolation', 'read committed'),
      ('api', 'plan_cache_mode', 'force_custom_plan'),
      ('api', 'jit', 'off'),
      ('worker', 'statement_timeout', '30s'),
      ('worker', 'lock_timeout', '10s'),
      ('worker', 'idle_in_transaction_session_timeout', '10s'),
      ('worker', 'default_transaction_isolation', 'read committed'),
      ('worker', 'plan_cache_mode', 'force_custom_plan'),
      ('worker', 'jit', 'off'),
      -- A forgotten transaction would keep vacuum from working, and a lock that waits stops all who come after it.
      ('dba', 'statement_timeout', '5min'),
      ('dba', 'lock_timeout', '1s'),
      ('dba', 'idle_in_transaction_session_timeout', '1min'),
      ('dba', 'default_transaction_read_only', 'on')
    ) as setting (role, name, value)
  loop
    execute format('alter role %I in database %I set %I = %L',
      current_setting('workspace.role_prefix') || '_' || rule.role, current_database(), rule.name, rule.value);
  end loop;
end
$$;

-- Takes all rights back, so that none is left that is granted below no more.
do $$
declare
  owner constant regrole := (select pg_class.relowner from pg_class where pg_class.oid = 'schema_migrations'::regclass);
  roles constant text := (
    select string_agg(quote_ident(current_setting('workspace.role_prefix') || '_' || named.role), ', ')
    from unnest(array['api', 'worker', 'dba', 'dashboard', 'writer']) as named (role));
  found record;
begin
  -- Up to PostgreSQL 14 every role could make tables here, and such a database keeps that through an upgrade.
  revoke create on schema public from public;
  for found in
    select case pg_class.relkind when 'S' then 'sequence' else 'table' end as kind, pg_class.oid::regclass::text as name, false as guarded
    from pg_class
    where pg_class.relnamespace = 'public'::regnamespace and pg_class.relkind in ('r', 'p', 'v', 'm', 'S') and pg_class.relowner = owner
      and not exists (select from pg_depend where pg_depend.classid = 'pg_class'::regclass and pg_depend.objid = pg_class.oid and pg_depend.deptype = 'e')
    union all
    select 'function', pg_proc.oid::regprocedure::text, pg_proc.prosecdef
    from pg_proc
    where pg_proc.pronamespace = 'public'::regnamespace and pg_proc.prokind = 'f' and pg_proc.proowner = owner
      and not exists (select from pg_depend where pg_depend.classid = 'pg_proc'::regclass and pg_depend.objid = pg_proc.oid and pg_depend.deptype = 'e')
  loop
    execute format('revoke all on %s %s from %s', found.kind, found.name, roles);
    -- As the migration did it; a backup that was restored without privileges has lost that.
    if found.guarded then
      execute format('revoke execute on function %s from public', found.name);
    end if;
  end loop;
end
$$;

-- The service: what the API and the worker run.
do $$
declare
  rule record;
begin
  for rule in
    select granted.role, granted.privilege, granted.object
    from (values
      -- REST and tools.
      ('api', 'select', 'schema_migrations'),
      ('api', 'select', 'schema_functions'),
      ('api', 'select', 'leads'),
      ('api', 'select', 'lead_analyses'),
      ('api', 'select', 'haushalte'),
      ('api', 'select', 'kontakt_aliases'),
      ('api', 'select', 'appointments'),
      ('api', 'select', 'meeting_intelligence'),
      ('api', 'select', 'signals'),
      ('api', 'select', 'event_types'),
      ('api', 'select', 'sample_events'),
      ('api', 'select', 'events'),
      ('api', 'select', 'event_cursors'),
      ('api', 'select', 'feed_state'),
      ('api', 'select (identity, log_floor, late)', 'feed'),
      ('api', 'select (id, digest, scopes, expires_at, revoked_at, last_used_at)', 'api_keys'),
      ('api', 'update (last_used_at)', 'api_keys'),
      ('api', 'select, insert, update', 'rate_windows'),
      ('api', 'select, insert, update, delete', 'key_usage'),
      ('api', 'select (id, target_url, event_types, label, source, active, created_at, secret, old_secret, old_secret_until, cursor, paused_at, consecutive_failures, deleted_at)', 'hook_subscriptions'),
      ('api', 'insert (id, target_url, event_types, label, source, secret)', 'hook_subscriptions'),
      ('api', 'update (deleted_at, active, target_url, secret, old_secret, old_secret_until)', 'hook_subscriptions'),
      ('api', 'select', 'hook_outstanding'),
      ('api', 'execute', 'function hooks_below_max'),
      -- Metrics.
      ('api', 'select', 'leader'),

      -- Sequencing.
      ('worker', 'select', 'schema_migrations'),
      ('worker', 'select', 'schema_functions'),
      ('worker', 'select', 'events, event_cursors'),
      ('worker', 'execute', 'function sequence_events'),
      ('worker', 'select', 'feed_state'),
      ('worker', 'select (only_row, log_floor, late), update (log_floor, late)', 'feed'),
      -- Delivering.
      ('worker', 'select, update (worker, lease_until, fence)', 'leader'),
      ('worker', 'select', 'hook_subscriptions'),
      ('worker', 'select, delete', 'hook_outstanding'),
      ('worker', 'select', 'hook_attempts'),
      ('worker', 'execute', 'function record_attempts'),
      ('worker', 'select, update (due_at, attempts, sent_at, status, error_class), delete', 'owner_notices'),
      ('worker', 'select', 'notice_settings'),
      -- Retention.
      ('worker', 'execute', 'function prune_events'),
      ('worker', 'execute', 'function prune_deliveries')
    ) as granted (role, privilege, object)
  loop
    execute format('grant %s on %s to %I', rule.privilege, rule.object, current_setting('workspace.role_prefix') || '_' || rule.role);
  end loop;
end
$$;

-- The dashboard, next to what the API may, and the commands keys, hooks and erase; the platform.
do $$
declare
  rule record;
begin
  for rule in
    select granted.role, granted.privilege, granted.object
    from (values
      ('dashboard', 'select', 'schema_migrations'),
      ('dashboard', 'select', 'schema_functions'),
      ('dashboard', 'select', 'api_keys'),
      ('dashboard', 'insert (prefix, digest, label, scopes, expires_at, lifetime), update (revoked_at, expires_at)', 'api_keys'),
      ('dashboard', 'select', 'key_usage'),
      ('dashboard', 'select', 'feed'),
      ('dashboard', 'select', 'feed_state'),
      ('dashboard', 'select', 'events'),
      ('dashboard', 'select', 'event_cursors'),
      ('dashboard', 'select', 'event_types'),
      ('dashboard', 'select', 'sample_events'),
      ('dashboard', 'select', 'rate_windows'),
      ('dashboard', 'select', 'hook_subscriptions'),
      ('dashboard', 'update (target_url, event_types, label, active, paused_at, pause_reason, secret, old_secret, old_secret_until, old_secret_leads, missed_from, missed_to)', 'hook_subscriptions'),
      ('dashboard', 'select, delete', 'hook_outstanding'),
      ('dashboard', 'select', 'hook_attempts'),
      ('dashboard', 'select', 'leader'),
      ('dashboard', 'select', 'owner_actions'),
      ('dashboard', 'execute', 'function note_owner_action'),
      ('dashboard', 'select, insert (created_at)', 'owner_notices'),
      ('dashboard', 'select, update (mail_to, language)', 'notice_settings'),
      ('dashboard', 'execute', 'function reactivate_hook'),
      ('dashboard', 'execute', 'function replay_hook'),
      ('dashboard', 'execute', 'function redeliver'),
      ('dashboard', 'select, insert (digest), update (used_at), delete', 'owner_sessions'),
      ('dashboard', 'execute', 'function find_events'),
      ('dashboard', 'execute', 'function kontakt_leads'),
      ('dashboard', 'execute', 'function kontakt_holdings'),
      ('dashboard', 'execute', 'function erase_kontakt'),

      -- Events, income and updated_at come by themselves; contacts are merged by merge_kontakte alone.
      ('writer', 'select, insert, update, delete', 'leads'),
      ('writer', 'select, insert, update, delete', 'lead_analyses'),
      ('writer', 'select, insert, update, delete', 'haushalte'),
      ('writer', 'select, insert, update, delete', 'appointments'),
      ('writer', 'select, insert, update, delete', 'meeting_intelligence'),
      ('writer', 'select, insert, update, delete', 'signals'),
      ('writer', 'select, insert, update, delete', 'advisory_docs'),
      ('writer', 'select', 'kontakt_aliases'),
      ('writer', 'select', 'event_types'),
      ('writer', 'execute', 'function emit_event'),
      ('writer', 'execute', 'function merge_kontakte')
    ) as granted (role, privilege, object)
  loop
    execute format('grant %s on %s to %I', rule.privilege, rule.object, current_setting('workspace.role_prefix') || '_' || rule.role);
  end loop;
end
$$;

-- A DBA: every table and view of the workspace, new ones too, less what is encrypted, a digest or an address with a token.
do $$
declare
  owner constant regrole := (select pg_class.relowner from pg_class where pg_class.oid = 'schema_migrations'::regclass);
  secrets constant text[] := array[
    'api_keys.digest', 'hook_subscriptions.secret', 'hook_subscriptions.old_secret',
    'owner_sessions.digest'];
  readable record;
begin
  -- The columns of the system are among them: two files of the dashboard read xmin.
  for readable in
    select pg_class.oid::regclass as name, string_agg(quote_ident(pg_attribute.attname), ', ') as columns
    from pg_class
    join pg_attribute on pg_attribute.attrelid = pg_class.oid and not pg_attribute.attisdropped
    where pg_class.relnamespace = 'public'::regnamespace and pg_class.relkind in ('r', 'p', 'v') and not pg_class.relispartition
      and pg_class.relowner = owner and pg_class.relname || '.' || pg_attribute.attname <> all (secrets)
    group by pg_class.oid
  loop
    execute format('grant select (%s) on %s to %I', readable.columns, readable.name, current_setting('workspace.role_prefix') || '_dba');
  end loop;
  -- With the rights of the owner these read what is granted above, and change nothing.
  execute format('grant execute on function find_events, kontakt_leads, kontakt_holdings to %I', current_setting('workspace.role_prefix') || '_dba');
  -- How many numbers are left: sql/README.md.
  execute format('grant select on sequence events_log_id_seq to %I', current_setting('workspace.role_prefix') || '_dba');
end
$$;
