-- Makes the analyses that break things. Always the same rows under the same UUIDs; what is there already stays.
--
-- Needs setup.sql and the edge leads.
--   1, 2  one lead in both channels, the call a day later
--   3, 4  one lead in both channels at the same moment
--   5     about 300 KB
--   6     without DIN check
--   7     ranks "4a" and "4b", rank "10" next to "2"
--   8     numbers of many digits
--   9     nothing but the required columns: the flat form with every column unknown
--   10    an income in every form, in every document
prepare insert_demo_edge_lead_analyses as
with written (n, lead, channel, created_at) as (
  values
    (1, 24, 'chat', timestamptz '2025-11-20T09:00:00Z'),
    (2, 24, 'call', timestamptz '2025-11-21T09:00:00Z'),
    (3, 25, 'chat', timestamptz '2025-11-22T09:00:00Z'),
    (4, 25, 'call', timestamptz '2025-11-22T09:00:00Z'),
    (5, 26, 'call', timestamptz '2025-11-23T09:00:00Z'),
    (6, 27, 'chat', timestamptz '2025-11-24T09:00:00Z'),
    (7, 28, 'chat', timestamptz '2025-11-25T09:00:00Z'),
    (8, 29, 'chat', timestamptz '2025-11-26T09:00:00Z'),
    (10, 32, 'call', timestamptz '2025-11-28T09:00:00Z')
),
composed as (
  select written.n, written.lead, written.channel, written.created_at, leads.name, leads.email, documents.flach,
    demo.din_check(written.created_at, assessments.bewertung) as din_check,
    jsonb_build_object(
      'meta', jsonb_build_object('version', 'din_core_v2', 'erstellt_am', demo.iso(written.created_at)),
      'kunde', demo.kunde(written.n, leads.name, documents.alter, 'Am Kastanienhang 7', '01067', 'Dresden', null, leads.email),
      'haushalt', documents.haushalt,
      'vertraege', documents.vertraege,
      'produkte', jsonb_build_object('altersvorsorge', product_wishes.wish)) as analysis_v2
  from written
  join leads on leads.id = demo.edge_uuid('lead', written.lead)
  join demo.documents on documents.variant = 370
  join demo.assessments on assessments.variant = 370 and assessments.params_version = '2025.2'
  join demo.product_wishes on product_wishes.fragment = 'altersvorsorge' and product_wishes.slot = 4
)
insert into lead_analyses (
  id, lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check, created_at, session_id, kontakt_key)
