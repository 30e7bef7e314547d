// What stands above every page while webhooks need the owner, or nothing is delivered.
import type { Context, Page } from './context.ts'
import { hookPath, pausedBy } from './hooks.ts'
import { type Html, html } from './html.ts'
import { nameOf, toTheMinute } from './parts.ts'

// More would push the page away, and so would longer names: on a phone the longest is two lines, or one of several.
const bannerMax = 3
const nameMax = 60
const nameMaxTogether = 30

export function shortened(name: string, max = nameMax): string {
  const characters = [...name]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : name
}

/** Those that the owner has to look at, paused ones first. What the owner paused is left alone. */
export const inTrouble = ({ hooks }: Pick<Context, 'hooks'>) =>
  hooks
    .filter(hook => pausedBy(hook) === 'failures' || (hook.active && hook.consecutive_failures > 0))
    .toSorted((one, other) => Number(one.active) - Number(other.active))

/** That no process delivers, and what to do. */
export const stoppedText = ({ texts: { overview } }: Pick<Context, 'texts'>): Html =>
  html`<strong>${overview.stopped}</strong> ${overview.stoppedText}`

/** Not where the page itself is about it. */
export function banner(context: Context, { isAboutTrouble }: Page): Html | false {
  const { texts, parameters } = context
  const others = isAboutTrouble ? [] : inTrouble(context).filter(({ id }) => parameters.id !== id)
  if (others.length === 0) return false
  return html`<aside class="banner bad" aria-label="${texts.banner.title}"><ul>
${others.length === 1 ? others.map(hook => alone(context, hook)) : together(context, others)}
</ul></aside>`
}

type Troubled = Context['hooks'][number]

function alone(context: Context, hook: Troubled): Html {
  const { banner: said } = context.texts
  const name = shortened(nameOf(context.texts, hook))
  return html`<li><strong>${hook.active ? said.failing(name) : said.paused(name)}</strong>
${said.since} ${toTheMinute(context, hook.active ? hook.failing_since : hook.paused_at)}.
<a href="${hookPath(hook.id)}">${said.look}</a></li>`
}

/** In a few lines on a phone, too: a sentence for each would push the page away. */
function together({ texts }: Context, hooks: Troubled[]): Html {
  const { pausedTitle, failingTitle } = texts.webhooks
  const shown = hooks.slice(0, bannerMax)
  const rest = hooks.length - shown.length
  const line = (title: string, inside: Troubled[]) => {
    const links = inside.map(
      (hook, index) =>
        html`${index > 0 && ', '}<a href="${hookPath(hook.id)}">${shortened(nameOf(texts, hook), nameMaxTogether)}</a>`,
    )
    return inside.length > 0 && html`<li><strong>${title}:</strong> ${links}</li>\n`
  }
  const [paused, failing] = [shown.filter(one => !one.active), shown.filter(one => one.active)]
  return html`${line(pausedTitle, paused)}${line(failingTitle, failing)}${rest > 0 && html`<li><a href="/dashboard/webhooks">${texts.banner.more(rest)}</a></li>`}`
}
