import { type Static, type TSchema, Type } from 'typebox'
import type { Feature } from '../../../http/caller.ts'
import { ApiError } from '../../../http/errors.ts'
import { type Deprecation, type Input, route } from '../../../http/route.ts'
import { Id, oneOf } from '../../../http/schemas.ts'
import { anyRole } from '../../accounts/index.ts'
import { type Call, loadCall } from '../../calls/index.ts'
import { findEvaluation } from '../evaluations/store.ts'
import { EvaluationView, evaluationView } from '../evaluations/view.ts'
import { actionItemsOfCall, findInsight, findTranscript } from './store.ts'
import {
  ActionItemView,
  actionItemView,
  CsatView,
  CustomSummaryView,
  csatView,
  customSummaryView,
  LiveTranscriptView,
  liveAsTranscript,
  liveTranscriptView,
  PlaybookResultView,
  playbookResultView,
  SentimentView,
  SummaryView,
  sentimentView,
  TopicsView,
  TranscriptView,
  textView,
  transcriptView,
} from './view.ts'

const tag = 'Conversation intelligence'
export const CallIdParams = Type.Object({ call_id: Id })

type Asked<Q extends TSchema> = Pick<
  Input<typeof CallIdParams, Q, TSchema & { static: unknown }, Call>,
  'query' | 'services'
> & {
  call: Call
}

interface Result<Q extends TSchema, R extends TSchema> {
  name: string
  summary: string
  description?: string
  feature: Feature
  /** Name of the result in the 404 message. */
  called: string
  query?: Q
  body: R
  deprecated?: Deprecation
  roles?: typeof anyRole
  wrongCredentials?: 401
  find(asked: Asked<Q>): Promise<Static<R> | undefined>
}

/** The ten routes differ only in the result they read. */
function resultRoute<R extends TSchema, Q extends TSchema = TSchema & { static: Record<string, never> }>(
  result: Result<Q, R>,
) {
  const { name, called, body, find, summary, feature } = result
  return route({
    method: 'GET',
    path: `/v1/calls/:call_id/${name}`,
    summary,
    tag,
    feature,
    params: CallIdParams,
    wrongParams: 400,
    ...(result.description && { description: result.description }),
    ...(result.roles && { roles: result.roles }),
    ...(result.query && { query: result.query }),
    ...(result.deprecated && { deprecated: result.deprecated }),
    ...(result.wrongCredentials && { wrongCredentials: result.wrongCredentials }),
    load: ({ params, caller, services }) => loadCall({ params: { id: params.call_id }, caller, services }),
    errors: [{ status: 404, when: `the call has no ${called}, or none yet` }],
    reply: { status: 200, body },
    async handle({ query, loaded, services }) {
      const found = await find({ query: query as Static<Q>, services, call: loaded })
      if (found === undefined) throw new ApiError(404, `The call has no ${called}, or none yet`)
      return found
    },
  })
}

const transcription = resultRoute({
  name: 'transcription',
  summary: 'Retrieve the transcript of a call or a voicemail',
  description: 'Available after the call. `mode=realtime` returns the realtime transcription, which has no words.',
  called: 'transcription',
  feature: 'assist',
  roles: anyRole,
  query: Type.Object({
    mode: Type.Optional(oneOf(['async', 'realtime'])),
    fetch_words: Type.Optional(Type.Boolean()),
  }),
  body: Type.Object({ transcription: TranscriptView }),
  async find({ query, services, call }) {
    if (query.mode === 'realtime') {
      if (call.endedAt === null) return undefined
      const live = await findInsight(services.db, call.companyId, call.id, 'live')
      return live && { transcription: liveAsTranscript(call, live) }
    }
    // There is no transcript before the call has ended.
    const found = await findTranscript(services.db, call.companyId, call.id)
    return found && { transcription: transcriptView(call, found, { withWords: query.fetch_words === true }) }
  },
})