select
  demo.edge_uuid('analysis', composed.n),
  demo.edge_uuid('lead', composed.lead),
  composed.channel,
  'edge_' || composed.n::text,
  'din_core_v2+altersvorsorge_v1',
  composed.flach
    || jsonb_build_object(
      'analyse_version', 'din_core_v2', 'analyse_erstellt_am', demo.iso(composed.created_at),
      'kunde_name', composed.name, 'kunde_strasse', 'Am Kastanienhang 7', 'kunde_plz', '01067', 'kunde_ort', 'Dresden',
      'kunde_telefon', null, 'kunde_email', composed.email, 'din_params_version', demo.params_version(composed.created_at))
    || case composed.n
      when 6 then '{"din_params_version": null, "din_unbekannt_anzahl": null,
        "din_luecken_stufe_1_anzahl": null, "din_luecken_stufe_2_anzahl": null, "din_luecken_stufe_3_anzahl": null,
        "din_luecken_stufe_1_themen": null, "din_luecken_stufe_2_themen": null, "din_luecken_stufe_3_themen": null}'::jsonb
      when 7 then '{"din_unbekannt_anzahl": 0,
        "din_luecken_stufe_1_anzahl": 2, "din_luecken_stufe_2_anzahl": 0, "din_luecken_stufe_3_anzahl": 0,
        "din_luecken_stufe_1_themen": "Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz), Partner; Haftungsrisiko Haus- und Grundbesitz",
        "din_luecken_stufe_2_themen": "", "din_luecken_stufe_3_themen": ""}'
      when 10 then demo.income_forms()
      else '{}'
    end,
  composed.analysis_v2 || case composed.n
    when 5 then jsonb_build_object('gespraechsprotokoll', (
      select jsonb_agg(jsonb_build_object(
        'nr', line,
        'sprecher', (array['berater', 'kunde'])[1 + line % 2],
        'text', (array[
          'Dann gehen wir jetzt gemeinsam durch, welche Verträge schon vorhanden sind und was sie im Ernstfall leisten.',
          'Den Ordner habe ich vor mir, aber bei manchen Schreiben weiß ich nicht, ob sie noch gültig sind.',
          'Das ist kein Problem, wir notieren die Nummer und fragen beim Versicherer nach.',
          'Bei der Wohnung hat sich seit dem Umzug einiges geändert, die Fläche ist jetzt deutlich größer.'])[1 + line % 4]
          || ' (Abschnitt ' || line::text || ')') order by line)
      from generate_series(1, 1800) as line))
    when 8 then '{"vertraege": [
      {"sparte": "private_rente", "versicherer": "Alpentor Leben", "status": "aktiv", "beitrag_eur": 123.4567890123456789,
        "leistungen": {"guthaben_eur": 9007199254740993, "garantierte_rente_eur": 0.1000000000000000055511151231257827}},
      {"sparte": "sonstige", "versicherer": null, "status": null, "leistungen": {"summe_eur": 123456789012345678901234567890.12345}}]}'::jsonb
    when 10 then jsonb_build_object('haushalt', jsonb_set(
        composed.analysis_v2 -> 'haushalt', '{personen,0,einkommen}', '{"netto_monat_eur": 31337.77, "brutto_jahr_eur": 31337, "rente_bezogen_monat_eur": 31337.77}')
        || '{"einnahmen": [{"art": "Gehalt", "betrag_monat_eur": 31337.77}], "immobilien": [{"nutzung": "vermietet", "wert_eur": 210000, "mieteinnahmen_kalt_monat_eur": 31337.77}]}',
      'gespraech', demo.income_forms())
    else '{}'
  end,
  case composed.n
    when 6 then null
    when 10 then jsonb_set(composed.din_check, '{bewertung,zeilen,23}', '{
      "rang": "24", "name": "Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Lebensstandard)", "bedarfsstufe": 2, "in_analyse": true, "relevant": true, "relevanz_quelle": "regel",
      "status": "luecke", "sollwert": {"typ": "anteil_netto", "wert_eur": 2560, "einheit": "eur_monat", "beschreibung": "80 % von 31.337,77 EUR Nettoeinkommen"},
      "istwert": {"wert_eur": 31337.77, "beschreibung": "Gehalt 31.337,77 EUR", "quellen": [
        {"typ": "kundenangabe", "pfad": "haushalt.personen[0].einkommen.netto_monat_eur", "wert_eur": 31337.77}]}}')
    when 7 then jsonb_build_object('erstellt_am', demo.iso(composed.created_at), 'bewertung', '{
      "params_version": "2025.2", "engine_version": "1.4.2",
      "zeilen": [
        {"rang": "2", "name": "Allgemeines Haftungsrisiko", "bedarfsstufe": 1, "in_analyse": true, "relevant": true, "relevanz_quelle": "regel", "status": "erfuellt",
          "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
          "istwert": {"wert_eur": 50000000, "beschreibung": null, "quellen": ["vertraege[0]"]}},
        {"rang": "4a", "name": "Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz), Kunde", "bedarfsstufe": 1, "in_analyse": true, "relevant": true, "relevanz_quelle": "regel", "status": "erfuellt",
          "sollwert": {"typ": "mindestbedarf", "wert_eur": 1450, "einheit": "eur_monat", "beschreibung": "orientiert am gesetzlichen Mindestlohn"},
          "istwert": {"wert_eur": 1500, "beschreibung": null, "quellen": [{"typ": "vertrag", "pfad": "vertraege[1]", "wert_eur": 1500}]}},
        {"rang": "4b", "name": "Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz), Partner", "bedarfsstufe": 1, "in_analyse": true, "relevant": true, "relevanz_quelle": "annahme", "status": "luecke",
          "sollwert": {"typ": "mindestbedarf", "wert_eur": 1450, "einheit": "eur_monat", "beschreibung": "orientiert am gesetzlichen Mindestlohn"},
          "istwert": {"wert_eur": 0, "beschreibung": "keine Absicherung bekannt", "quellen": []}},
        {"rang": "10", "name": "Haftungsrisiko Haus- und Grundbesitz", "bedarfsstufe": 1, "in_analyse": true, "relevant": true, "relevanz_quelle": "kundenangabe", "status": "teilweise",
          "sollwert": {"typ": "absolut", "wert_eur": 10000000, "einheit": "eur", "beschreibung": "Mindestdeckungssumme"},
          "istwert": {"wert_eur": 3000000, "beschreibung": null, "quellen": ["vertraege[2]"]}}],
      "luecken_nach_stufe": [
        {"stufe": 1, "themen": ["Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz), Partner", "Haftungsrisiko Haus- und Grundbesitz"]},
        {"stufe": 2, "themen": []},
        {"stufe": 3, "themen": []}],
      "unbekannt_in_analyse": []}'::jsonb)
    else composed.din_check
  end,
  composed.created_at,
  demo.uuid('edge_session', composed.lead),
  'email:' || composed.email
from composed
union all
select demo.edge_uuid('analysis', 9), demo.edge_uuid('lead', 31), 'chat', 'edge_9', null, analysis_flat(null, null), null, null,
  timestamptz '2025-11-27T09:00:00Z', null, null
on conflict do nothing;
