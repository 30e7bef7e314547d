// Notes what the owner did, with the address that the browser came from.
import { noteOwnerAction, type OwnerAction } from '../operations/owner_actions.ts'
import type { Context } from './context.ts'

const clientLengthMax = 60

export const note = (
  { database, serving, request }: Context,
  action: OwnerAction,
  subject: string | null = null,
): Promise<void> =>
  noteOwnerAction(database, {
    action,
    subject,
    client: serving.clientOf(request).slice(0, clientLengthMax),
  })
