// key check: what it costs to find a key that is in memory. In this process, without HTTP.
import { connect } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openKeyRing } from '../../src/operations/key_ring.ts'
import type { Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const looksPerRound = 200_000
const reach = { atMost: 5 }

export const keyCheck: Row = {
  name: 'key_check',
  measures: 'microseconds to find one of many keys in memory: form, checksum, SHA-256, look-up',
  reaches: { 'key check': reach },
  async run(bench) {
    const { url, keys } = await bench.database(bench.options.sizes.small)
    const sql = connect({
      url,
      connectionsMax: 1,
      applicationName: 'bench',
      statementTimeoutMs: 5_000,
    })
    try {
      const ring = openKeyRing(openDatabase(sql, queries), 60_000)
      await ring.find(keys[0] ?? '')
      const times: number[] = []
      for (let round = 0; round <= bench.options.rounds; round += 1) {
        const startedAt = performance.now()
        for (let look = 0; look < looksPerRound; look += 1)
          if (!ring.find(keys[look % keys.length] ?? '')) throw new Error('a key was not found')
        const microseconds = ((performance.now() - startedAt) * 1000) / looksPerRound
        if (round > 0) times.push(microseconds)
      }
      const looks = looksPerRound.toLocaleString('en')
      bench.note(
        `key_check: ${looks} look-ups a round over ${keys.length} keys, one round to warm up.`,
      )
      const value = median(times)
      return [{ name: 'key check', value, unit: 'µs', spread: spread(times), reach }]
    } finally {
      await sql.end()
    }
  },
}
