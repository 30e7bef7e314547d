// Why an address or a webhook is refused, as the owner reads it.
import { expect, test } from 'bun:test'
import { hookForm } from '../../src/dashboard/texts/de_start.ts'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, HOOKS_MAX: '1' })

const { privateTarget, noHttps, credentials, badTarget, tooMany } = hookForm
const refusals: [target: string, said: string][] = [
  ['https://10.0.0.7/hook', privateTarget],
  ['https://localhost/hook', privateTarget],
  ['https://metadata.google.internal/', privateTarget],
  ['http://crm.example.com/hook', noHttps],
  ['https://anna:geheim@crm.example.com/hook', credentials],
  ['https://crm.example.com:0/hook', badTarget],
  ['https://', badTarget],
  [`https://crm.example.com/${'a'.repeat(2_048)}`, badTarget],
]

test('each reason for refusing an address is said in German', async () => {
  const session = await signIn(api)
  for (const [target, said] of refusals) {
    const made = await session.submit('/dashboard/webhooks/new', {
      target_url: target,
      type: 'lead.created',
    })
    expect([target, made.status]).toEqual([target, 400])
    expect(mainOf(made.text)).toContain(said)
  }
})

test('that there are as many webhooks as may be is said before, and is no mistake of the address', async () => {
  const session = await signIn(api)
  const form = '/dashboard/webhooks/new'
  expect(mainOf((await session.get(form)).text)).not.toContain(tooMany)
  await factory.hook(api.sql)
  expect(mainOf((await session.get(form)).text)).toContain(tooMany)
  const fields = { target_url: 'https://crm.example.com/hook', type: 'lead.created' }
  const { text } = await session.submit(form, fields)
  expect(mainOf(text).split(tooMany)).toHaveLength(2)
  expect(text).not.toContain('aria-invalid')
})
