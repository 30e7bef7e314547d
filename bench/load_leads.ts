// Demo leads as the command `demo` makes them.
import { loadDemo, type OnProgress } from '../src/demo/load.ts'
import { withSql } from './session.ts'

export const loadLeads = (url: string, leads: number, onProgress: OnProgress): Promise<void> =>
  withSql(url, sql => loadDemo(sql, leads, onProgress))
