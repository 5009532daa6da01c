import type { Db, Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { scoredByEngine } from '../../../domain/intelligence/scorecard.ts'
import type { CallOutput } from '../../../jobs/payloads.ts'
import type { Call } from '../../calls/index.ts'
import type { Fact } from '../../publishing/index.ts'
import { deleteFoundEvaluation, type Evaluated, findEvaluation, writeEvaluation } from '../evaluations/store.ts'
import type { AnalysisResult } from './analysers.ts'
import {
  actionItemsOfCall,
  type Contents,
  deleteGeneratedItems,
  deleteInsight,
  findInsight,
  type Insight,
  type InsightKind,
  insertActionItem,
  insertInsight,
  isEdited,
  replaceInsight,
} from './store.ts'

interface CallContext {
  tx: Db
  companyId: CompanyId
  call: Call
}

export interface ResultContext extends CallContext {
  tx: Tx
  language: string
  at: number
}

export interface StoreContext extends ResultContext {
  /** Whether an existing result by an engine is replaced. */
  again: boolean
}

type ResultWriters = { [O in CallOutput]: (context: StoreContext, found: AnalysisResult<O>) => Promise<Fact[]> }

/**
 * Stores a result and returns the events to publish. `created` is published once; a rerun replaces the result without an
 * event, unless the API has an event for the change.
 */
export const storeOutput: ResultWriters = {
  async sentiment(context, { engine, value }) {
    const stored = await storeInsight(context, 'sentiment', engine, value)
    return stored?.isNew
      ? [{ kind: 'insight', event: 'sentiment.created', call: context.call, insight: stored.insight }]
      : []
  },

  async topics(context, { engine, value }) {
    if (value.length === 0) return deleteInsightOf(context, 'topics')
    const stored = await storeInsight(context, 'topics', engine, value)
    return stored?.isNew
      ? [{ kind: 'insight', event: 'topics.created', call: context.call, insight: stored.insight }]
      : []
  },

  async summary(context, { engine, value }) {
    const stored = await storeInsight(context, 'summary', engine, value)
    return stored?.isNew
      ? [{ kind: 'insight', event: 'summary.created', call: context.call, insight: stored.insight }]
      : []
  },

  async action_items({ tx, companyId, call, at, again }, { engine, value }) {
    const before = (await actionItemsOfCall(tx, companyId, call.id)).some(({ aiGenerated }) => aiGenerated)
    if (before && !again) return []
    await deleteGeneratedItems(tx, companyId, call.id)
    const facts: Fact[] = []
    for (const content of value) {
      const item = await insertActionItem(
        tx,
        companyId,
        call.id,
        { content, aiGenerated: true, createdBy: null, engine },
        at,
      )
      if (!before) facts.push({ kind: 'insight', event: 'action_item.created', call, item })
    }
    return facts
  },

  async custom_summary(context, { engine, value: { template, sections } }) {
    const { call, language, at } = context
    const made = sections.map((section) => ({ ...section, aiGenerated: true, createdAt: at }))
    const stored = await storeInsight(context, 'custom_summary', engine, {
      name: template.name,
      language,
      sections: made,
    })
    const event = stored?.isNew ? 'custom_summary.result_created' : 'custom_summary.result_updated'
    return stored ? [{ kind: 'insight', event, call, insight: stored.insight }] : []
  },

  async playbook_result(context, { engine, value: { playbook, outcome } }) {
    const { call } = context
    const { id, name, document } = playbook
    const content = { playbook: { id, name, language: document.language }, userId: call.userId, ...outcome }
    const stored = await storeInsight(context, 'playbook_result', engine, content)
    const event = stored?.isNew ? 'playbook_result.created' : 'playbook_result.updated'
    return stored ? [{ kind: 'insight', event, call, insight: stored.insight }] : []
  },

  async evaluation({ tx, companyId, call, at, again }, { engine, value }) {
    const reviewee = call.userId
    const before = await findEvaluation(tx, companyId, call.id)
    if (reviewee === null || (before && !(again && before.aiGenerated))) return []
    const evaluations = value.map(({ scorecard: { id, name, document }, answers }): Evaluated => {
      const scorecard = { id, name, description: document.description }
      return { ...scoredByEngine({ name, ...document }, answers), scorecard, reviewee, reviewer: null }
    })
    const times = { createdAt: before?.createdAt ?? at, updatedAt: at, reviewedAt: null }
    const made = { aiGenerated: true, ...times, createdBy: null, updatedBy: null, evaluations, engine }
    const evaluation = await writeEvaluation(tx, companyId, call.id, made)
    const event = before ? 'call_evaluation.updated' : 'call_evaluation.created'
    return evaluations.map((of) => ({ kind: 'insight', event, call, evaluation, of }))
  },

  // The API has no event for it.
  async predicted_csat(context, { engine, value }) {
    await storeInsight(context, 'csat', engine, value)
    return []
  },
}

async function storeInsight<K extends InsightKind>(
  { tx, companyId, call, at, again }: StoreContext,
  kind: K,
  engine: string,
  content: Contents[K],
): Promise<{ insight: Insight<K>; isNew: boolean } | undefined> {
  const made = await insertInsight(tx, companyId, call.id, { kind, engine, content }, at)
  if (made) return { insight: made, isNew: true }
  const replaced = again && (await replaceInsight(tx, companyId, call.id, { kind, engine, content }, at))
  return replaced ? { insight: replaced, isNew: false } : undefined
}

async function deleteInsightOf({ tx, companyId, call, again }: StoreContext, kind: InsightKind): Promise<Fact[]> {
  if (again) await deleteInsight(tx, companyId, call.id, kind)
  return []
}

const kinds: Partial<Record<CallOutput, InsightKind>> = {
  sentiment: 'sentiment',
  topics: 'topics',
  summary: 'summary',
  custom_summary: 'custom_summary',
  playbook_result: 'playbook_result',
  predicted_csat: 'csat',
}

/** Creation time of the existing result; undefined if there is none. */
export async function madeAt({ tx, companyId, call }: CallContext, output: CallOutput): Promise<number | undefined> {
  const kind = kinds[output]
  if (kind) return (await findInsight(tx, companyId, call.id, kind))?.createdAt
  if (output === 'evaluation') return (await findEvaluation(tx, companyId, call.id))?.updatedAt
  return (await actionItemsOfCall(tx, companyId, call.id)).find(({ aiGenerated }) => aiGenerated)?.createdAt
}

/**
 * Whether a new result would be stored. A call without an agent has no evaluation, an existing result is replaced only on
 * request or when its transcript is newer, and results that a user wrote or edited stay: no engine is asked for those.
 */
export async function keepsResult(
  context: CallContext,
  output: CallOutput,
  again: boolean,
  transcribedAt: number,
): Promise<boolean> {
  const { tx, companyId, call } = context
  const before = await madeAt(context, output)
  const replaces = again || (before !== undefined && before < transcribedAt)
  if (before !== undefined && !replaces) return false
  const kind = kinds[output]
  if (kind) return before === undefined || !(await isEdited(tx, companyId, call.id, kind))
  if (output !== 'evaluation') return true
  if (call.userId === null) return false
  return (await findEvaluation(tx, companyId, call.id))?.aiGenerated !== false
}

/** Deletes results of engines that were derived from a replaced transcript. */
export async function deleteOutput({ tx, companyId, call }: ResultContext, output: CallOutput): Promise<void> {
  const kind = kinds[output]
  if (kind) return deleteInsight(tx, companyId, call.id, kind)
  if (output === 'evaluation') return deleteFoundEvaluation(tx, companyId, call.id)
  return deleteGeneratedItems(tx, companyId, call.id)
}
