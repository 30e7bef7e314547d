// A start or a command that the configuration does not allow.

/** Its sentence names the setting, and the same start fails again until that, or what it names, is changed: exit code 2. */
export class ConfigError extends Error {}
