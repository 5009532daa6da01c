import type { CallHappening, Deed } from '../domain/call/events.ts'
import type { Ear, Language } from '../domain/intelligence/engines.ts'
import type { LegId } from '../domain/voice.ts'
import type { Services } from '../services.ts'
import type { Live } from './live.ts'

// What AI voice agents hear on lines that carry sound: a tap on the leg, and an ear that makes words of it.

interface Parts {
  services: Pick<Services, 'ai' | 'clock' | 'log'>
  tell(live: Live, happening: CallHappening): void
  /** Beside that: whoever follows the call. */
  heard: Heard
}

export type Heard = (live: Live, by: { leg: LegId }, said: { text: string; at: number; ms: number }) => void

export interface AgentEars {
  /** Once more with another patience: a new ear takes the place of the old one. */
  listen(live: Live, deed: Extract<Deed, { kind: 'listen' }>): Promise<void>
  stop(live: Live, leg: LegId): Promise<void>
}

interface Listening {
  tapId: string
  ear: Ear | null
  hangoverMs: number
  /** Somebody has begun to speak, and no words of it have come. */
  isOpen: boolean
  /** Pieces of 100 ms in a row in which next to nothing was heard. */
  quiet: number
}

/** Barge-in: so much speech is no cough. */
const speaksAfterMs = 300
/** About -46 dBFS. */
const quietBelow = 160
/** No words will come any more of what was heard then: it was noise. */
const maxQuiet = 60
/** Half a second of silence. */
const warmUpSamples = 4_000

export function createAgentEars({ services: { ai, clock, log }, tell, heard: noted }: Parts): AgentEars {
  const listening = new Map<LegId, Listening>()

  function earFor(live: Live, leg: LegId, { language, hangoverMs }: Extract<Deed, { kind: 'listen' }>) {
    const now = () => listening.get(leg)
    const since = clock.now()
    return ai.listen(live.state.companyId, {
      language,
      hangoverMs,
      speaksAfterMs,
      speaks() {
        const one = now()
        if (!one) return
        one.isOpen = true
        tell(live, { kind: 'leg.speaks', leg })
      },
      heard({ text, startMs, endMs }) {
        noted(live, { leg }, { text, at: Math.round(since + startMs), ms: Math.round(endMs - startMs) })
        const one = now()
        if (!one) return
        one.isOpen = false
        if (text.trim() !== '') tell(live, { kind: 'leg.said', leg, text: text.trim() })
      },
      lost(why) {
        if (!now()) return
        log.warn({ callId: live.state.callId, why }, 'an AI voice agent has lost its ear')
        tell(live, { kind: 'agent.failed', what: 'ear' })
      },
    })
  }

  function hear(live: Live, leg: LegId, samples: Int16Array): void {
    const one = listening.get(leg)
    if (!one) return
    one.ear?.write(samples)
    one.quiet = isQuiet(samples) ? one.quiet + 1 : 0
    if (!one.isOpen || one.quiet < maxQuiet) return
    one.isOpen = false
    tell(live, { kind: 'leg.said', leg, text: '' })
  }

  /** Models of our own are loaded while the agent greets, and not when the caller has spoken for the first time. */
  async function warmUp(companyId: number, language: Language): Promise<void> {
    const stt = await ai.stt(companyId)
    if (!stt?.id.startsWith('embedded')) return
    const sound = { samples: new Int16Array(warmUpSamples), rate: 8_000 } as const
    await stt.transcribe(sound, { language, signal: new AbortController().signal, urgent: true })
  }

  return {
    async listen(live, deed) {
      const { leg, hangoverMs } = deed
      const { driver } = live
      if (!driver.openTap) return
      const known = listening.get(leg)
      if (known?.hangoverMs === hangoverMs) return
      const ear = await earFor(live, leg, deed)
      if (!ear) {
        if (!known) tell(live, { kind: 'agent.failed', what: 'ear' })
        return
      }
      if (known) {
        known.ear?.end().catch((error) => log.debug({ error }, 'an ear had something left to say'))
        Object.assign(known, { ear, hangoverMs, isOpen: false })
        return
      }
      const one: Listening = { tapId: '', ear, hangoverMs, isOpen: false, quiet: 0 }
      listening.set(leg, one)
      warmUp(live.state.companyId, deed.language).catch((error) => log.debug({ error }, 'an ear stays cold'))
      const { tapId } = await driver.openTap(leg, {
        hear: (samples) => hear(live, leg, samples),
        ended(cause) {
          listening.delete(leg)
          if (cause === 'overrun') tell(live, { kind: 'agent.failed', what: 'ear' })
        },
      })
      one.tapId = tapId
    },
    async stop(live, leg) {
      const one = listening.get(leg)
      if (!one) return
      listening.delete(leg)
      one.ear?.end().catch((error) => log.debug({ error }, 'an ear had something left to say'))
      await live.driver.closeTap?.(one.tapId)
    },
  }
}

function isQuiet(samples: Int16Array): boolean {
  let power = 0
  for (const sample of samples) power += sample * sample
  return power < quietBelow * quietBelow * samples.length
}
