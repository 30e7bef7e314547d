-- Asks for a test notice by each of these ways, and tells the worker.
--
-- $1 channels
prepare insert_test_notices (text[]) as
insert into owner_notices (channel)
select unnest($1)
returning owner_notices.id, pg_notify('notice_added', '')::text as notified;
