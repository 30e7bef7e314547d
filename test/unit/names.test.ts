// The name of a webhook on a page: a client may have set its label.
import { expect, test } from 'bun:test'
import { nameOf } from '../../src/dashboard/parts.ts'
import { en } from '../../src/dashboard/texts/en.ts'

const named = (label: string | null) =>
  nameOf(en, { label, target_url: 'https://crm.example.com/in' })

test('a label has one line, and turns no text around', () => {
  expect(named('CRM\nBerlin')).toBe('CRM Berlin')
  expect(named('a\u202eb')).toBe('a b')
  expect(named('Müller & Söhne 🦊')).toBe('Müller & Söhne 🦊')
})

test('without one it is called by its host', () => {
  expect(named(null)).toBe('crm.example.com')
  expect(named('\u202e\n')).toBe('crm.example.com')
})
