// Colours as the system has them, before the reader first paints, and whenever they change.
const reader = document.querySelector('rapi-doc')
const dark = matchMedia('(prefers-color-scheme: dark)')

const colours = {
  light: {
    theme: 'light',
    'bg-color': '#ffffff',
    'text-color': '#1b2430',
    'nav-bg-color': '#f4f6f8',
    'nav-text-color': '#33404f',
    'primary-color': '#0b5c8a',
  },
  dark: {
    theme: 'dark',
    'bg-color': '#12181f',
    'text-color': '#e4eaf0',
    'nav-bg-color': '#0c1116',
    'nav-text-color': '#c3ced9',
    'primary-color': '#6cbbe6',
  },
}

function paint() {
  for (const [name, value] of Object.entries(dark.matches ? colours.dark : colours.light))
    reader.setAttribute(name, value)
}

dark.addEventListener('change', paint)
paint()

// Where the list of operations has no room at the side, they stand below the introduction, to be unfolded.
const narrow = matchMedia('(max-width: 767px)')

function arrange() {
  reader.setAttribute('render-style', narrow.matches ? 'view' : 'focused')
}

narrow.addEventListener('change', arrange)
arrange()

// Its inner parts load no style sheet of ours.
const inner = new CSSStyleSheet()
inner.replaceSync(
  '@media (max-width: 767px) { td, .td { min-width: 0 !important; overflow-wrap: anywhere } }',
)

// What scrolls sideways can be scrolled by keyboard, too.
const watched = new WeakSet()

function reach(root) {
  for (const pre of root.querySelectorAll('pre')) pre.tabIndex = 0
  for (const nav of root.querySelectorAll('nav'))
    nav.ariaLabel = nav.part.contains('section-navbar') ? 'Operations' : 'Sections'
  for (const part of root.querySelectorAll('*')) if (part.shadowRoot) watch(part.shadowRoot)
}

function watch(root) {
  if (watched.has(root)) return
  watched.add(root)
  root.adoptedStyleSheets.push(inner)
  new MutationObserver(() => reach(root)).observe(root, { childList: true, subtree: true })
  reach(root)
}

customElements.whenDefined('rapi-doc').then(() => watch(reader.shadowRoot))
