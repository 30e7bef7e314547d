// The words that a pattern of alternatives stands for, written out: for patterns of letters, groups, classes and ?.

const join = (heads: string[], tails: string[]) =>
  heads.flatMap(head => tails.map(tail => head + tail))

/** A class is every letter in it; one that excludes letters is a quotation mark, as around a member's name. */
const classWords = (inner: string) => (inner.startsWith('^') ? ['"'] : [...inner])

function alternatives(pattern: string, from: number): [words: string[], end: number] {
  const words: string[] = []
  let current = ['']
  let at = from
  while (at < pattern.length && pattern[at] !== ')') {
    let part: string[]
    if (pattern[at] === '(') {
      const [inner, end] = alternatives(pattern, pattern.startsWith('(?:', at) ? at + 3 : at + 1)
      part = inner
      at = end + 1
    } else if (pattern[at] === '[') {
      const end = pattern.indexOf(']', at)
      part = classWords(pattern.slice(at + 1, end))
      at = end + 1
    } else if (pattern[at] === '\\') {
      part = [pattern[at + 1] as string]
      at += 2
    } else {
      part = '^$'.includes(pattern[at] as string) ? [''] : [pattern[at] as string]
      at += 1
    }
    if (pattern[at] === '?') part = [...part, '']
    if (pattern[at] === '?' || pattern[at] === '+') at += 1
    if (pattern[at] === '|') {
      words.push(...join(current, part))
      current = ['']
      at += 1
    } else {
      current = join(current, part)
    }
  }
  return [[...words, ...current], at]
}

/** Every word of a pattern, each once. */
export const wordsOf = (pattern: string): string[] => [...new Set(alternatives(pattern, 0)[0])]
