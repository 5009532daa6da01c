import { Type } from 'typebox'
import { type Tx, transaction } from '../../../db/database.ts'
import { adherenceOf } from '../../../domain/intelligence/playbook.ts'
import type { Caller, Feature } from '../../../http/caller.ts'
import { ApiError, badRequest, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, oneOf, text } from '../../../http/schemas.ts'
import { callOutputs } from '../../../jobs/payloads.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { userIdOf } from '../../accounts/index.ts'
import { type Call, loadCall, lockCall } from '../../calls/index.ts'
import { publish } from '../../publishing/index.ts'
import { transcriptKey } from './speech-jobs.ts'
import { findInsight, findTranscript, insertActionItem, updateInsight } from './store.ts'
import {
  ActionItemView,
  actionItemView,
  CustomSummaryView,
  customSummaryView,
  PlaybookResultView,
  playbookResultView,
} from './view.ts'

// Additions and corrections of results by users. The public API is read-only.

const onCall = (feature: Feature) => ({
  tag: 'Conversation intelligence',
  access: 'app' as const,
  roles: ['owner', 'admin', 'supervisor'] as const,
  feature,
  params: Type.Object({ call_id: Id }),
  wrongParams: 400 as const,
  load: ({ params, caller, services }: { params: { call_id: number }; caller: Caller; services: Services }) =>
    loadCall({ params: { id: params.call_id }, caller, services }),
})

const locked = <R>({ db }: Services, { companyId, id }: Call, run: (tx: Tx, call: Call) => Promise<R>): Promise<R> =>
  transaction(db, async (tx) => {
    const call = await lockCall(tx, companyId, id)
    if (!call) throw notFound()
    return run(tx, call)
  })

const absent = (called: string) => new ApiError(404, `The call has no ${called}, or none yet`)

const addActionItem = route({
  ...onCall('assist'),
  method: 'POST',
  path: '/v1/calls/:call_id/action_items',
  summary: 'Add an action item to a call',
  body: Type.Object({ content: text(2_000) }),
  reply: { status: 201, body: Type.Object({ action_item: ActionItemView }) },
  handle: ({ body, loaded, caller, services }) =>
    locked(services, loaded, async (tx, call) => {
      const input = { content: body.content, aiGenerated: false, createdBy: userIdOf(caller) }
      const item = await insertActionItem(tx, call.companyId, call.id, input, services.clock.now())
      await publish(services, tx, call.companyId, [{ kind: 'insight', event: 'action_item.created', call, item }])
      return { action_item: actionItemView(item) }
    }),
})

const changeCustomSummary = route({
  ...onCall('assist-pro'),
  method: 'PUT',
  path: '/v1/calls/:call_id/custom_summary_result',
  summary: 'Edit sections of a custom summary',
  body: Type.Object({
    sections: Type.Array(Type.Object({ name: text(255), content: text(10_000) }), { minItems: 1, maxItems: 20 }),
  }),
  errors: [{ status: 400, when: 'a section is unknown' }],
  reply: { status: 200, body: CustomSummaryView },
  handle: ({ body, loaded, caller, services }) =>
    locked(services, loaded, async (tx, call) => {
      const found = await findInsight(tx, call.companyId, call.id, 'custom_summary')
      if (!found) throw absent('custom summary result')
      const wanted = new Map(body.sections.map(({ name, content }) => [name, content]))
      const known = new Set(found.content.sections.map(({ name }) => name))
      if ([...wanted.keys()].some((name) => !known.has(name)))
        throw badRequest('`sections` contains an unknown section')
      const change = { aiGenerated: false, updatedAt: services.clock.now(), updatedBy: userIdOf(caller) }
      const sections = found.content.sections.map((section) => {
        const content = wanted.get(section.name)
        return content === undefined ? section : { ...section, content, ...change }
      })
      const insight = { ...found, content: { ...found.content, sections } }
      await updateInsight<'custom_summary'>(tx, call.companyId, found.id, insight.content)
      await publish(services, tx, call.companyId, [
        { kind: 'insight', event: 'custom_summary.result_updated', call, insight },
      ])
      return customSummaryView(call, insight)
    }),
})

const changePlaybookResult = route({
  ...onCall('assist-pro'),
  method: 'PUT',
  path: '/v1/calls/:call_id/playbook_result',
  summary: 'Edit which topics of a playbook were covered',
  body: Type.Object({
    topics: Type.Array(Type.Object({ name: text(255), result: Type.Boolean() }), { minItems: 1, maxItems: 50 }),
  }),
  errors: [{ status: 400, when: 'a topic is unknown' }],
  reply: { status: 200, body: PlaybookResultView },
  handle: ({ body, loaded, services }) =>
    locked(services, loaded, async (tx, call) => {
      const found = await findInsight(tx, call.companyId, call.id, 'playbook_result')
      if (!found) throw absent('playbook result')
      const wanted = new Map(body.topics.map(({ name, result }) => [name, result]))
      const known = new Set(found.content.topics.map(({ name }) => name))
      if ([...wanted.keys()].some((name) => !known.has(name))) throw badRequest('`topics` contains an unknown topic')
      const topics = found.content.topics.map(({ name, result }) => ({ name, result: wanted.get(name) ?? result }))
      const insight = { ...found, content: { ...found.content, topics, adherence: adherenceOf(topics) } }
      await updateInsight<'playbook_result'>(tx, call.companyId, found.id, insight.content)
      await publish(services, tx, call.companyId, [
        { kind: 'insight', event: 'playbook_result.updated', call, insight },
      ])
      return playbookResultView(call, insight)
    }),
})

const rerun = route({
  ...onCall('assist'),
  method: 'POST',
  path: '/v1/calls/:call_id/intelligence/rerun',
  summary: 'Regenerate the results of a call',
  description:
    'Replaces generated results, never results edited by a user. Events are published only for results that did not exist ' +
    'before, and where the API has an event for the change. A result that cannot be regenerated is kept. With ' +
    '`transcript` the recording is transcribed again, and all results are regenerated from the new transcript.',
  body: Type.Object({
    outputs: Type.Optional(
      Type.Array(oneOf(callOutputs), {
        minItems: 1,
        maxItems: callOutputs.length,
        description: 'Left out: all outputs',
      }),
    ),
    transcript: Type.Optional(Type.Boolean()),
  }),
  errors: [{ status: 400, when: 'the call has no transcript, and `transcript` is not set' }],
  reply: { status: 202, body: Type.Object({ outputs: Type.Array(oneOf(callOutputs)) }) },
  handle: ({ body, loaded, services }) =>
    locked(services, loaded, async (tx, { companyId, id: callId }) => {
      const at = services.clock.now()
      const outputs = [...new Set(body.outputs ?? callOutputs)]
      if (body.transcript) {
        await enqueue(tx, 'call.build_transcript', { companyId, callId, again: true }, at, transcriptKey(callId))
        return { outputs: [...callOutputs] }
      }
      if (!(await findTranscript(tx, companyId, callId)))
        throw badRequest('The call has no transcript; set `transcript` to create one')
      for (const output of outputs) {
        await enqueue(tx, 'call.analyse', { companyId, callId, output, again: true }, at, `analyse:${callId}:${output}`)
      }
      return { outputs }
    }),
})

export const insightChangeRoutes = [addActionItem, changeCustomSummary, changePlaybookResult, rerun]
