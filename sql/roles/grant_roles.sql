-- Makes the roles of a workspace, or brings them up to date. The owner of the tables runs it, with the right to make
-- roles; the service's way is its command roles. By hand, in psql:
--   \i sql/roles/prepare_roles.sql
--   begin;
--   execute prepare_roles('workspace', 5000);
--   \i sql/roles/grant_roles.sql
--   commit;
-- Other rights of these roles on the workspace's tables and functions go. What belongs to another owner or to an
-- extension stays as it is.
do $$
declare
  prefix constant text := current_setting('workspace.role_prefix') || '_';
  owner constant regrole := (select relowner from pg_class where oid = 'schema_migrations'::regclass);
  rule record;
begin
  if not pg_has_role(owner, 'usage') then
    raise exception 'the tables belong to %, and % does not have its rights', owner, current_user
      using errcode = 'insufficient_privilege';
  end if;
  -- Two at once would change the same catalog rows.
  lock table schema_migrations in share row exclusive mode;
  if not exists (select from pg_roles where rolname = current_user and (rolcreaterole or rolsuper)) then
    raise exception '% may not make roles: alter role % createrole', current_user, current_user
      using errcode = 'insufficient_privilege';
  end if;
  -- Every other login of the cluster could connect, and hold connections, temporary tables, locks.
  if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    execute format('revoke connect, temporary on database %I from public', current_database());
  else
    raise warning 'every login may still connect: the owner of the database revokes that (%)',
      format('revoke connect, temporary on database %I from public', current_database());
  end if;
  -- Up to PostgreSQL 14 every role could make tables here, and such a database keeps that through an upgrade.
  revoke create on schema public from public;

  -- A pooler drops what the pools set for themselves, and the role that logs in brings it back: it is not inherited. A
  -- forgotten transaction of a DBA would keep vacuum from working, and a lock that waits stops all who come after it.
  for rule in
    select prefix || made.role as role, made.options, unnest(made.settings) as setting
    from (values
      ('api', 'login', array[
        'statement_timeout = ' || current_setting('workspace.statement_timeout_ms'), 'lock_timeout = ''3s''',
        'idle_in_transaction_session_timeout = ''10s''', 'default_transaction_isolation = ''read committed''',
        'jit = off']),
      ('worker', 'login', array['statement_timeout = ''30s''', 'lock_timeout = ''10s''',
        'idle_in_transaction_session_timeout = ''10s''', 'default_transaction_isolation = ''read committed''',
        'jit = off']),
      ('dba', 'login', array['statement_timeout = ''5min''', 'lock_timeout = ''1s''',
        'idle_in_transaction_session_timeout = ''1min''', 'default_transaction_read_only = on']),
      -- Groups: for an API that shows the dashboard, for the platform's own logins.
      ('dashboard', 'nologin', array[null]), ('writer', 'nologin', array[null])
    ) as made (role, options, settings)
  loop
    if not exists (select from pg_roles where rolname = rule.role) then
      execute format('create role %I %s', rule.role, rule.options);
    end if;
    execute format('grant connect, temporary on database %I to %I', current_database(), rule.role);
    execute format('grant usage on schema public to %I', rule.role);
    if rule.setting is not null then
      execute format('alter role %I in database %I set ', rule.role, current_database()) || rule.setting;
    end if;
  end loop;
end
$$;

-- What each may do.
do $$
declare
  prefix constant text := current_setting('workspace.role_prefix') || '_';
  owner constant regrole := (select relowner from pg_class where oid = 'schema_migrations'::regclass);
  extensions constant oid[] := array(select objid from pg_depend where deptype = 'e');
  people constant text := 'leads, lead_analyses, haushalte, appointments, meeting_intelligence, signals';
  feed constant text := 'events, event_cursors, event_types, feed, feed_state, feed_events';
  hooks constant text := 'hook_subscriptions, hook_outstanding, leader';
  limits constant text := 'rate_windows, key_usage';
  schema constant text := 'schema_migrations, schema_functions';
  secrets constant text[] := array[
    'api_keys.digest', 'hook_subscriptions.secret', 'hook_subscriptions.old_secret', 'owner_sessions.digest'];
  rule record;
