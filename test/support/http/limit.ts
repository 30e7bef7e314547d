// A key that has used up its limit, without as many requests.
import type { Sql } from '../../../src/db/connect.ts'

/** As if `granted` requests had been answered in this second. */
export async function useUpLimit(sql: Sql, key: string, granted = 240) {
  await sql`
    insert into rate_windows (key_id, seconds, earlier, total, granted)
    select id, array[floor(extract(epoch from now()))], '{0}', ${granted}, ${granted}
    from api_keys where prefix = ${key.slice(0, 12)}`
}
