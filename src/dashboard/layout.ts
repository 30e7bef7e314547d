// The frame around every page: navigation, banner, language, sign-out.
import { needsOwner } from '../model/hook_health.ts'
import { iconPaths, scriptPath, stylePath } from './assets.ts'
import type { Area, Context, DashboardPage, Reader, Visit } from './context.ts'
import { ownPage } from './guard.ts'
import { type Html, html } from './html.ts'
import { button, form, notice } from './parts.ts'
import { pulseOf } from './reply.ts'
import { pageNear } from './routes.ts'
import type { Texts } from './texts.ts'
import { toTheMinute } from './times.ts'

// Signs of the navigation, drawn by ourselves.
const shapes = {
  overview: 'M3 11l9-8 9 8M5 10v10h14V10M10 20v-6h4v6',
  webhooks: 'M4 12h11M11 7l5 5-5 5M20 4v16',
  events: 'M13 2L5 14h6l-1 8 8-12h-6z',
  keys: 'M15 9a5 5 0 1 0-4.6 5L13 16.5h3v3h3v-4l-4.3-4.3A5 5 0 0 0 15 9zM8.5 8.5h.01',
  privacy: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4',
  system: 'M4 5h16v6H4zM4 13h16v6H4zM7 8h.01M7 16h.01',
  docs: 'M5 4h10l4 4v12H5zM9 12h6M9 16h6',
  brand: 'M4 6l4 12 4-9 4 9 4-12',
}

const icon = (name: keyof typeof shapes): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${shapes[name]}"/></svg>`

const documentOf = (texts: Texts, title: string, body: Html, troubled = 0): Html =>
  html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${troubled > 0 && `(${troubled}) `}${title}</title>
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

/** Which entry of the navigation a page belongs to. */
export const areaOf = (path: string): Area =>
  areas.findLast(area => path === paths[area] || path.startsWith(`${paths[area]}/`)) ?? 'overview'

const inTrouble = ({ hooks }: Pick<Context, 'hooks'>) =>
  hooks.filter(({ health }) => needsOwner(health))

const languageLink = ({ texts }: Reader, back: string): Html => {
  const { code, name } = texts.other
  return html`<a href="/dashboard/language/${code}?back=${encodeURIComponent(back)}" hreflang="${code}" lang="${code}">${name}</a>`
}

function navigation(context: Context, { area, isOnce }: DashboardPage): Html {
  const { texts, serving, url } = context
  const troubled = inTrouble(context).length
  const count =
    troubled > 0 && html`<span class="count" title="${texts.trouble(troubled)}">${troubled}</span>`
  const entry = (one: Area) =>
    html`<li><a href="${paths[one]}"${one === area && html` aria-current="page"`}>${icon(one)}<span>${texts.pages[one]}</span>${one === 'webhooks' && count}</a></li>\n`
  const { workspace } = serving.about
  return html`<header class="side">
<a class="brand" href="/dashboard" title="${workspace}">${icon('brand')}<span>${workspace}</span></a>
<nav aria-label="${texts.navigation}"><ul>
${areas.map(entry)}<li><a href="/docs">${icon('docs')}<span>${texts.docs}</span></a></li>
</ul></nav>
<div class="foot">${!isOnce && languageLink(context, ownPage(url.pathname + url.search))}
${form(context, '/dashboard/sign-out', button(texts.signOut, 'plain'), 'inline')}</div>
</header>`
}

/** What an open page follows. */
const followed = ({ title, content, trail, actions }: DashboardPage): Html =>
  html`${trail && html`<p class="trail"><a href="${trail.path}">${trail.text}</a></p>`}
<div class="head"><h1>${title}</h1>${actions && html`<div class="actions">${actions}</div>`}</div>
${content}`

export const pulseOfPage = (context: Context, page: DashboardPage): string =>
  pulseOf(html`${inTrouble(context).length} ${followed(page)}`)

/** `etag` of a page that is live. */
export function framed(context: Context, page: DashboardPage, etag = ''): Html {
  const { texts, url, request } = context
  const { title, isOnce, liveMs } = page
  // What came of a form is found at its page.
  const path = request.method === 'POST' ? pageNear(url.pathname) : url.pathname + url.search
  const main = liveMs && html` data-live="${path}" data-every="${liveMs}" data-etag="${etag}"`
  const over = html`${texts.over} <a href="/dashboard/sign-in?next=${url.pathname}">${texts.signIn.title}</a>`
  const body = html`<div class="frame">
${navigation(context, page)}
<main id="content" tabindex="-1"${main}${isOnce && html` data-once`}>
${followed(page)}
</main>
<template id="session-over">${notice('warn', over)}</template>
<template id="no-answer">${notice('warn', html`${texts.noAnswer} ${toTheMinute(context, new Date())}`)}</template>
</div>`
  const name = `${title} · ${context.serving.about.workspace}`
  return documentOf(texts, name, body, inTrouble(context).length)
}

/** For a visitor who is not signed in: nothing of the workspace. */
export const bare = (visit: Visit, title: string, content: Html, back = '/dashboard'): Html =>
  documentOf(
    visit.texts,
    `${title} · ${visit.texts.product}`,
    html`<main class="narrow card" id="content" tabindex="-1">
<p class="muted">${visit.texts.product}</p>
<h1>${title}</h1>
${content}
<p class="foot">${languageLink(visit, back)}</p>
</main>`,
  )
