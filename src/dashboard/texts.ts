// Which language the owner reads: the cookie of the switch, else what the browser asks for.
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import type { Texts } from './texts/shape.ts'

export type { Texts }

type Language = Texts['language']

const texts: Record<Language, Texts> = { de, en }

export const isLanguage = (text: string): text is Language => Object.hasOwn(texts, text)

/** The language with the greater weight in Accept-Language; a browser that asks for neither gets English. */
function preferred(header: string): Language {
  const weightOf = (language: Language) =>
    Math.max(
      0,
      ...header
        .toLowerCase()
        .split(',')
        .map(part => part.trim().split(';'))
        .filter(([tag = '']) => tag === language || tag.startsWith(`${language}-`))
        .map(([, weight = 'q=1']) => Number(weight.trim().slice(2)) || 0),
    )
  return weightOf('de') > weightOf('en') ? 'de' : 'en'
}

export const textsFor = (request: Request, chosen: string): Texts =>
  texts[isLanguage(chosen) ? chosen : preferred(request.headers.get('accept-language') ?? '')]
