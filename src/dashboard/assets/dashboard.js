// Times in the viewer's zone, copy buttons, what happens while a page is open, keys. Without it every page works, in UTC and
// by reloading.
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
  day: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }),
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

function offerCopy(button) {
  const offered = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    copied = true
    button.textContent = button.dataset.copy
    setTimeout(() => {
      button.textContent = offered
    }, 2000)
  })
}

/** The title of a bar, with its hour in the viewer's zone. */
function nameBar(bar) {
  const title = bar.querySelector('title')
  const at = new Date(bar.dataset.at)
  title.textContent = title.textContent.replace(/^.*UTC/, formats.minute.format(at))
}

/** What a page or a new part of one needs. */
function enhance(part) {
  for (const time of part.querySelectorAll('time')) showLocally(time)
  for (const bar of part.querySelectorAll('[data-at]')) nameBar(bar)
  if (navigator.clipboard)
    for (const button of part.querySelectorAll('[data-copy]')) offerCopy(button)
}

// What parts that change were served as: one that comes again alike stays, with what is clicked or selected in it.
const served = new Map()
const asServed = part => part.innerHTML.replace(/(<time [^>]*>)[^<]*/g, '$1')
for (const part of document.querySelectorAll('[data-live]')) served.set(part.id, asServed(part))

let copied = false
enhance(document)
setInterval(() => {
  for (const time of document.querySelectorAll('time[data-as="ago"]')) showLocally(time)
}, 20_000)

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    copied = true
    print()
  })
}

// What is shown once is not left by mistake.
const once = document.querySelector('[data-once]')
if (once) {
  for (const link of once.querySelectorAll('[data-seen]'))
    link.addEventListener('click', () => {
      copied = true
    })
  addEventListener('beforeunload', event => {
    if (!copied) event.preventDefault()
  })
}

// At a sign-in the field for the password has the focus.
document.querySelector('[data-done], .page #mistake')?.focus()

// The second click of a double click sends nothing.
const sending = new WeakSet()
addEventListener('submit', event => {
  const { target } = event
  if (target.method !== 'post') return
  if (sending.has(target)) event.preventDefault()
  sending.add(target)
  setTimeout(() => sending.delete(target), 1000)
})

