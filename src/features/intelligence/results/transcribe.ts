import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { contractTag, utterancesOf } from '../../../domain/intelligence/transcript.ts'
import { callOutputs, enqueue, type JobPayloads } from '../../../jobs/queue.ts'
import { readMp3Sides } from '../../../media/read-mp3.ts'
import type { Services } from '../../../services.ts'
import { type Call, findCall, lockCall, type Sound } from '../../calls/calls/store.ts'
import { publish } from '../../integrations/catalogue/publish.ts'
import { goOn, linesFrom, sidesIn } from './listen.ts'
import { engineOfTranscript, replaceTranscript } from './listen-store.ts'
import { languageOf, switchOn, understands } from './speech-jobs.ts'
import { findHeard, findTranscript, presencesOn, writeTranscript } from './store.ts'
import { understand } from './understand.ts'

type Wish = JobPayloads['call.transcribe']

/** The job: what was heard becomes a transcript, and everything that can be made of it is wanted. */
export function transcriber(services: Services) {
  return async (wish: Wish, isStopped: () => boolean) =>
    wish.again ? transcribeAgain(services, wish, isStopped) : tellHeard(services, wish)
}

const tellHeard = (services: Services, wish: Wish) =>
  transaction(services.db, async (tx) => {
    const { companyId, callId } = wish
    const call = await lockCall(tx, companyId, callId)
    const heard = call && (await findHeard(tx, companyId, callId))
    if (!call || !heard) return
    const utterances = utterancesOf(heard, await presencesOn(tx, companyId, callId), call.external)
    await writeTranscript(tx, companyId, callId, utterances, services.clock.now())
    await tell(services, tx, companyId, call)
    await wantResults(services, tx, wish)
  })

async function tell(services: Services, tx: Tx, companyId: CompanyId, call: Call): Promise<void> {
  const transcript = await findTranscript(tx, companyId, call.id)
  if (!transcript) return
  await publish(services, tx, companyId, [{ about: 'insight', what: 'transcription.created', call, transcript }])
}

async function wantResults({ clock }: Services, tx: Tx, { companyId, callId, again }: Wish): Promise<void> {
  for (const output of callOutputs) {
    const wish = { companyId, callId, output, ...(again && { again }) }
    await enqueue(tx, 'call.analyse', wish, clock.now(), `analyse:${callId}:${output}`)
  }
}

/**
 * The raw sound is gone, so the delivered mp3 is listened to. What was known by heart (scripts, agents) stays. Only a call
 * that had no transcript tells of one: a better one is found where the old one was.
 */
async function transcribeAgain(services: Services, wish: Wish, isStopped: () => boolean) {
  const { db } = services
  const { companyId, callId } = wish
  const made = await heardAgain(services, companyId, callId, isStopped)
  await transaction(db, async (tx) => {
    const call = await lockCall(tx, companyId, callId)
    if (!call || call[made?.sound ?? 'recording'] === null) return
    const before = await findTranscript(tx, companyId, callId)
    if (made) {
      const { sound, engine, language, lines } = made
      const heard = utterancesOf(lines, await presencesOn(tx, companyId, callId), call.external)
      const known = before?.utterances.filter(({ speaker }) => 'voiceAgentId' in speaker) ?? []
      const utterances = [...known, ...heard].toSorted((a, b) => a.start - b.start)
      await replaceTranscript(tx, companyId, callId, { sound, engine, language }, utterances, services.clock.now())
      if (!before) await tell(services, tx, companyId, call)
    }
    if (made || before) await wantResults(services, tx, wish)
  })
}
const maxSeconds = 4 * 3_600

/** Undefined when there is nothing better to be had. */
async function heardAgain(services: Services, companyId: CompanyId, callId: number, isStopped: () => boolean) {
  const { db, ai, log } = services
  const engine = await ai.stt(companyId)
  const call = await findCall(db, companyId, callId)
  const on = await switchOn(services, db, companyId, callId)
  if (!engine || !call || !on || !understands(engine, languageOf(on.language))) return undefined
  if ((await engineOfTranscript(db, companyId, callId)) === 'script') return undefined
  const before = await findTranscript(db, companyId, callId)
  const sound: Sound = before?.sound ?? (call.recording === null ? 'voicemail' : 'recording')
  const file = call[sound]
  if (file === null) return undefined
  const read = await readMp3Sides(await bytesOf(services, file), maxSeconds)
  if ('problem' in read) {
    log.warn({ callId, problem: read.problem }, 'a recording cannot be listened to again')
    return undefined
  }
  const names = sidesIn(sound, sound === 'voicemail' ? 1 : 2)
  const known = before?.utterances.filter(({ speaker }) => 'voiceAgentId' in speaker) ?? []
  const cuts = known.map(({ start, end }) => ({ startMs: start * 1_000, endMs: end * 1_000 }))
  const sides = names.map((side, index) => ({
    samples: read[index] ?? new Int16Array(0),
    cuts: side === 'left' ? cuts : [],
  }))
  const hearing = { ai, engine, goOn: () => goOn(isStopped) }
  const { language, sides: said } = await understand(hearing, sides, languageOf(on.language))
  // When the pauses were is not kept beside the mp3: with one, who was on the call is looked up a little early.
  const timeline = { startedAt: call.answeredAt ?? call.startedAt, pauses: [] }
  const lines = linesFrom(said, names, timeline)
  if (lines.length === 0) return undefined
  return { sound, engine: engine.id, language: contractTag(on.language ?? language), lines }
}

async function bytesOf({ files }: Services, file: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of files.read(file)) parts.push(part)
  return Buffer.concat(parts)
}
