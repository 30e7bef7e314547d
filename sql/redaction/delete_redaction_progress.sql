-- Forgets how far the command redact came: it is through, or is to begin anew.
prepare delete_redaction_progress as
delete from redaction_progress;
