// erase KEY: shows what is stored of a person, or erases it, and names the webhooks that received it.
import { hasSeveralAddresses } from '../model/erasure.ts'
import { targetHost } from '../model/target_url.ts'
import { eraseKontakt, findHoldings } from '../operations/erasure.ts'
import { resolveKontaktKey } from '../operations/kontakte.ts'
import { type Command, progress, UsageError, writeJson } from './command.ts'
import { withDatabase } from './database.ts'

export const erase: Command = {
  line: 'erase KEY [--yes]',
  does: 'shows what is stored of a person and which webhooks received it; with --yes erases all of it',
  run: ({ places: [identity = ''], flags }, config) =>
    withDatabase(config, async ({ database }) => {
      if ((await resolveKontaktKey(database, identity)) === null)
        throw new UsageError('That is no email address, phone number or id of a lead.')
      const found = await (flags.yes ? eraseKontakt : findHoldings)(database, identity)
      if (found === null) throw new Error('Nothing is stored of this person.')
      // The path of an address may hold a secret of the receiver's.
      const recipients = found.recipients.map(({ target_url, ...recipient }) => ({
        ...recipient,
        host: target_url === null ? 'deleted' : targetHost(target_url),
      }))
      writeJson({ erased: flags.yes === true, ...found, recipients }, 2)
      if (flags.yes) return
      if (hasSeveralAddresses(found))
        progress(
          'Several e-mail addresses: if they are different people, such as two with one phone, erase by the address of the right one. If several belong to that as well, they are merged into one contact.',
        )
      progress('Nothing was erased: --yes erases all of this for good.')
    }),
}
