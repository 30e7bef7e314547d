/** Attempts of one delivery in all (spec 6, rule 3). */
export const attemptsMax = 5

/** Final failures in a row that pause a subscription (spec 6, rule 5). In SQL: hook_failures_max. */
export const finalFailuresMax = 10
