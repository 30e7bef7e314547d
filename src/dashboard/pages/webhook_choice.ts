// What a form says of a webhook, what it was chosen from, and how that goes with what another tab saved since.
export type Given = { label: string; target_url: string; types: string[]; source: string }

type Choice = [label: string, target: string, types: string[]]

const targetOf = (text: string): string => (URL.canParse(text) ? new URL(text).href : text)

/** Of a webhook or of what a form says of it: equal texts are equal choices. */
export function choiceOf({ label, target_url, types }: Given): string {
  const choice: Choice = [label, targetOf(target_url), types.toSorted()]
  return JSON.stringify(choice)
}

/** Null: it is no text of `choiceOf`. */
function choiceIn(text: string): Choice | null {
  try {
    const [label, target, types] = JSON.parse(text) as unknown[]
    const isChoice = typeof label === 'string' && typeof target === 'string' && Array.isArray(types)
    return isChoice ? [label, target, types.map(String)] : null
  } catch {
    return null
  }
}

/** What is saved, with what `given` changes of what it was chosen from. */
export function withChanges(saved: Given, given: Given, shown: string): Given {
  const before = choiceIn(shown)
  if (!before) return saved
  const [label, target, types] = before
  const kept = saved.types.filter(type => given.types.includes(type) || !types.includes(type))
  const added = given.types.filter(type => !types.includes(type) && !kept.includes(type))
  return {
    ...saved,
    label: given.label === label.trim() ? saved.label : given.label,
    target_url: targetOf(given.target_url) === target ? saved.target_url : given.target_url,
    types: [...kept, ...added],
  }
}
