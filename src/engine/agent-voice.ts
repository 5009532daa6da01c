import { sentencesIn } from '../domain/ai-agent/sentences.ts'
import type { Deed } from '../domain/call/events.ts'
import type { Language, TtsEngine } from '../domain/intelligence/engines.ts'
import type { Mouth } from '../domain/voice.ts'
import { abortable } from '../lib/abortable.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Live } from './live.ts'

// What AI voice agents say on lines that carry sound: sentence by sentence, played while it is made.

type Play = Extract<Deed, { kind: 'play' }>

interface Parts {
  services: Pick<Services, 'ai' | 'clock' | 'log'>
  failed(live: Live): void
}

export interface AgentVoices {
  /** Resolves with the name of the sound, when it has begun; what follows is fed beside. */
  say(live: Live, deed: Play, text: string): Promise<string | undefined>
  /** Nobody hears it any more. */
  stop(playId: string): void
}

/** For each piece; whoever waits longer has been forgotten. */
const maxWait = 10 * second

export function createAgentVoices({ services: { ai, clock, log }, failed }: Parts): AgentVoices {
  const speaking = new Map<string, AbortController>()

  async function begin(live: Live, { leg, bargeInOn, speaker = '' }: Play): Promise<[Mouth, TtsEngine]> {
    const tts = await ai.tts(live.state.companyId)
    if (!tts || !live.driver.speak) throw new Error('there is no voice')
    return [await live.driver.speak(leg, { speaker, ...(bargeInOn !== undefined && { bargeInOn }) }), tts]
  }

  function complain(live: Live, error: unknown): void {
    if (isGone(error)) return
    log.warn({ error, callId: live.state.callId }, 'an AI voice agent could not speak')
    failed(live)
  }

  return {
    async say(live, deed, text) {
      try {
        const [mouth, tts] = await begin(live, deed)
        const { playId } = mouth
        const control = new AbortController()
        speaking.set(playId, control)
        feed(clock, mouth, tts, text, mannerOf(live), control)
          .catch((error) => {
            if (error !== nobodyListens) complain(live, error)
          })
          .finally(() => speaking.delete(playId))
        return playId
      } catch (error) {
        complain(live, error)
        return undefined
      }
    },
    stop(playId) {
      speaking.get(playId)?.abort(nobodyListens)
      speaking.delete(playId)
    },
  }
}

const nobodyListens = Symbol('nobody listens')

async function feed(
  clock: Clock,
  mouth: Mouth,
  tts: TtsEngine,
  text: string,
  how: Manner,
  control: AbortController,
): Promise<void> {
  const { signal } = control
  const patience = () => clock.machineAfter(maxWait, () => control.abort(new Error('the voice took too long')))
  for (const sentence of sentencesIn(text)) {
    let begun: string | undefined = sentence
    let cancel = patience()
    try {
      const pieces = tts.speak(sentence, { ...how, signal })[Symbol.asyncIterator]()
      for await (const samples of abortable(pieces, signal)) {
        cancel()
        if (!(await mouth.say(samples, begun))) return
        begun = undefined
        cancel = patience()
      }
    } finally {
      cancel()
    }
    if (begun !== undefined) throw new Error('the voice said nothing')
  }
  await mouth.whole()
}

interface Manner {
  language: Language
  voice?: string
}

function mannerOf({ state: { agent } }: Live): Manner {
  const { language = 'en', voice = null } = agent?.plan ?? {}
  return { language, ...(voice !== null && { voice }) }
}

/** The caller hung up in mid-sentence. */
const isGone = (error: unknown) => error instanceof Error && ['LegGone', 'MediaGone'].includes(error.name)
