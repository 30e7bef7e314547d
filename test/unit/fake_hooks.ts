// A deliverer over a database and a receiver of a test's own: what it asks is noted, what it gets is the test's to say.
import type { Arguments, Database } from '../../src/db/database.ts'
import { type Deliverer, startDeliverer } from '../../src/delivery/deliverer.ts'
import { openLog } from '../../src/observability/log.ts'
import type { Reply } from '../../src/sending/sender.ts'
import { eventId, logEvents } from './subscription.ts'

type Owned = {
  no: number
  fence: number
  /** The fence under which its failures are counted from 0 again. */
  countedFrom?: number
  cursor?: number
  failures?: number
  retries?: number
  /** Missed while it was paused, and to be caught up with. */
  ranges?: { to: number; from: number; claimed_to: number }[]
  /** Another process is to have it. */
  surplus?: boolean
}

type Statement = { name: string; args: Arguments }

export type InFlight = {
  cursor: number
  to: string
  /** Statements that were asked before it was sent. */
  before: number
  answer(status: number): void
  fail(): void
}

export type FakeHooks = {
  deliverer: Deliverer
  /** Whom it owns, from the next look on. */
  owned: Owned[]
  /** Other answers than usual, by the name of the statement; used up in turn. */
  answers: Record<string, ((args: Arguments) => unknown)[]>
  statements: Statement[]
  of(name: string): Arguments[]
  /** Every request, in the order it was sent; those that are not answered are in flight. */
  sent: InFlight[]
  /** Answers at once with this status; undefined: each waits for its answer. */
  status: number | undefined
  /** Gives the next cursors to so many events. */
  sequence(count: number): void
  /** Cursors of attempts that were recorded, and under which fence. */
  recorded(): { cursor: number; fence: number; outcome: string }[]
}

const reply = (status: number): Reply => ({
  status,
  errorClass: status >= 200 && status < 300 ? null : 'status',
  retryAfterMs: null,
  excerpt: null,
  headers: null,
  durationMs: 1,
})

const cut: Reply = { ...reply(200), status: null, errorClass: 'connect' }

const type = 'lead.created'

const rowOf = ({ no, fence, cursor = 0, failures = 0, ...rest }: Owned) => ({
  no,
  fence,
  counted_from: rest.countedFrom ?? 0,
  surplus: rest.surplus ?? false,
  cursor,
  claimed_to: cursor,
  id: `subscription ${no}`,
  target_url: `https://hooks.example.com/${no}`,
  event_types: JSON.stringify([type]),
  secret: 's',
  old_secret: null,
  old_secret_leads: false,
  consecutive_failures: failures,
  ranges: JSON.stringify(rest.ranges ?? []),
  retries: rest.retries ?? 0,
})

export function startFakeHooks(
  owned: Owned[],
  {
    leaseMs = 60_000,
    drainMs = 5_000,
    delaysMs = [] as number[],
    lockKey = 1 as number | null,
  } = {},
): FakeHooks {
  let head = 0
  const usual: Record<string, (args: Arguments) => unknown> = {
    claimSubscriptions: () => fake.owned.map(rowOf),
    updateHookPositions: ({ nos }) => (nos as number[]).map(no => ({ no })),
    updateHookSkips: ({ nos }) => (nos as number[]).map(no => ({ no })),
    listLogEvents: ({ after }) => [
      ...logEvents(Number(after) + 1, head).map(({ cursor, id, body }) => ({
        cursor,
        event_type: type,
        event_id: id,
        occurred_ms: 0,
        body,
      })),
      { cursor: Math.max(head, Number(after)), event_type: null },
    ],
    recordAttempts: ({ counted_nos, counts }) =>
      (counted_nos as number[]).map((no, place) => ({
        id: `subscription ${no}`,
        consecutive_failures: (counts as number[])[place],
        paused: false,
      })),
    listEndedDeliveries: ({ nos }) =>
      (nos as number[]).flatMap(no => fake.recorded().map(({ cursor }) => ({ no, cursor }))),
  }
  const database = {
    async rows(name: string, args: Arguments) {
      fake.statements.push({ name, args })
      const answer = fake.answers[name]?.shift() ?? usual[name]
      return (await answer?.(args)) ?? []
    },
  } as unknown as Database
  const send = ({ url, body }: { url: string; body: string }) =>
    new Promise<Reply>(resolve => {
      const cursor = Number.parseInt(JSON.parse(body).id, 10)
      const answer = (status: number) => resolve(reply(status))
      const before = fake.statements.length
      fake.sent.push({ cursor, to: url, before, answer, fail: () => resolve(cut) })
      if (fake.status !== undefined) answer(fake.status)
    })
  const fake: FakeHooks = {
    deliverer: undefined as never,
    owned,
    answers: {},
    statements: [],
    of: name => fake.statements.filter(one => one.name === name).map(({ args }) => args),
    sent: [],
    status: undefined,
    sequence(count) {
      const after = head
      head += count
      fake.deliverer.onSequenced({
        after,
        to: head,
        types: fake.deliverer.wantedTypes(),
        events: logEvents(after + 1, head),
      })
    },
    recorded: () =>
      [...fake.of('recordDelivered'), ...fake.of('recordAttempts')].flatMap(args =>
        (args.cursors as number[]).map((cursor, place) => ({
          cursor,
          fence: (args.fences as number[])[place] as number,
          outcome: (args.outcomes as string[] | undefined)?.[place] ?? 'delivered',
        })),
      ),
  }
  fake.deliverer = startDeliverer({
    database,
    processorShare: () => undefined,
    sender: {
      send,
      close() {
        for (const one of fake.sent) one.fail()
      },
    },
    sign: () => ({}),
    log: openLog('silent'),
    delaysMs,
    leaseMs,
    drainMs,
    onCounted() {},
  })
  if (lockKey !== null) fake.deliverer.setLockKey(lockKey)
  return fake
}

/** A retry as it is claimed. */
export const dueRetry = (no: number, cursor: number, attempts = 1) => ({
  no,
  cursor,
  attempts,
  test: false,
  event_id: eventId(cursor),
  occurred_ms: 0,
  body: JSON.stringify({ id: eventId(cursor) }),
})
