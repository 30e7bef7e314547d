// Notices to the owner: how they are sent, and in which language.

export type NoticeWay = 'webhook' | 'email'
export type NoticeLanguage = 'de' | 'en'
