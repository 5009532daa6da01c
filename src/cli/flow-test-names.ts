import { numbers, people, teams } from '../sandbox/demo-data.ts'

// The demo company is always the same, so tests refer to its users, teams and numbers by name.

export const fullNames = people.map(({ firstName, lastName }) => `${firstName} ${lastName}`)

/** The full name of the user with this name or email address. */
export function userByName(text: string): string | undefined {
  const wanted = text.toLowerCase()
  return fullNames.find((name) => [name.toLowerCase(), emailOf(name)].includes(wanted))
}

const emailOf = (name: string) => `${name.replace(' ', '.')}@demo.test`.toLowerCase()

export const numberByName = (text: string) =>
  numbers.find(({ digits, name }) => digits === text || name.toLowerCase() === text.toLowerCase())

const teamIndex = (text: string) => teams.findIndex(({ name }) => name.toLowerCase() === text.toLowerCase())

/** Ids in the order of the demo data. */
export interface DemoIds {
  users: readonly number[]
  teams: readonly number[]
  numbers: readonly number[]
}

/** Placeholder ids, sufficient to validate a flow. */
export const anyIds: DemoIds = { users: [1], teams: [1], numbers: [1] }

/** Replaces names in the flow by ids; unknown names are kept and rejected by the validation. */
export function withIds(flow: unknown, ids: DemoIds): unknown {
  return JSON.parse(JSON.stringify(flow), (key, value) => {
    if (key === 'number_id') return idOf(value, numberIndex, ids.numbers)
    if (!isTarget(value)) return value
    const [place, list] = value.type === 'team' ? [teamIndex, ids.teams] : [userIndex, ids.users]
    return { ...value, id: idOf(value.id, place, list) }
  })
}

const userIndex = (text: string) => fullNames.indexOf(userByName(text) ?? '')
const numberIndex = (text: string) => numbers.findIndex(({ digits }) => digits === numberByName(text)?.digits)

const isTarget = (value: unknown): value is { type: 'user' | 'team'; id: unknown } =>
  typeof value === 'object' && value !== null && 'id' in value && 'type' in value && isTargetType(value.type)
const isTargetType = (type: unknown) => type === 'user' || type === 'team'

function idOf(value: unknown, place: (text: string) => number, ids: readonly number[]): unknown {
  if (typeof value !== 'string') return value
  const found = place(value)
  return found < 0 ? value : (ids[found] ?? ids[0])
}
