import { test } from 'bun:test'
import { useBrowser } from './support/browser/browser.ts'
import { useService } from './support/http/service.ts'
const api = useService()
const browser = useBrowser()
test('shots', async () => {
  for (const [name, width, height, scheme] of [['light',1280,1000,'light'],['dark',1280,1000,'dark'],['phone',390,844,'light'],['zoom',320,256,'dark']] as const) {
    const tab = await browser.open({ viewport: { width, height }, colorScheme: scheme, locale: 'en-US' })
    const asked: string[] = []
    tab.on('request', r => asked.push(r.url()))
    await tab.goto(`${api.service.url}/docs`)
    await tab.getByText('List leads').first().waitFor()
    await tab.screenshot({ path: `/tmp/docs_shots/${name}.png` })
    await tab.locator('#operations-events-listEvents .opblock-summary-control').click()
    await tab.locator('#operations-hooks-createHook .opblock-summary-control').click()
    await tab.waitForTimeout(500)
    await tab.screenshot({ path: `/tmp/docs_shots/${name}_full.png`, fullPage: true })
    const wide = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    console.log(name, wide, tab.complaints, asked.filter(u => !u.startsWith('data:')).map(u=>u.slice(api.service.url.length)))
    if (process.env.AXE) { const { barriers } = await import('./support/browser/browser.ts'); console.log(await barriers(tab)) }
    await tab.context().close()
  }
}, 120_000)
