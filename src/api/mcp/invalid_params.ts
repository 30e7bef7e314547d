// What the protocol's package answers to params of another shape: its validator's report. The client gets a sentence that says
// what would have been right, under the code of JSON-RPC for it.
import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isObject, type Json } from '../http/json_schema.ts'

/** An entry of the report. */
type Issue = { path: (string | number)[]; expected?: string }

const reportForm = /\[\s*\{.*\}\s*\]$/s

function issuesOf(text: string): Issue[] {
  try {
    const report: unknown = JSON.parse(reportForm.exec(text)?.[0] ?? '[]')
    return (report as Json[]).filter((one): one is Issue => Array.isArray(one.path))
  } catch {
    return []
  }
}

// The package's word for an object with members of any name.
const kindOf = (expected: string) => (expected === 'record' ? 'object' : expected)

const sentenceOf = ({ path, expected }: Issue) =>
  expected === undefined
    ? `${path.join('.')} is not as the protocol has it.`
    : `${path.join('.')} must be of type ${kindOf(expected)}.`

/** The answer with the report in words; every other answer as it is. */
export function withReadableReport(answer: string): string {
  // Data of the broker are never in an error, and never read here.
  if (!answer.includes('"error":{"code":-3260')) return answer
  const message: unknown = JSON.parse(answer)
  if (!isObject(message) || !isObject(message.error)) return answer
  const issues = issuesOf(String(message.error.message))
  if (issues.length === 0) return answer
  const text = issues.map(sentenceOf).join(' ')
  return JSON.stringify({
    ...message,
    error: { code: ProtocolErrorCode.InvalidParams, message: text },
  })
}
