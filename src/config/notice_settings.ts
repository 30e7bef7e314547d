// Settings of notices to the owner. What the owner enters in the dashboard counts before them.
import { readTargetUrl } from '../model/target_url.ts'
import { httpsUrl, mailAddress, mailAddresses, mailServer, oneOf } from './parsers.ts'
import { setting } from './setting.ts'

const languages = ['de', 'en'] as const

export const noticeSettings = {
  OWNER_WEBHOOK_URL: setting<string | undefined>({
    parse: httpsUrl,
    default: undefined,
    description:
      'Gets a signed notice when a webhook has failed 5, 8 and 10 times in a row. The dashboard can name another address.',
    example: 'https://chat.example.com/hooks/owner',
    // Such addresses often carry a token.
    secret: true,
  }),
  SMTP_URL: setting<string | undefined>({
    parse: mailServer,
    default: undefined,
    description:
      'Mail server for notices by e-mail: smtps:// from the first byte, smtp:// with STARTTLS; unencrypted only on this machine, or with ?tls=off. Needs NOTICE_FROM.',
    example: 'smtp://user:password@mail.example.com:587',
    secret: true,
  }),
  NOTICE_FROM: setting<string | undefined>({
    parse: mailAddress,
    default: undefined,
    description: 'Sender of notices by e-mail.',
    example: 'workspace@example.com',
  }),
  NOTICE_TO: setting<string[]>({
    parse: mailAddresses,
    default: [],
    description: 'Who gets notices by e-mail, up to 5. The dashboard can name others.',
    example: 'owner@example.com',
  }),
  NOTICE_LANGUAGE: setting<(typeof languages)[number]>({
    parse: oneOf(languages),
    default: 'de',
    description: `Language of notices by e-mail: ${languages.join(', ')}.`,
  }),
}

type Given = {
  OWNER_WEBHOOK_URL?: string | undefined
  WEBHOOK_ALLOWED_NETWORKS?: string[]
  SMTP_URL?: string | undefined
  NOTICE_FROM?: string | undefined
  NOTICE_TO?: string[]
}

/** Why notices could not be sent to the address, as it is with the target of any webhook. */
function refusalOf({ OWNER_WEBHOOK_URL: url, WEBHOOK_ALLOWED_NETWORKS: allowed }: Given) {
  if (url === undefined || allowed === undefined) return undefined
  const read = readTargetUrl(url, allowed)
  if ('url' in read) return undefined
  const reason = read.refused.replace('target_url', 'it')
  const isOpened = 'url' in readTargetUrl(url, ['0.0.0.0/0', '::/0'])
  return isOpened ? `${reason}, unless WEBHOOK_ALLOWED_NETWORKS holds that` : reason
}

/** What no setting of notices can see by itself. */
export function noticeConflicts(given: Given): string[] {
  const { SMTP_URL, NOTICE_FROM, NOTICE_TO } = given
  const { OWNER_WEBHOOK_URL: webhook, NOTICE_FROM: from, SMTP_URL: server } = noticeSettings
  const found: string[] = []
  const refusal = refusalOf(given)
  if (refusal)
    found.push(
      `OWNER_WEBHOOK_URL must be an address that can be called, such as ${webhook.example}: ${refusal}`,
    )
  if (SMTP_URL && !NOTICE_FROM)
    found.push(`NOTICE_FROM must be set with SMTP_URL, such as ${from.example}`)
  if (!SMTP_URL && NOTICE_TO?.length)
    found.push(`SMTP_URL must be set with NOTICE_TO, such as ${server.example}`)
  return found
}
