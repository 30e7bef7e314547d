// Notices to the owner by e-mail.

export type NoticeLanguage = 'de' | 'en'

/** Until the owner chooses one. */
export const defaultLanguage: NoticeLanguage = 'de'
