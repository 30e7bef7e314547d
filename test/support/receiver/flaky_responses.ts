// How a receiver of bad manners answers an event: by the event's id, and never badly a third time.

export type Mood = 'ok' | 'slow' | 'error' | 'reset' | 'close'

const bad: Mood[] = ['error', 'reset', 'close', 'slow']
const badTimes = 2
// Of so many answers one is of each bad kind.
const oneIn = 12

/** For the so many-th time, counted from 1, that it is asked for the event. */
export function moodOf(eventId: string, times: number): Mood {
  if (times > badTimes) return 'ok'
  const digits = Number.parseInt(eventId.slice(-6), 16)
  return bad[(times === 1 ? digits : Math.floor(digits / oneIn)) % oneIn] ?? 'ok'
}

/** Whether an event is one of those that the receiver never takes: so many of 16. */
export const isPoison = (eventId: string, of16: number): boolean =>
  Number.parseInt(eventId.slice(-1), 16) < of16

/** Whether the receiver has the event then. */
export const isTaken = (mood: Mood): boolean => mood === 'ok' || mood === 'slow'
