import type { Availability } from '../../kit/ui/people.tsx'

/** The response of GET /app/v1/live; times are UNIX seconds. */
export interface Agent {
  id: number
  name: string
  email: string
  availability: Availability
  since: number
  teams: string[]
  call_ids: number[]
}

export type CallState = 'menu' | 'waiting' | 'ringing' | 'connected' | 'on_hold'

export interface LiveCall {
  id: number
  key: string
  line: 'simulated' | 'real'
  direction: 'inbound' | 'outbound'
  state: CallState
  from: string
  number: { id: number; name: string; digits: string } | null
  started_at: number
  answered_at: number | null
  waiting_since: number | null
  users: { id: number; name: string }[]
}

export interface Queue {
  number: { id: number; name: string }
  waiting: number
  longest_wait_seconds: number
  longest_since: number
}

export interface Live {
  now: number
  agents: Agent[]
  calls: LiveCall[]
  queues: Queue[]
}
