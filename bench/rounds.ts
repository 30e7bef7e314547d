// Measures several subjects in turn, so that a slow minute of the machine falls on all of them.

export type Subject = { name: string; measure(): Promise<number> }

/** By subject, the figure of each round. The order changes with every round. */
export async function alternateRounds(
  subjects: readonly Subject[],
  rounds: number,
): Promise<number[][]> {
  const figures: number[][] = subjects.map(() => [])
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const place = (round + turn) % subjects.length
      figures[place]?.push((await subjects[place]?.measure()) ?? Number.NaN)
    }
  return figures
}

/** The setting with the highest figure. */
export async function best<Setting>(
  settings: readonly Setting[],
  measure: (setting: Setting) => Promise<number>,
): Promise<Setting> {
  let winner: { setting: Setting; figure: number } | undefined
  for (const setting of settings) {
    const figure = await measure(setting)
    if (!winner || figure > winner.figure) winner = { setting, figure }
  }
  if (!winner) throw new Error('no setting to choose from')
  return winner.setting
}
