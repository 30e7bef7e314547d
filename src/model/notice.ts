// Notices to the owner: how they are sent, and in which language.

export type NoticeChannelName = 'webhook' | 'email'
export type NoticeLanguage = 'de' | 'en'
