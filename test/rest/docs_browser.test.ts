// /docs as people see it: in a browser, on a screen and on a phone, by day and by night.
import { describe, expect, test } from 'bun:test'
import { barriers, useBrowser } from '../support/browser/browser.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const browser = useBrowser()

const screens = { 'a screen': { width: 1440, height: 900 }, 'a phone': { width: 390, height: 844 } }
const schemes = ['light', 'dark'] as const

async function openDocs(
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
) {
  const tab = await browser.open({ viewport, colorScheme, locale: 'en-US' })
  const asked: string[] = []
  tab.on('request', request => asked.push(request.url()))
  await tab.goto(`${api.service.url}/docs`)
  await tab.getByRole('heading', { name: 'Quick start' }).first().waitFor()
  return { tab, asked }
}

describe.each(Object.entries(screens))('on %s', (screen, viewport) => {
  test.each(schemes)(
    'in %s it shows the introduction, asks no other host and complains of nothing',
    async scheme => {
      const { tab, asked } = await openDocs(viewport, scheme)
      expect(
        asked.filter(url => !url.startsWith(api.service.url) && !url.startsWith('data:')),
      ).toEqual([])
      const dark = await tab.evaluate(() =>
        document.querySelector('rapi-doc')?.getAttribute('theme'),
      )
      expect(dark).toBe(scheme)
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(viewport.width)
      if (process.env.DOCS_SHOTS)
        await tab.screenshot({
          path: `${process.env.DOCS_SHOTS}/${screen.split(' ')[1]}_${scheme}.png`,
        })
      expect(await barriers(tab)).toEqual([])
      expect(tab.complaints).toEqual([])
    },
    60_000,
  )
})
