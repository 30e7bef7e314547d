// The shape of the texts: what the German ones are, and the English ones have to be.
import type { de } from './de.ts'

export type Texts = Omit<typeof de, 'language'> & { language: 'de' | 'en' }
