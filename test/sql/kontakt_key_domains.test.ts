// Domains with letters beyond ASCII: in Punycode and in letters they are one key.
import { expect, test } from 'bun:test'
import { domainToASCII } from 'node:url'
import { useDatabase } from '../support/database/database.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { keysOf } from './identities.ts'

const database = useDatabase()
const random = seeded(3492)

// Letters of one script that are written in one way only: what IDNA itself maps is not compared here.
const domainLetters = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789äöüéèêçñåøœþабвгдежзийклмнопрстуфхцчшщыьэюя日本語中文字漢東京都市',
]

test('a domain in Punycode is the domain it stands for', async () => {
  const domains = Array.from({ length: 3_000 }, () => {
    const label = Array.from({ length: 1 + random.below(20) }, () => random.of(domainLetters)).join(
      '',
    )
    return `${label}.büro.example`
  }).filter(domain => domainToASCII(domain) !== '' && domainToASCII(domain).includes('xn--'))
  expect(domains.length).toBeGreaterThan(2_900)
  const ascii = await keysOf(
    database.sql,
    domains.map(domain => `a@${domainToASCII(domain).toUpperCase()}`),
  )
  expect(ascii).toEqual(domains.map(domain => `email:a@${domain}`))
})

test.each([
  ['xn--', 'no letters'],
  ['xn--a-', 'no numbers'],
  ['xn--99999999999', 'beyond every letter'],
  ['xn--a', 'the end inside a number'],
  ['xn--a-ecp.ru', 'the very label'],
  ['xn--ab-xja', 'not in lower case: stands for aÄb'],
  ['xn--0ug', 'a zero-width joiner alone'],
  ['xn--mller-kvaxn--', 'two of them'],
  ['xn--xn--mller-kva-xn--', 'Punycode of Punycode'],
])('the label %s stays as it is, or is its own key: %s', async label => {
  const [key = null] = await keysOf(database.sql, [`a@${label}.example`])
  expect(key).not.toBeNull()
  expect(await keysOf(database.sql, [key ?? ''])).toEqual([key])
})
