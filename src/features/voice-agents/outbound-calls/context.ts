const maxValues = 100
const maxValueLength = 1_000

/** Why a value is no context of a call. */
export function contextProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '`context` must be an object'
  const entries = Object.entries(value)
  if (entries.length > maxValues) return `\`context\` may have at most ${maxValues} values`
  for (const [name, one] of entries) {
    const isFine = typeof one === 'number' || (typeof one === 'string' && one.length <= maxValueLength)
    if (!isFine) return `\`context.${name.slice(0, 64)}\` must be a String or a Number`
  }
  return undefined
}
