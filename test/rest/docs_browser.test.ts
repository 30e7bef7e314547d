// /docs as people see it: in a browser, light and wide, dark and at 400 %, which of 1,280 pixels leaves 320.
import { expect, test } from 'bun:test'
import { barriers, barriersOfLook, type Tab, useBrowser } from '../support/browser/browser.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const browser = useBrowser()

// How Swagger UI nests and names its own parts; colours, sizes and what scrolls are ours.
const markup =
  /^\w+ (heading-order|landmark-unique|nested-interactive|region|select-name|button-name|label-content-name-mismatch):/

/** What ends beyond the screen, and what keeps a person from using the page. */
async function wrong(tab: Tab, width: number, found: Promise<string[]>): Promise<string[]> {
  const cutOff = await tab.evaluate(
    width =>
      [...document.querySelectorAll('#swagger-ui *')]
        .filter(part => part.getBoundingClientRect().right > width && part.clientWidth > 0)
        .map(part => part.outerHTML.slice(0, 120)),
    width,
  )
  return [...cutOff, ...(await found).filter(text => !markup.test(text))]
}

test.each([
  ['light', 1280, 900, 'rgb(246, 247, 249)', barriers],
  ['dark', 320, 256, 'rgb(14, 17, 22)', barriersOfLook],
] as const)(
  'in %s, %i pixels wide, it is read, tried and signed in to, and asks no other host',
  async (colorScheme, width, height, background, find) => {
    const tab = await browser.open({ viewport: { width, height }, colorScheme, locale: 'en-US' })
    const asked: string[] = []
    tab.on('request', request => asked.push(request.url()))
    await tab.goto(`${api.service.url}/docs`)
    await tab.getByText('List leads, newest first').waitFor()
    const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).toBe(background)
    const hook = tab.locator('#operations-hooks-createHook')
    await hook.locator('.opblock-summary-control').click()
    await hook.getByRole('tab', { name: 'Schema' }).first().click()
    // The shape is open by a level: it is closed, then opened as a whole.
    await hook.locator('.json-schema-2020-12-expand-deep-button').first().click()
    await hook.locator('.json-schema-2020-12-expand-deep-button').first().click()
    await hook.getByText('Stored in its canonical form').waitFor()
    // A title is not repeated as a description, and no pattern is shown.
    expect(await hook.getByText('Subscribe a URL to events', { exact: true }).count()).toBe(1)
    expect(await hook.getByText('hH').locator('visible=true').count()).toBe(0)
    await tab.locator('#operations-leads-listLeads .opblock-summary-control').click()
    await tab.getByRole('button', { name: 'Try it out' }).first().click()
    await tab.getByRole('button', { name: 'Execute' }).click()
    await tab.locator('.live-responses-table').getByText('missing_token').first().waitFor()
    expect(await wrong(tab, width, find(tab))).toEqual([])
    await tab.locator('.btn.authorize').first().click()
    await tab.locator('.modal-ux').waitFor()
    expect(await wrong(tab, width, find(tab))).toEqual([])
    const foreign = asked.filter(
      url => !url.startsWith(api.service.url) && !url.startsWith('data:'),
    )
    expect([foreign, tab.complaints.filter(text => !text.includes('401'))]).toEqual([[], []])
    await tab.context().close()
  },
  60_000,
)
