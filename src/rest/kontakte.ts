// Spec part 4: /kontakte.
import { Type } from '@sinclair/typebox'
import { PageMeta, page, pageParameters } from '../http/pagination.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { getHaushalt, getKontakt, listKontakte } from '../operations/kontakte.ts'
import { type Route, route } from './route.ts'

export const kontaktRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/kontakte',
    operationId: 'listKontakte',
    scope: 'read:kontakte',
    summary: 'List contacts, last changed first',
    description: 'One entry per person: merged-away identity keys are not listed.',
    query: pageParameters,
    data: Type.Array(KontaktSummary),
    meta: PageMeta,
    errors: ['invalid_request'],
    run: async (database, { query }) => page(await listKontakte(database, query), query),
  }),
  route({
    method: 'GET',
    path: '/kontakte/{key}',
    operationId: 'getKontakt',
    scope: 'read:kontakte',
    summary: 'The household record of a contact, by any form of identity',
    description: 'Resolves aliases; `canonical_key` is the surviving key.',
    pathParameters: {
      key: {
        kind: 'key',
        description:
          'URL-encoded. `email:…`, `phone:…`, `lead:…`, or a bare email address, phone number or lead id, raw or normalised.',
      },
    },
    query: {},
    data: Haushalt,
    errors: ['invalid_request', 'not_found'],
    run: async (database, { path }) => ({ data: await getKontakt(database, path.key ?? '') }),
  }),
  route({
    method: 'GET',
    path: '/kontakte/{key}/haushalt',
    operationId: 'getHaushalt',
    scope: 'read:kontakte',
    summary: 'The household record under an exact identity key',
    description:
      'The prefix is required and nothing is normalised; an exact alias key resolves too.',
    pathParameters: {
      key: { kind: 'key', description: 'Exact identity key, URL-encoded.' },
    },
    query: {},
    data: Haushalt,
    errors: ['invalid_request', 'not_found'],
    run: async (database, { path }) => ({ data: await getHaushalt(database, path.key ?? '') }),
  }),
]
