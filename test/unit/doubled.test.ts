// What the verdict on a course of chaos takes for the doing of a killed process.
import { expect, test } from 'bun:test'
import { countDoubled } from '../support/chaos/doubled.ts'

const receipt = (at: number, connection = 1) => ({ at, connection, taken: true })
const lastUse = new Map([
  [1, 1_000],
  [2, 90_000],
])
const byKills = { byKills: 1, otherwise: 0 }
const otherwise = { byKills: 0, otherwise: 1 }

test('taken once: not doubled', () => {
  const refused = { ...receipt(500), taken: false }
  expect(
    countDoubled([refused, receipt(1_000)], { kills: [2_000], recorded: [], lastUse }),
  ).toEqual({ byKills: 0, otherwise: 0 })
})

test('a process that was killed before it recorded explains it, even after a long outage', () => {
  const evidence = { kills: [20_000], recorded: [900, 25_000], lastUse }
  expect(countDoubled([receipt(1_000), receipt(30_000, 2)], evidence)).toEqual(byKills)
})

test('a kill before it does not', () => {
  const evidence = { kills: [900], recorded: [], lastUse }
  expect(countDoubled([receipt(1_000), receipt(2_000, 2)], evidence)).toEqual(otherwise)
})

test('a kill does not when what began later was recorded before it', () => {
  const evidence = { kills: [20_000], recorded: [10_000], lastUse }
  expect(countDoubled([receipt(1_000), receipt(30_000, 2)], evidence)).toEqual(otherwise)
})

test('a kill of another process does not', () => {
  const evidence = { kills: [20_000], recorded: [], lastUse }
  expect(countDoubled([receipt(1_000, 2), receipt(30_000)], evidence)).toEqual(otherwise)
})
