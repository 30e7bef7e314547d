// The manifest of demo data: what makes the rows, in the order of their references.

import disableEvents from '../../sql/demo/disable_events.sql' with { type: 'text' }
import enableEvents from '../../sql/demo/enable_events.sql' with { type: 'text' }
import enableIncome from '../../sql/demo/enable_income.sql' with { type: 'text' }
import advisoryDocs from '../../sql/demo/insert_demo_advisory_docs.sql' with { type: 'text' }
import appointments from '../../sql/demo/insert_demo_appointments.sql' with { type: 'text' }
import edgeAdvisoryDocs from '../../sql/demo/insert_demo_edge_advisory_docs.sql' with {
  type: 'text',
}
import edgeAppointments from '../../sql/demo/insert_demo_edge_appointments.sql' with {
  type: 'text',
}
import edgeHaushalte from '../../sql/demo/insert_demo_edge_haushalte.sql' with { type: 'text' }
import edgeKontaktAliases from '../../sql/demo/insert_demo_edge_kontakt_aliases.sql' with {
  type: 'text',
}
import edgeLeadAnalyses from '../../sql/demo/insert_demo_edge_lead_analyses.sql' with {
  type: 'text',
}
import edgeLeads from '../../sql/demo/insert_demo_edge_leads.sql' with { type: 'text' }
import edgeMeetingIntelligence from '../../sql/demo/insert_demo_edge_meeting_intelligence.sql' with {
  type: 'text',
}
import edgeSignals from '../../sql/demo/insert_demo_edge_signals.sql' with { type: 'text' }
import haushalte from '../../sql/demo/insert_demo_haushalte.sql' with { type: 'text' }
import kontaktAliases from '../../sql/demo/insert_demo_kontakt_aliases.sql' with { type: 'text' }
import leadAnalyses from '../../sql/demo/insert_demo_lead_analyses.sql' with { type: 'text' }
import leads from '../../sql/demo/insert_demo_leads.sql' with { type: 'text' }
import meetingIntelligence from '../../sql/demo/insert_demo_meeting_intelligence.sql' with {
  type: 'text',
}
import signals from '../../sql/demo/insert_demo_signals.sql' with { type: 'text' }
import setup from '../../sql/demo/setup.sql' with { type: 'text' }
import teardown from '../../sql/demo/teardown.sql' with { type: 'text' }
import demoSize from '../../sql/demo/update_demo_size.sql' with { type: 'text' }
import { type QueryFile, readQueryFile } from '../db/query_file.ts'

const read = (texts: Record<string, string>): QueryFile[] =>
  Object.entries(texts).map(([name, text]) => readQueryFile(`demo/${name}`, text))

/** Multi-statement scripts: the functions and word lists the rows are drawn from, and their end. */
export const demoSetup: string = setup
export const demoTeardown: string = teardown
export const demoDisableEvents: string = disableEvents
export const demoEnableIncome: string = enableIncome
export const demoEnableEvents: string = enableEvents

/** Runs before the setup: leads_total. */
export const demoSizeFile: QueryFile = readQueryFile('demo/update_demo_size', demoSize)

/** Each makes the rows of a slice of leads: first_lead, last_lead, leads_total. */
export const demoFiles: QueryFile[] = read({
  insert_demo_leads: leads,
  insert_demo_lead_analyses: leadAnalyses,
  insert_demo_haushalte: haushalte,
  insert_demo_kontakt_aliases: kontaktAliases,
  insert_demo_appointments: appointments,
  insert_demo_meeting_intelligence: meetingIntelligence,
  insert_demo_signals: signals,
  insert_demo_advisory_docs: advisoryDocs,
})

/** Rows that break things, the same in every size of demo. */
export const demoEdgeFiles: QueryFile[] = read({
  insert_demo_edge_leads: edgeLeads,
  insert_demo_edge_lead_analyses: edgeLeadAnalyses,
  insert_demo_edge_haushalte: edgeHaushalte,
  insert_demo_edge_kontakt_aliases: edgeKontaktAliases,
  insert_demo_edge_appointments: edgeAppointments,
  insert_demo_edge_meeting_intelligence: edgeMeetingIntelligence,
  insert_demo_edge_signals: edgeSignals,
  insert_demo_edge_advisory_docs: edgeAdvisoryDocs,
})
