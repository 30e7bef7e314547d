-- The settings by which PostgreSQL writes the values of statements to its log: search terms, and keys of contacts, also
-- of those that were erased. With log_parameter_max_length = 0 only auto_explain does, in its plans.
--
-- @not_null setting
prepare list_logging_settings as
select name || ' = ' || setting as setting
from pg_settings
where name = 'auto_explain.log_min_duration' and setting <> '-1'
  or current_setting('log_parameter_max_length') <> '0' and (
    name in ('log_min_duration_statement', 'log_min_duration_sample') and setting <> '-1'
    or name = 'log_transaction_sample_rate' and setting <> '0'
    or name = 'log_statement' and setting in ('mod', 'all'))
order by name;
