// The manifest of migrations, in order. Embedded as text; applied by migrate.ts.
import { createHash } from 'node:crypto'
import leads from '../../sql/migrations/0001_leads.sql' with { type: 'text' }
import leadAnalyses from '../../sql/migrations/0002_lead_analyses.sql' with { type: 'text' }
import haushalte from '../../sql/migrations/0003_haushalte.sql' with { type: 'text' }
import appointments from '../../sql/migrations/0004_appointments.sql' with { type: 'text' }
import signals from '../../sql/migrations/0005_signals.sql' with { type: 'text' }
import advisoryDocs from '../../sql/migrations/0006_advisory_docs.sql' with { type: 'text' }
import apiKeys from '../../sql/migrations/0007_api_keys.sql' with { type: 'text' }
import kontaktKey from '../../sql/migrations/0008_kontakt_key.sql' with { type: 'text' }

import feed from '../../sql/migrations/0009_feed.sql' with { type: 'text' }
import eventTriggers from '../../sql/migrations/0010_event_triggers.sql' with { type: 'text' }
import retention from '../../sql/migrations/0011_retention.sql' with { type: 'text' }
import kontaktMerges from '../../sql/migrations/0012_kontakt_merges.sql' with { type: 'text' }
import sampleEvents from '../../sql/migrations/0013_sample_events.sql' with { type: 'text' }
import writers from '../../sql/migrations/0014_writers.sql' with { type: 'text' }
import hooks from '../../sql/migrations/0015_hooks.sql' with { type: 'text' }
import income from '../../sql/migrations/0016_income.sql' with { type: 'text' }
import owner from '../../sql/migrations/0017_owner.sql' with { type: 'text' }
import erasure from '../../sql/migrations/0018_erasure.sql' with { type: 'text' }
import leastPrivilege from '../../sql/migrations/0019_least_privilege.sql' with { type: 'text' }
import erasureGaps from '../../sql/migrations/0020_erasure_gaps.sql' with { type: 'text' }
import searchStatistics from '../../sql/migrations/0021_search_statistics.sql' with { type: 'text' }
import queue from '../../sql/migrations/0022_queue.sql' with { type: 'text' }

export type Migration = { number: number; name: string; text: string; sha256: string }

const texts = {
  '0001_leads': leads,
  '0002_lead_analyses': leadAnalyses,
  '0003_haushalte': haushalte,
  '0004_appointments': appointments,
  '0005_signals': signals,
  '0006_advisory_docs': advisoryDocs,
  '0007_api_keys': apiKeys,
  '0008_kontakt_key': kontaktKey,
  '0009_feed': feed,
  '0010_event_triggers': eventTriggers,
  '0011_retention': retention,
  '0012_kontakt_merges': kontaktMerges,
  '0013_sample_events': sampleEvents,
  '0014_writers': writers,
  '0015_hooks': hooks,
  '0016_income': income,
  '0017_owner': owner,
  '0018_erasure': erasure,
  '0019_least_privilege': leastPrivilege,
  '0020_erasure_gaps': erasureGaps,
  '0021_search_statistics': searchStatistics,
  '0022_queue': queue,
}

export const migrations: Migration[] = Object.entries(texts).map(([name, text]) => ({
  number: Number(name.slice(0, 4)),
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
}))

/** The schema version this program needs. */
export const schemaVersion: number = migrations.at(-1)?.number ?? 0
