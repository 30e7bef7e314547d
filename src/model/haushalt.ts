// Spec part 2: KontaktSummary and Haushalt.
import { Type } from '@sinclair/typebox'
import { DateTime, Exact, FreeForm, Nullable } from './schema.ts'

const KontaktKey = Type.String({
  description: 'Identity key: `email:<value>`, `phone:<value>` or `lead:<value>`.',
})

export const LueckenNachStufe = Type.Array(
  Exact({ stufe: Type.Integer(), anzahl: Type.Integer({ minimum: 0 }) }, { $id: 'StufeAnzahl' }),
  { description: 'DIN gaps per need level (Bedarfsstufe), as counts.' },
)

export const Haushalt = Exact(
  {
    kontakt_key: KontaktKey,
    canonical_key: Type.String({ description: 'The key that survived all merges.' }),
    aliases: Type.Array(Type.String(), { description: 'The other keys of this contact, sorted.' }),
    haushalt: FreeForm,
    provenance: Nullable(FreeForm),
    din_check: Nullable(FreeForm),
    empfehlungen_aktuell: Nullable(FreeForm),
    updated_at: DateTime,
  },
  {
    $id: 'Haushalt',
    description: 'The household profile of a contact, without raw income amounts.',
  },
)

export const KontaktSummary = Exact(
  {
    kontakt_key: KontaktKey,
    vertraege_anzahl: Type.Integer({ minimum: 0, description: 'Number of contracts.' }),
    luecken_nach_stufe: LueckenNachStufe,
    params_version: Nullable(Type.String()),
    updated_at: DateTime,
    haushalt: Type.Optional(Haushalt),
  },
  {
    $id: 'KontaktSummary',
    description: 'A contact in numbers; with `include=haushalt` its record too.',
  },
)
