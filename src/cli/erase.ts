// erase KEY: shows what is stored of a person, asks for the key once more, erases, and names the webhooks that
// received it.
import { createInterface } from 'node:readline/promises'
import type { Database } from '../db/database.ts'
import { errorCodeOf, lockNotAvailable } from '../lib/error_code.ts'
import {
  type Erasure,
  erasedTables,
  hasSeveralAddresses,
  type Recipient,
} from '../model/erasure.ts'
import { targetHost } from '../model/target_url.ts'
import { eraseKontakt, findHoldings } from '../operations/erasure.ts'
import { resolveKontaktKey } from '../operations/kontakte.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'
import { columns, printable, progress, UsageError, write } from './output.ts'

const nothing = 'Nothing is stored of this person.'

const nameOf = ({ label, target_url }: Recipient): string =>
  target_url === null
    ? 'a deleted subscription'
    : [targetHost(target_url) ?? 'no address', label && `(${printable(label)})`]
        .filter(Boolean)
        .join(' ')

const eventsOf = ({ received, possibly }: Recipient): string =>
  [received > 0 && `received ${received}`, possibly > 0 && `may have received ${possibly}`]
    .filter(Boolean)
    .join(', ')

const recipientLine = (recipient: Recipient): string =>
  columns(
    `  ${recipient.subscription_id}`,
    nameOf(recipient),
    eventsOf(recipient),
    `${recipient.first_at} to ${recipient.last_at}`,
    recipient.event_types.join(','),
  )

/** The report, line by line. */
function reportLines({ keys, shared_keys, other_leads, counts, recipients }: Erasure): string[] {
  return [
    `keys: ${keys.join(', ')}`,
    ...(shared_keys.length > 0
      ? [`not erased, because another person has them too: ${shared_keys.join(', ')}`]
      : []),
    ...(other_leads.length > 0
      ? [
          `not erased, because they once had one of the keys (according to events, analyses or signals) and have other keys now: ${other_leads.map(({ id }) => `lead:${id}`).join(', ')}`,
        ]
      : []),
    ...erasedTables.map(table => `${table}: ${counts[table]}`),
    recipients.length > 0
      ? 'webhooks that received events about this person; inform their operators:'
      : 'webhooks that received events about this person: none',
    ...recipients.map(recipientLine),
    'What was sent before the retention time is no longer known. Backups are not touched.',
  ]
}

async function askAgain(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question('Type the key again to erase all of this for good: ')
  } finally {
    terminal.close()
  }
}

async function confirm(database: Database, identity: string, key: string) {
  const found = await findHoldings(database, identity)
  if (!found) throw new Error(nothing)
  for (const line of reportLines(found)) progress(line)
  if (hasSeveralAddresses(found))
    progress(
      'Several e-mail addresses: if they are different people, such as two with one phone, erase by the address of the right one. If several belong to that as well, they are merged into one contact.',
    )
  if ((await resolveKontaktKey(database, await askAgain())) !== key)
    throw new Error('That is not the same key. Nothing was erased.')
}

const lockTimeoutMs = 3_000

function explainLock(error: unknown): never {
  if (errorCodeOf(error) !== lockNotAvailable) throw error
  throw new Error(
    'Another session holds rows of this person, or the tables of deliveries, in a transaction that does not end. Nothing was erased; try again.',
  )
}

export const erase: Command = {
  line: 'erase KEY [--yes]',
  does: 'erases a person, and reports which webhooks received events about them',
  async run({ places: [identity = ''], flags: { yes: isSure = false } }, config) {
    if (!isSure && !process.stdin.isTTY)
      throw new UsageError('erase asks before it erases: give --yes where there is no terminal.')
    const work = async ({ database }: { database: Database }) => {
      const key = await resolveKontaktKey(database, identity)
      if (key === null)
        throw new UsageError('That is no email address, phone number or id of a lead.')
      if (!isSure) await confirm(database, identity, key)
      const erased = await eraseKontakt(database, identity).catch(explainLock)
      if (!erased) throw new Error(nothing)
      write(`erased ${erased.canonical_key}`)
      for (const line of reportLines(erased)) write(line)
    }
    // Merges wait for an erasure, so it does not wait for a writer without end.
    await withDatabase(config, work, { lockTimeoutMs })
  },
}