begin
  -- Rights that are granted below no more go; what a function of the owner's may, public never may, as after a restore
  -- without privileges.
  for rule in
    select case relkind when 'S' then 'sequence ' else 'table ' end || oid::regclass as object, false as guarded
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S') and relowner = owner
      and oid <> all (extensions)
    union all
    select 'function ' || oid::regprocedure, prosecdef from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f' and proowner = owner
      and oid <> all (extensions)
  loop
    execute format('revoke all on %s from %I, %I, %I, %I, %I', rule.object, prefix || 'api', prefix || 'worker',
      prefix || 'dba', prefix || 'dashboard', prefix || 'writer');
    if rule.guarded then
      execute format('revoke execute on %s from public', rule.object);
    end if;
  end loop;

  for rule in
    select granted.role, granted.rights, granted.objects
    from (values
      ('api', 'select', concat_ws(', ', schema, people, 'kontakt_aliases, listed_haushalte', feed, hooks, limits)),
      ('api', 'insert, update, delete', limits),
      ('api', 'select (id, digest, scopes, expires_at, revoked_at, last_used_at), update (last_used_at)', 'api_keys'),
      ('api', 'insert, update', 'hook_subscriptions'),
      ('api', 'execute', 'function hooks_below_max'),
      ('worker', 'select', concat_ws(', ',
        schema, 'events, event_cursors, feed, feed_state', hooks, 'hook_attempts, owner_notices, notice_settings')),
      ('worker', 'update (log_floor, late)', 'feed'),
      ('worker', 'update', 'leader, owner_notices'),
      ('worker', 'delete', 'hook_outstanding, owner_notices'),
      ('worker', 'execute', 'function sequence_events, record_attempts, prune_events, prune_deliveries'),
      ('dashboard', 'select', concat_ws(', ',
        schema, feed, hooks, 'hook_attempts, api_keys', limits,
        'owner_notices, notice_settings, owner_sessions')),
      ('dashboard', 'insert', 'api_keys, owner_notices, owner_sessions'),
      ('dashboard', 'update', 'hook_subscriptions, notice_settings, owner_sessions'),
      ('dashboard', 'update (revoked_at, expires_at)', 'api_keys'),
      ('dashboard', 'delete', 'hook_outstanding, owner_sessions'),
      ('dashboard', 'execute', 'function reactivate_hook, replay_hook, redeliver, find_events'),
      ('dashboard', 'execute', 'function kontakt_leads, kontakt_holdings, erase_kontakt'),
      -- Contacts are merged by merge_kontakte alone; events, income and updated_at come by themselves.
      ('writer', 'select, insert, update, delete', people || ', advisory_docs'),
      ('writer', 'select', 'kontakt_aliases, event_types'),
      ('writer', 'execute', 'function emit_event, merge_kontakte'),
      -- With the rights of the owner these read, and change nothing.
      ('dba', 'execute', 'function find_events, kontakt_leads, kontakt_holdings'),
      -- How many numbers are left: sql/README.md.
      ('dba', 'select', 'sequence events_log_id_seq')
    ) as granted (role, rights, objects)
    union all
    -- A DBA reads every table, but for what is encrypted or a digest. System columns are among the others.
    select 'dba', format('select (%s)', string_agg(quote_ident(attname), ', ')), attrelid::regclass::text
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and relowner = owner
      and attrelid <> all (extensions) and not attisdropped and relname || '.' || attname <> all (secrets)
    group by attrelid
  loop
    execute format('grant %s on %s to %I', rule.rights, rule.objects, prefix || rule.role);
  end loop;
end
$$;
