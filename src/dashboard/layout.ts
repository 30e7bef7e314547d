// The frame around every page: navigation, banner, language, theme, sign-out.

import { iconPaths, scriptPath, stylePath } from './assets.ts'
import { banner, inTrouble } from './banner.ts'
import type { Context, Page, Theme } from './context.ts'
import { ownPage } from './guard.ts'
import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'
import { form } from './parts.ts'
import type { Texts } from './texts.ts'

type Frame = {
  texts: Texts
  name: string
  title: string
  body: Html
  theme: Theme
  troubled?: number
}

const documentOf = ({
  texts,
  name,
  title,
  body,
  theme,
  troubled = 0,
}: Frame): Html => html`<!doctype html>
<html lang="${texts.language}"${theme !== 'auto' && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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

type Area = keyof Texts['pages']

const paths: Record<Area, string> = {
  overview: '/dashboard',
  webhooks: '/dashboard/webhooks',
  events: '/dashboard/events',
  keys: '/dashboard/keys',
  connect: '/dashboard/connect',
  notices: '/dashboard/notices',
  privacy: '/dashboard/erasure',
  status: '/dashboard/status',
}
/** Which entry of the navigation a page belongs to. */
export const areaOf = (path: string): Area | undefined =>
  (Object.keys(paths) as Area[]).findLast(
    area => path === paths[area] || path.startsWith(`${paths[area]}/`),
  )

/** The area whose first page this is. */
export const areaAt = (path: string): Area | undefined =>
  (Object.keys(paths) as Area[]).find(area => path === paths[area])

const mainAreas: Area[] = ['overview', 'webhooks', 'events', 'keys']
const otherAreas: Area[] = ['connect', 'notices', 'privacy', 'status']

/** With what they did not get and will not get by itself, too: as many as the overview says. */
export const needingOwner = (context: Pick<Context, 'hooks'>) => [
  ...inTrouble(context),
  ...context.hooks.filter(
    ({ active, consecutive_failures, failed, missed_to }) =>
      active && consecutive_failures === 0 && (failed > 0 || missed_to !== null),
  ),
]

const entry = ({ texts }: Context, area: Area, current: Page['area'], count: number): Html =>
  html`<li><a href="${paths[area]}"${area === current && html` aria-current="page"`}>${icon(area as IconName)}<span>${texts.pages[area]}</span>${area === 'webhooks' && html`<span id="live-count" data-live>${count > 0 && html`<span class="count" title="${texts.overview.trouble(count)}">${count}</span>`}</span>`}</a></li>\n`

const themes = ['auto', 'light', 'dark'] as const

/** Back to the same page, with the same filter. */
function switches({ texts, theme }: Pick<Context, 'texts' | 'theme'>, back: string): Html {
  const query = `?back=${encodeURIComponent(back)}`
  const { code, name } = texts.other
  const theming = themes.map(
    one =>
      html`<a href="/dashboard/theme/${one}${query}"${one === theme && html` aria-current="true"`}>${texts.themes[one]}</a> `,
  )
  return html`<p><a href="/dashboard/language/${code}${query}" hreflang="${code}" lang="${code}">${name}</a></p>
<p>${theming}</p>`
}

const keys = [
  'g o',
  'g w',
  'g e',
  'g k',
  'g c',
  'g n',
  'g p',
  'g s',
  'j',
  'k',
  'Enter',
  '/',
  '?',
] as const

/** Keys work where scripts run; there a button shows them, too. */
const keyboardHelp = ({ texts }: Context): Html =>
  html`<dialog id="keyboard" aria-labelledby="keyboard-title"><h2 id="keyboard-title">${texts.keyboard.title}</h2>
