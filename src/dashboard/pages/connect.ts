// Einrichten: what is to be connected, then steps for it, with this service's own addresses.
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

const targets = ['crm', 'zapier', 'make', 'n8n', 'claude', 'cursor', 'code'] as const
type Target = (typeof targets)[number]

const isTarget = (text: string | null): text is Target => targets.some(target => target === text)

const newHook = (label: string, source: string) =>
  `/dashboard/webhooks/new?label=${encodeURIComponent(label)}&source=${source}`

/** Steps in words; a link in brackets stands for the page that the step is done on. */
function steps(texts: readonly string[], links: Record<string, string>): Html {
  const part = (text: string) => {
    const [, before = text, name = '', link = '', after = ''] =
      /^([^[]*)\[([^\]]*)\]\((\w+)\)(.*)$/.exec(text) ?? []
    return name === '' ? text : html`${before}<a href="${links[link] ?? ''}">${name}</a>${after}`
  }
  return html`<ol class="card">${texts.map(text => html`<li>${part(text)}</li>\n`)}</ol>`
}

function automation(context: Context, target: 'crm' | 'zapier' | 'make' | 'n8n'): Html {
  const { connect } = context.texts
  const { origin } = context.serving
  const [label, source] = (
    {
      crm: ['CRM', 'api'],
      zapier: ['Zapier', 'zapier'],
      make: ['Make', 'make'],
      n8n: ['n8n', 'api'],
    } as const
  )[target]
  const links = {
    hook: newHook(label, source),
    key: `/dashboard/keys?preset=${target === 'crm' ? 'crm' : 'zapier'}#new`,
    catalog: '/dashboard/events/catalog',
  }
  return html`${steps(connect.steps[target], links)}
<details><summary>${connect.forDevelopers}</summary>
<p>${connect.subscribeText}</p>${copyable(context, subscribeWithCurl(origin, { ...addresses[target], label, source }), connect.subscribe)}
<p>${connect.sample}</p>${copyable(context, sampleWithCurl(origin), connect.sample)}</details>`
}

const addresses = {
  crm: { target: 'https://crm.example.com/workspace' },
  zapier: { target: 'https://hooks.zapier.com/hooks/catch/…' },
  make: { target: 'https://hook.eu2.make.com/…' },
  n8n: { target: 'https://n8n.example.com/webhook/…' },
}

function assistant(context: Context, target: 'claude' | 'cursor'): Html {
  const { connect } = context.texts
  const { origin } = context.serving
  const command = target === 'claude' ? claudeCode(origin) : cursorSettings(origin)
  return html`${steps(connect.steps[target], { key: '/dashboard/keys?preset=assistant#new' })}
${copyable(context, command, connect.names[target])}`
}

function ownCode(context: Context): Html {
  const { connect } = context.texts
  const { origin } = context.serving
  const part = (title: string, text: string, code: string) =>
    html`<h2>${title}</h2><p>${text}</p>${copyable(context, code, title)}`
  const links = { key: '/dashboard/keys?preset=crm#new', hook: '/dashboard/webhooks/new' }
  return html`${steps(connect.steps.code, links)}
<p><a href="/docs">${connect.description}</a></p>
${part(connect.read, connect.readText, readWithCurl(origin))}
${part(connect.subscribe, connect.subscribeText, subscribeWithCurl(origin))}
${part(connect.typescript, connect.receiverText, typescriptReceiver)}
${part(connect.python, connect.receiverText, pythonReceiver)}`
}

function guide(context: Context, target: Target): Html {
  if (target === 'claude' || target === 'cursor') return assistant(context, target)
  return target === 'code' ? ownCode(context) : automation(context, target)
}

export async function connectPage(context: Context): Promise<Page> {
  const { connect, pages } = context.texts
  const asked = context.url.searchParams.get('for')
  if (isTarget(asked))
    return {
      title: connect.titles[asked],
      area: 'connect',
      trail: { path: '/dashboard/connect', text: pages.connect },
      content: guide(context, asked),
    }
  const card = (target: Target) =>
    html`<li><a href="/dashboard/connect?for=${target}"><strong>${connect.names[target]}</strong><br><span class="muted">${connect.hints[target]}</span></a></li>\n`
  return {
    title: pages.connect,
    area: 'connect',
    content: html`<p>${connect.intro}</p>
<ul class="choices">${targets.map(card)}</ul>`,
  }
}
