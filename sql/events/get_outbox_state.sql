-- Whether events wait for their cursors: the cheap look between two batches.
--
-- Uses event_outbox_pkey.
prepare get_outbox_state as
select exists (select from event_outbox) as waiting;
