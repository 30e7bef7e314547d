// Notices to the owner by e-mail.

export type NoticeLanguage = 'de' | 'en'
