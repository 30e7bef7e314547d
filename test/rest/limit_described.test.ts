// The description names the limit of the service that publishes it, not the default.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '77' })

const textOf = async (path: string) => await (await fetch(api.service.url + path)).text()

test('the limit that is configured is the one that is described', async () => {
  const { headers } = await api.send('/leads')
  const policy = headers.get('ratelimit-policy') ?? 'none'
  expect(policy).toContain('q=77;')
  const { components, info } = (await api.send('/openapi.json')).body
  expect(components.headers.RateLimitPolicy.description).toContain(policy)
  expect(info.description).toContain('77 requests in any 60 seconds')
  const { examples } = components.responses.RateLimited.content['application/json']
  expect(examples.rate_limited.value.error.message).toContain('More than 77 requests')
})

test('no form of the description names another limit', async () => {
  for (const path of ['/api/v1/openapi.json', '/api/v1/openapi.yaml', '/llms.txt']) {
    const text = await textOf(path)
    expect(text).toMatch(/\b77 requests\b/)
    expect(text).not.toMatch(/\b240\b/)
  }
})
