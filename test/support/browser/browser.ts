// A real browser for the tests of the dashboard: the Chromium that npm brought along, unpacked once.
import { afterAll, beforeAll } from 'bun:test'
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'

const modules = join(import.meta.dir, '../../../node_modules')

const axe = readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8')

function cacheDir(): string {
  try {
    accessSync(modules, constants.W_OK)
    return join(modules, '.cache/chromium')
  } catch {
    // Installed by another account.
    return join(tmpdir(), `chromium-${userInfo().uid}`)
  }
}

/** Several processes may come at once: each unpacks next to it, and the first one's stays. */
async function unpack(): Promise<string> {
  const dir = cacheDir()
  const file = join(dir, 'chromium')
  if (existsSync(file)) return file
  const draft = `${dir}.${randomUUID()}`
  mkdirSync(draft, { recursive: true })
  // By a process of its own: it unpacks into the TMPDIR that it was started with.
  const program = `import packed, { inflate } from '@sparticuz/chromium'
    await packed.executablePath()
    await inflate(process.env.LIBRARIES)`
  const LIBRARIES = join(modules, '@sparticuz/chromium/bin/al2023.tar.br')
  const unpacked = Bun.spawn([process.execPath, '-e', program], {
    cwd: join(modules, '..'),
    env: { ...process.env, TMPDIR: draft, LIBRARIES },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await unpacked.exited) !== 0) throw new Error('the browser was not unpacked')
  try {
    renameSync(draft, dir)
  } catch {
    rmSync(draft, { recursive: true, force: true })
  }
  return file
}

let unpacking: Promise<string> | undefined

/** Once for all files of a process. */
function executable(): Promise<string> {
  unpacking ??= unpack()
  return unpacking
}

/** A bare machine has neither the libraries nor the fonts a browser needs; both came along. */
function environmentFor(executablePath: string): Record<string, string> {
  const dir = dirname(executablePath)
  const { stdout } = Bun.spawnSync(['ldd', executablePath], { stderr: 'ignore' })
  const isBare = stdout.toString().includes('not found')
  return {
    ...(process.env as Record<string, string>),
    ...(isBare && { LD_LIBRARY_PATH: join(dir, 'al2023/lib') }),
    ...(!existsSync('/etc/fonts/fonts.conf') && { FONTCONFIG_PATH: join(dir, 'fonts') }),
  }
}

// Root has no sandbox to offer, and containers have little shared memory. Nothing of what protects pages from
// one another is switched off.
const args = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-gpu-compositing',
  '--disable-software-rasterizer',
  // There is none to protect from: one process less that every frame passes through.
  '--in-process-gpu',
]

export type Tab = Page & {
  /** What the page complained about: scripts that failed, and what its policy forbade. */
  complaints: string[]
}

type TestBrowser = {
  open(options?: BrowserContextOptions): Promise<Tab>
}

/** A click returns when the answer begins, a page before it is whole: what is evaluated sees a page that has been read. */
function settled(tab: Tab): Tab {
  const { evaluate } = tab
  const whole = async (...given: Parameters<Page['evaluate']>) => {
    await tab.waitForLoadState('domcontentloaded')
    return evaluate.apply(tab, given)
  }
  tab.evaluate = whole as Page['evaluate']
  return tab
}

/** Call at the top of a file. */
export function useBrowser(): TestBrowser {
  let browser: Browser
  beforeAll(async () => {
    const executablePath = await executable()
    const env = environmentFor(executablePath)
    browser = await chromium.launch({ executablePath, args, env, headless: true })
  }, 120_000)
  afterAll(async () => {
    await browser.close()
  })
  return {
    async open(options = {}) {
      const context = await browser.newContext({
        locale: 'de-DE',
        timezoneId: 'Europe/Berlin',
        ...options,
      })
      const tab = settled((await context.newPage()) as Tab)
      tab.setDefaultTimeout(15_000)
      tab.complaints = []
      tab.on('console', said => {
        if (said.type() === 'error') tab.complaints.push(said.text())
      })
      tab.on('pageerror', error => tab.complaints.push(String(error)))
      return tab
    },
  }
}

/** What a reader sees of a page that has been read: without what is hidden, with the line breaks there are. */
export async function seen(locator: Locator): Promise<string> {
  await locator.page().waitForLoadState('domcontentloaded')
  // biome-ignore lint/performance/useDomNodeTextContent: textContent has what is hidden as well
  return locator.innerText()
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
// What the same page can break by another theme or another width alone.
const looks = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable']

async function violated(tab: Page, runOnly: string[]): Promise<string[]> {
  // A page that was looked at before has it already.
  if (!(await tab.evaluate(() => 'axe' in globalThis))) await tab.evaluate(axe)
  const found = await tab.evaluate(async runOnly => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, {
      runOnly,
      // Gathering what is in order takes time, and nothing reads it.
      resultTypes: ['violations'],
      selectors: false,
      // There is no audio or video, which is what it would fetch.
      preload: false,
    })
    return violations.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(node => node.html).join(' ')}`,
    )
  }, runOnly)
  return found.map(text => text.slice(0, 400))
}

/** What axe finds that keeps a person from using the page: WCAG 2.2 A and AA. */
export const barriers = (tab: Page): Promise<string[]> => violated(tab, standards)

/** The same of a page that is examined as a whole in another theme or at another width. */
export const barriersOfLook = (tab: Page): Promise<string[]> => violated(tab, looks)
