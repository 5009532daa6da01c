import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { hangUp, type Nodes, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

const closed = (otherwise: string) => ({
  type: 'time_rule',
  mode: 'closed',
  hours: {},
  closed_dates: [],
  branches: { open: 'bye', otherwise },
})
const menu = {
  type: 'ivr',
  media: null,
  options: [{ key: '1', title: 'One' }],
  branches: { 1: 'long', fallback: 'bye' },
}
const longWait = { type: 'waiting', media: null, seconds: 60, branches: { next: 'bye' } }

onAnyDatabase('why a call was missed', (open) => {
  test('follows the table, and a call of ten seconds is not short-abandoned', async () => {
    const office = await openOffice(open)
    const { ada, cem } = office
    await office.connect(ada)
    const rows: [why: string, nodes: Nodes, patience: number, script?: { press: string }[]][] = [
      // An agent was rung.
      ['short_abandoned', { ring: ringTo([toUser(ada)]), box: voicemail }, 9],
      ['agents_did_not_answer', { ring: ringTo([toUser(ada)]), box: voicemail }, 10],
      // A ring step was reached without an available agent; the duration is irrelevant.
      ['no_available_agent', { ring: ringTo([toUser(cem)]), box: voicemail }, 3],
      ['no_available_agent', { ring: ringTo([toUser(cem)], { max_wait_seconds: 60 }), box: voicemail }, 40],
      // No ring step.
      ['out_of_opening_hours', { rule: closed('box'), bye: hangUp, box: voicemail }, 2],
      ['out_of_opening_hours', { rule: closed('long'), bye: hangUp, long: longWait }, 20],
      ['short_abandoned', { menu, long: longWait, bye: hangUp }, 9],
      ['abandoned_in_ivr', { menu, long: longWait, bye: hangUp }, 10],
      ['short_abandoned', { long: longWait, bye: hangUp }, 9],
      ['abandoned_in_classic', { long: longWait, bye: hangUp }, 10],
      ['abandoned_in_classic', { menu, long: longWait, bye: hangUp }, 15, [{ press: '1' }]],
      // Out of hours, but an agent was rung: the ring step counts.
      ['agents_did_not_answer', { rule: closed('ring'), bye: hangUp, ring: ringTo([toUser(ada)]), box: voicemail }, 12],
    ]

    for (const [why, nodes, patience, script = []] of rows) {
      const line = await office.line(nodes)
      const id = await office.call(line, { patience, script })
      await office.pass(patience)
      const [hungup] = await office.payloads(id, 'hungup')
      expect([hungup?.missed_call_reason, hungup?.duration], `${why} after ${patience} s`).toEqual([why, patience])
    }
  })

  test('is in call.hungup already; answered and outbound calls have no missed reason', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })

    const answered = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'hang_up' })
    await office.callees({ '+33699000001': { no_answer: true } })
    const outbound = await office.dials(ada, line, '+33699000001')
    await pass(120)

    const reasons = async (id: number | null) =>
      (await office.payloads(id ?? 0)).map(({ missed_call_reason }) => missed_call_reason)
    expect(new Set(await reasons(answered))).toEqual(new Set([null]))
    expect(outbound.ok && new Set(await reasons(outbound.callId))).toEqual(new Set([null]))
  })
})
