import { languageOf } from '../domain/intelligence/engines.ts'
import type { LegId } from '../domain/voice.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import type { TranscribedCall } from './transcribed-call.ts'

/** Silence that ends an utterance. */
const hangoverMs = 600

interface Options {
  services: Services
  live: ActiveCall
  call: TranscribedCall
  leg: LegId
  onUtterance(utterance: { text: string; at: number; ms: number }): void
  /** Work that the process waits for before it stops. */
  track(work: Promise<unknown>): void
}

/** Taps the audio of a leg into a live transcriber until the leg ends, the call is closed or the transcriber is lost. */
export async function transcribeLeg({ services, live, call, leg, onUtterance, track }: Options): Promise<void> {
  const { ai, clock, log } = services
  const { driver } = live
  const language = await call.language
  if (language === undefined || call.isLost || !driver.openTap) return
  let since: number | null = null
  const transcriber = await ai.listen(live.state.companyId, {
    language: languageOf(language) ?? 'en',
    hangoverMs,
    onUtterance: ({ startMs, endMs, text }) =>
      onUtterance({
        text,
        at: Math.round((since ?? clock.now()) + startMs),
        ms: Math.round(endMs - startMs),
      }),
    onLost(why) {
      log.warn({ event: 'transcription.stopped', callId: live.state.callId, why }, 'real-time transcription stopped')
      giveUp(call)
    },
  })
  if (!transcriber) return
  const end = () =>
    transcriber.end().catch((error) => log.debug({ event: 'stt.flush_failed', error }, 'last transcript was lost'))
  const { tapId } = await driver.openTap(leg, {
    onSamples(samples) {
      // Chunks arrive when they are complete.
      since ??= clock.now() - samples.length / 8
      transcriber.write(samples)
    },
    onEnd(cause) {
      if (cause === 'overrun') giveUp(call)
      track(end())
    },
  })
  const close = () => {
    call.close.delete(close)
    track(Promise.resolve(driver.closeTap?.(tapId)).then(end))
  }
  call.close.add(close)
  if (call.isLost) close()
}

/** A transcriber that cannot keep up is stopped. */
function giveUp(call: TranscribedCall): void {
  call.isLost = true
  for (const close of call.close) close()
}
