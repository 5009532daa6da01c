import { type Tx, transaction } from '../../db/database.ts'
import type { CompanyId } from '../../db/tables.ts'
import { actionItemsOf } from '../../domain/intelligence/action-items.ts'
import { customSummaryOf } from '../../domain/intelligence/custom-summary.ts'
import { comparePlaybook } from '../../domain/intelligence/playbook.ts'
import { answersOf, scored } from '../../domain/intelligence/scorecard.ts'
import { sentimentOf } from '../../domain/intelligence/sentiment.ts'
import { summaryOf } from '../../domain/intelligence/summary.ts'
import { topicsOf } from '../../domain/intelligence/topics.ts'
import type { Transcript } from '../../domain/intelligence/transcript.ts'
import { hasFeature } from '../../http/caller.ts'
import type { CallOutput, JobPayloads } from '../../jobs/queue.ts'
import type { Services } from '../../services.ts'
import { type Call, lockCall } from '../calls/store.ts'
import { findCompany } from '../companies/store.ts'
import { type Evaluated, findEvaluation, writeEvaluation } from '../evaluations/store.ts'
import { activeGuides } from '../guides/store.ts'
import { type Fact, publish } from '../publish.ts'
import { actionItemsOfCall, findTranscript, insertActionItem, insertInsight } from './store.ts'

interface Analysis {
  tx: Tx
  companyId: CompanyId
  call: Call
  transcript: Transcript
  at: number
}

/** The job: one output. What the rules cannot do honestly is not stored, and nobody is told of it. */
export function analyser(services: Services) {
  return ({ companyId, callId, output }: JobPayloads['call.analyse']) =>
    transaction(services.db, async (tx) => {
      const call = await lockCall(tx, companyId, callId)
      // The recording may have gone meanwhile, and the transcript with it.
      const transcript = call && (await findTranscript(tx, companyId, callId))
      if (!call || !transcript) return
      if (!hasFeature(await findCompany(tx, companyId), packages[output])) return
      const analysis = { tx, companyId, call, transcript, at: services.clock.now() }
      await publish(services, tx, companyId, await analyses[output](analysis))
    })
}

const packages: Record<CallOutput, 'assist' | 'assist-pro'> = {
  sentiment: 'assist',
  topics: 'assist',
  summary: 'assist',
  action_items: 'assist',
  evaluation: 'assist',
  custom_summary: 'assist-pro',
  playbook_result: 'assist-pro',
}

const engine = 'rules-1'

const analyses: Record<CallOutput, (analysis: Analysis) => Promise<Fact[]>> = {
  async sentiment({ tx, companyId, call, transcript, at }) {
    const content = sentimentOf(transcript)
    const insight = content && (await insertInsight(tx, companyId, call.id, { kind: 'sentiment', engine, content }, at))
    return insight ? [{ about: 'insight', what: 'sentiment.created', call, insight }] : []
  },

  async topics({ tx, companyId, call, transcript, at }) {
    const content = topicsOf(transcript, await topicList(tx, companyId))
    const insight = content && (await insertInsight(tx, companyId, call.id, { kind: 'topics', engine, content }, at))
    return insight ? [{ about: 'insight', what: 'topics.created', call, insight }] : []
  },

  async summary({ tx, companyId, call, transcript, at }) {
    const content = summaryOf(transcript)
    const insight =
      content === null
        ? undefined
        : await insertInsight(tx, companyId, call.id, { kind: 'summary', engine, content }, at)
    return insight ? [{ about: 'insight', what: 'summary.created', call, insight }] : []
  },

  async action_items({ tx, companyId, call, transcript, at }) {
    const before = await actionItemsOfCall(tx, companyId, call.id)
    if (before.some(({ aiGenerated }) => aiGenerated)) return []
    const facts: Fact[] = []
    for (const content of actionItemsOf(transcript) ?? []) {
      const found = { content, aiGenerated: true, createdBy: null }
      const item = await insertActionItem(tx, companyId, call.id, found, at)
      facts.push({ about: 'insight', what: 'action_item.created', call, item })
    }
    return facts
  },

  async custom_summary({ tx, companyId, call, transcript, at }) {
    const [template] = await activeGuides(tx, companyId, 'summary_template')
    if (!template) return []
    const { sections } = template.document
    const results = customSummaryOf(transcript, sections, await topicList(tx, companyId))
    if (!results) return []
    const made = results.map((section) => ({ ...section, aiGenerated: true, createdAt: at }))
    const content = { name: template.name, language: transcript.language, sections: made }
    const insight = await insertInsight(tx, companyId, call.id, { kind: 'custom_summary', engine, content }, at)
    return insight ? [{ about: 'insight', what: 'custom_summary.result_created', call, insight }] : []
  },

  async playbook_result({ tx, companyId, call, transcript, at }) {
    const [playbook] = await activeGuides(tx, companyId, 'playbook')
    const outcome = playbook && comparePlaybook(transcript, playbook.document.topics)
    if (!playbook || !outcome) return []
    const { id, name, document } = playbook
    const content = { playbook: { id, name, language: document.language }, userId: call.userId, ...outcome }
    const insight = await insertInsight(tx, companyId, call.id, { kind: 'playbook_result', engine, content }, at)
    return insight ? [{ about: 'insight', what: 'playbook_result.created', call, insight }] : []
  },

  async evaluation({ tx, companyId, call, transcript, at }) {
    const reviewee = call.userId
    if (reviewee === null || (await findEvaluation(tx, companyId, call.id))) return []
    const evaluations = (await activeGuides(tx, companyId, 'scorecard')).flatMap(
      ({ id, name, document }): Evaluated[] => {
        const card = { name, ...document }
        const answers = answersOf(transcript, card)
        if (!answers) return []
        const scorecard = { id, name, description: document.description }
        return [{ ...scored(card, answers), scorecard, feedback: '', reviewee, reviewer: null }]
      },
    )
    if (evaluations.length === 0) return []
    const times = { createdAt: at, updatedAt: at, reviewedAt: null }
    const people = { createdBy: null, updatedBy: null }
    const made = { aiGenerated: true, ...times, ...people, evaluations }
    const evaluation = await writeEvaluation(tx, companyId, call.id, made)
    return evaluations.map((of) => ({ about: 'insight', what: 'call_evaluation.created', call, evaluation, of }))
  },
}

const topicList = async (tx: Tx, companyId: CompanyId) =>
  (await activeGuides(tx, companyId, 'topic')).map(({ name, document }) => ({ name, keywords: document.keywords }))
