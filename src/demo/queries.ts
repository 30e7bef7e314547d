// The manifest of demo data: what inserts the rows, in the order of their references.
import disableEvents from '../../sql/demo/disable_events.sql' with { type: 'text' }
import enableEvents from '../../sql/demo/enable_events.sql' with { type: 'text' }
import advisoryDocs from '../../sql/demo/insert_demo_advisory_docs.sql' with { type: 'text' }
import appointments from '../../sql/demo/insert_demo_appointments.sql' with { type: 'text' }
import haushalte from '../../sql/demo/insert_demo_haushalte.sql' with { type: 'text' }
import aliases from '../../sql/demo/insert_demo_kontakt_aliases.sql' with { type: 'text' }
import analyses from '../../sql/demo/insert_demo_lead_analyses.sql' with { type: 'text' }
import leads from '../../sql/demo/insert_demo_leads.sql' with { type: 'text' }
import meetings from '../../sql/demo/insert_demo_meeting_intelligence.sql' with { type: 'text' }
import signals from '../../sql/demo/insert_demo_signals.sql' with { type: 'text' }
import { type QueryFile, readQueryFile } from '../db/query_file.ts'
import type { Tables } from './rows.ts'

export const demoDisableEvents: string = disableEvents
export const demoEnableEvents: string = enableEvents

const texts: Record<keyof Tables, string> = {
  leads,
  lead_analyses: analyses,
  haushalte,
  kontakt_aliases: aliases,
  appointments,
  meeting_intelligence: meetings,
  signals,
  advisory_docs: advisoryDocs,
}

/** By table; each takes an array of rows. */
export const demoFiles = Object.entries(texts).map(([table, text]): [keyof Tables, QueryFile] => [
  table as keyof Tables,
  readQueryFile(`demo/insert_demo_${table}`, text),
])
