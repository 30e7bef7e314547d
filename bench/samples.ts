// What is asked for while growth is measured: the same kinds of rows in both databases, found by what they
// are and spread over the whole table. Each kind gives paths that are asked for in turn.

import { basePath } from '../src/api/rest/routes.ts'
import type { Sql } from '../src/db/connect.ts'
import type { BenchDatabase } from './databases.ts'
import { growthReach } from './growing.ts'
import { getRequest } from './load/plan.ts'
import type { Reach } from './row.ts'
import { withSql } from './session.ts'

const samplesMax = 100
export const searchGrowthReach: Reach = { atMost: 1.3 }
// Such a text has no trigram.
export const shortTextReach: Reach = { atMost: 2 }

/** Column `value` of rows in an order that has nothing to do with where they are stored. */
const statements = {
  lead: 'select id::text as value from leads',
  analysed: 'select lead_id::text as value from lead_analyses group by lead_id',
  analysedMeeting: 'select appointment_id::text as value from meeting_intelligence',
  kontakt: 'select kontakt_key as value from haushalte',
  mailAddress: `select upper(substr(kontakt_key, 7)) as value from haushalte where kontakt_key like 'email:%'`,
  rareName: `select name as value from leads where length(name) > 4 group by name having count(*) <= 3`,
  commonName: `select 'Müller' as value`,
  // Of one lead in 200 to 2,000: the last names that people mostly search for.
  oneWord: `
    select split_part(name, ' ', 2) as value from leads where name ~ '^[^ ]+ [^ ]{4,}$'
    group by 1 having count(*) between (select count(*) from leads) / 2000 and (select count(*) from leads) / 200`,
  // Of one lead in 60 to 190, so that a fiftieth hit is there among 10,000 leads too.
  frequentWord: `
    select split_part(name, ' ', 2) as value from leads where name ~ '^[^ ]+ [^ ]{4,}$'
    group by 1 having count(*) between (select count(*) from leads) / 190 and (select count(*) from leads) / 60`,
  twoWords: `select name as value from leads where name ~ '^[^ ]+ [^ ]+$'`,
  mailPart: `select substr(split_part(email, '@', 1), 3) || '@' as value from leads where length(email) > 15`,
  numberPart: `select right(phone, 7) as value from leads where phone ~ '[0-9]{7}$'`,
  twoLetters: `select value from unnest(array['er', 'an', 'li']) as value`,
  oneLetter: `select value from unnest(array['e', 'm', '3']) as value`,
}

type Kind = keyof typeof statements

/** The kinds of texts that are searched for, by what a row calls them. */
export const searchKinds = {
  'rare name': 'rareName',
  'common name': 'commonName',
  'one word': 'oneWord',
  'two words': 'twoWords',
  'part of a mail address': 'mailPart',
  'part of a number': 'numberPart',
} satisfies Record<string, Kind>

const shortKinds = { 'two letters': 'twoLetters', 'one letter': 'oneLetter' } satisfies Record<
  string,
  Kind
>
export type Samples = Record<Kind, string[]>

export async function samplesOf(sql: Sql): Promise<Samples> {
  const found: [string, string[]][] = []
  for (const [kind, statement] of Object.entries(statements)) {
    const rows = await sql.unsafe(
      `select value from (${statement}) as sample order by md5(value) limit ${samplesMax}`,
    )
    if (rows.length === 0) throw new Error(`the demo data has no ${kind}`)
    found.push([kind, rows.map(row => row.value as string)])
  }
  return Object.fromEntries(found) as Samples
}

/** The first page and the tenth: of 50 leads, and of 5, which as many leads answer in a database of any size. */
const pages = ['', '&offset=450', '&limit=5', '&limit=5&offset=45']
const fewLeads = '&limit=5'

/** Among 10,000 leads most last names have no tenth page. */
const kindOf = (kind: Kind, page: string): Kind =>
  kind === 'oneWord' && page === pages.at(-1) ? 'frequentWord' : kind

const searches: Record<string, (samples: Samples) => string[]> = Object.fromEntries(
  Object.entries({ ...searchKinds, ...shortKinds }).flatMap(([name, kind]) =>
    pages.map(page => [
      `/leads?search ${name}${page}`,
      (samples: Samples) => samples[kindOf(kind, page)].map(text => `/leads?search=${text}${page}`),
    ]),
  ),
)

/** Of a page of 50 the smallest database has fewer leads than others, so what it takes is shown alone. */
export function growthReachOf(target: string): Reach | undefined {
  if (!(target in searches)) return growthReach
  if (!target.includes(fewLeads)) return undefined
  return Object.keys(shortKinds).some(name => target.includes(name))
    ? shortTextReach
    : searchGrowthReach
}

const paths: Record<string, (samples: Samples) => string[]> = {
  '/leads': () => ['/leads'],
  '/leads?offset=500': () => ['/leads?offset=500'],
  '/leads?status': () => ['/leads?status=new'],
  '/leads?include_archived': () => ['/leads?include_archived=true'],
  ...searches,
  '/leads/{leadId}': ({ lead }) => lead.map(id => `/leads/${id}`),
  '/leads/{leadId}/analysis': ({ analysed }) => analysed.map(id => `/leads/${id}/analysis`),
  '/kontakte': () => ['/kontakte'],
  '/kontakte/{key} by mail address': ({ mailAddress }) =>
    mailAddress.map(text => `/kontakte/${text}`),
  '/kontakte/{key}/haushalt': ({ kontakt }) => kontakt.map(key => `/kontakte/${key}/haushalt`),
  '/appointments': () => ['/appointments'],
  '/appointments?status': () => ['/appointments?status=scheduled'],
  '/appointments?from': () => ['/appointments?from=2026-02-01T00:00:00Z'],
  '/meetings/{meetingId}/intelligence': ({ analysedMeeting }) =>
    analysedMeeting.map(id => `/meetings/${id}/intelligence`),
  '/signals': () => ['/signals'],
  '/signals?status': () => ['/signals?status=open'],
  '/schemas/analysis': () => ['/schemas/analysis'],
}

/** By target, the paths to ask for. */
export async function samplePaths(database: BenchDatabase): Promise<Record<string, string[]>> {
  const samples = await withSql(database.url, samplesOf)
  const encoded = Object.fromEntries(
    Object.entries(samples).map(([kind, values]) => [kind, values.map(encodeURIComponent)]),
  ) as Samples
  return Object.fromEntries(Object.entries(paths).map(([name, make]) => [name, make(encoded)]))
}

export type RequestKind = { name: string; requests: string[] }

/** What clients mostly ask for, each kind with every key in turn. */
export async function requestKinds(database: BenchDatabase): Promise<RequestKind[]> {
  const samples = await samplePaths(database)
  const kinds: Record<string, string[]> = {
    'GET /leads': ['/leads?limit=50'],
    'GET /leads/{leadId}': samples['/leads/{leadId}'] ?? [],
    'GET /leads?search': samples['/leads?search rare name'] ?? [],
    'GET /events': ['/events?limit=100'],
  }
  return Object.entries(kinds).map(([name, own]) => ({
    name,
    requests: database.keys.map((key, turn) => getRequest(basePath + own[turn % own.length], key)),
  }))
}
