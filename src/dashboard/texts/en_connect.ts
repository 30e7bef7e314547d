// What is said about connecting and about the service, in English.
import type { Texts } from './de.ts'

export const connect: Texts['connect'] = {
  intro: 'To copy. Put your key wherever it says WDA_API_KEY.',
  needKey: 'For this you need an API key:',
  makeKey: 'Create a key',
  read: 'Read with curl',
  readText: 'To try it on the command line.',
  subscribe: 'Set up a webhook',
  subscribeText:
    'The answer holds signing_secret: the secret is shown only there. The key needs the right write:hooks.',
  typescript: 'Receiver in TypeScript',
  python: 'Receiver in Python',
  receiverText:
    'Checks the signature before it believes anything. WDA_SIGNING_SECRET is the secret from the answer above.',
  zapier: 'Zapier',
  zapierText: [
    'In the Zap editor choose “Webhooks by Zapier”, then “Catch Hook”.',
    'Copy the address it shows, and set it up as a webhook with the command below.',
    'Zapier fills its fields from the sample.',
  ],
  make: 'Make',
  makeText: [
    'Add a module “Webhooks”, “Custom webhook” to the scenario and copy its address.',
    'Set it up with the command below.',
    'To be certain, also read /events hourly from the last cursor; the id tells duplicates.',
  ],
  n8n: 'n8n',
  n8nText: [
    'Add a node “Webhook” with method POST and copy the production URL.',
    'Set it up with the command below.',
    'If n8n runs in your own network, whoever runs this service must allow it with WEBHOOK_ALLOWED_NETWORKS.',
  ],
  sample: 'A sample event, for field mapping:',
  claude: 'Claude Code',
  claudeText:
    'The assistant can then look up leads, analyses, appointments and households. Give it a key with read rights alone.',
  cursor: 'Cursor',
  cursorText: 'Into the file .cursor/mcp.json:',
  description: 'The whole description of the interface',
}

export const status: Texts['status'] = {
  version: 'Version',
  schema: 'Database schema',
  roles: 'What this process does',
  retention: 'Events are kept',
  days: days => (days < 0 ? 'for ever' : days === 1 ? 'one day' : `${days} days`),
  overrides: 'Own SQL files',
  overridesNone: 'none; all queries are those that came with it',
  notices: 'Notices',
  noticesOn: 'At 5, 8 and 10 failures in a row a notice goes to OWNER_WEBHOOK_URL.',
  noticesOff:
    'None. With OWNER_WEBHOOK_URL a notice goes to an address of your choice at 5, 8 and 10 failures in a row.',
  settings: 'Settings',
  settingsText: 'Secret values are masked.',
  name: 'Name',
  value: 'Value',
  origin: 'From',
  origins: { environment: 'set', default: 'default', file: 'made by the service' },
  horizon: 'The feed begins after cursor',
  faults: 'Recent errors',
  faultsNone: 'None of requests since this process started.',
  faultsText:
    'Errors of requests since this process started, newest first. The log holds more under the same number, and the errors of the worker.',
  faultAt: 'Time',
  faultWhere: 'Where',
  faultCode: 'Kind',
  faultRequest: 'Request number',
}
