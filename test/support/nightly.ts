// What takes long and seldom breaks is left to the run of the night.

/** Set by `bun run nightly`. */
export const isNightly = process.env.NIGHTLY !== undefined

/** Behind the title of a test that is left out. */
export const unlessNightly = isNightly ? '' : ' (left out: bun run nightly)'
