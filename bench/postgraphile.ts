// PostGraphile as a peer that reads: its schema is the database's, its statements are its own.
import { join } from 'node:path'
import type { BenchDatabase } from './databases.ts'
import { postRequest } from './load/plan.ts'
import { bundledNode, installPeers, peersFolder } from './peers.ts'
import { start } from './processes.ts'
import { leadFields, productReach, type ReadKind, type ReadPeer } from './read_peer.ts'
import { withSql } from './session.ts'

// PostGraphile filters and orders by functions where a table's own arguments do not do.
const functions = ['active_leads()', 'find_leads(term text)']
const active = 'archived_at is null order by created_at desc, id desc'
const bodies = [
  `select * from leads where ${active}`,
  `select * from leads where search_text like ''%'' || term || ''%'' and ${active}`,
]
const makeFunctions = ({ url }: BenchDatabase) =>
  withSql(url, async sql => {
    for (const [index, head] of functions.entries())
      await sql.unsafe(
        `create or replace function ${head} returns setof leads language sql stable as '${bodies[index]}'`,
      )
  })

const graphFields = leadFields
  .map(name => (name === 'id' ? 'rowId' : name.replace(/_(.)/g, (_, one) => one.toUpperCase())))
  .join(' ')

const graphQueries: Record<ReadKind, string> = {
  list: `{activeLeads(first:50){nodes{${graphFields}}}}`,
  search: `query($value:String!){findLeads(term:$value,first:50){nodes{${graphFields}}}}`,
  one: `query($value:UUID!){leadByRowId(rowId:$value){${graphFields}}}`,
}

export const postgraphile: ReadPeer = {
  name: 'PostGraphile',
  reach: productReach,
  async start(database, poolMax) {
    await installPeers()
    const node = bundledNode(peersFolder)
    await makeFunctions(database)
    return await start({
      command: [node, join(peersFolder, 'postgraphile.mjs')],
      path: '/graphql?query=%7B__typename%7D',
      env: {
        NODE_ENV: 'production',
        GRAPHILE_ENV: 'production',
        DATABASE_URL: database.url,
        POOL_MAX: String(poolMax),
      },
      output: `postgraphile_${poolMax}.log`,
    })
  },
  request: (kind, value) =>
    postRequest(
      '/graphql',
      JSON.stringify({
        query: graphQueries[kind],
        ...(kind !== 'list' && { variables: { value } }),
      }),
    ),
}