// Moments of a filter are in UTC in the address, and in the viewer's zone in its fields.
const asField = at => at.toISOString().slice(0, 16)
for (const form of document.querySelectorAll('form[method="get"]')) {
  const moments = [...form.querySelectorAll('[data-utc]')]
  for (const note of form.querySelectorAll('[data-utc-note]')) note.hidden = true
  for (const field of moments) {
    const at = new Date(`${field.value}Z`)
    if (field.value) field.value = asField(new Date(at - at.getTimezoneOffset() * 60_000))
  }
  form.addEventListener('formdata', ({ formData }) => {
    for (const { name, value } of moments) if (value) formData.set(name, asField(new Date(value)))
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}

// The focus brings a mistake into sight: in the address it would stay after it was corrected.
for (const form of document.querySelectorAll('form[action$="#mistake"]'))
  form.setAttribute('action', form.getAttribute('action').replace('#mistake', ''))

// What was typed into a form is kept in this tab until it arrived: the sign-in may end meanwhile.
// With what it was chosen from: typed for what is no longer so, it would pass for a choice of today.
const isKept = ({ name, type }) =>
  name && (type !== 'hidden' || name === 'shown') && type !== 'password'
for (const form of document.querySelectorAll('[data-keeps]')) {
  const place = `form ${form.getAttribute('action')}`
  const fields = [...form.elements].filter(isKept)
  const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null')
  sessionStorage.removeItem(place)
  const isAsBefore = ({ type, value }, index) => type !== 'hidden' || value === kept[index]
  if (kept && kept.length === fields.length && fields.every(isAsBefore))
    fields.forEach((field, index) => {
      if (field.type === 'checkbox') field.checked = kept[index]
      else field.value = kept[index]
    })
  form.addEventListener('submit', () => {
    const values = fields.map(field => (field.type === 'checkbox' ? field.checked : field.value))
    sessionStorage.setItem(place, JSON.stringify(values))
  })
}
// It arrived: the page that follows is no sign-in, and refuses nothing.
if (document.querySelector('.side') && !document.querySelector('[data-refused]'))
  for (const place of Object.keys(sessionStorage))
    if (place.startsWith('form ') && !document.querySelector(`[action="${place.slice(5)}"]`))
      sessionStorage.removeItem(place)

/** What the page is about is gone: it says so, and has no buttons that are for nothing. */
function showGone(page) {
  const main = document.querySelector('main')
  main.replaceChildren(...page.querySelector('main').childNodes)
  if (!document.activeElement?.closest('.side')) main.focus()
}

/** Something was typed or chosen, and not sent. */
function isTouched(field) {
  if (!field.matches('select')) return field.type !== 'hidden' && field.value !== field.defaultValue
  const given = [...field.options].findIndex(option => option.defaultSelected)
  return field.selectedIndex !== Math.max(0, given)
}

/** The owner is at work in it. */
const isInUse = part =>
  part.contains(document.activeElement) ||
  [...part.querySelectorAll('form[method="post"] :is(input, textarea, select)')].some(isTouched)

/** What was on its way has ended, or failed at first: the message above says so. Said again, it would be read out again. */
function tellOutcome() {
  const notice = document.querySelector('[data-done][data-delivered]')
  const { outcome, tone } = document.querySelector('[data-outcome]')?.dataset ?? {}
  const text = notice?.dataset[outcome]
  if (!text || notice.textContent === text) return
  notice.textContent = text
  notice.className = `notice ${tone}`
}

/**
 * Takes the parts that change from the page as it is now, and returns it. False: the sign-in has ended; null: no answer. Nothing is
 * taken where that is not wanted any more once the answer is there.
 */
async function refresh(isWanted = () => true) {
  const response = await fetch(location.href, { redirect: 'manual' }).catch(() => null)
  if (response?.type === 'opaqueredirect') return false
  const text = await response?.text().catch(() => null)
  if (typeof text !== 'string' || !(response.ok || response.status === 404)) return null
  const page = new DOMParser().parseFromString(text, 'text/html')
  if (!isWanted()) return page
  if (response.status === 404) showGone(page)
  document.title = page.title
  const icon = 'link[rel="icon"]'
  document.querySelector(icon).href = page.querySelector(icon).getAttribute('href')
  for (const part of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(part.id)
    if (!fresh || isInUse(part) || served.get(part.id) === asServed(fresh)) continue
    served.set(part.id, asServed(fresh))
    const open = [...part.querySelectorAll('details')].map(one => one.open)
    part.replaceChildren(...fresh.childNodes)
    part.querySelectorAll('details').forEach((one, index) => {
      if (open[index]) one.open = true
    })
    enhance(part)
  }
  tellOutcome()
  return page
}

const pauseMs = 1500

/** Calls at once, and then at most so often; `cancel` gives up the call that is due. */
function calmly(work, leastMs = pauseMs) {
  let last = 0
  let timer
  const call = () => {
    clearTimeout(timer)
    const wait = Math.max(0, last + leastMs - Date.now())
    timer = setTimeout(() => {
      last = Date.now()
      work()
    }, wait)
  }
  return Object.assign(call, { cancel: () => clearTimeout(timer) })
}

/** Browsers have six connections to a host for all of their tabs: one that is hidden keeps none. */
function whileSeen(open, close) {
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
  if (!document.hidden) open()
}

/** Says at the top of the page what a template holds, or no longer. */
function tell(isSo, id, template) {
  const shown = document.getElementById(id)
  if (!isSo) shown?.remove()
  else if (!shown)
    document
      .querySelector('main')
      .prepend(document.getElementById(template).content.cloneNode(true))
}

/** Whether the sign-in has ended, which no stream says. */
const tellOver = isOver => tell(isOver, 'over', 'session-over')

let unanswered = 0
/** Whether the page can be renewed. One failure is no more than a restart of the service. */
function tellStale(isStale) {
  unanswered = isStale ? unanswered + 1 : 0
  tell(unanswered > 1, 'stale', 'page-stale')
}

const watched = document.querySelector('[data-watch]')
if (watched) {
  let source
  const look = calmly(
    async () => {
      const page = await refresh()
      tellOver(page === false)
      tellStale(page === null)
      if (page === null && !document.hidden) setTimeout(look, pauseMs)
      if (page === false || !watched.isConnected) source.close()
    },
    Number(watched.dataset.calm ?? pauseMs),
  )
  const open = () => {
    if (document.hidden || !watched.isConnected) return
    source?.close()
    source = new EventSource(watched.dataset.watch)
    source.addEventListener('changed', look)
    source.addEventListener('open', look)
    source.addEventListener('error', async ({ target }) => {
      if (target !== source) return
      // A stream that was refused does not come back by itself.
      if (target.readyState !== EventSource.CLOSED) return tellStale(true)
      const page = await refresh()
      tellOver(page === false)
      tellStale(page === null)
      if (page !== false) setTimeout(open, pauseMs)
    })
  }
  whileSeen(open, () => source?.close())
}

/** The line above the events: whether they come live, and how many are new. */
function follow(line) {
  const [state, pause, fresh, again] = ['live', 'pause', 'fresh', 'again'].map(id =>
    document.getElementById(id),
  )
  const rows = document.getElementById('live-events')
  let last = line.dataset.after
  let count = 0
  let isPaused = false
  let pauses = 0
  let source
  const offer = () => {
    fresh.textContent = (count === 1 ? fresh.dataset.one : fresh.dataset.many).replace('#', count)
    fresh.hidden = count === 0
  }
  // The rows that are being read stay where they are.
  const isReading = () => scrollY >= 200 || rows.contains(document.activeElement)
  const show = calmly(async () => {
    if (isReading()) {
      offer()
      return lookAgain()
    }
    count = 0
    fresh.hidden = true
    const before = pauses
    if ((await refresh(() => pauses === before)) === null) showLater()
    else lookAgain()
  })
  // What is under way arrives in a moment, or fails.
  const lookAgain = () => document.querySelector('[data-under-way]') && showLater()
  // Seen again or resumed, the page is shown anew.
  const showLater = () => setTimeout(() => isPaused || document.hidden || show(), pauseMs)
  const say = (text, isOver = false) => {
    state.textContent = text
    again.hidden = !isOver
    if (isOver) pause.hidden = true
  }
  const open = () => {
    if (isPaused || document.hidden) return
    source?.close()
    source = new EventSource(`${line.dataset.stream}&after=${last}`)
    source.addEventListener('open', () => say(state.dataset.liveText))
    source.addEventListener('error', async ({ target }) => {
      say(state.dataset.lost)
      // A stream that was refused does not come back by itself.
      if (target.readyState !== EventSource.CLOSED) return
      const page = await refresh()
      if (page === false) return say(state.dataset.over, true)
      // The events after it may have expired. Rows that are being read are not those of the page.
      if (!rows.contains(document.activeElement))
        last = page?.querySelector('[data-stream]')?.dataset.after ?? last
      setTimeout(open, pauseMs)
    })
    source.addEventListener('message', ({ lastEventId }) => {
      last = lastEventId
      count += 1
      if (isReading()) offer()
      else show()
    })
  }
  whileSeen(open, () => source?.close())
  document.addEventListener('visibilitychange', () => document.hidden || isPaused || show())
  lookAgain()
  fresh.addEventListener('click', () => {
    scrollTo(0, 0)
    show()
  })
  pause.hidden = false
  pause.addEventListener('click', () => {
    isPaused = !isPaused
    pause.textContent = isPaused ? pause.dataset.resume : pause.dataset.pause
    if (!isPaused) {
      open()
      return show()
    }
    pauses += 1
    show.cancel()
    source.close()
    say('')
  })
}

const line = document.querySelector('[data-stream]')
if (line) follow(line)

// g and a letter leads to an area, j and k move in a table, Enter opens, / goes to the first field.
const areas = {
  o: '',
  w: '/webhooks',
  e: '/events',
  k: '/keys',
  c: '/connect',
  n: '/notices',
  p: '/erasure',
  s: '/status',
}
let before = ''
const isTyping = ({ target }) => target.closest('input, select, textarea, [contenteditable]')

function move(step) {
  const links = [...document.querySelectorAll('main tbody th a')]
  const index = links.indexOf(document.activeElement)
  links[Math.min(Math.max(index + step, 0), links.length - 1)]?.focus()
}

const keyboard = document.getElementById('keyboard')
for (const button of document.querySelectorAll('[data-keyboard]')) {
  button.hidden = false
  button.addEventListener('click', () => keyboard.showModal())
}

// Keys without Ctrl or Alt get in the way of speech input, so they can be switched off.
const useKeys = keyboard?.querySelector('input')
if (useKeys) {
  useKeys.checked = localStorage.getItem('keys') !== 'off'
  useKeys.addEventListener('change', () =>
    localStorage.setItem('keys', useKeys.checked ? 'on' : 'off'),
  )
}

addEventListener('keydown', event => {
  if (!useKeys?.checked) return
  if (keyboard.open || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
  const { key } = event
  const isArea = before === 'g' && key in areas
  before = key
  if (isArea) location.href = `/dashboard${areas[key]}`
  else if (key === 'j') move(1)
  else if (key === 'k') move(-1)
  else if (key === '?') keyboard.showModal()
  else if (key === '/') {
    const field = [
      ...document.querySelectorAll('main input:not([type="hidden"]), main summary'),
    ].find(one => one.checkVisibility())
    if (!field) return
    event.preventDefault()
    field.focus()
  }
})
