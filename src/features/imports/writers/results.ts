import type { Tx } from '../../../db/database.ts'
import { evaluationFromSource } from '../../../domain/import/evaluations.ts'
import {
  actionItemsFromSource,
  csatFromSource,
  customSummaryFromSource,
  moodsFromSource,
  playbookFromSource,
  topicsFromSource,
  transcriptFromSource,
} from '../../../domain/import/results.ts'
import { type SourceObject, sourceObject, sourceText, sourceTime } from '../../../domain/import/values.ts'
import {
  insertImportedActionItem,
  insertInsight,
  insertSpeechLines,
  writeEvaluation,
  writeTranscript,
} from '../../intelligence/index.ts'
import type { Importing } from './importing.ts'

// Results of conversation intelligence, one request per call and result. Calls without a transcript have no results.

const endpoints = {
  sentiments: 'sentiment',
  topics: 'topic',
  summary: 'summary',
  custom_summary_result: null,
  action_items: null,
  'playbook_result?fetch_playbook=true': null,
  evaluations: null,
  predicted_csat: 'csat',
} as const
type Endpoint = keyof typeof endpoints

export type CallResults = { transcript: SourceObject } & { [name in Endpoint]?: SourceObject }

/** Which endpoints the plan of the source includes; 403 is not asked again. */
export type RefusedEndpoints = Set<string>

export async function readResults(
  { source }: Importing,
  callId: string,
  refused: RefusedEndpoints,
): Promise<CallResults | undefined> {
  const read = async (name: string, root: string | null): Promise<SourceObject | undefined> => {
    if (refused.has(name)) return undefined
    const { status, body } = await source.get(`/v1/calls/${encodeURIComponent(callId)}/${name}`)
    if (status === 401 || status === 403) refused.add(name)
    if (status !== 200) return undefined
    return root === null ? sourceObject(body) : sourceObject(sourceObject(body)[root])
  }
  const transcript = await read('transcription', 'transcription')
  if (!transcript) return undefined
  const found = await Promise.all(
    Object.entries(endpoints).map(async ([name, root]) => [name, await read(name, root)] as const),
  )
  return { transcript, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) }
}

const engine = 'import'

/** `endedAt`: the time of results without one. */
export async function writeImportedResults(
  { companyId, ids }: Importing,
  tx: Tx,
  callId: number,
  endedAt: number,
  results: CallResults,
): Promise<void> {
  const { users } = ids
  const { sound, language, utterances } = transcriptFromSource(results.transcript, users)
  const timeOf = (result: SourceObject | undefined) => sourceTime(result?.created_at) ?? endedAt
  await insertSpeechLines(tx, companyId, callId, { sound, engine, language, lines: [] })
  await writeTranscript(tx, companyId, callId, utterances, timeOf(results.transcript))
  const { sentiments, topics, summary, custom_summary_result: custom, evaluations } = results
  if (sentiments) {
    const content = moodsFromSource(sentiments)
    await insertInsight(tx, companyId, callId, { kind: 'sentiment', engine, content }, timeOf(sentiments))
  }
  if (topics) {
    const content = topicsFromSource(topics)
    await insertInsight(tx, companyId, callId, { kind: 'topics', engine, content }, timeOf(topics))
  }
  const text = sourceText(summary?.content)
  if (text !== null) {
    await insertInsight(tx, companyId, callId, { kind: 'summary', engine, content: text }, timeOf(summary))
  }
  if (custom) {
    const content = customSummaryFromSource(custom, users)
    const at = content.sections[0]?.createdAt ?? endedAt
    await insertInsight(tx, companyId, callId, { kind: 'custom_summary', engine, content }, at)
  }
  const playbook = results['playbook_result?fetch_playbook=true']
  if (playbook) {
    const content = playbookFromSource(playbook, users)
    await insertInsight(tx, companyId, callId, { kind: 'playbook_result', engine, content }, timeOf(playbook))
  }
  const csat = results.predicted_csat && csatFromSource(results.predicted_csat)
  if (csat) await insertInsight(tx, companyId, callId, { kind: 'csat', engine, content: csat }, endedAt)
  for (const item of actionItemsFromSource(results.action_items ?? {}, users))
    await insertImportedActionItem(tx, companyId, callId, item)
  const evaluation = evaluations && evaluationFromSource(evaluations, users)
  if (evaluation) await writeEvaluation(tx, companyId, callId, { ...evaluation, engine })
}
