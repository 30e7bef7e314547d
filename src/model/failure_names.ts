// Why a delivery failed, in a few words, for pages and e-mails.
const de = {
  dns: 'Adresse nicht auffindbar',
  connect: 'keine Verbindung',
  tls: 'Zertifikat ungültig',
  timeout: 'antwortet nicht rechtzeitig',
  blocked: 'Adresse gesperrt',
  redirect: 'Adresse ist umgezogen',
  unauthorized: 'Zugang abgelehnt',
  not_found: 'Empfänger nicht gefunden',
  gone: 'Empfänger gelöscht',
  overloaded: 'Empfänger überlastet',
  rejected: 'Empfänger lehnt ab',
  server_error: 'Fehler beim Empfänger',
}

/** Why an attempt failed. */
export type FailureReason = keyof typeof de

const en: Record<FailureReason, string> = {
  dns: 'address not found',
  connect: 'no connection',
  tls: 'certificate invalid',
  timeout: 'no response in time',
  blocked: 'address blocked',
  redirect: 'address has moved',
  unauthorized: 'access denied',
  not_found: 'receiver not found',
  gone: 'receiver deleted',
  overloaded: 'receiver overloaded',
  rejected: 'rejected by the receiver',
  server_error: 'error at the receiver',
}

export const failureNames = { de, en }
