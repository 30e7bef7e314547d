// How an operation is called, in the languages of the quick starts; readers of the description show it.
import type { Json } from '../http/json_schema.ts'
import type { RestRoute } from './route.ts'

const examplePath: Record<string, string> = {
  '{leadId}': '8f14e45f-ceea-867a-9d1c-0a1b2c3d4e5f',
  '{meetingId}': '0a1b2c3d-4e5f-8071-8293-a4b5c6d7e8f9',
  '{hookId}': '3d4e5f60-7182-4394-a5b6-c7d8e9f0a1b2',
  // Both routes of contacts take it: one of them takes a bare address too, the other the exact key alone.
  '{key}': 'email%3Aanna.beispiel%40example.org',
}

const pathOf = (path: string) => path.replace(/\{\w+\}/g, name => examplePath[name] ?? name)

function curl({ method }: RestRoute, path: string, body: string | undefined): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`
  const data =
    body === undefined ? '' : ` \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`
  return `curl${verb} "$BASE${path}" \\\n  -H "Authorization: Bearer $KEY"${data}`
}

function typeScript({ method }: RestRoute, path: string, body: string | undefined): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the sample
    'headers: { authorization: `Bearer ${key}` }',
    ...(body === undefined ? [] : [`body: JSON.stringify(${body})`]),
  ]
  return `const response = await fetch(\`\${base}${path}\`, {\n  ${options.join(',\n  ')},\n})
const { data, error } = await response.json()`
}

function python({ method }: RestRoute, path: string, body: string | undefined): string {
  const json = body === undefined ? '' : `, json=${body}`
  return `import httpx

answer = httpx.request("${method}", f"{base}${path}", headers={"Authorization": f"Bearer {key}"}${json}).json()`
}

/** `x-codeSamples`, the extension that readers share. */
export function codeSamples(route: RestRoute, bodyExample: unknown): Json[] {
  const path = pathOf(route.path)
  const body = bodyExample === undefined ? undefined : JSON.stringify(bodyExample)
  return [
    { lang: 'shell', label: 'curl', source: curl(route, path, body) },
    { lang: 'typescript', label: 'TypeScript', source: typeScript(route, path, body) },
    { lang: 'python', label: 'Python', source: python(route, path, body) },
  ]
}
