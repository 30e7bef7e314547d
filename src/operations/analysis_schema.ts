// The forms that analyses and households are written in, as published schemas.
import dinCheck from '../model/analysis_schema/din_check.json' with { type: 'json' }
import extraktion from '../model/analysis_schema/extraktion.json' with { type: 'json' }
import flach from '../model/analysis_schema/flach.json' with { type: 'json' }
import type { Answer } from './operation.ts'

/** The flat projection as a JSON Schema: every column, always there, null where nothing is known. */
function flatSchema({ version, columns }: typeof flach) {
  const typeOf = (type: string) =>
    type === 'date-time' || type === 'date'
      ? { type: ['string', 'null'], format: type }
      : { type: [type, 'null'] }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:workspace-data-api:${version}`,
    title: version,
    type: 'object',
    properties: Object.fromEntries(columns.map(({ key, type }) => [key, typeOf(type)])),
    required: columns.map(({ key }) => key),
    additionalProperties: true,
  }
}

const fragmentNames = Object.keys(extraktion.$defs)

// The same for every workspace and every request: built once.
const data = JSON.stringify({
  analysis_schema_version: 'din_core_v2',
  versionen: {
    kern: 'din_core_v2',
    fragmente: Object.fromEntries(fragmentNames.map(name => [name.replace(/_v\d+$/, ''), name])),
    din_check: 'din_check_v1',
    flach: flach.version,
  },
  extraktion,
  din_check: dinCheck,
  flach: { ...flach, schema: flatSchema(flach) },
})

export const getAnalysisSchema = async (): Promise<Answer> => ({ data })
