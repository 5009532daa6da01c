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
}

export const defaultAutopilot: Autopilot = {
  enabled: true,
  answer_after_seconds: 3,
  talk_seconds: null,
  decline_rate: 0,
  tag: null,
  comment: null,
  finish_wrap_up_after_seconds: null,
}

export interface Line {
  say: string
  seconds: number
}

/** A simulated customer who is called or messaged; omitted fields have defaults. */
export interface Behaviour {
  answer_after_seconds?: number
  busy?: boolean
  no_answer?: boolean
  talk_seconds?: number | null
  lines?: readonly Line[]
  message_status?: MessageStatus
  error_code?: number | null
  reply?: string | null
}

export const messageStatuses = ['delivered', 'read', 'undelivered', 'failed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Customers with a behavior of their own, and the default for all others. */
export interface Callees {
  default: Behaviour
  numbers: Record<string, Behaviour>
}

export const defaultCallees: Callees = { default: {}, numbers: {} }

export const behaviourOf = ({ default: usual, numbers }: Callees, number: string): Behaviour =>
  Object.hasOwn(numbers, number) ? { ...usual, ...numbers[number] } : usual
