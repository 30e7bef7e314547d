// An address of several hosts (postgres://user:password@a:5432,b:5432/name), for what takes one.

const hostsForm = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]+)(.*)$/

/** The same address once for each of its hosts. */
export function hostUrls(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = hostsForm.exec(url) ?? []
  const [first, ...others] = hosts.split(',').map(host => before + host + after)
  return hosts === '' ? [url] : [first ?? url, ...others]
}
