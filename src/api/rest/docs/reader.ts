// RapiDoc as it was released: 860 KB of text that docs.ts loads when it is asked for.
import script from './rapidoc.min.js' with { type: 'text' }

export { script }
