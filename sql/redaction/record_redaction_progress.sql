-- Notes how far the command redact came in a table, in the transaction of the batch itself.
--
-- $1 table_name
-- $2 after_key  key of the last row looked at
-- $3 seen       rows looked at so far
-- $4 changed    rows changed so far
prepare record_redaction_progress (text, text, bigint, bigint) as
insert into redaction_progress (table_name, after_key, seen, changed)
values ($1, $2, $3, $4)
on conflict (table_name) do update
set after_key = excluded.after_key, seen = excluded.seen, changed = excluded.changed;
