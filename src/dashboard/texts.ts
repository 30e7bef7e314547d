// Which language the owner reads: the cookie of the switch, else what the browser asks for.
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import type { Texts } from './texts/shape.ts'

export type { Texts }

const texts: Record<Texts['language'], Texts> = { de, en }

export const isLanguage = (text: string): text is Texts['language'] => Object.hasOwn(texts, text)

/** The first of both that a browser asks for; one that asks for neither gets English. */
const preferred = (header: string): string =>
  /(?:^|,)\s*(de|en)\b/i.exec(header)?.[1]?.toLowerCase() ?? 'en'

export function textsFor(request: Request, chosen: string): Texts {
  const asked = preferred(request.headers.get('accept-language') ?? '')
  return texts[isLanguage(chosen) ? chosen : asked === 'de' ? 'de' : 'en']
}
