// Settings of notices to the owner. What the owner enters in the dashboard counts before them.
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
