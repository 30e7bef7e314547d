-- Names the roles for grant_roles.sql, in the same transaction, and sets how long the API's statements may run.
--
-- $1 role_prefix  what the names begin with, before the underscore
-- $2 statement_timeout_ms
prepare prepare_roles (text, integer) as
select set_config('workspace.role_prefix', $1, true) as role_prefix,
  set_config('workspace.statement_timeout_ms', $2::text, true) as statement_timeout_ms;
