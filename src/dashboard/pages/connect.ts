// Anbinden: what to paste where, with this service's own addresses.
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { copyable } from '../parts.ts'
import {
  claudeCode,
  cursorSettings,
  pythonReceiver,
  readWithCurl,
  sampleWithCurl,
  subscribeWithCurl,
  typescriptReceiver,
} from '../snippets.ts'

const automation = (
  context: Context,
  title: string,
  steps: readonly string[],
  command: string,
): Html =>
  html`<h2>${title}</h2>
<ol>${steps.map(step => html`<li>${step}</li>`)}</ol>
${copyable(context, command, title)}`

export async function connectPage(context: Context): Promise<Page> {
  const { texts, serving } = context
  const { origin } = serving
  const { connect } = texts
  const part = (title: string, text: string, code: string) =>
    html`<h2>${title}</h2><p>${text}</p>${copyable(context, code, title)}`
  const zapier = {
    target: 'https://hooks.zapier.com/hooks/catch/…',
    label: 'Zapier',
    source: 'zapier',
  }
  const make = { target: 'https://hook.eu2.make.com/…', label: 'Make', source: 'make' }
  const n8n = { target: 'https://n8n.example.com/webhook/…', label: 'n8n' }
  return {
    title: texts.pages.connect,
    area: 'connect',
    content: html`<p>${connect.intro} ${connect.needKey} <a href="/dashboard/keys#new">${connect.makeKey}</a>.</p>
<p><a href="/docs">${connect.description}</a></p>
${part(connect.read, connect.readText, readWithCurl(origin))}
${part(connect.subscribe, connect.subscribeText, subscribeWithCurl(origin))}
${part(connect.typescript, connect.receiverText, typescriptReceiver)}
${part(connect.python, connect.receiverText, pythonReceiver)}
${automation(context, connect.zapier, connect.zapierText, subscribeWithCurl(origin, zapier))}
<p>${connect.sample}</p>
${copyable(context, sampleWithCurl(origin), connect.sample)}
${automation(context, connect.make, connect.makeText, subscribeWithCurl(origin, make))}
${automation(context, connect.n8n, connect.n8nText, subscribeWithCurl(origin, n8n))}
${part(connect.claude, connect.claudeText, claudeCode(origin))}
${part(connect.cursor, connect.cursorText, cursorSettings(origin))}`,
  }
}
