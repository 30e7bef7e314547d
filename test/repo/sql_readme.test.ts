// sql/README.md tells a DBA what is true: its indexes and settings are the catalog's, its statements run.
import { expect, test } from 'bun:test'
import { connect, type PoolOptions } from '../../src/db/connect.ts'
import { plannedOnce } from '../../src/db/pools.ts'
import { poolOptions } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { explainedInVain, indexes, indexName, withIndexTable } from '../support/repo/index_table.ts'
import { filesIn, read, root, sources } from './sources.ts'

const database = useDatabase()
const text = read('sql/README.md')
const blocks = (language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    match => match[1] ?? '',
  )
const statements = blocks('sql')

test('the table of indexes is made from schema.sql and the heads of the files (bun run readme writes it)', () => {
  expect(text).toContain(
    '| `leads_search_idx` | gin (search_text gin_trgm_ops) | `leads/list_leads` |',
  )
  expect(text).toBe(withIndexTable(text))
  expect(explainedInVain()).toEqual([])
})

test('it lists the indexes of the catalog, and no others', async () => {
  const rows = await database.sql`
    select relname from pg_class
    where relkind in ('i', 'I') and not relispartition and relnamespace = 'public'::regnamespace
    order by relname collate "C"`
  const listed = indexes().map(({ name }) => name)
  expect(listed.filter(name => name.startsWith('local_'))).toEqual([])
  const found = new Set(rows.map(row => indexName(row.relname)))
  expect(listed.sort()).toEqual([...found].sort())
})

test('the storage settings are the catalog’s', async () => {
  const rows = await database.sql`
    select format('| \`%s\` | \`%s\` | ', relname, array_to_string(reloptions, ', ')) as line
    from pg_class
    where relkind in ('r', 'p') and reloptions is not null and relnamespace = 'public'::regnamespace
    order by relname`
  const [, section = ''] = text.split('\n## Storage settings\n')
  const lines = [...(section.split('\n## ')[0]?.match(/^\| `.*?` \| `.*?` \| /gm) ?? [])]
  expect(lines).toEqual(rows.map(row => row.line))
})

/** What a session that is opened like this has, for the settings that a block sets. */
async function settingsOf(options: PoolOptions, block: string) {
  const sql = connect({ ...options, connectionsMax: 1 })
  const set = [...block.matchAll(/^set (\w+) = '?(\w+)'?;$/gm)]
  try {
    const shown: string[][] = []
    for (const name of set.map(match => match[1] ?? '')) {
      const [row] = await sql.unsafe(`select current_setting('${name}') as value`)
      shown.push([name, row?.value])
    }
    return { shown, written: set.map(([, name = '', value = '']) => [name, value]) }
  } finally {
    await sql.end()
  }
}

test('the settings for a session are those of the pools of the service and of the worker', async () => {
  const { url } = database
  const api = { url, connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 5_000 }
  const worker = poolOptions(url)
  const sessions = statements.filter(block => block.startsWith('set '))
  expect(sessions).toHaveLength(2)
  const [first = '', planned = ''] = sessions
  const pools: [PoolOptions, string][] = [
    [api, first],
    [worker, first],
    [{ ...api, ...plannedOnce }, planned],
  ]
  for (const [options, session] of pools) {
    const { shown, written } = await settingsOf(options, session)
    expect(written.length).toBeGreaterThan(2)
    expect(written).toEqual(shown)
  }
})

test('every other statement runs', async () => {
  const queries = statements.filter(block => !block.startsWith('set '))
  expect(queries.length).toBeGreaterThan(6)
  for (const query of queries) await database.sql.unsafe(query)
})

test('so do the statements of the other pages', async () => {
  const form = /```sql\n([\s\S]*?)```/g
  const elsewhere = filesIn('docs', '.md').flatMap(page => [...page.text.matchAll(form)])
  expect(elsewhere.length).toBeGreaterThan(0)
  for (const [, query = ''] of elsewhere) await database.sql.unsafe(query)
})

const psql = Bun.which('psql')

test.skipIf(psql === null)(
  `what is written for psql runs in psql${psql === null ? ' (skipped: there is no psql here)' : ''}`,
  async () => {
    const scripts = blocks('psql')
    const said = scripts.map(async script => {
      const child = Bun.spawn(['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', database.url], {
        cwd: root,
        stdin: new Blob([script]),
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const out = await new Response(child.stdout).text()
      expect([script, await child.exited]).toEqual([script, 0])
      return out
    })
    const [plan, search, counted] = await Promise.all(said)
    expect(plan).toContain('Execution Time')
    expect(search).toContain('%müller%')
    expect(counted).toContain('Execution Time')
  },
)

test('it names every part of a process by its application_name', () => {
  const given = /(?:workspace-data-api|\$\{applicationName\}) (\w+)[`']/g
  const named = sources.flatMap(({ text }) => [...text.matchAll(given)].map(match => match[1]))
  expect(named.length).toBeGreaterThan(5)
  const [, parts = ''] = /the same followed by ([\s\S]*?)\.\n/.exec(text) ?? []
  expect([...parts.matchAll(/`(\w+)`/g)].map(match => match[1]).sort()).toEqual(named.sort())
})

test('the path of every query it names has a file', async () => {
  const named = [...text.matchAll(/`(\w+\/\w+)`/g)].map(match => match[1])
  expect(named.length).toBeGreaterThan(40)
  for (const path of new Set(named))
    expect(await Bun.file(`${root}/sql/${path}.sql`).exists()).toBe(true)
})
