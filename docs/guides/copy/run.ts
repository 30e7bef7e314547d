// Copies into copy.sqlite: all at first, then what has happened since. bun run.ts [sweep]; BASE and KEY are in the environment.
import { Database } from 'bun:sqlite'
import { client, firstCopy, type Store, sweep, tail } from './copy.ts'

const { BASE, KEY } = process.env

function exit(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

if (!BASE || !KEY) exit('Set BASE, such as http://127.0.0.1:3000/api/v1, and KEY.')
if (!/^https?:\/\//.test(BASE)) exit('BASE must begin with http:// or https://.')

// Two at once would write their rows and cursors over one another. The lock ends with the process.
const lock = new Database('copy.lock')
try {
  lock.run('begin exclusive')
} catch {
  exit('Another run.ts is at work here.')
}

const file = new Database('copy.sqlite')
// A reader of the copy may hold it for a moment.
file.run('pragma busy_timeout = 10000')
file.run(
  'create table if not exists entries (kind text, id text, entry text, primary key (kind, id))',
)
file.run(
  'create table if not exists feed (one integer primary key check (one = 1), cursor integer)',
)

const store: Store = {
  async put(kind, id, row) {
    file.run('insert or replace into entries values (?, ?, ?)', [kind, id, JSON.stringify(row)])
  },
  async get(kind, id) {
    const [found] = file
      .query('select entry from entries where kind = ? and id = ?')
      .values(kind, id)
    return found && JSON.parse(String(found[0]))
  },
  async remove(kind, id) {
    file.run('delete from entries where kind = ? and id = ?', [kind, id])
  },
  async ids(kind) {
    const found = file.query('select id from entries where kind = ?').values(kind)
    return found.map(([id]) => String(id))
  },
  async keepCursor(cursor) {
    file.run('insert or replace into feed values (1, ?)', [cursor])
  },
}

const get = client(BASE, KEY)
try {
  const [kept] = file.query('select cursor from feed').values()
  const cursor = kept ? await tail(get, store, Number(kept[0])) : await firstCopy(get, store)
  if (process.argv.includes('sweep')) await sweep(get, store)
  process.stdout.write(`copied up to cursor ${cursor}\n`)
} catch (error) {
  exit(String(error))
}
