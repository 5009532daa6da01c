import type { Mood } from '../../domain/intelligence/sentiment.ts'

/** Conversations with the AI agent, which asks for the reason of the call and an order number. */
export interface IntakeTalk {
  mood: Mood
  end: 'answered' | 'escalated' | 'caller_hung_up'
  /** Null: the caller hung up before. */
  reason: string | null
  summary: string
  next: string[]
  talk: string
}

const greeting = 'A: Hello, this is {robin}, the digital assistant. What is it about?'
const goodbye = 'A: Thank you. A colleague will take care of it. Goodbye.'

export const intakeTalks: IntakeTalk[] = [
  {
    mood: 'NEUTRAL',
    end: 'answered',
    reason: 'I am waiting for my delivery',
    summary: 'The caller is waiting for a delivery and gave the order number. {robin} took the details.',
    next: ['Check the delivery date and inform the customer'],
    talk: `${greeting}
C: I am waiting for my delivery.
A: What is your order number?
C: It is {order}.
A: I understood {order}. Is that correct?
C: Yes.
${goodbye}`,
  },
  {
    mood: 'NEUTRAL',
    end: 'answered',
    reason: 'I want to add beans to my order',
    summary: 'The caller wants to add beans to an order that has not been shipped.',
    next: ['Add beans to the order'],
    talk: `${greeting}
C: I want to add beans to my order.
A: What is your order number?
C: {order}.
A: I understood {order}. Is that correct?
C: That is right.
${goodbye}`,
  },
  {
    mood: 'NEUTRAL',
    end: 'escalated',
    reason: 'A question about a lease',
    summary: 'The caller asked about a lease and was connected to Sales.',
    next: [],
    talk: `${greeting}
C: I have a question about a lease. Could I talk to a person, please?
A: Of course. I will connect you with a colleague.`,
  },
  {
    mood: 'NEGATIVE',
    end: 'escalated',
    reason: 'The machine is broken',
    summary: 'The caller reported a broken machine and asked for a person.',
    next: ['Book a technician for the broken machine'],
    talk: `${greeting}
C: Our machine is broken and we open in an hour. I need a real person.
A: I understand. I will connect you with a colleague right away.`,
  },
  {
    mood: 'NEUTRAL',
    end: 'caller_hung_up',
    reason: null,
    summary: 'The caller hung up before giving an order number.',
    next: [],
    talk: `${greeting}
C: Oh. I will send an e-mail instead.`,
  },
  {
    mood: 'POSITIVE',
    end: 'answered',
    reason: 'The repair is done and I would like to pick it up',
    summary: 'The caller will pick up a repaired machine and asked for the opening hours.',
    next: ['Prepare the repaired machine for pick-up'],
    talk: `${greeting}
C: Are you open on Friday? The repair is done and I would like to pick it up.
A: We are open from nine to six. What is your order number?
C: {order}, and thank you, that is great.
${goodbye}`,
  },
]
