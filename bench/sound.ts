import { hasOpus } from '../src/media/opus.ts'
import { intelligibility } from '../test/kit/intelligibility.ts'
import { overNetwork, promptsIn, type Sender } from '../test/kit/weak-network.ts'
import { print, type Row } from './kit.ts'

// How well speech is understood that has come over a network with losses and jitter: Opus against G.711, from a browser with a
// weak network to us and from us to the browser. Time is computed, so the figures are the same on every machine.

const networks: readonly { name: string; loss: number; jitterMs: number }[] = [
  { name: 'no loss, no jitter', loss: 0, jitterMs: 0 },
  { name: '1 % loss', loss: 0.01, jitterMs: 0 },
  { name: '10 % loss', loss: 0.1, jitterMs: 0 },
  { name: '20 % loss', loss: 0.2, jitterMs: 0 },
  { name: 'delays between 0 and 60 ms', loss: 0, jitterMs: 60 },
  { name: '60 ms jitter (delays between 0 and 120 ms)', loss: 0, jitterMs: 120 },
  { name: '10 % loss, 60 ms jitter', loss: 0.1, jitterMs: 120 },
]
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl']
const prompts = ['welcome', 'callback_offer', 'voicemail', 'ivr', 'callback_later']
const senders = [
  { sender: 'opus of a browser', name: 'from a browser' },
  { sender: 'opus', name: 'to a browser' },
] as const

export async function bench(): Promise<Row[]> {
  if (!hasOpus()) throw new Error('there is no Opus encoder for this system')
  print('short-time objective intelligibility, 1 is perfect; our prompts in six languages; each with a seed of its own')
  const spoken = languages.map((language) => promptsIn(language, prompts))
  return networks.flatMap(({ name, ...network }) => {
    const scores = (sender: Sender) =>
      spoken.map((speech, seed) => intelligibility(speech, overNetwork(sender, speech, { ...network, seed })))
    const g711 = scores('g711')
    return senders.map(({ sender, name: direction }) => {
      const opus = scores(sender)
      const ahead = opus.filter((score, i) => score > (g711[i] ?? 1)).length
      return {
        row: `Opus ${direction}, ${name}`,
        figure: mean(opus).toFixed(5),
        baseline: `G.711 ${mean(g711).toFixed(5)}; ahead in ${ahead} of ${opus.length}`,
        ratio: mean(opus) / mean(g711),
        aim: { atLeast: 1 },
      }
    })
  })
}

const mean = (scores: readonly number[]) => scores.reduce((sum, score) => sum + score, 0) / scores.length
