import type { CallerStep } from '../domain/sandbox/script.ts'

/** One call that is to go a certain way: what the world is like, who calls, and what is expected. */
export interface FlowTest {
  name: string
  file: string
  line: number
  given: Given
  caller: { from: string; script: CallerStep[]; patienceSeconds: number | null }
  expect: Expectation
}

export interface Given {
  called: Called
  time: LocalTime
  /** In the order in which they came to work; whoever is not here has not come. */
  agents: { person: string; does: Behaviour }[]
}

/** The digits of a Number of the demo company, or a flow of the test's own. */
export type Called = { number: string } | { flow: unknown; timeZone: string; line: number }

/** Of the Number's own clock: the next such weekday, or that very date. */
export type LocalTime = { weekday: Weekday; time: string } | { date: string; time: string }

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

export const behaviours = ['decline', 'ignore', 'offline', 'busy', 'unavailable'] as const
export type Behaviour = { answerAfter: number; talk: number | null } | (typeof behaviours)[number]

export const ends = ['answered', 'voicemail', 'callback', 'missed'] as const
export type End = (typeof ends)[number]

/** What the call did. People are written by their full names. */
export interface Seen {
  path: string[]
  events: string[]
  rung: string[]
  answered_by: string | null
  missed_call_reason: string | null
  end: End
}

/** What is not told is not compared. */
export type Expectation = Partial<Seen>

/** The file cannot be meant as it stands. */
export class FlowTestMistake extends Error {}
