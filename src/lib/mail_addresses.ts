// Addresses of e-mail as an owner writes them: plain, without names, in ASCII. Nothing in them can begin another header.

const addressesMax = 5
const lengthMax = 254
const addressForm =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i

export const isMailAddress = (text: string): boolean =>
  text.length <= lengthMax && addressForm.test(text)

/** Those of a list with commas; null: one is no address, or there are none or too many. */
export function readMailAddresses(text: string): string[] | null {
  const addresses = text.split(',').map(part => part.trim())
  const isOne = addresses.length <= addressesMax && addresses.every(isMailAddress)
  return isOne ? [...new Set(addresses)] : null
}
