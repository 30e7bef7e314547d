// Which language the owner reads: the cookie of the switch, else what the browser asks for.
import { de, type Texts } from './texts/de.ts'
import { en } from './texts/en.ts'

export type Language = 'de' | 'en'
export type { Texts }

export const languageCookie = 'wda_language'

const texts: Record<Language, Texts> = { de, en }

export const isLanguage = (text: string | undefined): text is Language =>
  text === 'de' || text === 'en'

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

export const textsFor = (request: Request, cookie: string | undefined): Texts =>
  texts[isLanguage(cookie) ? cookie : preferred(request.headers.get('accept-language') ?? '')]
