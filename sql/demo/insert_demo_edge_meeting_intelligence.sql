-- Makes the findings that break things, for the edge appointments 8, 10, 11, 12, 18 and 19.
-- Always the same rows; what is there already stays.
--
-- Needs setup.sql and the edge appointments.
prepare insert_demo_edge_meeting_intelligence as
with written (n, status, failure_reason, overall_score, summary, next_steps, results) as (
  values
    (8, 'failed', 'no_recording', null::numeric, null, null::jsonb, '[]'::jsonb),
    (10, 'ready', null, 0, 'Ergebnisse jeder Art.', '["Eins", "Zwei"]', '[
      {"field_key": "text", "label": "Text", "kind": "need", "output_type": "text", "status": "ready", "value": "Größe & <b>Maße</b> \\ \"Zitat\" 🦊", "score": 1, "level": "niedrig", "rationale": "Begründung", "recommendation": "Empfehlung", "generated_at": "2025-12-05T10:30:00Z"},
      {"field_key": "leer", "label": "", "kind": "need", "output_type": "text", "status": "ready", "value": "", "score": null, "level": null, "rationale": "", "recommendation": "", "generated_at": null},
      {"field_key": "zahl", "label": "Zahl", "kind": "score", "output_type": "number", "status": "ready", "value": 12345678901234567890.123456789, "score": 99.999999999999999999, "level": "hoch", "rationale": null, "recommendation": null, "generated_at": "2025-12-05T10:30:00.123456+01:00"},
      {"field_key": "ja", "label": "Ja", "kind": "fact", "output_type": "boolean", "status": "ready", "value": true, "score": null, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "nein", "label": "Nein", "kind": "fact", "output_type": "boolean", "status": "ready", "value": false, "score": 0, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "nichts", "label": "Nichts", "kind": "fact", "output_type": "text", "status": "missing", "value": null, "score": null, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "liste", "label": "Liste", "kind": "objection", "output_type": "list", "status": "ready", "value": ["a", 1, null, [true]], "score": -1.5, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "leere_liste", "label": "Leere Liste", "kind": "objection", "output_type": "list", "status": "ready", "value": [], "score": null, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "objekt", "label": "Objekt", "kind": "fact", "output_type": "object", "status": "ready", "value": {"tief": {"tiefer": {}}}, "score": null, "level": null, "rationale": null, "recommendation": null, "generated_at": null},
      {"field_key": "auswahl", "label": "Auswahl", "kind": "fact", "output_type": "enum", "status": "ready", "value": "mittel", "score": null, "level": "mittel", "rationale": null, "recommendation": null, "generated_at": null}]'),
    (11, 'ready', null, null, null, null, '[]'),
    (12, 'ready', null, 66.66666666666666666666666666666667, null, '[]', '[]'),
    (18, 'ready', null, 100, 'Die Zusammenfassung der Spalte.', '[]', '[
      {"field_key": "summary", "label": "Zusammenfassung", "kind": "summary", "output_type": "text", "status": "ready", "value": "Die Zusammenfassung der Liste.", "score": null, "level": null, "rationale": null, "recommendation": null, "generated_at": "2025-12-11T10:30:00Z"}]'),
    (19, 'ready', null, 50, (select string_agg(text.value, '. ') from jsonb_array_elements_text(demo.income_texts()) as text), demo.income_texts(),
      jsonb_build_array(
        '{"field_key": "nettoeinkommen", "label": "Nettoeinkommen", "kind": "fact", "output_type": "number", "status": "ready", "value": 31337.77, "score": 31, "level": null,
          "rationale": "Der Kunde nannte 31.337,77 EUR.", "recommendation": "Mit 31337 rechnen.", "generated_at": "2025-12-12T10:30:00Z"}'::jsonb,
        '{"field_key": "notizen", "label": "Notizen", "kind": "fact", "output_type": "object", "status": "ready", "score": null, "level": null,
          "rationale": "Verdient 31.337,77 EUR netto.", "recommendation": null, "generated_at": null}'::jsonb || jsonb_build_object('value', demo.income_forms())))
)
insert into meeting_intelligence (
  appointment_id, status, failure_reason, overall_score, customer_persona, conversation_type, summary, next_steps, results, created_at)
select demo.edge_uuid('appointment', written.n), written.status, written.failure_reason, written.overall_score,
  case when written.n in (10, 18) then 'preisbewusst' end, case when written.n in (10, 18) then 'beratung' end,
  written.summary, written.next_steps, written.results, timestamptz '2025-12-12T09:00:00Z'
from written
on conflict do nothing;
