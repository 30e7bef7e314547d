// Why a delivery failed, in a few words, for pages and e-mails.
import type { FailureReason } from './hook_health.ts'

export const failureNames: Record<'de' | 'en', Record<FailureReason, string>> = {
  de: {
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
  },
  en: {
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
  },
}
