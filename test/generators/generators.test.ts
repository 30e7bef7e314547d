// Each generator makes a client of the published description in an empty folder, which compiles, lists leads, gets one, gets a
// 404 and walks the feed; programs that judge the description or copy by it follow. They install packages and take
// minutes, so they run only when they are asked for: bun run generators.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { loadDemo } from '../../src/demo/load.ts'
import { routes } from '../../src/operations/contract.ts'
import { read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { type TestService, useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const pip = 'python3 -m venv py && py/bin/pip install -q'
const npm =
  'echo \'{"private":true,"type":"module"}\' > package.json && npm i --silent --no-audit --no-fund typescript@5 bun-types'
const tsc =
  'npx tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom --types bun-types'
const bun = process.execPath
const oneOf = '--additional-properties=useOneOfDiscriminatorLookup=true'
const generate = `${npm} @openapitools/openapi-generator-cli
npx openapi-generator-cli generate -i $DOC -o out -g`
const go = 'go mod init matrix && go get -tool'

/** What makes a client in an empty folder and runs it; what it prints last is what it saw. */
const generators: [name: string, needs: string, script: string][] = [
  [
    'openapi-typescript with openapi-fetch',
    'npm',
    `${npm} openapi-typescript openapi-fetch
    npx openapi-typescript $DOC -o schema.d.ts
    cp $CLIENTS/openapi_fetch.ts main.ts && ${tsc} main.ts
    ${bun} main.ts $BASE $KEY`,
  ],
  [
    'hey-api with zod',
    'npm',
    `${npm} @hey-api/openapi-ts zod
    npx openapi-ts -i $DOC -o hey -p @hey-api/client-fetch -p @hey-api/typescript -p zod -p @hey-api/sdk
    cp $CLIENTS/hey_api.ts main.ts && ${tsc} main.ts
    ${bun} main.ts $BASE $KEY`,
  ],
  [
    'openapi-zod-client',
    'npm',
    `${npm} openapi-zod-client @zodios/core zod@3 axios
    npx openapi-zod-client $DOC -o client.ts --with-alias
    cp $CLIENTS/openapi_zod_client.ts main.ts
    ${bun} main.ts $BASE $KEY`,
  ],
  [
    'orval with zod',
    'npm',
    // Version 8 needs Node.js 22 and gives the shapes other names.
    `${npm} orval@7 zod
    echo "export default {wda:{input:'$DOC',output:{target:'orval.ts',client:'zod'}}}" > orval.config.ts
    npx orval --config orval.config.ts
    cp $CLIENTS/orval.ts main.ts && ${tsc} main.ts
    ${bun} main.ts $BASE $KEY`,
  ],
  [
    'openapi-python-client',
    'python3',
    `${pip} openapi-python-client
    . py/bin/activate && openapi-python-client generate --path $DOC --output-path out
    cp $CLIENTS/openapi_python_client.py out/main.py
    python out/main.py $BASE $KEY`,
  ],
  [
    'datamodel-code-generator with pydantic',
    'python3',
    `${pip} datamodel-code-generator
    py/bin/datamodel-codegen --input $DOC --input-file-type openapi --output models.py --output-model-type pydantic_v2.BaseModel --formatters builtin
    cp $CLIENTS/datamodel_codegen.py main.py
    py/bin/python main.py $BASE $KEY`,
  ],
  [
    'oapi-codegen (Go)',
    'go',
    `${go} github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest
    go tool oapi-codegen -generate types,client -package main -o client.gen.go $DOC
    cp $CLIENTS/oapi_codegen.go main.go && go mod tidy && go build -o matrix .
    ./matrix $BASE $KEY`,
  ],
  [
    'ogen (Go)',
    'go',
    `${go} github.com/ogen-go/ogen/cmd/ogen@latest
    go tool ogen --target api --package api --clean $DOC
    cp $CLIENTS/ogen.go main.go && go mod tidy && go build -o matrix .
    ./matrix $BASE $KEY`,
  ],
  [
    'openapi-generator, Python',
    'npm java python3',
    `${generate} python
    ${pip} ./out && cp $CLIENTS/openapi_generator.py main.py
    py/bin/python main.py $BASE $KEY`,
  ],
  [
    'openapi-generator, Go',
    'npm java go',
    `${generate} go ${oneOf}
    mkdir -p out/cmd && cp $CLIENTS/openapi_generator.go out/cmd/main.go
    cd out && go mod tidy && go build -o ../matrix ./cmd
    ../matrix $BASE $KEY`,
  ],
  [
    'openapi-generator, Java',
    'npm java mvn',
    `${generate} java ${oneOf},library=native
    cp $CLIENTS/openapi_generator.java out/src/main/java/org/openapitools/client/Matrix.java
    cd out && mvn -q -B -DskipTests -Dmaven.javadoc.skip=true package dependency:copy-dependencies
    java -cp "target/classes:target/dependency/*:target/lib/*" org.openapitools.client.Matrix $BASE $KEY`,
  ],
  [
    'openapi-generator, TypeScript (fetch)',
    'npm java',
    // What it generates is not written for --strict.
    `${generate} typescript-fetch
    cp $CLIENTS/openapi_generator.ts out/main.ts && ${tsc.replace(' --strict', '')} out/main.ts
    ${bun} out/main.ts $BASE $KEY`,
  ],
]

const wanted = process.env.GENERATORS ?? ''
const api = wanted === '' ? ({} as TestService) : useService()
if (wanted !== '') useWorker(api)
const dir = makeDataDir('generators')
const seen = { events: 0, named: 0 }

beforeAll(async () => {
  if (wanted === '') return
  writeFileSync(join(dir, 'openapi.json'), (await api.send('/openapi.json')).text)
  await loadDemo(api.sql, 200, () => {})
  await until(() => isSequenced(api.sql), 20_000)
  const events = await feedReader(api, { types: 'lead.created,signal.opened' }).readAll()
  seen.events = events.length
  seen.named = events.filter(({ event_type }) => event_type === 'lead.created').length
}, 120_000)
afterAll(() => removeDataDir(dir))

/** Runs a script in a folder of its own; the last line it printed, or fails with all. */
async function shell(script: string, folder: string): Promise<string> {
  const cwd = join(dir, folder)
  mkdirSync(cwd, { recursive: true })
  const env = {
    ...process.env,
    DOC: join(dir, 'openapi.json'),
    CLIENTS: join(import.meta.dir, 'clients'),
    BASE: api.base,
    KEY: api.key,
    GOFLAGS: '-mod=mod',
    DLT_DATA_DIR: dir,
    RUNTIME__DLTHUB_TELEMETRY: 'false',
  }
  const child = Bun.spawn(['sh', '-ec', `exec 2>&1\n${script}`], { cwd, env, stdout: 'pipe' })
  // Maven ends its output with codes of colour, in front of what a client prints.
  const lines = Bun.stripANSI(await new Response(child.stdout).text())
    .trim()
    .split('\n')
  if ((await child.exited) !== 0) throw new Error(`${script}\n${lines.slice(-40).join('\n')}`)
  return lines.at(-1) ?? ''
}

/** Skipped where it is not asked for or a program is missing, with the reason in its name. */
function testWith(name: string, needs: string, what: string, work: () => Promise<unknown>) {
  const absent = needs.split(' ').filter(program => Bun.which(program) === null)
  const isAsked = wanted === 'all' || (wanted !== '' && name.includes(wanted))
  const reason = isAsked ? absent.map(one => `no ${one}`).join(', ') : 'bun run generators'
  const title = `${name}: ${what}${reason && ` (skipped: ${reason})`}`
  test.skipIf(reason !== '')(title, work, 900_000)
}

for (const [name, needs, script] of generators)
  testWith(
    name,
    needs,
    'generates, compiles, lists, gets, gets a 404, walks the feed',
    async () => {
      const said = JSON.parse(await shell(script, name.replace(/\W+/g, '_')))
      expect(said).toEqual({ leads: 5, same: true, missing: 'not_found', ...seen })
    },
  )

// What is valid by the schema and refused all the same is said in words: a cursor of another feed, a key that is none.
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'ignored_auth'],
].join(',')

