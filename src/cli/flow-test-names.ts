import { numbers, people, teams } from '../sandbox/demo-data.ts'

// The demo company is the same everywhere, so a test may call its people, teams and Numbers by their names.

export const fullNames = people.map(({ firstName, lastName }) => `${firstName} ${lastName}`)

/** The full name of whoever has this name or e-mail address. */
export function personCalled(text: string): string | undefined {
  const wanted = text.toLowerCase()
  return fullNames.find((name) => [name.toLowerCase(), emailOf(name)].includes(wanted))
}

const emailOf = (name: string) => `${name.replace(' ', '.')}@demo.test`.toLowerCase()

export const numberCalled = (text: string) =>
  numbers.find(({ digits, name }) => digits === text || name.toLowerCase() === text.toLowerCase())

const teamCalled = (text: string) => teams.findIndex(({ name }) => name.toLowerCase() === text.toLowerCase())

/** By place in the demo data. */
export interface DemoIds {
  users: readonly number[]
  teams: readonly number[]
  numbers: readonly number[]
}

/** Whatever ids the store has given: enough to judge a drawing. */
export const anyIds: DemoIds = { users: [1], teams: [1], numbers: [1] }

/** The flow with ids where it has names; a name that nobody has stays, and is no id. */
export function withIds(flow: unknown, ids: DemoIds): unknown {
  return JSON.parse(JSON.stringify(flow), (key, value) => {
    if (key === 'number_id') return idOf(value, numberPlace, ids.numbers)
    if (!isTarget(value)) return value
    const [place, list] = value.type === 'team' ? [teamCalled, ids.teams] : [personPlace, ids.users]
    return { ...value, id: idOf(value.id, place, list) }
  })
}

const personPlace = (text: string) => fullNames.indexOf(personCalled(text) ?? '')
const numberPlace = (text: string) => numbers.findIndex(({ digits }) => digits === numberCalled(text)?.digits)

const isTarget = (value: unknown): value is { type: 'user' | 'team'; id: unknown } =>
  typeof value === 'object' && value !== null && 'id' in value && 'type' in value && isTargetType(value.type)
const isTargetType = (type: unknown) => type === 'user' || type === 'team'

function idOf(value: unknown, place: (text: string) => number, ids: readonly number[]): unknown {
  if (typeof value !== 'string') return value
  const found = place(value)
  return found < 0 ? value : (ids[found] ?? ids[0])
}
