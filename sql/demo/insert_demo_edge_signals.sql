-- Makes the signals that break things: numbers of many digits, ends of ranges, no lead, equal moments.
-- Always the same rows under the same UUIDs; what is there already stays.
--
-- Needs setup.sql and the edge leads.
prepare insert_demo_edge_signals as
with written (n, kind, title, status, score, lead, detected_at, kontakt_key, quelle, outcome) as (
  values
    (1, 'deckungsluecke', 'Ein Drittel', 'open', 33.333333333333333333, 1, timestamptz '2025-12-15T09:00:00Z', 'email:zoe@example.org', 'chat', null),
    (2, 'deckungsluecke', 'Null', 'open', 0, 1, '2025-12-15T09:01:00Z', 'email:zoe@example.org', 'chat', null),
    (3, 'cross_sell', 'Hundert', 'done', 100, 2, '2025-12-15T09:02:00Z', 'email:ayse.oeztuerk@example.com', 'call', 'abschluss'),
    (4, 'cross_sell', 'Unter null', 'dismissed', -12.5, 2, '2025-12-15T09:03:00Z', 'email:ayse.oeztuerk@example.com', 'call', null),
    (5, 'lebensereignis', 'Größte Zahl', 'resolved', 1000000, 3, '2025-12-15T09:04:00.123456Z', null, 'crm_import', null),
    (6, 'rueckruf_ueberfaellig', 'Weder Lead noch Kontakt', 'open', 50, null, '2025-12-15T09:05:00Z', null, null, null),
    (7, 'vertragsablauf', '<img src=x onerror=alert(1)>', 'open', 0.1, 12, '2025-12-15T09:06:00Z', null, 'manual_termin', null),
    (8, 'vertragsablauf', '', 'open', 0.000000000000000001, 13, '2025-12-15T09:07:00Z', null, 'kontakt_edit', null),
    (9, 'unbekannte_art', 'Gleichzeitig A', 'open', 10, 5, '2025-12-16T09:00:00Z', 'email:sean.o''neill@example.org', 'call', null),
    (10, 'unbekannte_art', 'Gleichzeitig B', 'done', 10, 5, '2025-12-16T09:00:00Z', 'email:sean.o''neill@example.org', 'call', 'nicht_erreicht'),
    (11, 'unbekannte_art', 'Gleichzeitig C', 'dismissed', 10, 5, '2025-12-16T09:00:00Z', 'email:sean.o''neill@example.org', 'call', null)
)
insert into signals (id, kind, title, status, score, lead_id, detected_at, updated_at, kontakt_key, quelle, outcome)
select demo.edge_uuid('signal', written.n), written.kind, written.title, written.status, written.score,
  demo.edge_uuid('lead', written.lead), written.detected_at,
  written.detected_at + case when written.status = 'open' then interval '0' else interval '1 day' end,
  written.kontakt_key, written.quelle, written.outcome
from written
on conflict do nothing;
