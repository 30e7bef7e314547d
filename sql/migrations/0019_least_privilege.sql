-- Rights: whoever may change a row makes its events, and needs no right on the feed for it. These functions run with
-- the rights of their owner, and only who is granted one may call it (sql/roles/grant_roles.sql). All have a fixed
-- search_path: no table or function of the caller's comes in between.
-- A migration that replaces one of them says "security definer" again.

-- A trigger fires for everybody; the right to execute its function is asked for when a trigger is made of it. Without
-- it nobody hangs one on a table of their own and forges events.
alter function emit_lead_created security definer;
alter function emit_lead_changed security definer;
alter function emit_analysis_completed security definer;
alter function emit_analysis_checked security definer;
alter function emit_haushalt_created security definer;
alter function emit_haushalt_changed security definer;
alter function emit_appointment_created security definer;
alter function emit_appointment_changed security definer;
alter function emit_meeting_found security definer;
alter function emit_meeting_changed security definer;
alter function emit_signal_opened security definer;
alter function emit_signal_changed security definer;
alter function emit_advisory_doc_created security definer;
alter function emit_advisory_doc_changed security definer;

-- For writers.
alter function emit_event security definer;
alter function merge_kontakte security definer;

-- For the worker: partitions belong to the owner.
alter function make_events_partition security definer;
alter function prune_events security definer;

-- For the dashboard: rather this than the right to delete from every table.
alter function kontakt_holdings security definer;
alter function erase_kontakt security definer;

revoke execute on function
  emit_lead_created, emit_lead_changed, emit_analysis_completed, emit_analysis_checked, emit_haushalt_created,
  emit_haushalt_changed, emit_appointment_created, emit_appointment_changed, emit_meeting_found, emit_meeting_changed,
  emit_signal_opened, emit_signal_changed, emit_advisory_doc_created, emit_advisory_doc_changed, emit_event,
  merge_kontakte, make_events_partition, prune_events, kontakt_holdings, erase_kontakt
  from public;
