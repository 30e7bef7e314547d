-- How far an interrupted run of the command redact came, table by table.
prepare list_redaction_progress as
select table_name, after_key, seen, changed
from redaction_progress
order by table_name;