testWith('schemathesis', 'python3', 'finds no fault of the service or its document', async () => {
  const found = await shell(
    `${pip} schemathesis
    py/bin/schemathesis run $BASE/openapi.json -H "Authorization: Bearer $KEY" --checks ${checks} --phases examples,coverage,fuzzing --max-examples 50 --no-color > report || { tail -n 60 report; exit 1; }
    grep 'Tested: ' report`,
    'schemathesis',
  )
  expect(found).toContain(`Tested: ${routes.length}`)
})

testWith('spectral', 'bun', 'finds nothing to complain about', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [oas as RulesetDefinition] })
  const found = await linter.run((await api.send('/openapi.json')).body)
  expect(found.map(({ code, message, path }) => `${code}: ${message} ${path}`)).toEqual([])
})

const strict = `
import json
from llguidance import LLMatcher, grammar_from
for place, schema in json.load(open("schemas.json")):
    bad, said = LLMatcher.validate_grammar_with_warnings(grammar_from("json_schema", json.dumps(schema)))
    assert not bad, (place, said)
`

testWith('llguidance', 'python3', 'takes the schemas of all tools', async () => {
  await shell(`${pip} llguidance`, 'llguidance')
  const schemas = tools.map(describeTool).flatMap(({ name, inputSchema, outputSchema }) => [
    [`${name} in`, inputSchema],
    [`${name} out`, outputSchema],
  ])
  writeFileSync(join(dir, 'llguidance/schemas.json'), JSON.stringify(schemas))
  writeFileSync(join(dir, 'llguidance/strict.py'), strict)
  await shell('py/bin/python strict.py', 'llguidance')
})

const counts = `
import duckdb
found = duckdb.connect("workspace.duckdb").execute
print(*(found(f"select count(*) from workspace_data.{table}").fetchone()[0] for table in ("leads", "events")))
`

testWith('dlt', 'python3', 'the program of the guide copies all, twice', async () => {
  const guide = read('docs/guides/copy_everything.md')
  const [, program = ''] = /```python\n([\s\S]*?)```/.exec(guide) ?? []
  await shell(`${pip} "dlt[duckdb]"`, 'dlt')
  const ours = program
    .replace('https://workspace.example.com/api/v1/', `${api.base}/`)
    .replace('dlt.secrets["workspace_key"]', `"${api.key}"`)
  writeFileSync(join(dir, 'dlt/program.py'), ours)
  writeFileSync(join(dir, 'dlt/counts.py'), counts)
  for (const name of ['Erika Muster', 'Max Beispiel']) {
    await api.sql`insert into leads (name) values (${name})`
    await until(() => isSequenced(api.sql), 20_000)
    await shell('py/bin/python program.py', 'dlt')
    const [found] =
      await api.sql`select (select count(*) from leads) as leads, (select count(*) from event_cursors) as events`
    expect(await shell('py/bin/python counts.py', 'dlt')).toBe(`${found?.leads} ${found?.events}`)
  }
})
