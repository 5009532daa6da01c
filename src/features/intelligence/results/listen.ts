import { transaction } from '../../../db/database.ts'
import { contractTag, type HeardLine } from '../../../domain/intelligence/transcript.ts'
import { spanOf, type Timeline, timeOf } from '../../../domain/speech/timeline.ts'
import { cancelJob, enqueue, type JobPayloads } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { lockCall } from '../../calls/calls/store.ts'
import { addHeard, holdsOn } from './listen-store.ts'
import { forgetSource, readRaw } from './raw-audio.ts'
import { languageOf, listenKey, switchOn, understands, wantTranscript } from './speech-jobs.ts'
import { findHeard, type Heard } from './store.ts'
import { type SaidThere, understand } from './understand.ts'

const maxTries = 5
const firstWait = 30 * second

type Wish = JobPayloads['call.listen']

/**
 * The job: what real people said becomes lines, as scripts bring them. It takes a while and happens outside of any
 * transaction; the source goes when the words are kept, and a run that was cut short is made up for.
 */
export function listener(services: Services) {
  const { db, log, clock } = services
  return async (wish: Wish, isStopped: () => boolean): Promise<void> => {
    const { companyId, callId, kind, source, tries } = wish
    if (wish.understood) return forgetSource(source)
    const key = listenKey(callId, kind)
    let heard: Heard | undefined
    try {
      heard = await linesOf(services, wish, isStopped)
    } catch (error) {
      if (isStopped()) throw error
      log.warn({ callId, kind, tries, error }, 'the words of a call could not be understood')
      const due = clock.now() + firstWait * 2 ** tries
      if (tries + 1 < maxTries) return enqueue(db, 'call.listen', { ...wish, tries: tries + 1 }, due, key)
    }
    await transaction(db, async (tx) => {
      const call = await lockCall(tx, companyId, callId)
      // The recording may have been deleted meanwhile, and with it what could be made of it.
      if (call && heard && call[kind] !== null) await addHeard(tx, companyId, callId, heard)
      await cancelJob(tx, key)
      await enqueue(tx, 'call.listen', { ...wish, understood: true }, clock.now())
      if (call?.told === 'all') await wantTranscript(services, tx, companyId, callId)
    })
  }
}

/** Undefined when there is nothing to keep. */
async function linesOf(services: Services, wish: Wish, isStopped: () => boolean): Promise<Heard | undefined> {
  const { db, ai } = services
  const { companyId, callId, kind, source } = wish
  const engine = await ai.stt(companyId)
  const on = await switchOn(services, db, companyId, callId)
  const raw = engine && on && understands(engine, languageOf(on.language)) ? await readRaw(source) : undefined
  if (!engine || !on || !raw) return undefined
  const timeline = raw.sidecar
  const known = (await findHeard(db, companyId, callId)) ?? []
  const holds = (await holdsOn(db, companyId, callId)).map(({ from, until }) =>
    spanOf(timeline, from, until ?? Number.POSITIVE_INFINITY),
  )
  const names = sidesIn(kind, raw.sides.length)
  const sides = names.map((side, index) => ({
    samples: raw.sides[index] ?? new Int16Array(0),
    cuts: [...holds, ...known.filter((line) => line.side === side)],
  }))
  const hearing = { ai, engine, goOn: () => goOn(isStopped) }
  const { language, sides: said } = await understand(hearing, sides, languageOf(on.language))
  const lines = linesFrom(said, names, timeline)
  if (lines.length === 0) return undefined
  return { sound: kind, engine: engine.id, language: contractTag(on.language ?? language), lines }
}

/** Left is us, right is them; a message that was left is all theirs. */
export const sidesIn = (kind: 'recording' | 'voicemail', channels: number): HeardLine['side'][] =>
  kind === 'voicemail' || channels === 1 ? ['right'] : ['left', 'right']

export function linesFrom(
  said: readonly (readonly SaidThere[])[],
  names: readonly HeardLine['side'][],
  timeline: Timeline,
): HeardLine[] {
  return said.flatMap((parts, index) =>
    parts.map(({ startMs, endMs, text }) => ({
      side: names[index] ?? 'right',
      text,
      startMs,
      endMs,
      at: timeOf(timeline, startMs),
      phone: null,
    })),
  )
}

export function goOn(isStopped: () => boolean): void {
  if (isStopped()) throw new Error('this process is ending')
}