const realtimeTranscription = resultRoute({
  name: 'realtime_transcription',
  summary: 'Retrieve the realtime transcription of a call',
  called: 'realtime transcription',
  feature: 'assist-pro',
  roles: anyRole,
  deprecated: {
    since: '2026-02-20',
    sunset: '2026-03-31',
    successor: '/v1/calls/:call_id/transcription?mode=realtime',
  },
  body: LiveTranscriptView,
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'live')
    return found && liveTranscriptView(call, found)
  },
})

const sentiments = resultRoute({
  name: 'sentiments',
  summary: 'Retrieve the sentiment of the external participants',
  called: 'sentiment',
  feature: 'assist',
  roles: anyRole,
  body: Type.Object({ sentiment: SentimentView }),
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'sentiment')
    return found && { sentiment: sentimentView(call, found) }
  },
})

const topics = resultRoute({
  name: 'topics',
  summary: 'Retrieve the topics of a call',
  called: 'topics',
  feature: 'assist',
  roles: anyRole,
  body: Type.Object({ topic: TopicsView }),
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'topics')
    return found && { topic: textView(call, found) }
  },
})

const summary = resultRoute({
  name: 'summary',
  summary: 'Retrieve the summary of a call',
  description: 'Verbatim sentences of the call, or a summary written by an LLM.',
  called: 'summary',
  feature: 'assist',
  roles: anyRole,
  body: Type.Object({ summary: SummaryView }),
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'summary')
    return found && { summary: textView(call, found) }
  },
})

const actionItems = resultRoute({
  name: 'action_items',
  summary: 'Retrieve the action items of a call',
  called: 'action items',
  feature: 'assist',
  roles: anyRole,
  body: Type.Object({ call_id: Type.Integer(), action_items: Type.Array(ActionItemView) }),
  async find({ services, call }) {
    const found = await actionItemsOfCall(services.db, call.companyId, call.id)
    return found.length === 0 ? undefined : { call_id: call.id, action_items: found.map(actionItemView) }
  },
})

const customSummary = resultRoute({
  name: 'custom_summary_result',
  summary: 'Retrieve the summary based on the company’s template',
  called: 'custom summary result',
  feature: 'assist-pro',
  roles: anyRole,
  body: CustomSummaryView,
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'custom_summary')
    return found && customSummaryView(call, found)
  },
})

const playbookResult = resultRoute({
  name: 'playbook_result',
  summary: 'Retrieve the playbook result of a call',
  called: 'playbook result',
  feature: 'assist-pro',
  roles: anyRole,
  query: Type.Object({ fetch_playbook: Type.Optional(Type.Boolean()) }),
  body: PlaybookResultView,
  async find({ query, services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'playbook_result')
    if (!found) return undefined
    const view = playbookResultView(call, found)
    return query.fetch_playbook ? { ...view, playbook: found.content.playbook } : view
  },
})

const evaluations = resultRoute({
  name: 'evaluations',
  summary: 'Retrieve the evaluations of a call',
  called: 'evaluation',
  feature: 'assist',
  wrongCredentials: 401,
  body: EvaluationView,
  async find({ services, call }) {
    const found = await findEvaluation(services.db, call.companyId, call.id)
    return found && evaluationView(found)
  },
})

const predictedCsat = resultRoute({
  name: 'predicted_csat',
  summary: 'Retrieve the predicted CSAT of a call',
  description: 'Requires an LLM.',
  called: 'predicted CSAT',
  feature: 'assist',
  roles: anyRole,
  body: Type.Object({ csat: CsatView }),
  async find({ services, call }) {
    const found = await findInsight(services.db, call.companyId, call.id, 'csat')
    return found && { csat: csatView(call, found) }
  },
})

export const intelligenceRoutes = [
  transcription,
  realtimeTranscription,
  sentiments,
  topics,
  summary,
  customSummary,
  actionItems,
  playbookResult,
  evaluations,
  predictedCsat,
]
