import type { Flow } from '../../domain/flow/document.ts'
import type { Autopilot, CustomerBehaviour } from '../../domain/sandbox/people.ts'
import type { CallerStep } from '../../domain/sandbox/script.ts'
import type { Random } from '../../lib/random.ts'
import type { UserAction } from '../user-action.ts'

// A scenario is planned before it starts: which steps, and how long after the start. Planning uses no clock and no database;
// the same office, parameters and seed give the same plan.

export interface Scenario {
  name: string
  description: string
  parameters: Record<string, ScenarioParameter>
  /** `lacks` completes the sentence "The company needs …". */
  plan(office: Office, given: ParameterValues, random: Random): ScheduledStep[] | { lacks: string }
}

export interface ScenarioParameter {
  type: 'integer' | 'number'
  default: number
  description: string
  min: number
  max: number
}

/** The value of a parameter. */
export type ParameterValues = (name: string) => number

/** `after` is in seconds. */
export type ScheduledStep = ScenarioStep & { after: number }

/** Stored in jobs: the field names `do` and `wish` cannot change. */
export type ScenarioStep =
  | { do: 'call'; from: string; to: string; script: CallerStep[]; patience: number | null }
  | { do: 'act'; userId: number; wish: UserAction }
  /** Null: autopilot off. */
  | { do: 'autopilot'; userId: number; autopilot: Autopilot | null }
  | { do: 'callees'; numbers: Record<string, CustomerBehaviour> }
  | { do: 'campaign'; userId: number; numbers: string[] }

/** Confirmed users and all Numbers of the company. */
export interface Office {
  at: number
  userIds: number[]
  lines: ScenarioNumber[]
  tagIds: number[]
}

export interface ScenarioNumber {
  id: number
  digits: string
  validated: boolean
  recording: boolean
  timeZone: string
  flow: Flow
  /** Users that the flow rings, by ID. */
  ringers: number[]
  /** Users who may call from it. */
  linked: number[]
}

/** Name of the sessions that a scenario opens; other sessions are not touched. */
export const session = 'scenario'

export const connect = (userId: number, after: number): ScheduledStep =>
  actionStep(userId, after, { action: 'connect', session })
export const disconnect = (userId: number, after: number): ScheduledStep =>
  actionStep(userId, after, { action: 'disconnect', session })
export const actionStep = (userId: number, after: number, action: UserAction): ScheduledStep => ({
  after,
  do: 'act',
  userId,
  wish: action,
})

/** A random number from the range reserved for fiction. */
export const fictionalCaller = (random: Random): string => `+33199${String(random.integer(100_000, 999_999))}`

export const hasWidget = ({ flow }: ScenarioNumber, type: Flow['nodes'][string]['type']): boolean =>
  Object.values(flow.nodes).some((widget) => widget.type === type)

export const seedParameter: ScenarioParameter = {
  type: 'integer',
  default: 42,
  description: 'The same seed gives the same run',
  min: 0,
  max: 999_999_999,
}

export const count = (of: string, defaultValue: number, max: number): ScenarioParameter => ({
  type: 'integer',
  default: defaultValue,
  description: of,
  min: 1,
  max,
})

export const rateParameter = (of: string, defaultValue: number): ScenarioParameter => ({
  type: 'number',
  default: defaultValue,
  description: of,
  min: 0,
  max: 1,
})
