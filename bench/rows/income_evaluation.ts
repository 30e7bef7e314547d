// income_evaluation: how many of the incomes go, and how much of what goes is one, by category.
import { judgeCases, scoresOf } from '../../test/support/income/income_evaluation.ts'
import type { Bench } from '../bench.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'

const recall = { atLeast: 99 }
const precision = { atLeast: 97 }
const percent = (share: number) => Math.round(share * 1000) / 10

export const incomeEvaluation: Row = {
  name: 'income_evaluation',
  measures:
    'recall and precision of the rule about raw income, over the cases of test/support/income',
  reaches: { 'recall, all': recall, 'precision, all': precision },
  // The rule needs no rows: the least demo there is.
  async run(bench: Bench) {
    const { url } = await bench.database(100)
    const scores = await withSql(url, async sql => scoresOf(await judgeCases(sql)))
    return scores.flatMap((score): Figure[] => [
      {
        name: `recall, ${score.category}`,
        value: percent(score.recall),
        unit: '%',
        reach: recall,
        detail: `${score.gone} of ${score.go} gone`,
      },
      {
        name: `precision, ${score.category}`,
        value: percent(score.precision),
        unit: '%',
        reach: precision,
        detail: `${score.stayed} of ${score.stay} stayed`,
      },
    ])
  },
}
