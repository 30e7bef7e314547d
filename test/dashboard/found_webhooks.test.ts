// The owner of many webhooks finds one by its name or its address, without scripts as well.
import { beforeEach, expect, test } from 'bun:test'
import { dashboardSettings, mainOf, type Session, signIn } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
let session: Session

beforeEach(async () => {
  await emptyFeed(api.sql)
  session = await signIn(api)
})

async function make(count: number) {
  for (let number = 1; number <= count; number += 1)
    await factory.hook(api.sql, {
      label: `Filiale ${number} Süd`,
      target_url: `https://crm-${number}.example/hook`,
    })
}

async function find(searched: string) {
  const { status, text } = await session.get(
    `/dashboard/webhooks?${new URLSearchParams({ q: searched })}`,
  )
  expect(status).toBe(200)
  const names = [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, name]) => name)
  return { names, said: mainOf(text), text }
}

test('one of many webhooks is found by words of its name, and by its address', async () => {
  await make(12)
  expect((await find('')).names).toHaveLength(12)
  expect((await find('süd FILIALE 7')).names).toEqual(['Filiale 7 Süd'])
  expect((await find('crm-12.')).names).toEqual(['Filiale 12 Süd'])
  const nothing = await find('<b>Nord</b>')
  expect(nothing.names).toEqual([])
  expect(nothing.said).toContain('Kein Webhook hat das im Namen oder in der Adresse.')
  expect(nothing.said).toContain('Filter aufheben')
  expect(nothing.text).toContain('value="&lt;b&gt;Nord&lt;/b&gt;"')
})

test('a name is found in whichever form its letters are', async () => {
  await factory.hook(api.sql, { label: 'Filiale Su\u0308d' })
  await factory.hook(api.sql, { label: 'Filiale Süd-Ost' })
  await factory.hook(api.sql, { label: 'ＣＲＭ' })
  expect((await find('Süd')).names).toHaveLength(2)
  expect((await find('SU\u0308D')).names).toHaveLength(2)
  expect((await find('crm')).names).toEqual(['ＣＲＭ'])
})

test('a search that reads as nothing shows all', async () => {
  await make(2)
  expect((await find(' \u0000 ')).names).toHaveLength(2)
})

test('a few webhooks are seen without a search', async () => {
  await make(10)
  expect((await find('')).text).not.toContain('type="search"')
})

test('those that need the owner are first, and no banner says it again', async () => {
  const paused = { label: 'Altes CRM', active: false, paused_at: factory.moment }
  await factory.hook(api.sql, paused)
  await make(11)
  const all = await find('')
  expect(all.names[0]).toBe('Altes CRM')
  expect(all.text).not.toContain('class="banner bad"')
  expect((await find('Filiale')).text).toContain('class="banner bad"')
})
