// fetch goes through HTTP_PROXY by itself, also to addresses of this machine.

const ownHosts = ['localhost', '127.0.0.1', '::1', '[::1]']

/** From here on fetch reaches these hosts without a proxy; as they are in an address. */
export function goWithoutProxy(hosts: readonly string[] = ownHosts): void {
  const { env } = process
  // Bun reads NO_PROXY only where the small spelling has nothing.
  const all = [env.no_proxy || env.NO_PROXY, ...hosts].filter(Boolean).join()
  env.no_proxy = all
  env.NO_PROXY = all
}
