// key_check: what it costs to find a key that is in memory. In this process, without HTTP.
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openKeyRing } from '../../src/operations/key_ring.ts'
import { withSql } from '../bench.ts'
import { figure, type Row } from '../figures.ts'

const looksPerRound = 200_000

export const keyCheck: Row = {
  name: 'key_check',
  measures: 'microseconds to find one of many keys in memory: form, checksum, SHA-256, look-up',
  async run(bench) {
    const { url, keys } = await bench.database(bench.options.sizes.small)
    return await withSql(url, async sql => {
      const ring = openKeyRing(openDatabase(sql, queries), 60_000)
      await ring.find(keys[0] ?? '')
      const times: number[] = []
      for (let round = 0; round <= bench.options.rounds; round += 1) {
        const startedAt = performance.now()
        for (let look = 0; look < looksPerRound; look += 1)
          if (!ring.find(keys[look % keys.length] ?? '')) throw new Error('a key was not found')
        times.push(((performance.now() - startedAt) * 1_000) / looksPerRound)
      }
      // The first round compiles.
      return [figure('key check', times.slice(1), 'µs', { atMost: 5 }, `of ${keys.length} keys`)]
    })
  },
}
