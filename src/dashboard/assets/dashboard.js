// Times in the viewer's zone, copy buttons, the live feed. Without it every page works, in UTC and by reloading.
const language = document.documentElement.lang === 'de' ? 'de-DE' : 'en-GB'
const format = new Intl.DateTimeFormat(language, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

function showLocally(time) {
  const at = new Date(time.dateTime)
  time.textContent = format.format(at)
  time.title = at.toISOString()
}

for (const time of document.querySelectorAll('time')) showLocally(time)

function offerCopy(button) {
  const offered = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    button.textContent = button.dataset.copy
    setTimeout(() => {
      button.textContent = offered
    }, 2000)
  })
}

if (navigator.clipboard)
  for (const button of document.querySelectorAll('[data-copy]')) offerCopy(button)

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}

const rowsMax = 200

function cell(row, name, ...content) {
  const td = row.insertCell()
  td.dataset.name = name
  td.append(...content)
}

function addEvent(tail, event) {
  const names = JSON.parse(tail.dataset.names)
  const columns = JSON.parse(tail.dataset.columns)
  const row = tail.tBodies[0].insertRow(0)
  const link = document.createElement('a')
  link.href = `/dashboard/events/${event.cursor}`
  link.textContent = event.cursor
  const type = document.createElement('small')
  type.className = 'muted'
  type.textContent = event.event_type
  const time = document.createElement('time')
  time.dateTime = event.occurred_at
  showLocally(time)
  cell(row, columns[0], link)
  cell(
    row,
    columns[1],
    names[event.event_type] ?? event.event_type,
    document.createElement('br'),
    type,
  )
  cell(row, columns[2], time)
  cell(row, columns[3], `${event.object_type} ${event.object_id}`)
  row.lastElementChild.className = 'long'
  while (tail.tBodies[0].rows.length > rowsMax) tail.tBodies[0].deleteRow(-1)
}

function follow(tail) {
  const state = document.getElementById('live')
  const button = document.getElementById('pause')
  let last = tail.dataset.after
  let source
  const open = () => {
    source = new EventSource(`${tail.dataset.stream}&after=${last}`)
    source.addEventListener('open', () => {
      state.textContent = state.dataset.live
    })
    source.addEventListener('error', () => {
      state.textContent = state.dataset.lost
    })
    source.addEventListener('event', ({ data, lastEventId }) => {
      last = lastEventId
      document.getElementById('empty')?.remove()
      tail.hidden = false
      addEvent(tail, JSON.parse(data))
    })
  }
  open()
  button.hidden = false
  button.addEventListener('click', () => {
    const paused = source.readyState === EventSource.CLOSED
    if (paused) open()
    else source.close()
    button.textContent = paused ? button.dataset.pause : button.dataset.resume
    if (!paused) state.textContent = ''
  })
}

const tail = document.querySelector('[data-stream]')
if (tail) follow(tail)
