// The event catalog and the error reference are those of the program.
import { expect, test } from 'bun:test'
import { catalog } from '../support/repo/event_catalog.ts'
import { read } from './sources.ts'

test.each(Object.entries(catalog()))(
  '%s is up to date (bun run catalog writes it)',
  (path, text) => {
    expect(read(path)).toBe(text)
  },
)
