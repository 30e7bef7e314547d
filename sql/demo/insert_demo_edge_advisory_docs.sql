-- Makes the advisory documents that break things. Always the same rows under the same UUIDs; what is there already stays.
--
-- Needs setup.sql and the edge leads.
prepare insert_demo_edge_advisory_docs as
with written (n, lead, title, approved_at, sent_at) as (
  values
    (1, null::integer, null, null::timestamptz, null::timestamptz),
    (2, 1, 'Freigegeben, nicht verschickt', timestamptz '2025-12-17T10:00:00Z', null),
    (3, 1, 'Verschickt ohne Freigabe', null, timestamptz '2025-12-17T11:00:00Z'),
    (4, 12, '<img src=x onerror=alert(1)>', '2025-12-17T10:00:00Z', '2025-12-17T10:00:00Z')
)
insert into advisory_docs (id, lead_id, title, approved_at, sent_at, created_at)
select demo.edge_uuid('advisory_doc', written.n), demo.edge_uuid('lead', written.lead), written.title,
  written.approved_at, written.sent_at, timestamptz '2025-12-17T09:00:00Z'
from written
on conflict do nothing;
