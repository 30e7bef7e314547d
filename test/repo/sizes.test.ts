// Short files, short functions: what does not fit on a few screens is two things.
import { expect, test } from 'bun:test'
import { type Source, sources } from './sources.ts'

const fileLinesMax = 250
const functionLinesMax = 70

// The formatter puts the end of a block on a line of its own, at the indentation of its first line.
const opening = /(=> |\) |\): .+ )\{$/
const noFunction = /^\s*(\} )?(if|for|while|switch|catch|else)\b/

type Block = { place: string; lines: number }

export function functionsOf({ path, text }: Source): Block[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (!opening.test(line) || noFunction.test(line)) return []
    const indentation = /^\s*/.exec(line)?.[0] ?? ''
    const length = lines.slice(index).findIndex(later => later.startsWith(`${indentation}}`)) + 1
    return [{ place: `${path}:${index + 1}`, lines: length }]
  })
}

test('no source file is longer than 250 lines', () => {
  const long = sources
    // The texts of a language are one table.
    .filter(({ path }) => !/\.generated\.ts$|^src\/dashboard\/texts\//.test(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > fileLinesMax)
  expect(long).toEqual([])
})

test('no function is longer than 70 lines', () => {
  const functions = sources.flatMap(functionsOf)
  expect(functions.length).toBeGreaterThan(100)
  expect(functions.filter(({ lines }) => lines > functionLinesMax)).toEqual([])
})

test('the check itself finds functions of every form and their ends', () => {
  const text = `export async function first(a: string): Promise<void> {
  if (a) {
    return
  }
}

const second = (
  a: string,
): string => {
  return a
}

const third = {
  method(a: string) {
    return a
  },
}
`
  expect(functionsOf({ path: 'x', text })).toEqual([
    { place: 'x:1', lines: 5 },
    { place: 'x:9', lines: 3 },
    { place: 'x:14', lines: 3 },
  ])
})
