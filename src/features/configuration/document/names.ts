import { emailKey } from '../../../domain/email.ts'
import { badRequest } from '../../../http/errors.ts'
import { excerptOf, within } from './problems.ts'
import { type Fields, isFields, type Requests } from './requests.ts'

/** Names in place of ids: those of the document are valid in every company that has objects with these names. */
export class Directory {
  private readonly byId = new Map<string, string>()
  private readonly byName = new Map<string, number | string | 'ambiguous'>()
  private readonly kind: string
  private readonly keyOf: (name: string) => string

  constructor(
    kind: string,
    entries: readonly (readonly [id: unknown, name: unknown])[],
    keyOf = (name: string) => name,
  ) {
    this.kind = kind
    this.keyOf = keyOf
    for (const [id, name] of entries) {
      const key = keyOf(String(name))
      this.byId.set(String(id), String(name))
      this.byName.set(key, this.byName.has(key) ? 'ambiguous' : (id as number | string))
    }
  }

  /** The id itself if the name does not identify the object. */
  nameOf(id: unknown): unknown {
    if (id === null || id === undefined) return null
    const name = this.byId.get(String(id))
    return name === undefined || this.byName.get(this.keyOf(name)) === 'ambiguous' ? id : name
  }

  idOf(name: unknown): number | string | null {
    if (name === null || name === undefined) return null
    if (typeof name !== 'string' && typeof name !== 'number') throw badRequest(`a ${this.kind} must be named by a text`)
    const id = this.byName.get(this.keyOf(String(name)))
    if (id === 'ambiguous') throw badRequest(`several ${this.kind}s are named ${excerptOf(name)}; rename all but one`)
    if (id !== undefined) return id
    if (this.byId.has(String(name))) return name
    throw badRequest(`there is no ${this.kind} ${excerptOf(name)}`)
  }
}

export interface Names {
  users: Directory
  teams: Directory
  numbers: Directory
  agents: Directory
}

export async function companyNames(requests: Requests): Promise<Names> {
  const entries = async (route: string, list: string, name: string) =>
    (await requests.all(route, list)).map((one) => [one.id, one[name]] as const)
  const numbers = await requests.all('GET /v1/numbers', 'numbers')
  return {
    users: new Directory('user', await entries('GET /v2/users', 'users', 'email'), emailKey),
    teams: new Directory('team', await entries('GET /v1/teams', 'teams', 'name')),
    numbers: new Directory(
      'Number',
      numbers.map(({ id, digits }) => [id, plainDigits(digits)] as const),
    ),
    agents: new Directory('AI voice agent', await entries('GET /v1/ai_voice_agents', 'ai_voice_agents', 'name')),
  }
}

/** Ids of users in a list of email addresses. */
export const userIdsIn = (field: string, emails: unknown, { users }: Names): unknown[] =>
  (emails as unknown[]).map((email, n) => within(`${field}[${n}]`, () => users.idOf(email)))

/** Numbers are shown in international format: +33 1 99 00 07 77. */
export const plainDigits = (digits: unknown) => `+${String(digits).replace(/\D/g, '')}`

/** Ids in the widgets of a flow, and in the destinations of an AI voice agent, by names. */
export const withObjectNames = (value: unknown, names: Names): unknown =>
  mapped(value, (fields) => {
    if (isTarget(fields)) {
      const { id, ...rest } = fields
      return { ...rest, name: directoryOf(fields, names).nameOf(id) }
    }
    const { number_id, agent_id, ...rest } = fields
    return {
      ...rest,
      ...(number_id !== undefined && { number: names.numbers.nameOf(number_id) }),
      ...(agent_id !== undefined && { ai_voice_agent: names.agents.nameOf(agent_id) }),
    }
  })

export const withObjectIds = (value: unknown, names: Names): unknown =>
  mapped(value, (fields) => {
    if (isNamedTarget(fields)) {
      const { name, ...rest } = fields
      return { ...rest, id: directoryOf(fields, names).idOf(name) }
    }
    if (fields.type === 'go_to_number') {
      const { number, ...rest } = fields
      return { ...rest, number_id: names.numbers.idOf(number) }
    }
    if (fields.type !== 'ai_agent') return fields
    const { ai_voice_agent: agent, ...rest } = fields
    return { ...rest, agent_id: names.agents.idOf(agent) }
  })

const isTarget = ({ type, id }: Fields) => (type === 'user' || type === 'team') && id !== undefined
const isNamedTarget = ({ type, name }: Fields) => (type === 'user' || type === 'team') && name !== undefined
const directoryOf = ({ type }: Fields, { users, teams }: Names) => (type === 'team' ? teams : users)

function mapped(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(change(value)).map(([key, inner]) => [key, mapped(inner, change)]))
}
