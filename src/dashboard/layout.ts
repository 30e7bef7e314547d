// The frame around every page: navigation, banner, language, sign-out.
import { needsOwner } from '../model/hook_health.ts'
import { iconPaths, scriptPath, stylePath } from './assets.ts'
import type { Area, Context, DashboardPage, Visit } from './context.ts'
import { ownPage } from './guard.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { button, form } from './parts.ts'
import { pulseOf } from './reply.ts'
import { toTheMinute } from './times.ts'

type Frame = { name: string; title: string; body: Html; troubled?: number }

const documentOf = (
  { texts }: Pick<Visit, 'texts'>,
  { name, title, body, troubled = 0 }: Frame,
): Html => html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${troubled > 0 && `(${troubled}) `}${title} · ${name}</title>
<link rel="stylesheet" href="${stylePath}">
<link rel="icon" type="image/svg+xml" href="${troubled > 0 ? iconPaths.trouble : iconPaths.well}">
<script type="module" src="${scriptPath}"></script>
</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
${body}
</body>
</html>
`

const paths: Record<Area, string> = {
  overview: '/dashboard',
  webhooks: '/dashboard/webhooks',
  events: '/dashboard/events',
  keys: '/dashboard/keys',
  privacy: '/dashboard/privacy',
  system: '/dashboard/system',
}
const areas = Object.keys(paths) as Area[]
// The others stand below the page on a narrow screen.
const mainAreas: Area[] = ['overview', 'webhooks', 'events', 'keys']

/** Which entry of the navigation a page belongs to. */
export const areaOf = (path: string): Area =>
  areas.findLast(area => path === paths[area] || path.startsWith(`${paths[area]}/`)) ?? 'overview'

const inTrouble = ({ hooks }: Pick<Context, 'hooks'>) =>
  hooks.filter(({ health }) => needsOwner(health))

const languageLink = ({ texts }: Pick<Visit, 'texts'>, back: string): Html => {
  const { code, name } = texts.other
  return html`<a href="/dashboard/language/${code}?back=${encodeURIComponent(back)}" hreflang="${code}" lang="${code}">${name}</a>`
}

function navigation(context: Context, { area, isOnce }: DashboardPage): Html {
  const { texts, serving, url } = context
  const troubled = inTrouble(context).length
  const count =
    troubled > 0 && html`<span class="count" title="${texts.trouble(troubled)}">${troubled}</span>`
  const entry = (one: Area) =>
    html`<li${!mainAreas.includes(one) && html` class="more"`}><a href="${paths[one]}"${one === area && html` aria-current="page"`}>${icon(one)}<span>${texts.pages[one]}</span>${one === 'webhooks' && count}</a></li>\n`
  const { workspace } = serving.about
  return html`<header class="side">
<a class="brand" href="/dashboard" title="${workspace}">${icon('brand')}<span>${workspace}</span></a>
<nav aria-label="${texts.navigation}"><ul>
${areas.map(entry)}<li class="more"><a href="/docs">${icon('docs')}<span>${texts.docs}</span></a></li>
</ul></nav>
<div class="foot">${!isOnce && languageLink(context, ownPage(url.pathname + url.search))}
${form(context, '/dashboard/sign-out', button(texts.signOut, 'plain'), 'inline')}</div>
</header>`
}

/** What an open page follows. */
const followed = ({
  title,
  content,
  trail,
  actions,
}: DashboardPage): Html => html`${trail && html`<p class="trail"><a href="${trail.path}">${trail.text}</a></p>`}
<div class="head"><h1>${title}</h1>${actions && html`<div class="actions">${actions}</div>`}</div>
${content}`

export const pulseOfPage = (context: Context, page: DashboardPage): string =>
  pulseOf(html`${inTrouble(context).length} ${followed(page)}`)

/** `etag` of a page that is live. */
export function framed(context: Context, page: DashboardPage, etag = ''): Html {
  const { texts, url } = context
  const { title, isOnce, live } = page
  const main =
    live && html` data-live="${live.path}" data-every="${live.everyMs}" data-etag="${etag}"`
  return documentOf(context, {
    name: context.serving.about.workspace,
    title,
    troubled: inTrouble(context).length,
    body: html`<div class="frame">
${navigation(context, page)}
<main id="content" tabindex="-1"${main}${isOnce && html` data-once`}>
${followed(page)}
</main>
<template id="session-over">${overNotice(context, url.pathname)}</template>
<template id="no-answer"><p class="notice warn" role="status">${texts.noAnswer} ${toTheMinute(context, new Date())}</p></template>
</div>`,
  })
}

const overNotice = ({ texts }: Context, path: string): Html =>
  html`<p class="notice warn" role="status">${texts.over} <a href="/dashboard/sign-in?next=${path}">${texts.signIn.title}</a></p>`

/** For a visitor who is not signed in: nothing of the workspace. */
export const bare = (visit: Visit, title: string, content: Html, back = '/dashboard'): Html =>
  documentOf(visit, {
    name: visit.texts.product,
    title,
    body: html`<main class="narrow card" id="content" tabindex="-1">
<p class="muted">${visit.texts.product}</p>
<h1>${title}</h1>
${content}
<p class="foot">${languageLink(visit, back)}</p>
</main>`,
  })
