-- One example event per type, in the order of the contract.
--
-- $1 event_type? null: every type
--
-- @not_null occurred_at: written from columns that are not null
prepare list_sample_events (text) as
select sample_events.id, sample_events.event_type, sample_events.schema_version,
  moment(sample_events.occurred_at) as occurred_at, sample_events.object_type, sample_events.object_id,
  sample_events.links, sample_events.data
from sample_events
join event_types on event_types.event_type = sample_events.event_type
where ($1 is null or sample_events.event_type = $1)
order by event_types.position;
