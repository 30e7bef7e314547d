// Settings of notices to the owner by e-mail. What the owner enters in the dashboard counts before them.
import { mailAddress, mailAddresses, mailServer, oneOf } from './parsers.ts'
import { setting } from './setting.ts'

const languages = ['de', 'en'] as const

export const noticeSettings = {
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
  SMTP_URL?: string | undefined
  NOTICE_FROM?: string | undefined
  NOTICE_TO?: string[]
}

/** What no setting of notices can see by itself. */
export function noticeConflicts({ SMTP_URL, NOTICE_FROM, NOTICE_TO }: Given): string[] {
  const { NOTICE_FROM: from, SMTP_URL: server } = noticeSettings
  const found: string[] = []
  if (SMTP_URL && !NOTICE_FROM)
    found.push(`NOTICE_FROM must be set with SMTP_URL, such as ${from.example}`)
  if (!SMTP_URL && NOTICE_TO?.length)
    found.push(`SMTP_URL must be set with NOTICE_TO, such as ${server.example}`)
  return found
}
