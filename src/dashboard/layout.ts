// The frame around every page: navigation, the banner when a webhook needs the owner, language, sign-out.
import { scriptPath, stylePaths } from './assets.ts'
import type { Context, Page } from './context.ts'
import { type Html, html } from './html.ts'
import { form, moment, nameOf } from './parts.ts'
import type { Texts } from './texts.ts'

type Frame = { texts: Texts; title: string; body: Html; path: string }

const documentOf = ({ texts, title, body, path }: Frame): Html => html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${texts.product}</title>
${stylePaths.map(style => html`<link rel="stylesheet" href="${style}">\n`)}
<link rel="icon" href="data:,">
<script type="module" src="${scriptPath}"></script>
</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
${body}
<footer class="container">
<a href="/dashboard/language/${texts.other.code}?back=${encodeURIComponent(path)}" hreflang="${texts.other.code}" lang="${texts.other.code}">${texts.other.name}</a>
</footer>
</body>
</html>
`

const paths: Record<keyof Texts['pages'], string> = {
  overview: '/dashboard',
  keys: '/dashboard/keys',
  webhooks: '/dashboard/webhooks',
  events: '/dashboard/events',
  connect: '/dashboard/connect',
  status: '/dashboard/status',
}

const navigation = (context: Context, area: Page['area']): Html => {
  const { texts } = context
  const links = Object.entries(paths).map(
    ([name, path]) =>
      html`<li><a href="${path}"${name === area ? html` aria-current="page"` : ''}>${texts.pages[name as keyof typeof paths]}</a></li>\n`,
  )
  return html`<header class="container top">
<p class="product">${texts.product}</p>
<nav aria-label="${texts.navigation}"><ul>
${links}
</ul></nav>
${form(context, '/dashboard/sign-out', html`<button class="secondary outline small">${texts.signOut}</button>`)}
</header>`
}

/** Those that are paused or whose last deliveries failed for good, paused ones first. */
export const inTrouble = ({ hooks }: Pick<Context, 'hooks'>) =>
  hooks
    .filter(({ active, consecutive_failures }) => !active || consecutive_failures > 0)
    .toSorted((one, other) => Number(one.active) - Number(other.active))

function banner(context: Context): Html | null {
  const { texts } = context
  const [first, ...others] = inTrouble(context)
  if (!first) return null
  const name = nameOf(texts, first)
  return html`<aside class="banner" aria-label="${texts.pages.webhooks}"><div class="container">
<p><strong>${first.active ? texts.banner.failing(name) : texts.banner.paused(name)}</strong>
${texts.banner.since} ${moment(context, first.failing_since ?? first.paused_at)}.
${others.length > 0 && texts.banner.more(others.length)}
<a href="/dashboard/webhooks/${first.id}">${texts.banner.look}</a></p>
</div></aside>`
}

export const framed = (context: Context, { title, content, area }: Page): Html =>
  documentOf({
    texts: context.texts,
    title,
    path: context.url.pathname,
    body: html`${navigation(context, area)}
${banner(context)}
<main class="container" id="content" tabindex="-1">
<h1>${title}</h1>
${content}
</main>`,
  })

/** For whoever is not signed in: nothing of the workspace. */
export const bare = (texts: Texts, title: string, content: Html): Html =>
  documentOf({
    texts,
    title,
    path: '/dashboard',
    body: html`<main class="container narrow" id="content" tabindex="-1">
<p class="product">${texts.product}</p>
<h1>${title}</h1>
${content}
</main>`,
  })
