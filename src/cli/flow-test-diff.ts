import type { Colours } from './event-line.ts'
import type { Expectation, ObservedCall } from './flow-test.ts'
import { printable } from './print.ts'

export interface Difference {
  field: string
  expected: unknown
  actual: unknown
}

export function differences(expected: Expectation, observed: ObservedCall): Difference[] {
  const actual = new Map<string, unknown>(Object.entries(observed))
  return Object.entries(expected)
    .map(([field, wanted]) => ({ field, expected: wanted, actual: actual.get(field) }))
    .filter((one) => JSON.stringify(one.expected) !== JSON.stringify(one.actual))
}

/** Missing items are red with a minus, unexpected items green with a plus. */
export function diffText({ field, expected, actual }: Difference, colours: Colours): string {
  const lines = editsBetween(itemsOf(expected), itemsOf(actual)).map(({ sign, item }) => {
    const line = `      ${sign} ${printable(item)}`
    if (sign === '-') return colours.bad(line)
    return sign === '+' ? colours.good(line) : colours.faint(line)
  })
  return [`    ${field}`, ...lines].join('\n')
}

const itemsOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).map((item) => String(item))

interface Edit {
  sign: ' ' | '-' | '+'
  item: string
}

/** The fewest removals and additions that lead from one list to the other. */
function editsBetween(from: readonly string[], to: readonly string[]): Edit[] {
  const commonFrom = commonLengths(from, to)
  const edits: Edit[] = []
  let [left, right] = [0, 0]
  while (left < from.length || right < to.length) {
    const [removed, added] = [from[left], to[right]]
    if (removed !== undefined && removed === added) {
      edits.push({ sign: ' ', item: removed })
      left++
      right++
    } else if (
      removed !== undefined &&
      (added === undefined || commonFrom(left + 1, right) >= commonFrom(left, right + 1))
    ) {
      edits.push({ sign: '-', item: removed })
      left++
    } else {
      edits.push({ sign: '+', item: added ?? '' })
      right++
    }
  }
  return edits
}

/** The length of the longest common subsequence, by the positions from which both lists are compared. */
function commonLengths(from: readonly string[], to: readonly string[]) {
  const known: number[][] = from.map(() => [])
  const lookUp = (left: number, right: number) => known[left]?.[right] ?? 0
  for (let left = from.length - 1; left >= 0; left--) {
    const row = known[left]
    for (let right = to.length - 1; row && right >= 0; right--) {
      const isSame = from[left] === to[right]
      row[right] = isSame ? lookUp(left + 1, right + 1) + 1 : Math.max(lookUp(left + 1, right), lookUp(left, right + 1))
    }
  }
  return lookUp
}
