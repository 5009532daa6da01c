import { expect, test } from 'vitest'
import { deleteInsights } from '../../src/features/calls/calls/results-store.ts'
import { onBothDatabases } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { talk } from './talk.ts'

const day = 24 * 3_600_000
const period = 'timezone=UTC&last_days=7'

onBothDatabases('the coaching list', (open) => {
  const opened = async () => {
    const office = await openOffice(open)
    const { a } = office
    await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
    await office.connect(office.ada)
    const list = async (more = '') => {
      const { status, json, text } = await a.own('GET', `/v1/intelligence/coaching?${period}${more}`)
      if (status !== 200) throw new Error(text)
      return json as { calls: { call: { id: number }; reasons: object[]; review: object | null }[]; total: number }
    }
    const ids = async (more = '') => (await list(more)).calls.map(({ call }) => call.id)
    return { office, list, ids }
  }

  test('has calls with the reasons to listen to them, the most serious first', async () => {
    const { office, list, ids } = await opened()
    const { a, db } = office
    const fine = await talk(office, 'Thank you, this is a great help, I am very happy.')
    const unhappy = await talk(office, 'My invoice is wrong and I am very unhappy.')
    const both = await talk(office, 'This is terrible, I am very angry about it.', 'Please call me back on Friday.')
    const long = await talk(office, 'I have a question about the lease.')
    const spoken = { internal_ms: 200_000, external_ms: 20_000, monologue_ms: 151_400 }
    await db.updateTable('transcript').set(spoken).where('call_id', '=', long.id).execute()
    const question = (text: string, points: number) => ({
      ...{ text, points, type: 'BINARY', strictness: 1, ai_enabled: false, phrases: [] },
    })
    const categories = [{ name: 'All', questions: [question('Greets', 10), question('Helps', 20)] }]
    const guide = { kind: 'scorecard', name: 'Service', active: true, scorecard: { categories } }
    const card = await a.own('POST', '/v1/intelligence/guides', guide)
    expect([card.status, card.text]).toEqual([201, expect.anything()])
    const answers = [{ answer: 'YES' }, { answer: 'NO' }]
    const evaluation = { scorecard_id: card.json.guide.id, answers }
    expect((await a.own('PUT', `/v1/calls/${both.id}/evaluations`, evaluation)).status).toBe(200)

    expect((await list()).calls.map(({ call, reasons }) => [call.id, reasons])).toEqual([
      [
        both.id,
        [
          { kind: 'low_score', value: 33 },
          { kind: 'negative_sentiment', value: null },
        ],
      ],
      [
        long.id,
        [
          { kind: 'monologue', value: 151 },
          { kind: 'talk_share', value: 91 },
        ],
      ],
      [unhappy.id, [{ kind: 'negative_sentiment', value: null }]],
    ])
    expect(await ids('&reason=monologue')).toEqual([long.id])
    expect(await ids(`&number_id=${unhappy.line.id}`)).toEqual([unhappy.id])
    expect(await ids(`&user_id=${office.bea}`)).toEqual([])
    expect(await ids('&team_id=999')).toEqual([])
    await db
      .updateTable('action_item')
      .set({ created_at: office.clock.now() - 4 * day })
      .execute()
    expect((await list('&reason=open_action_items')).calls).toMatchObject([
      { call: { id: both.id }, reasons: [{}, {}, { kind: 'open_action_items', value: 1 }] },
    ])
    expect(await ids()).not.toContain(fine.id)
  })

  test('keeps who has reviewed a call and the note, until it is reopened or deleted', async () => {
    const { office, list, ids } = await opened()
    const { a, db } = office
    const { id } = await talk(office, 'My invoice is wrong and I am very unhappy.')
    const review = (body: object) => a.own('PUT', `/v1/intelligence/coaching/${id}`, body)

    const { json } = await review({ reviewed: true, note: ' Apologize first. ' })
    expect(json.review).toMatchObject({ note: 'Apologize first.', reviewed_by: expect.any(String) })
    expect(await ids()).toEqual([])
    expect((await list('&reviewed=true')).calls).toMatchObject([{ call: { id }, review: json.review }])
    await review({ reviewed: false })
    expect([await ids(), await ids('&reviewed=true')]).toEqual([[id], []])
    await review({ reviewed: true })
    expect((await list('&reviewed=true')).calls[0]?.review).toMatchObject({ note: null })

    const entries = await db.selectFrom('audit').select(['action', 'target', 'details']).orderBy('n').execute()
    expect(entries.filter(({ target }) => target === `call:${id}`)).toEqual([
      { action: 'call.reviewed', target: `call:${id}`, details: null },
      { action: 'call.review_removed', target: `call:${id}`, details: null },
      { action: 'call.reviewed', target: `call:${id}`, details: null },
    ])
    await deleteInsights(db, a.id, [id])
    expect(await db.selectFrom('call_review').selectAll().execute()).toEqual([])
  })
})
