-- What the sequencer does not notice by itself: the sequence of ids was set back, or feed_floor is above events that have no
-- cursor. They wait then, and nothing fails. One row; reason is null where all is right.
--
-- $1 depth  how many ids below the floor it looks at
--
-- @uses events_pkey, event_cursors_pkey
prepare get_feed_fault (integer) as
select case
  when (select events_log_id_seq.last_value from events_log_id_seq) < newest_log_id() then 'ids of events come a second time'
  when exists (
    select events.log_id
    from events
    cross join feed_floor
    where events.log_id > feed_floor.log_id - $1 and events.log_id <= feed_floor.log_id
      -- What a late transaction has just committed is on its way.
      and feed_floor.late = '[]'
      -- What is older than the first cursor has expired, where anything has.
      and (
        (select feed_state.horizon from feed_state) = 0
        or events.occurred_at >= (select event_cursors.sequenced_at from event_cursors order by event_cursors.cursor limit 1))
    -- Two ranges: one search per event would take as long as thousands of them.
    except
    select event_cursors.log_id
    from event_cursors
    cross join feed_floor
    where event_cursors.log_id > feed_floor.log_id - $1 and event_cursors.log_id <= feed_floor.log_id
  ) then 'events are waiting where the sequencer does not look'
end as reason;
