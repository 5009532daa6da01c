import { transaction } from '../../../db/database.ts'
import { dayOfIso } from '../../../domain/ai-agent/understanding/days.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import type { CallOutput, JobPayloads } from '../../../jobs/payloads.ts'
import { enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import { minute, second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { findNumber, mayUse } from '../../accounts/index.ts'
import { findCall, lockCall } from '../../calls/index.ts'
import { type Fact, publish } from '../../publishing/index.ts'
import { answersTogether, isTogether, outputsTogether, sameModel } from './analyse-together.ts'
import { type AnalysisInput, type AnalysisResult, analyse } from './analysers.ts'
import { findTranscript, holdSecondsOn, type StoredTranscript } from './store.ts'
import { deleteOutput, keepsResult, madeAt, type StoreContext, storeOutput } from './write-results.ts'

type AnalysisPayload = JobPayloads['call.analyse']

/** Job: produces one output by rules. If an LLM or embedding model is configured, it queues an LLM job instead. */
export function analysisJob(services: Services) {
  const { db, ai, clock } = services
  return async (payload: AnalysisPayload): Promise<void> => {
    const { companyId, callId, output } = payload
    const transcript = await transcriptToAnalyse(services, payload)
    if (!transcript) return
    if ((await ai.llm(companyId, output)) || (usesSimilarity(output) && (await ai.similarity([], [])))) {
      if (!isTogether(output) || !(await ai.llm(companyId, output)))
        return enqueue(db, 'call.think', { ...payload, tries: 0 }, clock.now(), thinkKey(payload))
      // The first of these outputs queues the request for all of them.
      const { again: _again, ...request } = payload
      if (!payload.again)
        return enqueueOnce(db, 'call.think', { ...request, together: true, tries: 0 }, clock.now(), togetherKey(callId))
      return enqueue(db, 'call.think', { ...payload, tries: 0 }, clock.now(), thinkKey(payload))
    }
    const search = { db, companyId, transcript, signal: new AbortController().signal, ...factsOf(services, payload) }
    await storeResult(services, payload, transcript, await analyse[output](search), false)
  }
}

const thinkKey = ({ callId, output }: Pick<AnalysisPayload, 'callId' | 'output'>) => `think:${callId}:${output}`
const togetherKey = (callId: number) => `think:${callId}:together`

const retryDelaysMs = [30 * second, 2 * minute, 10 * minute]
const maxLlmMs = 5 * minute

/** Job: produces one output with an LLM. An unreachable LLM is retried; after the last attempt the rules are used. */
export function llmAnalysisJob(services: Services) {
  const { db, ai, clock, log } = services
  return async (payload: JobPayloads['call.think'], isStopped: () => boolean): Promise<void> => {
    const { companyId, callId, output, tries } = payload
    if (payload.together) return analyseTogether(services, payload, isStopped)
    const transcript = await transcriptToAnalyse(services, payload)
    if (!transcript) return
    const llm = await ai.llm(companyId, output)
    const deadline = deadlineSignal(services, isStopped)
    const { signal } = deadline
    const facts = factsOf(services, payload)
    const search: AnalysisInput = { db, companyId, transcript, llm, similarity: ai.similarity, signal, ...facts }
    try {
      const found = await analyse[output](search)
      await storeResult(services, payload, transcript, found, llm !== undefined && found?.engine !== llm.id)
    } catch (error) {
      if (!(error instanceof EngineTrouble)) throw error
      const pause = error.passing ? retryDelaysMs[tries] : undefined
      log.info(
        { event: 'intelligence.llm_failed', companyId, callId, output, tries, reason: error.message },
        'LLM request for a call result failed',
      )
      if (pause !== undefined) {
        const later = clock.now() + pause
        return enqueue(db, 'call.think', { ...payload, tries: tries + 1 }, later, thinkKey(payload))
      }
      await storeResult(services, payload, transcript, await analyse[output]({ ...search, llm: undefined }), true)
    } finally {
      deadline.end()
    }
  }
}

/** One request for several outputs. An output without a valid answer is requested by itself. */
async function analyseTogether(
  services: Services,
  payload: JobPayloads['call.think'],
  isStopped: () => boolean,
): Promise<void> {
  const { db, ai, clock, log } = services
  const { companyId, callId, tries } = payload
  const wanted: (typeof outputsTogether)[number][] = []
  let transcript: StoredTranscript | undefined
  for (const output of outputsTogether) {
    const found = await transcriptToAnalyse(services, { companyId, callId, output })
    if (found) wanted.push(output)
    transcript ??= found
  }
  if (!transcript) return
  const together = await sameModel(ai, companyId, wanted)
  const deadline = deadlineSignal(services, isStopped)
  const { signal } = deadline
  const facts = factsOf(services, payload)
  const search: AnalysisInput = { db, companyId, transcript, similarity: ai.similarity, signal, ...facts }
  const store = async (output: CallOutput, how: Partial<AnalysisInput>, modelFailed: boolean) =>
    storeResult(
      services,
      { companyId, callId, output },
      transcript,
      await analyse[output]({ ...search, ...how }),
      modelFailed,
    )
  try {
    const answers = together ? await answersTogether(search, together.llm, together.outputs) : {}
    for (const output of wanted) {
      if (answers[output] !== undefined) await store(output, { llm: together?.llm, answers }, false)
      else
        await enqueue(
          db,
          'call.think',
          { companyId, callId, output, tries: 0 },
          clock.now(),
          thinkKey({ callId, output }),
        )
    }
  } catch (error) {
    if (!(error instanceof EngineTrouble)) throw error
    log.info(
      { event: 'intelligence.llm_failed', companyId, callId, outputs: wanted, tries, reason: error.message },
      'LLM request for call results failed',
    )
    const pause = retryDelaysMs[tries]
    if (pause !== undefined)
      return enqueue(db, 'call.think', { ...payload, tries: tries + 1 }, clock.now() + pause, togetherKey(callId))
    for (const output of wanted) await store(output, {}, true)
  } finally {
    deadline.end()
  }
}

/** What the analysis knows about the call beside its transcript; read on demand. */
const factsOf = ({ db }: Services, { companyId, callId }: AnalysisPayload) => ({
  holdSeconds: () => holdSecondsOn(db, companyId, callId),
  async day() {
    const call = await findCall(db, companyId, callId)
    const number = call && (await findNumber(db, companyId, call.numberId))
    const date = zoneOf(number?.timeZone ?? 'Etc/UTC').dateOf(call?.startedAt ?? 0)
    const today = dayOfIso(date) ?? { year: 1970, month: 1, day: 1 }
    return { today, monthFirst: number?.country === 'US' }
  },
})

/** Aborts after the time limit, or when the process stops. */
function deadlineSignal({ clock }: Services, isStopped: () => boolean) {
  const ending = new AbortController()
  const until = clock.steadyNow() + maxLlmMs
  let cancel = () => {}
  const look = () => {
    if (isStopped() || clock.steadyNow() > until) ending.abort()
    else cancel = clock.machineAfter(second / 4, look)
  }
  look()
  return { signal: ending.signal, end: () => cancel() }
}

const packages: Record<CallOutput, 'assist' | 'assist-pro'> = {
  sentiment: 'assist',
  topics: 'assist',
  summary: 'assist',
  action_items: 'assist',
  evaluation: 'assist',
  predicted_csat: 'assist',
  custom_summary: 'assist-pro',
  playbook_result: 'assist-pro',
}

const usesSimilarity = (output: CallOutput) => ['topics', 'playbook_result', 'evaluation'].includes(output)

/** The transcript, if there is one, the plan includes the output, and a result would be stored. */
async function transcriptToAnalyse(
  services: Services,
  { companyId, callId, output, again = false }: AnalysisPayload,
): Promise<StoredTranscript | undefined> {
  const { db } = services
  const call = await findCall(db, companyId, callId)
  if (!call || !(await mayUse(services, db, companyId, packages[output]))) return undefined
  const transcript = await findTranscript(db, companyId, callId)
  if (!transcript) return undefined
  const isKept = await keepsResult({ tx: db, companyId, call }, output, again, transcript.createdAt)
  return isKept ? transcript : undefined
}

/** Stores the result in one transaction, if the transcript has not changed since it was analysed. */
async function storeResult<O extends CallOutput>(
  services: Services,
  { companyId, callId, output, again = false }: AnalysisPayload & { output: O },
  seen: StoredTranscript,
  found: AnalysisResult<O> | null,
  modelFailed: boolean,
): Promise<void> {
  await transaction(services.db, async (tx) => {
    const call = await lockCall(tx, companyId, callId)
    // The recording may have been deleted with its transcript, or transcribed again.
    const now = call && (await findTranscript(tx, companyId, callId))
    if (!call || !now || !isSame(now, seen)) return
    const context = { tx, companyId, call, language: now.language, at: services.clock.now() }
    const before = await madeAt(context, output)
    // Results of an older transcript are removed.
    const isStale = before !== undefined && before < now.createdAt
    // A result by an LLM is not replaced by one without it.
    if (before !== undefined && !isStale && (!found || modelFailed)) return
    if (!found) return isStale ? deleteOutput(context, output) : undefined
    const storeContext: StoreContext = { ...context, again: again || isStale }
    const store: (context: StoreContext, found: AnalysisResult<O>) => Promise<Fact[]> = storeOutput[output]
    await publish(services, tx, companyId, await store(storeContext, found))
  })
}

const isSame = (a: StoredTranscript, b: StoredTranscript) =>
  a.id === b.id && a.createdAt === b.createdAt && JSON.stringify(a.utterances) === JSON.stringify(b.utterances)
