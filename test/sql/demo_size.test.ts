// A small demo works out the households of its people alone.
import { expect, test } from 'bun:test'
import { inTransaction } from '../../src/db/connect.ts'
import { runQueryFile, runScript } from '../../src/db/database.ts'
import { demoSetup, demoSizeFile } from '../../src/demo/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

test('every person and every edge row of a small demo has a household, and few others are made', async () => {
  await inTransaction(database.sql, async inside => {
    await runQueryFile(inside, demoSizeFile, { leads_total: 60 })
    await runScript(inside, demoSetup)
    const without = await inside`
      select people.n from demo.people('lead', 1, 60, 60) as people
      where not exists (select from demo.documents where documents.variant = people.household)`
    expect([...without]).toEqual([])
    const variants = (await inside`select variant::integer as variant from demo.households`).map(
      ({ variant }) => variant,
    )
    expect(variants).toContain(300)
    expect(variants).toContain(370)
    expect(variants.length).toBeLessThanOrEqual(62)
  })
})
