// Behavior of simulated users and customers, as the sandbox API sets and stores it.

/** A simulated user. */
export interface Autopilot {
  enabled: boolean
  /** Null: never. */
  answer_after_seconds: number | null
  /** Null: until the other party hangs up. */
  talk_seconds: number | null
  decline_rate: number
  tag: number | null
  comment: string | null
  /** Null: waits for the timeout. */
  finish_wrap_up_after_seconds: number | null
  /** Spoken one after the other, each as soon as no other participant speaks. */
  says: readonly ScriptLine[]
}

export const defaultAutopilot: Autopilot = {
  enabled: true,
  answer_after_seconds: 3,
  talk_seconds: null,
  decline_rate: 0,
  tag: null,
  comment: null,
  finish_wrap_up_after_seconds: null,
  says: [],
}

export interface ScriptLine {
  say: string
  seconds: number
}

/** A simulated customer who is called or messaged; omitted fields have defaults. */
export interface CustomerBehaviour {
  answer_after_seconds?: number
  busy?: boolean
  no_answer?: boolean
  talk_seconds?: number | null
  /** Keys pressed two seconds after the answer, for example to agree to a recording. */
  press?: string | null
  /** `over`: does not wait for an AI agent to finish. */
  lines?: readonly (ScriptLine & { over?: true })[]
  message_status?: SimulatedStatus
  error_code?: number | null
  reply?: string | null
}

export const simulatedStatuses = ['delivered', 'read', 'undelivered', 'failed'] as const
export type SimulatedStatus = (typeof simulatedStatuses)[number]

/** Customers with a behavior of their own, and the default for all others. */
export interface Callees {
  default: CustomerBehaviour
  numbers: Record<string, CustomerBehaviour>
}

export const defaultCallees: Callees = { default: {}, numbers: {} }

export const behaviourOf = ({ default: defaultBehaviour, numbers }: Callees, number: string): CustomerBehaviour =>
  Object.hasOwn(numbers, number) ? { ...defaultBehaviour, ...numbers[number] } : defaultBehaviour
