// /docs as people see it: in a browser, on a screen and on a phone, by day and by night.
import { expect, test } from 'bun:test'
import { barriers, barriersOfLook, type Tab, useBrowser } from '../support/browser/browser.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const browser = useBrowser()

const phone = { width: 360, height: 740 }
const screen = { width: 1440, height: 900 }
type Size = typeof phone

async function openDocs(viewport: Size, colorScheme: 'light' | 'dark') {
  const tab = await browser.open({ viewport, colorScheme, locale: 'en-US' })
  const asked: string[] = []
  tab.on('request', request => asked.push(request.url()))
  await tab.goto(`${api.service.url}/docs`)
  await tab.getByRole('heading', { name: 'Quick start' }).first().waitFor()
  return { tab, asked }
}

/** What begins or ends beyond the screen. Only long lines of code can be scrolled sideways. */
const cutOff = (tab: Tab, width: number): Promise<string[]> =>
  tab.evaluate(width => {
    const inside = (root?: ParentNode | null): Element[] =>
      [...(root?.querySelectorAll('*') ?? [])].flatMap(part => [part, ...inside(part.shadowRoot)])
    return inside(document.querySelector('rapi-doc')?.shadowRoot?.querySelector('main'))
      .filter(part => {
        const { left, right, width: own } = part.getBoundingClientRect()
        return own > 0 && (left < 0 || right > width) && !part.closest('pre')
      })
      .map(part => part.outerHTML.slice(0, 80))
  }, width)

/** In the colours of the scheme and no wider than the screen. */
async function expectFits(tab: Tab, scheme: string, { width, height }: Size): Promise<void> {
  await tab.setViewportSize({ width, height })
  const [theme, wide] = await tab.evaluate(() => [
    document.querySelector('rapi-doc')?.getAttribute('theme'),
    document.documentElement.scrollWidth,
  ])
  expect(theme).toBe(scheme)
  expect(wide).toBeLessThanOrEqual(width)
  // Its style sheet is loaded inside the reader, perhaps after the first heading is there.
  await until(async () => {
    expect(await cutOff(tab, width)).toEqual([])
    return true
  }, 20_000)
  if (process.env.DOCS_SHOTS)
    await tab.screenshot({ path: `${process.env.DOCS_SHOTS}/${width}_${scheme}.png` })
}

test.each([
  ['light', screen, phone],
  ['dark', phone, screen],
] as const)(
  'in %s it shows the introduction on a screen and on a phone, asks no other host and complains of nothing',
  async (scheme, first, second) => {
    const { tab, asked } = await openDocs(first, scheme)
    await expectFits(tab, scheme, first)
    expect(await barriers(tab)).toEqual([])
    await expectFits(tab, scheme, second)
    expect(await barriersOfLook(tab)).toEqual([])
    expect(
      asked.filter(url => !url.startsWith(api.service.url) && !url.startsWith('data:')),
    ).toEqual([])
    expect(tab.complaints).toEqual([])
    await tab.context().close()
  },
  60_000,
)

test.each(['light', 'dark'] as const)(
  'in %s an operation can be unfolded, read and tried on a phone',
  async scheme => {
    const { tab } = await openDocs(phone, scheme)
    await tab.locator('section[id="get-/leads"] summary').click()
    await tab.locator('main').getByText('X-Request-Id').locator('visible=true').first().waitFor()
    expect(await cutOff(tab, phone.width)).toEqual([])
    expect(await barriersOfLook(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Try' }).first().click()
    await tab.getByText('missing_token').first().waitFor()
    expect(tab.complaints.filter(text => !text.includes('401'))).toEqual([])
    await tab.context().close()
  },
  60_000,
)
