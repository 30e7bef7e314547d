-- Makes the leads that break things: odd names, nulls, archived ones. Always the same rows under the same UUIDs.
-- What is there already stays.
--
-- Needs setup.sql. Load this first of the edge files; the others refer to leads 1 to 32.
-- Many leads of the same moment are not here: the first import of insert_demo_leads begins with them.
prepare insert_demo_edge_leads as
with written (n, name, email, phone, status, source_type, archive_reason_code, parsed_data) as (
  values
    (1, 'Zoë', 'zoe@example.org', '+49 152 28817386', 'new', 'website_form', null, '{"vorname": "Zoë"}'::jsonb),
    (2, 'Ayşe Öztürk', 'ayse.oeztuerk@example.com', null, 'contacted', 'chat', null, null),
    (3, 'Groß', 'gross@example.org', null, 'qualified', 'call', null, null),
    (4, 'von der Heide', 'von.der.heide@example.net', null, 'new', 'referral', null, null),
    (5, 'Seán O''Neill', 'sean.o''neill@example.org', null, 'offer', 'website_form', null, null),
    (6, 'Meier-Lüdenscheidt', 'Meier-Luedenscheidt@Example.org', '0152/28817386', 'won', 'referral', null, null),
    -- Decomposed: u and U+0308 instead of ü. A search for Müller has to find it.
    (7, e'Ju\u0308rgen Mu\u0308ller-Gro\u00df', 'nfd@example.org', null, 'new', 'website_form', null, null),
    (8, 'Fuchs 🦊', 'fuchs@example.org', null, 'new', 'social_ads', null, null),
    (9, rpad('', 200, 'Ottokar Emanuel Friedrich '), 'ottokar@example.org', null, 'new', 'website_form', null, null),
    (10, '100% Sicher_AG', 'hundert@example.org', null, 'new', 'website_form', null, null),
    (11, 'Back\slash GmbH', 'backslash@example.org', null, 'new', 'website_form', null, null),
    (12, '<img src=x onerror=alert(1)>', 'markup@example.org', null, 'new', 'website_form', null, '{"anliegen": "<script>alert(1)</script>"}'),
    -- Empty is not null.
    (13, '', '', '', 'new', '', null, '{}'),
    (14, null, null, null, 'new', null, null, null),
    (15, 'Archiviert Kein Interesse', 'archiv1@example.org', null, 'lost', 'chat', 'no_interest', null),
    (16, 'Archiviert Nicht Erreichbar', 'archiv2@example.org', null, 'contacted', 'chat', 'not_reachable', null),
    (17, 'Archiviert Doppelt', 'archiv3@example.org', null, 'new', 'crm_import', 'duplicate', null),
    (18, 'Archiviert Kontakt Falsch', 'archiv4@example.org', null, 'new', 'social_ads', 'invalid_contact', null),
    (19, 'Archiviert Anderswo', 'archiv5@example.org', null, 'lost', 'referral', 'won_elsewhere', null),
    (20, 'Archiviert Spam', 'archiv6@example.org', null, 'new', 'website_form', 'spam', null),
    (21, 'Archiviert Datenschutz', 'archiv7@example.org', null, 'new', 'call', 'gdpr_request', null),
    (22, 'Archiviert Ohne Grund', 'archiv8@example.org', null, 'new', 'call', null, null),
    (23, 'Nur Name', null, null, 'new', 'manual_termin', null, null),
    (24, 'Zwei Kanäle', 'zwei.kanaele@example.org', null, 'analysis_done', 'chat', null, null),
    (25, 'Zwei Kanäle Zugleich', 'zugleich@example.org', null, 'analysis_done', 'call', null, null),
    (26, 'Langes Protokoll', 'protokoll@example.org', null, 'analysis_done', 'call', null, null),
    (27, 'Ohne DIN-Check', 'ohne.check@example.org', null, 'analysis_done', 'chat', null, null),
    (28, 'Rang Vier Geteilt', 'rang@example.org', null, 'analysis_done', 'chat', null, null),
    (29, 'Viele Ziffern', 'ziffern@example.org', null, 'analysis_done', 'chat', null, '{"kundennummer": "123456789012345678901234567890"}'),
    (30, 'Büro Sonnenhof', 'buero@example.org', '+49 199 0000001', 'won', 'referral', null, null),
    (31, e'Zeile eins\nZeile zwei', 'anna+makler@example.org', null, 'wiedervorlage märz', 'fax', null, '{"tief": {"tiefer": {"am tiefsten": [1, [2, [3]]]}}}'),
    -- The rule about raw income cleans it as it is stored.
    (32, 'Einkommen In Jeder Form', 'einkommen@example.org', null, 'analysis_done', 'call', null, demo.income_forms())
)
insert into leads (
  id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at, product_domain, session_id)
select
  demo.edge_uuid('lead', written.n), written.name, written.email, written.phone, written.status, written.source_type,
  case when written.status in ('contacted', 'qualified', 'offer', 'won', 'lost') then timestamptz '2025-11-12T09:00:00.123456Z' end,
  case when written.n between 15 and 22 then timestamptz '2025-12-01T00:00:00Z' end,
  written.archive_reason_code, written.parsed_data,
  timestamptz '2025-11-11T10:00:00.000001Z' + make_interval(mins => written.n),
  case when written.n between 24 and 29 or written.n = 32 then 'altersvorsorge' end,
  case when written.source_type in ('chat', 'call') then demo.uuid('edge_session', written.n) end
from written
on conflict do nothing;
