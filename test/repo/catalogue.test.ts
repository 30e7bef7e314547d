// The event catalogue and the error reference are those of the program.
import { expect, test } from 'bun:test'
import { catalogue } from '../support/repo/catalogue.ts'
import { read } from './sources.ts'

test.each(Object.entries(catalogue()))(
  '%s is up to date (bun run catalogue writes it)',
  (path, text) => {
    expect(read(path)).toBe(text)
  },
)
