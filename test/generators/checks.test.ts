// Two programs that judge instead of generating: schemathesis sends what the description allows and forbids; llguidance, which
// constrains the output of models in Rust, takes the schemas of all tools. Asked for as the generators are.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeTool } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { loadDemo } from '../../src/demo/load.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'
import { whyNot } from './asked.ts'

const api = useService()
useWorker(api)
const dir = makeDataDir('checks')
const reason = whyNot({ name: 'checks', needs: ['python3'] })
const skipped = reason ? ` (skipped: ${reason})` : ''

beforeAll(async () => {
  if (skipped !== '') return
  await loadDemo(api.sql, 200, () => {})
  await until(() => isSequenced(api.sql), 20_000)
}, 60_000)
afterAll(() => removeDataDir(dir))

async function shell(command: string): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(['sh', '-c', `${command} 2>&1`], { cwd: dir, stdout: 'pipe' })
  const out = await new Response(child.stdout).text()
  return { code: await child.exited, out }
}

const install = (packages: string) =>
  shell(`python3 -m venv py && py/bin/pip install -q ${packages}`)

// What is valid by the schema and refused all the same is said in words: a cursor of another feed, a key that is none.
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'ignored_auth'],
].join(',')

test.skipIf(skipped !== '')(
  `schemathesis finds no server error, nothing undescribed, and tests every operation${skipped}`,
  async () => {
    expect((await install('schemathesis')).code).toBe(0)
    const { code, out } = await shell(
      `py/bin/schemathesis run ${api.base}/openapi.json -H "Authorization: Bearer ${api.key}" --checks ${checks} --phases examples,coverage,fuzzing --max-examples 50 --no-color`,
    )
    expect([code, code === 0 ? '' : out.slice(-6_000)]).toEqual([0, ''])
    expect(out).toContain(`Tested: ${restRoutes.length}`)
  },
  600_000,
)

const strict = `
import json
from llguidance import LLMatcher, grammar_from
for place, schema in json.load(open("schemas.json")):
    bad, said = LLMatcher.validate_grammar_with_warnings(grammar_from("json_schema", json.dumps(schema)))
    assert not bad, (place, said)
print("all")
`

test.skipIf(skipped !== '')(
  `a strict engine in Rust takes the schemas of all tools${skipped}`,
  async () => {
    expect((await install('llguidance')).code).toBe(0)
    const schemas = tools.map(describeTool).flatMap(({ name, inputSchema, outputSchema }) => [
      [`${name} in`, inputSchema],
      [`${name} out`, outputSchema],
    ])
    writeFileSync(join(dir, 'schemas.json'), JSON.stringify(schemas))
    writeFileSync(join(dir, 'strict.py'), strict)
    expect((await shell('py/bin/python strict.py')).out.trim()).toBe('all')
  },
  300_000,
)
