// Example answers for the document, by operationId. Invented people, example domains, numbers kept free for media.

const lead = {
  id: '8f14e45f-ceea-867a-9d1c-0a1b2c3d4e5f',
  name: 'Anna Beispiel',
  email: 'anna.beispiel@example.org',
  phone: '+49 30 23125042',
  status: 'qualified',
  source_type: 'website_form',
  contacted_at: '2026-02-12T10:15:00+00:00',
  archived_at: null,
  archive_reason_code: null,
  parsed_data: { plz: '10115', ort: 'Berlin' },
  created_at: '2026-02-11T08:30:00+00:00',
}

const appointment = {
  id: '0a1b2c3d-4e5f-8071-8293-a4b5c6d7e8f9',
  title: 'Beratung Berufsunfähigkeit',
  status: 'completed',
  platform: 'zoom',
  meeting_url: 'https://meet.example.com/j/1234567890',
  starts_at: '2026-02-20T09:00:00+00:00',
  ends_at: '2026-02-20T09:45:00+00:00',
  customer_display_name: 'Anna Beispiel',
  source: 'calendar',
  intelligence_status: 'ready',
  created_at: '2026-02-12T10:20:00+00:00',
}

const dinCheck = {
  erstellt_am: '2026-02-20T10:00:05Z',
  bewertung: {
    params_version: '2026.1',
    engine_version: '1.4.2',
    zeilen: [],
    luecken_nach_stufe: [
      { stufe: 1, themen: [] },
      { stufe: 2, themen: ['Altersvorsorge (Lebensstandard)'] },
      { stufe: 3, themen: [] },
    ],
    unbekannt_in_analyse: [],
  },
}

const analysis = {
  lead_id: lead.id,
  channel: 'call',
  source_id: 'call-20260220-0900',
  analysis_schema_version: 'din_core_v2+berufsunfaehigkeit_v1',
  analysis: { kunde_name: 'Anna Beispiel', kunde_plz: '10115', vertraege_anzahl: 2 },
  analysis_v2: { meta: { version: 'din_core_v2', erstellt_am: '2026-02-20T10:00:00Z' } },
  din_check: dinCheck,
  created_at: '2026-02-20T10:00:06+00:00',
}

const kontaktSummary = {
  kontakt_key: 'email:anna.beispiel@example.org',
  vertraege_anzahl: 2,
  luecken_nach_stufe: [
    { stufe: 1, anzahl: 0 },
    { stufe: 2, anzahl: 1 },
    { stufe: 3, anzahl: 0 },
  ],
  params_version: '2026.1',
  updated_at: '2026-02-20T10:00:06+00:00',
}

const haushalt = {
  kontakt_key: 'email:anna.beispiel@example.org',
  canonical_key: 'email:anna.beispiel@example.org',
  aliases: ['phone:+493023125042'],
  haushalt: { haushalt: { haushaltsgroesse: 3, kinder_anzahl: 1 }, vertraege: [] },
  provenance: { 'haushalt.haushaltsgroesse': { quelle: 'call', stand: '2026-02-20' } },
  din_check: dinCheck,
  empfehlungen_aktuell: null,
  updated_at: '2026-02-20T10:00:06+00:00',
}

const meeting = {
  appointment,
  overall_score: 78,
  customer_persona: 'sicherheitsorientiert',
  conversation_type: 'erstberatung',
  results: [
    {
      field_key: 'summary',
      label: 'Zusammenfassung',
      kind: 'summary',
      output_type: 'text',
      status: 'ready',
      value: 'Frau Beispiel möchte ihre Arbeitskraft absichern.',
      score: null,
      level: null,
      rationale: null,
      recommendation: null,
      generated_at: '2026-02-20T10:05:00+00:00',
    },
  ],
}

const signal = {
  id: '1b2c3d4e-5f60-8172-8394-a5b6c7d8e9f0',
  kind: 'vertragsablauf',
  title: 'Hausratvertrag läuft aus',
  status: 'open',
  score: 64.5,
  lead_id: lead.id,
  detected_at: '2026-02-25T06:00:00+00:00',
  updated_at: '2026-02-25T06:00:00+00:00',
}

const event = {
  id: '2c3d4e5f-6071-4283-94a5-b6c7d8e9f0a1',
  event_type: 'lead.created',
  schema_version: '1',
  occurred_at: '2026-02-11T08:30:00+00:00',
  object_type: 'lead',
  object_id: lead.id,
  links: { lead_id: lead.id, session_id: null },
  data: {
    lead_id: lead.id,
    name: lead.name,
    email: lead.email,
    phone: lead.phone,
    source_type: lead.source_type,
    status: 'new',
    product_domain: 'berufsunfaehigkeit',
  },
  cursor: 4711,
}

const { cursor: _cursor, ...sampleEvent } = event

const hookRequest = {
  target_url: 'https://hooks.example.com/workspace',
  event_types: ['lead.created', 'appointment.scheduled'],
  label: 'CRM',
  source: 'api',
}

const hook = {
  id: '3d4e5f60-7182-4394-a5b6-c7d8e9f0a1b2',
  ...hookRequest,
  active: true,
  created_at: '2026-02-11T08:00:00+00:00',
  paused_at: null,
  consecutive_failures: 0,
  cursor: 4711,
}

const one = (data: unknown) => ({ api_version: 'v1', data })
const page = (entry: unknown) => ({
  api_version: 'v1',
  data: [entry],
  meta: { count: 1, limit: 50, offset: 0 },
})

export const examples: Record<string, unknown> = {
  listLeads: page(lead),
  getLead: one(lead),
  getLeadAnalysis: one(analysis),
  listKontakte: page(kontaktSummary),
  getKontakt: one(haushalt),
  getHaushalt: one(haushalt),
  listAppointments: page(appointment),
  getMeetingIntelligence: one(meeting),
  listSignals: page(signal),
  listHooks: { api_version: 'v1', data: [hook], meta: { count: 1 } },
  createHook: one({ ...hook, signing_secret: `whsec_${'A'.repeat(43)}=` }),
  deleteHook: one({ deleted: true }),
  listSampleEvents: { api_version: 'v1', data: [sampleEvent], meta: { count: 1 } },
  getAnalysisSchema: one({
    analysis_schema_version: 'din_core_v2',
    versionen: { kern: 'din_core_v2', din_check: 'din_check_v1', flach: 'flat_v1' },
    extraktion: { title: 'din_core_v2', type: 'object', properties: {} },
    din_check: { title: 'din_check_v1', type: 'object', properties: {} },
    flach: { version: 'flat_v1', columns: [{ key: 'kunde_name', type: 'string' }] },
  }),
  listEvents: { api_version: 'v1', data: [event], meta: { next_cursor: 4711, count: 1 } },
}

/** Bodies of requests. */
export const bodyExamples: Record<string, unknown> = { createHook: hookRequest }
