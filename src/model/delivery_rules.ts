// The rules of delivery (spec part 6) that more than one part needs to know.

/** Final failures in a row that pause a subscription (rule 5). In SQL: hook_failures_max, and a check of hook_subscriptions. */
export const finalFailuresMax = 10

/** Seconds before the second attempt, the third, and so on, unless WEBHOOK_RETRY_DELAYS names others. */
export const retryDelays: readonly number[] = [10, 60, 300, 1_800]

/** Attempts of one delivery in all (rule 3). In SQL: a check of hook_outstanding. */
export const attemptsMax = retryDelays.length + 1

/** Requests under way at once to one subscription, unless WEBHOOK_CONCURRENCY names another number. */
export const hookConcurrency = 8
