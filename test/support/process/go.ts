// Go for programs that are built once and run for a moment. Where nothing is compiled yet, as in CI, the standard library comes
// first: without optimizing, C, debugging information and the compiler's own garbage collection it is half the work.
export const goEnvironment = {
  ...(process.env as Record<string, string>),
  GOTOOLCHAIN: 'local',
  // Nothing is fetched: the standard library is all that is needed.
  GOPROXY: 'off',
  GOWORK: 'off',
  GOGC: 'off',
  CGO_ENABLED: '0',
  GOFLAGS: `'-gcflags=all=-N -l -dwarf=false' '-ldflags=-s -w'`,
}
