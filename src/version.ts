// The version of this program, as the package has it.
import packageJson from '../package.json' with { type: 'json' }

export const version: string = packageJson.version
