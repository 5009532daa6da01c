import { expect, test } from 'vitest'
import { applyRetention } from '../../src/features/calls/retention/clean.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { onAnyDatabase, type TestApp } from '../kit/app.ts'
import { conversation, evaluatedCall, guides, onEverywhere, spokenCall } from '../kit/conversations.ts'

const of = async ({ a }: TestApp, id: number, name: string) => (await a.api('GET', `/v1/calls/${id}/${name}`)).json
const eventsMatching = async (app: TestApp, word: RegExp) =>
  (await app.events(app.a)).filter(({ name }) => word.test(name))
const iso = expect.stringMatching(/^2026-.*\.\d{3}Z$/)

onAnyDatabase('topics, playbooks, summary templates and scorecards', (open) => {
  test('a call is compared with the playbook, by the speech of the agents', async () => {
    const app = await open()
    const { id } = await evaluatedCall(app)

    const result = {
      id: expect.any(Number),
      call_id: id,
      user_id: app.a.ownerId,
      number_id: expect.any(Number),
      adherence_score: 0.5,
      playbook_result_topics: [
        { name: 'Greeting', result: true },
        { name: 'Discount', result: false },
      ],
      created_at: iso,
    }
    expect(await of(app, id, 'playbook_result')).toEqual(result)
    expect((await of(app, id, 'playbook_result?fetch_playbook=true')).playbook).toEqual({
      id: expect.any(Number),
      name: 'Complaints',
      language: 'en',
    })
    const [event] = await eventsMatching(app, /^playbook/)
    expect(event).toEqual({ name: 'playbook_result.created', data: { ...result, call_uuid: expect.any(String) } })

    const path = `/v1/calls/${id}/playbook_result`
    const topics = [{ name: 'Discount', result: true }]
    expect((await app.a.own('PUT', path, { topics })).json).toMatchObject({ adherence_score: 1 })
    expect((await app.a.own('PUT', path, { topics: [{ name: 'Unknown', result: true }] })).status).toBe(400)
    expect((await eventsMatching(app, /^playbook/)).map(({ name }) => name)).toEqual([
      'playbook_result.created',
      'playbook_result.updated',
    ])
  })

  test('a custom summary consists of sentences of the call, and users can edit it', async () => {
    const app = await open()
    const { id } = await evaluatedCall(app)

    const section = { ai_generated: true, created_at: iso }
    expect(await of(app, id, 'custom_summary_result')).toMatchObject({
      custom_summary: { name: 'For the CRM' },
      language: 'en',
      summary_template_results: [
        { name: 'Reason', type: 'PARAGRAPH', content: 'My crates are broken and I am unhappy.', ...section },
        { name: 'Next', content: "- Please call me back.\n- I'll send you new ones.", ...section },
      ],
    })
    const path = `/v1/calls/${id}/custom_summary_result`
    const corrected = await app.a.own('PUT', path, { sections: [{ name: 'Reason', content: 'Broken crates' }] })
    const [reason, next] = corrected.json.summary_template_results
    expect(reason).toMatchObject({ content: 'Broken crates', ai_generated: false, updated_by: app.a.ownerId })
    expect(next).not.toHaveProperty('updated_at')
    const [made, changed] = await eventsMatching(app, /^custom_summary/)
    expect([made?.name, changed?.name]).toEqual(['custom_summary.result_created', 'custom_summary.result_updated'])
    expect(changed?.data.summary_template_results[0]).toEqual(reason)
  })

  test('a template that rules cannot fill gives no summary', async () => {
    const app = await open()
    const { a } = app
    await a.own('PUT', '/v1/intelligence/settings', onEverywhere)
    const [reason] = guides.summary.summary_template.sections
    const sections = [reason, { name: 'Advice', type: 'PARAGRAPH', extractor: null }]
    const summary_template = { language: 'en', sections }
    expect((await a.own('POST', '/v1/intelligence/guides', { ...guides.summary, summary_template })).status).toBe(201)

    const id = await spokenCall(app)

    expect((await a.api('GET', `/v1/calls/${id}/custom_summary_result`)).status).toBe(404)
    expect(await eventsMatching(app, /^custom_summary/)).toEqual([])
  })

  test('rules answer a scorecard where possible, points are computed, and a user’s evaluation prevails', async () => {
    const app = await open()
    const { a } = app
    const { id } = await evaluatedCall(app)
    const card = (await a.own('GET', '/v1/intelligence/guides')).json.guides.find(
      ({ kind }: { kind: string }) => kind === 'scorecard',
    )

    const score = { score_points: 10, total_points: 20, normalized_score: 50 }
    const made = await of(app, id, 'evaluations')
    expect(made).toMatchObject({
      call_id: id,
      ai_generated: true,
      created_by: null,
      updated_by: null,
      reviewed_at: null,
    })
    expect(made.evaluations).toMatchObject([
      {
        scorecard: { name: 'Quality', description: 'Every call' },
        reviewee_user_id: a.ownerId,
        reviewer_user_id: null,
        score,
        categories: [
          {
            name: 'Opening',
            order: 1,
            score,
            questions: [
              { order: 1, answer: 'YES', feedback: '“Thank you for calling”', ai_enabled: true, strictness: 1 },
              { order: 2, answer: 'NO' },
              { order: 3, type: 'RATING', answer: 'N/A', score: { score_points: 0, total_points: 0 } },
            ],
          },
        ],
      },
    ])

    const answers = [{ answer: 'YES' }, { answer: 'NO' }, { answer: 'GOOD', feedback: 'Patient' }]
    const put = (body: object) => a.own('PUT', `/v1/calls/${id}/evaluations`, body)
    const reviewed = await put({ scorecard_id: card.id, answers, feedback: 'Well done' })
    expect(reviewed.json).toMatchObject({ ai_generated: false, updated_by: a.ownerId, reviewed_at: iso })
    expect(reviewed.json.evaluations[0].score).toEqual({ score_points: 14, total_points: 25, normalized_score: 56 })
    expect(await of(app, id, 'evaluations')).toEqual(reviewed.json)
    expect((await put({ scorecard_id: card.id, answers: answers.slice(1) })).status).toBe(400)
    expect((await put({ scorecard_id: card.id, answers: [...answers].reverse() })).status).toBe(400)
    expect((await put({ scorecard_id: 999_999_999, answers })).status).toBe(400)
    const subset = { call_id: id, scorecard_name: 'Quality', reviewee_id: a.ownerId }
    expect(await eventsMatching(app, /^call_evaluation/)).toMatchObject([
      { name: 'call_evaluation.created', data: { ...subset, ai_generated: true, reviewer_id: null } },
      { name: 'call_evaluation.updated', data: { ...subset, ai_generated: false, reviewer_id: a.ownerId } },
    ])

    await a.api('DELETE', `/v1/calls/${id}/recording`)
    expect((await a.api('GET', `/v1/calls/${id}/evaluations`)).status).toBe(200)
    expect((await a.api('GET', `/v1/calls/${id}/playbook_result`)).status).toBe(404)
  })

  test('users add action items, and the company’s topics are found', async () => {
    const app = await open()
    const { id } = await evaluatedCall(app)

    const added = await app.a.own('POST', `/v1/calls/${id}/action_items`, { content: 'Check the supplier' })

    expect(added.json.action_item).toMatchObject({ ai_generated: false, created_by: app.a.ownerId })
    const { action_items } = await of(app, id, 'action_items')
    expect(action_items.at(-1)).toEqual(added.json.action_item)
    expect((await of(app, id, 'topics')).topic.content).toContain('Crates')
    expect((await eventsMatching(app, /^action_item/)).at(-1)?.data).toMatchObject({
      call_id: id,
      content: 'Check the supplier',
    })
  })

  test('guides are created, updated and deleted; one without its document is rejected', async () => {
    const { a } = await open()
    const { guide } = (await a.own('POST', '/v1/intelligence/guides', guides.topic)).json
    expect(guide).toEqual({ id: expect.any(Number), ...guides.topic, created_at: iso, updated_at: iso })

    const path = `/v1/intelligence/guides/${guide.id}`
    const off = { ...guides.scorecard, active: false }
    expect((await a.own('PUT', path, off)).json.guide).toMatchObject(off)
    expect((await a.own('PUT', path, { ...off, scorecard: undefined })).status).toBe(422)
    expect((await a.own('DELETE', path)).status).toBe(204)
    expect((await a.own('GET', '/v1/intelligence/guides')).json.guides).toEqual([])
  })

  test('a metric of the call answers a rating, and only a rating', async () => {
    const app = await open()
    const { a } = app
    const rating = { type: 'RATING', points: 8, strictness: 1, ai_enabled: true, phrases: [] }
    const card = (...questions: object[]) => ({
      ...guides.scorecard,
      scorecard: { categories: [{ name: 'Counted', questions }] },
    })
    const listens = { ...rating, text: 'Listens?', measure: 'talk_ratio' }
    const holds = { ...rating, text: 'Quick?', measure: 'hold_time' }
    await a.own('PUT', '/v1/intelligence/settings', onEverywhere)

    const made = await a.own('POST', '/v1/intelligence/guides', card(listens, holds))
    const id = await spokenCall(app)

    expect(made.json.guide.scorecard.categories[0].questions[0]).toEqual(listens)
    const { evaluations } = await of(app, id, 'evaluations')
    expect(evaluations[0].categories[0].questions).toMatchObject([
      { answer: 'FAIR', feedback: 'Our side spoke 67 % of the time' },
      { answer: 'EXCELLENT', feedback: '0 seconds on hold' },
    ])
    const wrong = await a.own('POST', '/v1/intelligence/guides', card({ ...listens, type: 'BINARY' }))
    expect([wrong.status, wrong.json.troubleshoot]).toEqual([400, '`measure` is possible for RATING questions only'])
  })

  test('settings accept Numbers of the company only, each once', async () => {
    const { a, b } = await open()
    const foreign = await b.own('POST', '/v1/numbers', { digits: '+33180000077', name: 'Theirs' })
    const number = { number_id: foreign.json.number.id, enabled: true, language: null }
    const put = (numbers: object[]) => a.own('PUT', '/v1/intelligence/settings', { ...onEverywhere, numbers })

    expect((await put([number])).status).toBe(400)
    const own = await a.own('POST', '/v1/numbers', { digits: '+33180000078', name: 'Ours' })
    const mine = { ...number, number_id: own.json.number.id, language: 'fr' }
    expect((await put([mine, mine])).status).toBe(400)
    expect((await put([mine])).json.settings).toEqual({ ...onEverywhere, numbers: [mine], vocabulary: [] })
    expect((await a.own('GET', '/v1/intelligence/settings')).json.settings.numbers).toEqual([mine])
  })

  test('the vocabulary is a short list of terms that stays until it is replaced', async () => {
    const { a } = await open()
    const path = '/v1/intelligence/settings'
    const put = (vocabulary?: string[]) => a.own('PUT', path, { ...onEverywhere, ...(vocabulary && { vocabulary }) })

    const stored = await put([' Lovelace ', 'Acme GmbH', 'Lovelace'])
    const unchanged = await put()
    const refused = [await put(['x'.repeat(61)]), await put(['  ']), await put(new Array(51).fill('Acme'))]

    expect(stored.json.settings.vocabulary).toEqual(['Lovelace', 'Acme GmbH'])
    expect(unchanged.json.settings.vocabulary).toEqual(['Lovelace', 'Acme GmbH'])
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await a.own('GET', path)).json.settings.vocabulary).toEqual(['Lovelace', 'Acme GmbH'])
    expect((await put([])).json.settings.vocabulary).toEqual([])
  })

  test('jobs that run twice publish no event twice', async () => {
    const app = await open()
    const { id } = await evaluatedCall(app)
    const before = (await app.events(app.a)).length

    for (const output of ['sentiment', 'topics', 'summary', 'action_items', 'evaluation'] as const) {
      await enqueue(app.db, 'call.analyse', { companyId: app.a.id, callId: id, output }, app.clock.now())
    }
    await enqueue(app.db, 'call.build_transcript', { companyId: app.a.id, callId: id }, app.clock.now())

    expect((await app.events(app.a)).length).toBe(before)
    expect(conversation).toHaveLength((await of(app, id, 'transcription')).transcription.content.utterances.length)
  })

  test('all results are deleted with a call past its retention', async () => {
    const app = await open()
    const { id } = await evaluatedCall(app)
    await app.db.updateTable('call').set({ started_at: 1_000 }).where('id', '=', id).execute()

    await applyRetention(app.app.services)

    for (const table of ['transcript', 'insight', 'action_item', 'evaluation'] as const) {
      expect(await app.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })
})
