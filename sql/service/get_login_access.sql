-- Whether the login of this connection may do what each part of the service does: the right on one table that no other part
-- has. The others come with it, from the command roles.
--
-- @not_null login, api, worker, dashboard
prepare get_login_access as
select current_user::text as login,
  has_table_privilege('rate_windows', 'insert') as api,
  has_table_privilege('hook_workers', 'delete') as worker,
  has_table_privilege('owner_sessions', 'delete') as dashboard;
