// Directus runs owners' scripts in isolated-vm, which is built from source on installation. No read comes near it,
// so this stands in its place, and an installation needs no compiler.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) =>
    name === 'isolated-vm' ? { url: import.meta.url, shortCircuit: true } : next(name, context),
})

export default {}
