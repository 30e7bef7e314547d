// The signals that ask a process to end which may have started an embedded server: no other process would stop that one.

// A terminal that is closed would leave the server behind. Without a terminal this signal is nohup's, and stays ignored.
export const stopSignals = (): NodeJS.Signals[] =>
  process.stderr.isTTY ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
