import { transaction } from '../../../db/database.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import { type CallOutput, enqueue, type JobPayloads } from '../../../jobs/queue.ts'
import { minute, second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { mayUse } from '../../accounts/index.ts'
import { findCall, lockCall } from '../../calls/index.ts'
import { type Fact, publish } from '../../publishing/index.ts'
import { type AnalysisInput, type AnalysisResult, analyse } from './analysers.ts'
import { findTranscript, holdSecondsOn, type StoredTranscript } from './store.ts'
import { deleteOutput, madeAt, type StoreContext, storeOutput } from './write-results.ts'

type AnalysisPayload = JobPayloads['call.analyse']

/** The job: one output. Where a model is there to be asked, another job asks it: nobody waits for that one. */
export function analysisJob(services: Services) {
  const { db, ai, clock } = services
  return async (payload: AnalysisPayload): Promise<void> => {
    const { companyId, callId, output } = payload
    const transcript = await transcriptToAnalyse(services, payload)
    if (!transcript) return
    if ((await ai.llm(companyId, output)) || (usesSimilarity(output) && (await ai.similarity([], [])))) {
      await enqueue(db, 'call.think', { ...payload, tries: 0 }, clock.now(), `think:${callId}:${output}`)
      return
    }
    const holdSeconds = () => holdSecondsOn(db, companyId, callId)
    const search = { db, companyId, transcript, signal: new AbortController().signal, holdSeconds }
    await storeResult(services, payload, transcript, await analyse[output](search), false)
  }
}

const retryDelaysMs = [30 * second, 2 * minute, 10 * minute]
const maxLlmMs = 5 * minute

/** The job: a model is asked. One that cannot be reached is asked again, and then the rules are. */
export function llmAnalysisJob(services: Services) {
  const { db, ai, clock, log } = services
  return async (payload: JobPayloads['call.think'], isStopped: () => boolean): Promise<void> => {
    const { companyId, callId, output, tries } = payload
    const transcript = await transcriptToAnalyse(services, payload)
    if (!transcript) return
    const llm = await ai.llm(companyId, output)
    const patience = deadlineSignal(services, isStopped)
    const { signal } = patience
    const holdSeconds = () => holdSecondsOn(db, companyId, callId)
    const search: AnalysisInput = { db, companyId, transcript, llm, similarity: ai.similarity, signal, holdSeconds }
    try {
      const found = await analyse[output](search)
      await storeResult(services, payload, transcript, found, llm !== undefined && found?.engine !== llm.id)
    } catch (error) {
      if (!(error instanceof EngineTrouble)) throw error
      const pause = error.passing ? retryDelaysMs[tries] : undefined
      log.info({ companyId, callId, output, tries, why: error.message }, 'a language model could not be asked')
      if (pause !== undefined) {
        const later = clock.now() + pause
        return enqueue(db, 'call.think', { ...payload, tries: tries + 1 }, later, `think:${callId}:${output}`)
      }
      await storeResult(services, payload, transcript, await analyse[output]({ ...search, llm: undefined }), true)
    } finally {
      patience.end()
    }
  }
}

/** Ends when it takes too long, or nobody is here any more. */
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

/** The words, if they are there and the company has what is made of them. */
async function transcriptToAnalyse(
  services: Services,
  { companyId, callId, output }: AnalysisPayload,
): Promise<StoredTranscript | undefined> {
  const { db } = services
  if (!(await findCall(db, companyId, callId))) return undefined
  if (!(await mayUse(services, db, companyId, packages[output]))) return undefined
  return findTranscript(db, companyId, callId)
}

/** In one transaction, and only if the words are still those that were looked into. */
async function storeResult<O extends CallOutput>(
  services: Services,
  { companyId, callId, output, again = false }: AnalysisPayload & { output: O },
  seen: StoredTranscript,
  found: AnalysisResult<O> | null,
  modelFailed: boolean,
): Promise<void> {
  await transaction(services.db, async (tx) => {
    const call = await lockCall(tx, companyId, callId)
    // The recording may have gone meanwhile, and the transcript with it; or it was written down anew.
    const now = call && (await findTranscript(tx, companyId, callId))
    if (!call || !now || !isSame(now, seen)) return
    const seeing = { tx, companyId, call, language: now.language, at: services.clock.now() }
    const before = await madeAt(seeing, output)
    // Made of words that are not there any more: it goes, whoever asks.
    const isStale = before !== undefined && before < now.createdAt
    // What a model made is better than what is left without it.
    if (before !== undefined && !isStale && (!found || modelFailed)) return
    if (!found) return isStale ? deleteOutput(seeing, output) : undefined
    const keeping: StoreContext = { ...seeing, again: again || isStale }
    const keeper: (keeping: StoreContext, found: AnalysisResult<O>) => Promise<Fact[]> = storeOutput[output]
    await publish(services, tx, companyId, await keeper(keeping, found))
  })
}

const isSame = (a: StoredTranscript, b: StoredTranscript) =>
  a.id === b.id && a.createdAt === b.createdAt && JSON.stringify(a.utterances) === JSON.stringify(b.utterances)
