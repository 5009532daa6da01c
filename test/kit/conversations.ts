import { writeFileSync } from 'node:fs'
import { insertInsight } from '../../src/features/intelligence/results/store.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { inDataDir, type TestApp } from './app.ts'
import { addCall, caller } from './calls.ts'

// Conversations of past calls. The dialogue is stored as by the simulator and processed by the jobs.

export const onEverywhere = { enabled: true, language: null, numbers: [] }

const question = { type: 'BINARY', points: 10, strictness: 1, ai_enabled: true }
export const guides = {
  topic: { kind: 'topic', name: 'Crates', active: true, topic: { keywords: ['crate'] } },
  playbook: {
    kind: 'playbook',
    name: 'Complaints',
    active: true,
    playbook: {
      language: 'en',
      topics: [
        { name: 'Greeting', phrases: ['thank you for calling'] },
        { name: 'Discount', phrases: ['offer you a discount'] },
      ],
    },
  },
  summary: {
    kind: 'summary_template',
    name: 'For the CRM',
    active: true,
    summary_template: {
      language: 'en',
      sections: [
        { name: 'Reason', type: 'PARAGRAPH', extractor: 'reason' },
        { name: 'Next', type: 'BULLET_POINTS', extractor: 'next_steps' },
      ],
    },
  },
  scorecard: {
    kind: 'scorecard',
    name: 'Quality',
    active: true,
    scorecard: {
      description: 'Every call',
      categories: [
        {
          name: 'Opening',
          questions: [
            { ...question, text: 'Greets?', phrases: ['thank you for calling'] },
            { ...question, text: 'Asks for the order?', phrases: ['your order number'] },
            { ...question, text: 'Friendly?', type: 'RATING', points: 5, phrases: [] },
          ],
        },
      ],
    },
  },
}

/** `a:` is the agent, `c:` the customer; four seconds each. */
export const conversation = [
  'a: Thank you for calling, how can I help?',
  'c: My crates are broken and I am unhappy. Please call me back.',
  "a: I'll send you new ones. We do not offer a discount.",
]

/** A recorded call of the owner with this dialogue; resolves with its id once all outputs exist. */
export async function spokenCall(app: TestApp, dialogue: readonly string[] = conversation): Promise<number> {
  const { a, db, clock } = app
  const digits = `+3318000${String(clock.now()).slice(-4)}`
  const known = (await a.own('GET', '/v1/numbers')).json.numbers[0]
  const number = known ?? (await a.own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })).json.number
  const call = await addCall(app, a, { numberId: number.id, userId: a.ownerId }, { told: 'ended' })
  const joined = { company_id: a.id, call_id: call.id, user_id: a.ownerId, way: 'taken' as const, gave_at: null }
  await db
    .insertInto('call_party')
    .values({ ...joined, joined_at: call.startedAt, left_at: clock.now() })
    .execute()
  const lines = dialogue.map((line, place) => ({
    side: line.startsWith('a') ? 'left' : 'right',
    text: line.slice(2).trim(),
    startMs: place * 4_000,
    endMs: place * 4_000 + 3_500,
    at: call.startedAt + 10_000 + place * 4_000,
    phone: line.startsWith('a') ? null : caller,
  }))
  const ms = dialogue.length * 4_000
  const source = inDataDir(app, `take-${call.id}.score`)
  writeFileSync(source, JSON.stringify({ channels: 2, parts: [{ ms, left: 440, right: null }], lines }))
  await enqueue(
    db,
    'recording.convert',
    { companyId: a.id, callId: call.id, kind: 'recording', source, ms },
    clock.now(),
  )
  await app.settle()
  return call.id
}

/** With every output; those that need an LLM or a reviewer are written directly. */
export async function evaluatedCall(app: TestApp): Promise<{ id: number }> {
  const { a, db, clock } = app
  await a.own('PUT', '/v1/intelligence/settings', onEverywhere)
  for (const guide of Object.values(guides)) await a.own('POST', '/v1/intelligence/guides', guide)
  const id = await spokenCall(app)
  const csat = { score: 40, drivers: [{ polarity: 'NEGATIVE' as const, label: 'Broken crates' }] }
  await insertInsight(db, a.id, id, { kind: 'csat', engine: 'model', content: csat }, clock.now())
  const speaker = { side: 'external' as const, phone: caller }
  const utterance = { start: 4, end: 7.5, text: 'My crates are broken.', speaker, at: clock.now(), ms: 3_500 }
  const live = { language: 'en', utterances: [utterance] }
  await insertInsight(db, a.id, id, { kind: 'live', engine: 'model', content: live }, clock.now())
  return { id }
}
