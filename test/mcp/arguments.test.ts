// What tools refuse of their arguments, named and not repeated. The codes that REST shares are in faces.test.ts.
import { describe, expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'
import { callTool, deep, post } from '../support/http/tool_calls.ts'

const api = useService()

describe('arguments', () => {
  const canary = 'geheim-4711'
  const required = { get_lead: 'lead_id', search_leads: 'query', get_haushalt: 'key' }
  const names = { ...required, list_events: 'types' }
  const values = [
    null,
    true,
    7,
    {},
    [],
    [7],
    { a: canary },
    [canary, 'a,b'],
    '\ud800',
    `${canary}\0`,
  ]

  test.each(Object.entries(names))(
    'of the wrong type to %s are refused, named and not repeated',
    async (name, argument) => {
      for (const value of values) {
        const {
          status,
          isError,
          envelope,
          text: answer,
        } = await callTool(api, name, { [argument]: value })
        expect([value, status, isError]).toEqual([value, 200, true])
        expect(['invalid_request', 'invalid_id', 'invalid_types']).toContain(envelope.error.code)
        expect(envelope.error.message).toStartWith(`${argument} must be `)
        expect(answer).not.toContain(canary)
      }
    },
  )

  test.each(['limit', 'offset'])('%s takes a whole number and nothing like one', async name => {
    for (const value of ['5', '', true, null, [5], {}, 1.5, 1e300, -0.5]) {
      const { isError, envelope } = await callTool(api, 'list_kontakte', { [name]: value })
      expect([value, isError, envelope.error?.code]).toEqual([value, true, 'invalid_request'])
    }
  })

  test.each([
    ['list_events', 'after', '0', 'as a JSON number.'],
    ['search_leads', 'query', 1, 'as a JSON string.'],
    ['list_events', 'types', 7, 'as a JSON array of strings or one string with commas.'],
    ['list_events', 'types', [], 'as a JSON array of strings or one string with commas.'],
  ])('%s: %s of another type is refused with the type to send', async (tool, name, value, end) => {
    const { envelope } = await callTool(api, tool, { [name]: value })
    expect(envelope.error.message).toEndWith(end)
  })

  test('types in a text are separated by commas, with spaces or without', async () => {
    for (const types of [
      'lead.created, signal.opened',
      ' lead.created ,\nsignal.opened ',
      Array(300).fill('lead.created').join(', '),
      Array(300).fill('lead.created'),
    ]) {
      const { isError, structured } = await callTool(api, 'list_events', { types })
      expect([isError, structured?.data]).toEqual([false, []])
    }
    for (const types of ['', ' ', 'lead.created,', 'lead.created signal.opened']) {
      const { isError, envelope } = await callTool(api, 'list_events', { types })
      expect([types, isError, envelope.error.code]).toEqual([types, true, 'invalid_types'])
    }
  })

  test('a moment that is none is refused with both forms', async () => {
    const { envelope } = await callTool(api, 'list_appointments', { from: 'tomorrow' })
    expect(envelope.error.message).toContain('or a date alone')
  })

  test('the first day of the calendar is a day', async () => {
    for (const [from, isRefused] of [
      ['0001-01-01', false],
      ['0001-01-02', false],
      ['0000-12-31', true],
    ] as const) {
      const { isError } = await callTool(api, 'list_appointments', { from })
      expect([from, isError]).toEqual([from, isRefused])
    }
  })

  test('that are required are asked for', async () => {
    for (const [name, argument] of Object.entries({
      ...required,
      get_meeting_intelligence: 'meeting_id',
    })) {
      const { isError, envelope } = await callTool(api, name)
      expect([isError, envelope.error.message]).toEqual([
        true,
        expect.stringMatching(new RegExp(`^${argument} is missing: it must be `)),
      ])
    }
  })

  test('beyond those of the tool are refused, and the tool’s are named', async () => {
    for (const more of [
      `{"${canary}":1}`,
      '{"__proto__":{"limit":5}}',
      '{"constructor":1}',
      '{"Limit":5}',
    ]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_kontakte","arguments":${more}}}`
      const { message } = await post(api, body)
      const { error } = JSON.parse(message.result.content[0].text)
      expect(error).toEqual({
        code: 'invalid_request',
        message: 'This tool takes the arguments limit, offset alone.',
      })
    }
  })

  test('as deep as a body allows are refused', async () => {
    const body = (value: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_lead","arguments":{"lead_id":${value}}}}`
    for (const value of [deep(20_000), `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`]) {
      const { status, message } = await post(api, body(value))
      expect([status, message.result.isError]).toEqual([200, true])
    }
  })

  test('as deep, in a message that is not plain, end in an error of the protocol', async () => {
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":${deep(20_000)}}}}`
    const { status, message: answer } = await post(api, message)
    expect([status, answer.jsonrpc]).toEqual([200, '2.0'])
  })
})
