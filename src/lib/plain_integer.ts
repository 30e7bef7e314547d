// Whole numbers as text, such as cursors.

const form = /^(0|[1-9]\d{0,15})$/

/** In plain decimal digits, and small enough for JSON to keep it exact; else undefined. */
export function readPlainInteger(text: string): number | undefined {
  const value = Number(text)
  return form.test(text) && Number.isSafeInteger(value) ? value : undefined
}
