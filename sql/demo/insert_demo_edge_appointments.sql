-- Makes the appointments that break things. Always the same rows under the same UUIDs; what is there already stays.
--
-- Needs setup.sql and the edge leads.
--   1       begins at 2026-03-29T02:30 in Berlin, an hour that does not exist: read as 01:30 UTC
--   2       spans that hour
--   3, 4    both begin at 2025-10-26T02:30 in Berlin, an hour apart
--   5       without end
--   6       ends before it begins
--   7       nothing but the required columns
--   8       intelligence failed
--   9       intelligence pending, nothing found yet
--   10      results of every JSON kind
--   11      ready with an empty list of results
--   12      a score of many digits
--   13      markup, backslash and 200 characters
--   14 - 16 begin at the same moment
--   17      a meeting link that is no web address
--   18      a summary among the results and one in its column
--   19      an income in every form in what was found
prepare insert_demo_edge_appointments as
with written (n, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status, lead) as (
  values
    (1, 'Umstellung auf Sommerzeit', 'scheduled', 'zoom', 'https://zoom.example.org/j/1', timestamptz '2026-03-29T01:30:00Z', timestamptz '2026-03-29T02:30:00Z', 'Zoë', 'calendar', null, 1),
    (2, 'Über die Umstellung hinweg', 'scheduled', 'zoom', 'https://zoom.example.org/j/2', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', 'Zoë', 'calendar', null, 1),
    (3, 'Doppelte Stunde, erste', 'completed', 'phone', null, '2025-10-26T00:30:00Z', '2025-10-26T01:00:00Z', 'Groß', 'calendar', null, 3),
    (4, 'Doppelte Stunde, zweite', 'completed', 'phone', null, '2025-10-26T01:30:00Z', '2025-10-26T02:00:00Z', 'Groß', 'calendar', null, 3),
    (5, 'Ohne Ende', 'completed', 'in_person', null, '2025-12-02T09:00:00Z', null, 'von der Heide', 'manual_termin', null, 4),
    (6, 'Endet vor dem Anfang', 'completed', 'in_person', null, '2025-12-03T09:00:00Z', '2025-12-03T08:00:00Z', 'von der Heide', 'manual_termin', null, 4),
    (7, null, 'scheduled', 'zoom', null, '2026-03-05T09:00:00Z', null, null, null, null, null),
    (8, 'Auswertung gescheitert', 'completed', 'ms_teams', 'https://teams.example.org/l/8', '2025-12-04T09:00:00Z', '2025-12-04T10:00:00Z', 'Ayşe Öztürk', 'booking_link', 'failed', 2),
    (9, 'Auswertung steht aus', 'completed', 'ms_teams', 'https://teams.example.org/l/9', '2026-02-27T09:00:00Z', '2026-02-27T10:00:00Z', 'Ayşe Öztürk', 'booking_link', 'pending', 2),
    (10, 'Ergebnisse jeder Art', 'completed', 'google_meet', 'https://meet.example.org/10', '2025-12-05T09:00:00Z', '2025-12-05T10:00:00Z', 'Zwei Kanäle', 'chat', 'ready', 24),
    (11, 'Nichts gefunden', 'completed', 'google_meet', 'https://meet.example.org/11', '2025-12-06T09:00:00Z', '2025-12-06T10:00:00Z', 'Zwei Kanäle', 'chat', 'ready', 24),
    (12, 'Viele Ziffern', 'completed', 'google_meet', 'https://meet.example.org/12', '2025-12-07T09:00:00Z', '2025-12-07T10:00:00Z', 'Viele Ziffern', 'chat', 'ready', 29),
    (13, '<img src=x onerror=alert(1)> Back\slash ' || repeat('x', 160), 'no_show', 'zoom', 'https://zoom.example.org/j/13?pwd=%3Cimg%3E', '2025-12-08T09:00:00Z', '2025-12-08T10:00:00Z', '<img src=x onerror=alert(1)>', '', null, 12),
    (14, 'Gleichzeitig A', 'cancelled', 'zoom', null, '2025-12-09T09:00:00Z', '2025-12-09T10:00:00Z', '', 'calendar', null, 5),
    (15, 'Gleichzeitig B', 'rescheduled', 'zoom', null, '2025-12-09T09:00:00Z', '2025-12-09T10:00:00Z', 'Fuchs 🦊', 'calendar', null, 8),
    (16, 'Gleichzeitig C', 'verlegt auf unbekannt', 'brieftaube', null, '2025-12-09T09:00:00Z', '2025-12-09T10:00:00Z', 'O''Neill', 'calendar', 'unbekannt', 5),
    (17, 'Rückruf', 'completed', 'phone', 'tel:+4915228817386', '2025-12-10T09:00:00.123456Z', '2025-12-10T09:15:00Z', 'Meier-Lüdenscheidt', 'call', null, 6),
    (18, 'Zwei Zusammenfassungen', 'completed', 'zoom', 'https://zoom.example.org/j/18', '2025-12-11T09:00:00Z', '2025-12-11T10:00:00Z', 'Zoë', 'calendar', 'ready', 1),
    (19, 'Einkommen in jeder Form', 'completed', 'phone', null, '2025-12-12T09:00:00Z', '2025-12-12T10:00:00Z', 'Einkommen In Jeder Form', 'call', 'ready', 32)
)
insert into appointments (
  id, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status, created_at, lead_id, session_id)
select demo.edge_uuid('appointment', written.n), written.title, written.status, written.platform, written.meeting_url,
  written.starts_at, written.ends_at, written.customer_display_name, written.source, written.intelligence_status,
  timestamptz '2025-10-01T09:00:00Z', demo.edge_uuid('lead', written.lead), null
from written
on conflict do nothing;
