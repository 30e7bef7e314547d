// Times in the viewer's zone, copy buttons, what happens while a page is open. Without it every page works, in UTC and by
// reloading. Idiomorph stands in front of it.
const language = document.documentElement.lang === 'de' ? 'de-DE' : 'en-GB'
const minute = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
}
const formats = {
  minute: new Intl.DateTimeFormat(language, minute),
  second: new Intl.DateTimeFormat(language, { ...minute, second: '2-digit' }),
  hour: new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }),
}
const ago = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' })
const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
]

function agoText(at) {
  let value = Math.round((at - Date.now()) / 1000)
  if (Math.abs(value) < 1) return null
  for (const [unit, size] of units) {
    if (Math.abs(value) < size) return ago.format(value, unit)
    value = Math.trunc(value / size)
  }
  return null
}

function showLocally(time) {
  const at = new Date(time.dateTime)
  const kind = time.dataset.as ?? 'minute'
  time.title = formats.second.format(at)
  const text = kind === 'ago' ? agoText(at) : formats[kind].format(at)
  if (text !== null) time.textContent = text
}

/** What a page needs, and one that is taken over. */
function enhance(part) {
  for (const time of part.querySelectorAll('time')) showLocally(time)
  for (const bar of part.querySelectorAll('[data-at]')) {
    const title = bar.querySelector('title')
    const at = formats.minute.format(new Date(bar.dataset.at))
    title.textContent = title.textContent.replace(/^.*UTC/, at)
  }
  const offered = navigator.clipboard ? '[data-copy], [data-all]' : '[data-all]'
  for (const one of part.querySelectorAll(offered)) one.hidden = false
  for (const one of part.querySelectorAll('[data-reveal]')) one.hidden = false
  for (const { dataset } of part.querySelectorAll('[data-utc]')) dataset.utc = 'local'
  for (const hint of part.querySelectorAll('[data-utc] small')) hint.hidden = true
}

let isTaken = false
enhance(document)
setInterval(() => {
  for (const time of document.querySelectorAll('time[data-as="ago"]')) showLocally(time)
}, 20_000)

addEventListener('click', async ({ target }) => {
  const copy = target.closest('[data-copy]')
  if (target.closest('[data-seen]')) isTaken = true
  if (target.closest('[data-all]'))
    for (const box of target.closest('form').querySelectorAll('[name="type"]')) box.checked = true
  if (!copy) return
  await navigator.clipboard.writeText(copy.parentElement.querySelector('code').textContent)
  isTaken = true
  const offered = copy.textContent
  copy.textContent = copy.dataset.copy
  setTimeout(() => {
    copy.textContent = offered
  }, 2000)
})

const reveal = document.querySelector('[data-reveal] input')
reveal?.addEventListener('change', () => {
  document.querySelector('[name="password"]').type = reveal.checked ? 'text' : 'password'
})

// What is shown once is not left by mistake.
if (document.querySelector('[data-once]'))
  addEventListener('beforeunload', event => {
    if (!isTaken) event.preventDefault()
  })

// What came of an action, or the first mistake; after the fragment of the address, which takes the focus away.
const news = '.frame :is([data-done], [aria-invalid])'
addEventListener('load', () => document.querySelector(news)?.focus())

// The second click of a double click sends nothing; a moment is sent in UTC.
const sending = new WeakSet()
addEventListener('submit', event => {
  const { target } = event
  if (target.method !== 'post') return
  if (sending.has(target)) event.preventDefault()
  sending.add(target)
  setTimeout(() => sending.delete(target), 1000)
})
addEventListener('formdata', ({ target, formData }) => {
  for (const { name, value } of target.querySelectorAll('[data-utc] input'))
    if (value) formData.set(name, new Date(value).toISOString().slice(0, 16))
  if (target.method !== 'get') return
  for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
})

/** Something was typed or chosen, and not sent. */
function isTouched(field) {
  if (field.type === 'checkbox') return field.checked !== field.defaultChecked
  if (!field.matches('select')) return field.type !== 'hidden' && field.value !== field.defaultValue
  const given = [...field.options].findIndex(option => option.defaultSelected)
  return field.selectedIndex !== Math.max(0, given)
}

const isInUse = form =>
  form.contains(document.activeElement) ||
  [...form.querySelectorAll('input, select')].some(isTouched)

// What came of an action stays in sight until the page says how it went on.
const isNews = node => node.nodeType === 1 && node.matches('[data-done]')
const isOpenState = (name, node) => name === 'open' && node.localName === 'details'

/** Takes over what changed, and leaves what the owner is at work with. */
function take(page) {
  enhance(page)
  document.title = page.title
  for (const part of ['.side', 'main']) {
    const isWorse = page.querySelector('main .notice.bad h2') !== null
    Idiomorph.morph(document.querySelector(part), page.querySelector(part), {
      ignoreActiveValue: true,
      callbacks: {
        beforeNodeMorphed: node => !(node.localName === 'form' && isInUse(node)),
        beforeNodeRemoved: node => isWorse || !isNews(node),
        beforeAttributeUpdated: (name, node) => !isOpenState(name, node),
      },
    })
  }
}

/** Says at the top of the page what a template holds, once. */
function tell(id) {
  const main = document.querySelector('main')
  if (main.querySelector(`[data-said="${id}"]`)) return
  const shown = document.getElementById(id).content.firstElementChild.cloneNode(true)
  shown.dataset.said = id
  shown.setAttribute('role', 'status')
  enhance(shown)
  main.prepend(shown)
}

let unanswered = 0

/** Asks whether the page has changed since. */
async function look() {
  const main = document.querySelector('main')
  const { live, every, etag } = main.dataset
  const headers = { 'if-none-match': etag }
  const response = await fetch(live, { redirect: 'manual', headers }).catch(() => null)
  // The sign-in has ended.
  if (response?.type === 'opaqueredirect') return tell('session-over')
  const text = response?.ok ? await response.text().catch(() => null) : ''
  unanswered = response && (response.ok || response.status === 304) ? 0 : unanswered + 1
  // One failure is no more than a restart of the service.
  if (unanswered > 1) tell('no-answer')
  if (text) take(new DOMParser().parseFromString(text, 'text/html'))
  else if (unanswered === 0) main.querySelector('[data-said]')?.remove()
  plan(Number(every))
}

let timer
function plan(everyMs) {
  clearTimeout(timer)
  if (!document.hidden) timer = setTimeout(look, everyMs)
}

if (document.querySelector('main[data-live]')) {
  plan(Number(document.querySelector('main').dataset.every))
  document.addEventListener('visibilitychange', () => plan(0))
}