<dl>${keys.map(key => html`<div><dt>${key.split(' ').map(one => html`<kbd>${one}</kbd> `)}</dt><dd>${texts.keyboard.keys[key]}</dd></div>`)}</dl>
<p><label><input type="checkbox" checked> ${texts.keyboard.use}</label></p>
<form method="dialog"><button autofocus>${texts.keyboard.close}</button></form></dialog>`

const foot = (context: Context, isOnce: boolean): Html => html`<div class="foot">
<button type="button" class="plain only-wide" data-keyboard hidden>${context.texts.keyboard.title} <kbd>?</kbd></button>
${!isOnce && switches(context, ownPage(context.url.pathname + context.url.search))}
<p><a href="/docs">API</a></p>
${form(context, '/dashboard/sign-out', html`<button class="plain">${context.texts.signOut}</button>`, { inline: true })}
</div>`

const navigation = (context: Context, { area, isOnce = false }: Page): Html => {
  const { texts, serving } = context
  const { workspace } = serving.about
  const entries = (areas: Area[]) =>
    areas.map(one =>
      entry(context, one, area, one === 'webhooks' ? needingOwner(context).length : 0),
    )
  return html`<header class="side">
<a class="brand" href="/dashboard" title="${workspace}">${icon('brand')}<span>${workspace}</span></a>
<nav aria-label="${texts.navigation}">
<ul class="main">${entries(mainAreas)}<li class="only-narrow"><a href="#more">${icon('more')}<span>${texts.moreAreas}</span></a></li></ul>
<ul class="more">${entries(otherAreas)}</ul>
</nav>
${foot(context, isOnce)}
</header>`
}

/** On a narrow screen what the side bar has no room for stands below the page. */
const narrowFoot = (context: Context, { area, isOnce = false }: Page): Html =>
  html`<footer class="page-foot only-narrow" id="more"><nav aria-label="${context.texts.moreAreas}"><ul>${otherAreas.map(one => html`<li><a href="${paths[one]}"${one === area && html` aria-current="page"`}>${context.texts.pages[one]}</a></li>\n`)}</ul></nav>
${foot(context, isOnce)}</footer>`

export const hasActiveHook = ({ hooks }: Pick<Context, 'hooks'>): boolean =>
  hooks.some(({ active }) => active)

/** That the service runs, and no process seems to deliver at the moment. */
export const unseenText = ({ texts: { status } }: Pick<Context, 'texts'>): Html =>
  html`<strong>${status.idle}</strong> ${status.unseenText}`

export const framed = (context: Context, page: Page): Html => {
  const { title, content, trail, actions, isOnce, isRefused } = page
  const { texts, url } = context
  return documentOf({
    texts,
    name: context.serving.about.workspace,
    title,
    theme: context.theme,
    troubled: needingOwner(context).length,
    body: html`<div class="frame">
${navigation(context, page)}
<div class="page">
<div id="live-banner" data-live>${banner(context, page)}</div>
<main id="content" tabindex="-1"${isOnce && html` data-once`}${isRefused && html` data-refused`}>
${trail && html`<p class="trail"><a href="${trail.path}">${trail.text}</a></p>`}
<div class="head"><h1>${title}</h1>${actions && html`<div class="actions">${actions}</div>`}</div>
${content}
</main>
<template id="session-over"><p id="over" class="notice warn" role="status">${texts.events.over} <a href="/dashboard/sign-in?next=${url.pathname}">${texts.signIn.title}</a></p></template>
<template id="page-stale"><p id="stale" class="notice warn" role="status">${texts.events.stale}</p></template>
${narrowFoot(context, page)}
</div>
</div>
${keyboardHelp(context)}`,
  })
}

/** For a visitor who is not signed in: nothing of the workspace. */
export const bare = (
  reader: Pick<Context, 'texts' | 'theme'>,
  title: string,
  content: Html,
  back = '/dashboard',
): Html =>
  documentOf({
    texts: reader.texts,
    name: reader.texts.product,
    title,
    theme: reader.theme,
    body: html`<main class="narrow card" id="content" tabindex="-1">
<p class="muted">${reader.texts.product}</p>
<h1>${title}</h1>
${content}
</main>
<footer class="foot">${switches(reader, back)}</footer>`,
  })
