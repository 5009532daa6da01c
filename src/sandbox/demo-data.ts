import type { Role } from '../db/tables.ts'
import { classicFlow } from '../domain/flow/classic.ts'
import type { Flow } from '../domain/flow/document.ts'
import { alwaysOpen, type Hours } from '../domain/opening-hours.ts'
import { type AgentSettings, freshAgent } from '../features/voice-agents/agents/store.ts'

// Users, Numbers and texts of the demo companies. All phone numbers are from ranges reserved for fiction.

export interface Person {
  firstName: string
  lastName: string
  roles: Role[]
  timeZone: string
  language: string
}

const person = (firstName: string, lastName: string, roles: Role[], timeZone: string, language: string): Person => ({
  firstName,
  lastName,
  roles,
  timeZone,
  language,
})

export const people: Person[] = [
  person('Ada', 'Lindqvist', ['owner'], 'Europe/Paris', 'en-GB'),
  person('Bruno', 'Keller', ['admin'], 'Europe/Berlin', 'de-DE'),
  person('Chiara', 'Conti', ['supervisor', 'agent'], 'Europe/Rome', 'it-IT'),
  person('Dario', 'Ortega', ['agent'], 'Europe/Madrid', 'es-ES'),
  person('Elin', 'Novak', ['agent'], 'Europe/Paris', 'fr-FR'),
  person('Femke', 'Visser', ['agent'], 'Europe/Amsterdam', 'nl-NL'),
  person('Grace', 'Okafor', ['agent'], 'America/New_York', 'en-US'),
  person('Hugo', 'Marchand', ['agent'], 'Europe/Paris', 'fr-FR'),
]

export const secondPeople: Person[] = [
  person('Sam', 'Rivera', ['owner'], 'Europe/Paris', 'en-GB'),
  person('Tess', 'Rivera', ['agent'], 'Europe/Paris', 'en-GB'),
]

/** Index in `people`. */
export const teams = [
  { name: 'Support', members: [3, 4, 5, 7] },
  { name: 'Sales', members: [2, 6] },
  { name: 'Billing', members: [4, 5] },
]

/** Demo AI agent: answers the Number of Canada, and can start outbound calls. */
export const voiceAgent = (numberId: number | null): AgentSettings => ({
  ...freshAgent,
  name: 'Robin',
  firstMessage: 'Hello, this is Robin, the digital assistant.',
  goodbyeMessage: 'Thank you. A colleague will take care of it. Goodbye.',
  questions: [
    { key: 'reason', ask: 'What is it about?', kind: 'text', options: [], confirm: false },
    { key: 'order_number', ask: 'What is your order number?', kind: 'number', options: [], confirm: true },
  ],
  intents: [
    {
      name: 'Opening hours',
      phrases: ['open', 'opening hours'],
      reply: 'We are open from nine to six.',
      next: 'go_on',
    },
  ],
  numberId,
})

/** Demo AI agent of the campaign: asks customers whether they will be there when the technician comes. */
export const visitAgent: AgentSettings = {
  ...freshAgent,
  name: 'Nora',
  firstMessage:
    'Hello, this is Nora, the digital assistant. It is about the visit of our technician on Friday morning.',
  goodbyeMessage: 'Thank you, I have noted it. Goodbye.',
  questions: [{ key: 'comes', ask: 'Will you be there?', kind: 'yes_no', options: [], confirm: false }],
  intents: [],
  numberId: null,
}

const office: Hours = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((weekday) => [weekday, [['09:00', '18:00']]]),
)

export interface DemoNumber {
  digits: string
  name: string
  timeZone: string
  kind: 'flow' | 'classic'
  validated: boolean
  recording: boolean
  sentence: string
  /** Index in `people`. */
  linked: number[]
  flow: (ids: { users: number[]; teams: number[]; agentId?: string }) => Flow
}

const id = (list: number[], place: number) => list[place] ?? 0

