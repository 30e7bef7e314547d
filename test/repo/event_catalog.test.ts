// The event catalog and the error reference are those of the program.
import { expect, test } from 'bun:test'
import { catalogFiles } from '../support/repo/event_catalog.ts'
import { read } from './sources.ts'

test.each(Object.entries(catalogFiles()))(
  '%s is up to date (bun run catalog writes it)',
  (path, text) => {
    expect(read(path)).toBe(text)
  },
)

test('the catalog names both objects of a DIN check', () => {
  const [, section = ''] = read('docs/reference/event_catalog.md').split(
    '\n## din.check_completed\n',
  )
  expect(section).toContain('`object_type` is `analysis` or `haushalt`, `schema_version`')
})
