import type { CallerStep } from '../domain/sandbox/script.ts'

/** One test: the preconditions, the caller, and the expected result. */
export interface FlowTest {
  name: string
  file: string
  line: number
  given: FlowTestSetup
  caller: { from: string; script: CallerStep[]; patienceSeconds: number | null }
  expect: Expectation
}

export interface FlowTestSetup {
  called: Called
  time: LocalTime
  /** In the order in which they connect; all others are offline. */
  agents: { user: string; does: AgentBehaviour }[]
}

/** The digits of a number of the demo company, or an inline flow. */
export type Called = { number: string } | { flow: unknown; timeZone: string; line: number }

/** In the time zone of the number: the next such weekday, or the date. */
export type LocalTime = { weekday: Weekday; time: string } | { date: string; time: string }

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

export const behaviours = ['decline', 'ignore', 'offline', 'busy', 'unavailable'] as const
export type AgentBehaviour = { answerAfter: number; talk: number | null } | (typeof behaviours)[number]

export const ends = ['answered', 'voicemail', 'callback', 'missed'] as const
export type End = (typeof ends)[number]

/** The observed result. Users are identified by their full names. */
export interface ObservedCall {
  path: string[]
  events: string[]
  rung: string[]
  answered_by: string | null
  missed_call_reason: string | null
  end: End
}

/** Omitted fields are not compared. */
export type Expectation = Partial<ObservedCall>

/** The file is invalid. */
export class InvalidFlowTest extends Error {}
