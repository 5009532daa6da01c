import type { Mood } from '../../domain/intelligence/sentiment.ts'

/** Callers of the AI agent, which asks for the reason of the call and an order number. */
export interface IntakeTalk {
  mood: Mood
  summary: string
  next: string[]
  /** What the caller says, one line per turn; the caller hangs up after the last one. */
  caller: string[]
}

export const intakeTalks: IntakeTalk[] = [
  {
    mood: 'NEUTRAL',
    summary: 'The caller is waiting for a delivery and gave the order number. {robin} took the details.',
    next: ['Check the delivery date and inform the customer'],
    caller: ['I am waiting for my delivery.', 'It is {order}.', 'Yes.'],
  },
  {
    mood: 'NEUTRAL',
    summary: 'The caller wants to add beans to an order that has not been shipped.',
    next: ['Add beans to the order'],
    caller: ['I want to add beans to my order, it has not been shipped yet.', '{order}.', 'That is right.'],
  },
  {
    mood: 'NEUTRAL',
    summary: 'The caller asked about a lease and was connected to Sales.',
    next: [],
    caller: ['I have a question about a lease. Could I talk to a person, please?'],
  },
  {
    mood: 'NEGATIVE',
    summary: 'The caller reported a broken machine and asked for a person.',
    next: ['Book a technician for the broken machine'],
    caller: ['Our machine is broken and we are losing customers. I need a real person.'],
  },
  {
    mood: 'NEUTRAL',
    summary: 'The caller asked about an invoice and hung up before giving an order number.',
    next: [],
    caller: ['It is about an invoice from last month.', 'Sorry, I have to look for it.'],
  },
  {
    mood: 'POSITIVE',
    summary: 'The caller will pick up a repaired machine and asked for the opening hours.',
    next: ['Prepare the repaired machine for pick-up'],
    caller: [
      'Are you open on Friday? My machine is repaired and I would like to pick it up.',
      'It is {order}.',
      'Yes, thank you, that is great.',
    ],
  },
]
