// A DBA's session: what sql/README.md and the guides show runs, in psql and as SQL, and its lists are the catalog's.
import { expect, test } from 'bun:test'
import { explainedInVain, indexes, storageSettings } from '../../scripts/index_table.ts'
import { useDatabase } from '../support/database/database.ts'
import { blocks, read, root, sources } from './sources.ts'

const database = useDatabase()
const text = read('sql/README.md')
test('the tables of indexes and storage settings are the catalog’s', async () => {
  const rows = await database.sql`
    select relname from pg_class
    where relkind = 'i' and relnamespace = 'public'::regnamespace order by relname collate "C"`
  expect(
    indexes()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(rows.map(row => row.relname))
  expect(explainedInVain()).toEqual([])
  const settings = await database.sql`
    select relname, array_to_string(reloptions, ', ') as settings from pg_class
    where relkind = 'r' and reloptions is not null and relnamespace = 'public'::regnamespace
    order by relname`
  expect(storageSettings()).toEqual(settings.map(row => `\`${row.relname}\` | \`${row.settings}\``))
  for (const row of storageSettings()) expect(text).toContain(`| ${row} | `)
})

test.each(blocks('sql'))('a statement of $path runs', async ({ text }) => {
  await database.sql.unsafe(text)
})

test.skipIf(Bun.which('psql') === null)('what is written for psql runs there', async () => {
  const sessions = blocks('psql').filter(({ path }) => path === 'sql/README.md')
  for (const { text: session } of sessions) {
    const child = Bun.spawn(['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', database.url], {
      cwd: root,
      stdio: [new Blob([session]), 'pipe', 'inherit'],
    })
    const out = await new Response(child.stdout).text()
    expect([session, await child.exited]).toEqual([session, 0])
    expect(out).toContain(session.includes('explain') ? 'Execution Time' : '')
  }
})

test('it names every part of a process by its application_name, and queries that there are', async () => {
  const given = /(?:workspace-data-api|\$\{applicationName\}) (\w+)[`']/g
  const parts = sources.flatMap(({ text }) => [...text.matchAll(given)].map(match => match[1]))
  const [, named = ''] = /the same followed by ([\s\S]*?)\.\n/.exec(text) ?? []
  expect(parts.filter(part => !named.includes(`\`${part}\``))).toEqual([])
  const queries = new Set([...text.matchAll(/`(\w+\/\w+)`/g)].map(match => match[1]))
  for (const path of queries)
    expect([path, await Bun.file(`${root}/sql/${path}.sql`).exists()]).toEqual([path, true])
})

test('what the server has to keep out of its log are settings that it takes', async () => {
  const lines = blocks('ini').filter(({ path }) => path === 'docs/operations/postgresql.md')
  for (const [, name, value] of (lines[0]?.text ?? '').matchAll(/^([a-z_]+) = (\w+)/gm))
    await database.sql.unsafe(`set ${name} = ${value}`)
})
