-- Asks for a test notice, and notifies the worker.
--
-- Writes one row.
prepare insert_test_notice as
insert into owner_notices default values
returning owner_notices.id, pg_notify('notice_added', '')::text as notified;
