-- Makes the household records that break things. Always the same rows; what is there already stays.
--
-- Needs setup.sql.
--   email:buero@example.org            the survivor of 250 aliases
--   lead:ed9e0001-…-000000000023       a contact with neither mail nor phone
--   email:zoe@example.org              a profile with nothing in it, everything else null
--   email:ayse.oeztuerk@example.com    a check without any gap
--   email:einkommen@example.org        an income in every form, in every document
--   the rest                           keys that have to be encoded in a path
prepare insert_demo_edge_haushalte as
with written (kontakt_key, name, quelle, complete) as (
  values
    ('email:buero@example.org', 'Büro Sonnenhof', 'crm_import', true),
    ('lead:' || demo.edge_uuid('lead', 23)::text, 'Nur Name', 'manual_termin', true),
    ('email:zoe@example.org', null, null, false),
    ('email:ayse.oeztuerk@example.com', 'Ayşe Öztürk', 'chat', true),
    ('email:sean.o''neill@example.org', 'Seán O''Neill', 'call', true),
    ('email:anna+makler@example.org', e'Zeile eins\nZeile zwei', 'kontakt_edit', true),
    ('email:vertrieb/nord%20_50@example.org', '100% Sicher_AG', 'crm_import', true),
    ('phone:+491990000001', '<img src=x onerror=alert(1)>', 'call', true),
    ('email:einkommen@example.org', 'Einkommen In Jeder Form', 'call', true)
)
insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at)
select
  written.kontakt_key,
  case
    when written.complete then income.forms || jsonb_build_object(
      'meta', jsonb_build_object('version', 'din_core_v2', 'erstellt_am', '2025-11-28T09:00:00Z'),
      'kunde', demo.kunde(1, written.name, documents.alter, 'Im Rosenwinkel 3', '28865', 'Lilienthal', null, null),
      'haushalt', documents.haushalt || income.forms,
      'vertraege', documents.vertraege)
    else '{"meta": {"version": "din_core_v2", "erstellt_am": "2025-11-28T09:00:00Z"}, "kunde": {}, "haushalt": {"personen": []}, "vertraege": []}'
  end,
  case when written.complete then income.forms || jsonb_build_object('kunde.name', jsonb_build_object('quelle', written.quelle, 'stand', '2025-11-28T09:00:00Z')) end,
  case
    when written.kontakt_key = 'email:ayse.oeztuerk@example.com' then '{"erstellt_am": "2025-11-28T09:00:00Z", "bewertung": {
      "params_version": "2025.2", "engine_version": "1.4.2",
      "zeilen": [{"rang": "2", "name": "Allgemeines Haftungsrisiko", "bedarfsstufe": 1, "in_analyse": true, "relevant": true, "relevanz_quelle": "regel", "status": "erfuellt",
        "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
        "istwert": {"wert_eur": 50000000, "beschreibung": null, "quellen": ["vertraege[0]"]}}],
      "luecken_nach_stufe": [{"stufe": 1, "themen": []}, {"stufe": 2, "themen": []}, {"stufe": 3, "themen": []}],
      "unbekannt_in_analyse": []}}'
    when written.complete then demo.din_check(timestamptz '2025-11-28T09:00:00Z', assessments.bewertung) || income.forms
  end,
  case when written.complete then income.forms || jsonb_build_object('stand', '2025-11-28T09:00:00Z', 'empfehlungen', documents.massnahmen) end,
  written.quelle,
  timestamptz '2025-11-28T09:00:00Z'
from written
cross join lateral (
  select case when written.kontakt_key = 'email:einkommen@example.org' then demo.income_forms() else '{}' end as forms
) as income
join demo.documents on documents.variant = 300
join demo.assessments on assessments.variant = 300 and assessments.params_version = '2025.2'
on conflict do nothing;
