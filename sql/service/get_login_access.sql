-- Whether the login of this connection has the rights of each part of the service. One right that no other part has
-- stands for all that the command roles grants together; what was granted by hand, or before an upgrade, may still be
-- incomplete.
--
-- @not_null login, api, worker, dashboard
prepare get_login_access as
select current_user::text as login,
  has_table_privilege('rate_windows', 'insert') as api,
  has_table_privilege('leader', 'update') as worker,
  has_table_privilege('owner_sessions', 'delete') as dashboard;
