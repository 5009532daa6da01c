// Two users edit the same object. A form sends the values it had loaded; if another user has changed them since, the server
// rejects the request, and the user of this form chooses.

/** What another user or API client has saved since the form was loaded. */
export interface EditConflict {
  by: { id: number; name: string } | null
  via: 'user' | 'api' | 'unknown'
  at: string | null
  /** The values that differ, as they are now. */
  current: Record<string, unknown>
}

export interface ConflictQuestion {
  conflict: EditConflict
  loaded: Record<string, unknown>
  /** The values of the form. */
  mine: Record<string, unknown>
}

/** Save the values of the form · use the saved ones · neither, and return to the form. */
export type ConflictChoice = 'mine' | 'theirs' | 'edit'

let ask: ((question: ConflictQuestion) => Promise<ConflictChoice>) | undefined

/** The app shows the question; without one the request fails. Returns the function that ends it. */
export function whenInConflict(answer: (question: ConflictQuestion) => Promise<ConflictChoice>): () => void {
  ask = answer
  return () => {
    if (ask === answer) ask = undefined
  }
}

export const chooseInConflict = async (question: ConflictQuestion): Promise<ConflictChoice> =>
  ask ? ask(question) : 'edit'

/** The user has chosen the saved version: the form closes or shows it. Not an error to be displayed. */
export class EditDiscarded extends Error {
  constructor() {
    super('Your changes were discarded')
  }
}

/** The loaded values of the fields that the form saves. */
export const loadedOf = (body: object, loaded: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(loaded).filter(([name]) => name in body))

export const sameValue = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

/** JSON with sorted names: the order of properties has no meaning. Null and absent are the same. */
const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** The saved values are those of the form, such as after a request whose response was lost. */
export const isSettled = ({ conflict: { current }, mine }: ConflictQuestion): boolean =>
  Object.keys(current).every((name) => sameValue(current[name], mine[name]))

/** What another user has changed: a field, or a part of one. */
export interface Difference {
  field: string
  /** The id of a widget. */
  part?: string
  current: unknown
  loaded: unknown
  mine: unknown
}

type Parts = Record<string, unknown>

/** The widgets of a flow are changed independently of each other. */
const fieldsWithParts = new Set(['nodes'])

const isParts = (value: unknown): value is Parts => typeof value === 'object' && value !== null && !Array.isArray(value)

export const differencesIn = ({ conflict: { current }, loaded, mine }: ConflictQuestion): Difference[] =>
  Object.keys(current).flatMap((field): Difference[] => {
    const whole = { field, current: current[field], loaded: loaded[field], mine: mine[field] }
    const { current: now, loaded: before, mine: own } = whole
    if (!fieldsWithParts.has(field) || !isParts(now) || !isParts(before) || !isParts(own)) return [whole]
    return [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter((part) => !sameValue(now[part], before[part]))
      .map((part) => ({ field, part, current: now[part], loaded: before[part], mine: own[part] }))
  })

const isMine = ({ loaded, mine }: Difference) => !sameValue(mine, loaded)

/** What both have changed: saving one version overwrites the other. */
export const contested = (question: ConflictQuestion): Difference[] =>
  differencesIn(question).filter((one) => isMine(one) && !sameValue(one.mine, one.current))

/** The values of the form where the user has changed them, and the saved ones elsewhere. */
export function mergedWith(question: ConflictQuestion): Record<string, unknown> {
  const merged = { ...question.mine }
  for (const one of differencesIn(question)) {
    const { field, part, current } = one
    if (isMine(one)) continue
    const parts = merged[field]
    if (part === undefined || !isParts(parts)) merged[field] = current
    else
      merged[field] = Object.fromEntries(
        Object.entries({ ...parts, [part]: current }).filter(([, value]) => value !== undefined),
      )
  }
  return merged
}