export const numbers: DemoNumber[] = [
  {
    digits: '+33199000101',
    name: 'Main line',
    timeZone: 'Europe/Paris',
    kind: 'flow',
    validated: true,
    recording: true,
    sentence: 'Open all day, every day: a welcome, then the whole Support team rings for 30 s, then voicemail.',
    linked: [],
    flow: ({ teams }) => ({
      version: 1,
      start: 'hours',
      nodes: {
        hours: timeRule(alwaysOpen, 'welcome', 'night'),
        welcome: { type: 'audio', name: 'Welcome', media: null, branches: { next: 'ring' } },
        ring: ringTo('team', id(teams, 0), 'simultaneous', 30, 0, 'box'),
        box: voicemail('Leave a message'),
        night: voicemail('Out of hours'),
      },
    }),
  },
  {
    digits: '+14155550132',
    name: 'US menu',
    timeZone: 'America/New_York',
    kind: 'flow',
    validated: true,
    recording: true,
    sentence: 'A menu: 1 for Sales, 2 for Billing, anything else for Support; then voicemail.',
    linked: [0, 1],
    flow: ({ teams }) => ({
      version: 1,
      start: 'welcome',
      nodes: {
        welcome: { type: 'audio', name: 'Welcome', media: null, branches: { next: 'menu' } },
        menu: {
          type: 'ivr',
          name: 'Menu',
          media: null,
          options: [
            { key: '1', title: 'Sales' },
            { key: '2', title: 'Billing' },
          ],
          timeout_seconds: 5,
          tries: 2,
          branches: { '1': 'sales', '2': 'billing', fallback: 'support' },
        },
        sales: ringTo('team', id(teams, 1), 'longest_idle', 20, 0, 'box'),
        billing: ringTo('team', id(teams, 2), 'one_by_one', 20, 0, 'box'),
        support: ringTo('team', id(teams, 0), 'simultaneous', 30, 0, 'box'),
        box: voicemail('Leave a message'),
      },
    }),
  },
  {
    digits: '+442079460321',
    name: 'UK queue',
    timeZone: 'Europe/London',
    kind: 'flow',
    validated: true,
    recording: false,
    sentence: 'Weekdays 9 to 18: callers wait for Support up to 5 minutes and may ask to be called back.',
    linked: [],
    flow: ({ teams }) => ({
      version: 1,
      start: 'hours',
      nodes: {
        hours: timeRule(office, 'wait', 'night'),
        wait: {
          type: 'waiting',
          name: 'Waiting music',
          media: null,
          announce_position: true,
          announce_every_seconds: 60,
          callback: true,
          seconds: 0,
          branches: { next: 'ring', callback: 'later' },
        },
        ring: ringTo('team', id(teams, 0), 'longest_idle', 20, 300, 'box'),
        later: {
          type: 'callback',
          name: 'Call back',
          media: null,
          attempts: 3,
          retry_seconds: 300,
          expires_seconds: 86_400,
        },
        box: voicemail('Leave a message'),
        night: voicemail('Out of hours'),
      },
    }),
  },
  classicNumber(
    '+33199000202',
    'Classic line',
    [3, 4, 7],
    'A classic number, weekdays 9 to 18: rings Dario, Elin and Hugo together, then voicemail.',
  ),
  {
    digits: '+14165550177',
    name: 'Toronto office',
    timeZone: 'America/Toronto',
    kind: 'flow',
    validated: false,
    recording: true,
    sentence: 'Not validated yet: no call can be started from it; the AI agent Robin answers and transfers to Sales.',
    linked: [],
    flow: ({ teams, agentId }) => ({
      version: 1,
      start: agentId === undefined ? 'ring' : 'robin',
      nodes: {
        ...(agentId !== undefined && {
          robin: {
            type: 'ai_agent',
            name: 'Robin',
            agent_id: agentId,
            branches: { escalated: 'ring', unavailable: 'ring' },
          },
        }),
        ring: ringTo('team', id(teams, 1), 'random', 20, 0, 'box'),
        box: voicemail('Leave a message'),
      },
    }),
  },
]

export const secondNumber: DemoNumber = classicNumber(
  '+33199000303',
  'Front desk',
  [0, 1],
  'A classic number, weekdays 9 to 18: rings both users, then voicemail.',
)

function classicNumber(digits: string, name: string, linked: number[], sentence: string): DemoNumber {
  return {
    digits,
    name,
    timeZone: 'Europe/Paris',
    kind: 'classic',
    validated: true,
    recording: false,
    sentence,
    linked,
    flow: ({ users }) =>
      classicFlow({ hours: office, closedDates: [], mode: 'custom', userIds: linked.map((place) => id(users, place)) }),
  }
}

function timeRule(hours: Hours, open: string, otherwise: string) {
  return {
    type: 'time_rule' as const,
    name: 'Opening hours',
    mode: 'custom' as const,
    hours,
    closed_dates: [],
    branches: { open, otherwise },
  }
}

function ringTo(
  type: 'user' | 'team',
  target: number,
  strategy: 'simultaneous' | 'random' | 'longest_idle' | 'one_by_one',
  seconds: number,
  maxWait: number,
  otherwise: string,
) {
  return {
    type: 'ring_to' as const,
    targets: [{ type, id: target }],
    strategy,
    ring_seconds: seconds,
    max_wait_seconds: maxWait,
    branches: { no_answer: otherwise },
  }
}

const voicemail = (name: string) => ({
  type: 'voicemail' as const,
  name,
  media: null,
  max_seconds: 120,
  silence_seconds: 5,
})

export const tags = [
  { name: 'Question', color: '#2F80ED' },
  { name: 'Complaint', color: '#EB5757' },
  { name: 'Order', color: '#27AE60' },
  { name: 'Invoice', color: '#F2994A' },
  { name: 'Follow up', color: '#9B51E0' },
  { name: 'Spam', color: '#828282' },
  { name: 'Repair', color: '#0E9AA7' },
  { name: 'New customer', color: '#BB6BD9' },
]
