import { roles } from './profile.ts'

// Details of audit log entries in words.

const labelOf = (text: string) => roles.find(({ value }) => value === text)?.label ?? text

/** Lists and changes in words: `Owner, Agent`, `Agent → Owner, Agent`, `Yes`. */
export function auditWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return labelOf(value)
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(auditWords).join(', ')
  if (typeof value !== 'object') return String(value)
  const { from, to, before, after, ...rest } = value as Record<string, unknown>
  const [old, fresh] = from !== undefined || to !== undefined ? [from, to] : [before, after]
  const changed = old !== undefined || fresh !== undefined ? [`${auditWords(old)} → ${auditWords(fresh)}`] : []
  const others = Object.entries(rest).map(([name, one]) => `${name.replaceAll('_', ' ')} ${auditWords(one)}`)
  return [...changed, ...others].join(', ') || 'None'
}
