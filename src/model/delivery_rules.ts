/** Attempts of one delivery in all (spec 6, rule 3). */
export const attemptsMax = 5

/** Final failures in a row that pause a subscription (spec 6, rule 5). In SQL: hook_failures_max. */
export const finalFailuresMax = 10

/** Whether so many final failures in a row pause a subscription. */
export const isPausedBy = (failures: number): boolean => failures >= finalFailuresMax
