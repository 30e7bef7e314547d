// One setting: how its text is read, what holds without it, what is said of it.
import type { KeptFile } from './data_dir.ts'

export type Setting<Value> = {
  /** Throws an Error whose message completes the sentence "NAME must be …". */
  parse(text: string): Value
  default: Value
  description: string
  /** Completes "NAME must be …, such as …"; where there is none, the default does. */
  example?: string
  secret?: boolean
  /** Where in DATA_DIR the service keeps a value that it made, because this was unset. */
  file?: KeptFile
}

export const setting = <Value>(value: Setting<Value>): Setting<Value> => value
