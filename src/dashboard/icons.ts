// Signs of the navigation, and the icon of the browser's tab, drawn by ourselves.
import { type Html, html } from './html.ts'

const shapes = {
  overview: 'M3 11l9-8 9 8M5 10v10h14V10M10 20v-6h4v6',
  webhooks: 'M4 12h11M11 7l5 5-5 5M20 4v16',
  events: 'M13 2L5 14h6l-1 8 8-12h-6z',
  keys: 'M15 9a5 5 0 1 0-4.6 5L13 16.5h3v3h3v-4l-4.3-4.3A5 5 0 0 0 15 9zM8.5 8.5h.01',
  privacy: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4',
  system: 'M4 5h16v6H4zM4 13h16v6H4zM7 8h.01M7 16h.01',
  docs: 'M5 4h10l4 4v12H5zM9 12h6M9 16h6',
  brand: 'M4 6l4 12 4-9 4 9 4-12',
}

type IconName = keyof typeof shapes

export const icon = (name: IconName): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${shapes[name]}"/></svg>`

const tabIcon = (colour: string, inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/>${inner}</svg>`

const white = 'fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round"'

/** Red, with a mark, when a webhook needs the owner. */
export const tabIcons = {
  well: tabIcon('#0b57c9', `<path d="M8 10l4 12 4-9 4 9 4-12" ${white} stroke-linejoin="round"/>`),
  trouble: tabIcon('#b3261e', `<path d="M16 8v10M16 24v.01" ${white}/>`),
}
