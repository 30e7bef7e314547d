// growth: what a hundred times as many leads cost each GET. Searches have their own figures in `reads`.
import { basePath } from '../../src/operations/contract.ts'
import { median, quantile, type Row } from '../figures.ts'
import { startServiceProcess } from '../processes.ts'
import { type Samples, type Side, samplesOf, timesOf } from '../samples.ts'

const reach = { atMost: 1.3 }

const pathsOf = (samples: Samples): Record<string, string[]> => ({
  '/leads': ['/leads'],
  '/leads?offset=500': ['/leads?offset=500'],
  '/leads?status': ['/leads?status=new'],
  '/leads?include_archived': ['/leads?include_archived=true'],
  '/leads/{leadId}': samples.lead.map(id => `/leads/${id}`),
  '/leads/{leadId}/analysis': samples.analysed.map(id => `/leads/${id}/analysis`),
  '/kontakte': ['/kontakte'],
  '/kontakte/{key} by mail address': samples.mailKontakt.map(
    text => `/kontakte/${encodeURIComponent(text)}`,
  ),
  '/kontakte/{key}/haushalt': samples.kontakt.map(
    key => `/kontakte/${encodeURIComponent(key)}/haushalt`,
  ),
  '/appointments': ['/appointments'],
  '/appointments?status': ['/appointments?status=scheduled'],
  '/appointments?from': ['/appointments?from=2026-02-01T00:00:00Z'],
  '/meetings/{meetingId}/intelligence': samples.meeting.map(id => `/meetings/${id}/intelligence`),
  '/signals': ['/signals'],
  '/signals?status': ['/signals?status=open'],
})

export const growth: Row = {
  name: 'growth',
  measures: 'p50 of every other GET with a hundred times as many leads, one request at a time',
  async run(bench) {
    const { small, large } = bench.options.sizes
    const sides: Side[] = []
    for (const leads of [small, large]) {
      const database = await bench.database(leads)
      const paths = Object.entries(pathsOf(await samplesOf(database))).map(([name, own]) => [
        name,
        own.map(path => basePath + path),
      ])
      const running = await bench.keep(startServiceProcess(database))
      sides.push({ running, database, paths: Object.fromEntries(paths) })
    }
    return (await timesOf(bench, sides)).map(([name, [few = [], many = []]]) => {
      const shown = (share: number) =>
        [few, many].map(times => quantile(times, share).toFixed(2)).join(' → ')
      const detail = `p50 ${shown(0.5)} ms, p99 ${shown(0.99)} ms`
      return { name, value: median(many) / median(few), unit: '×', reach, detail }
    })
  },
}
