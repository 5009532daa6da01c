import { hasOpus } from '../src/media/opus.ts'
import { intelligibility } from '../test/kit/intelligibility.ts'
import { type Network, overNetwork, promptsIn } from '../test/kit/weak-network.ts'
import { type Row, say } from './kit.ts'

// How well speech is understood that has come over a network with losses and jitter: Opus, as a browser with a weak network
// sends it, against G.711. Time is computed, so the figures are the same on every machine.

const networks: readonly { name: string; loss: number; jitterMs: number; isAim: boolean }[] = [
  { name: 'no loss, no jitter', loss: 0, jitterMs: 0, isAim: false },
  { name: '10 % loss', loss: 0.1, jitterMs: 0, isAim: true },
  { name: '20 % loss', loss: 0.2, jitterMs: 0, isAim: true },
  { name: 'delays between 0 and 60 ms', loss: 0, jitterMs: 60, isAim: false },
  { name: '60 ms jitter (delays between 0 and 120 ms)', loss: 0, jitterMs: 120, isAim: true },
  { name: '10 % loss, 60 ms jitter', loss: 0.1, jitterMs: 120, isAim: true },
]
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl']
const prompts = ['welcome', 'callback_offer', 'voicemail', 'ivr', 'callback_later']

export async function bench(): Promise<Row[]> {
  if (!hasOpus()) throw new Error('there is no Opus encoder for this system')
  say('short-time objective intelligibility, 1 is perfect; our prompts in six languages; each with a seed of its own')
  const spoken = languages.map((language) => promptsIn(language, prompts))
  return networks.map(({ name, isAim, ...network }) => {
    const scores = spoken.map((speech, seed) => ({
      opus: score('opus', speech, { ...network, seed }),
      g711: score('PCMU', speech, { ...network, seed }),
    }))
    const mean = (codec: 'opus' | 'g711') => scores.reduce((sum, one) => sum + one[codec], 0) / scores.length
    const worst = Math.min(...scores.map(({ opus, g711 }) => opus / g711))
    return {
      row: `Opus, ${name}`,
      figure: mean('opus').toFixed(4),
      baseline: `G.711 ${mean('g711').toFixed(4)}; worst of six ${worst.toFixed(4)}`,
      ratio: mean('opus') / mean('g711'),
      // Where nothing is missing both are as good as perfect, and what differs is the coding alone.
      aim: isAim ? { atLeast: 1 } : { atLeast: 0.998 },
    }
  })
}

const score = (codec: 'opus' | 'PCMU', speech: Int16Array, network: Network) =>
  intelligibility(speech, overNetwork(codec, speech, network))
