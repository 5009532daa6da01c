import { parseArgs } from 'node:util'
import { findModels } from '../src/intelligence/models.ts'
import {
  canSpeak,
  conversationOf,
  modelsFolder,
  noise,
  type Placed,
  sidesWith,
  wordErrorRate,
} from '../test/kit/spoken.ts'
import { agentTurns } from './intelligence/agent-tests.ts'
import { callsBesideSpeech } from './intelligence/beside-calls.ts'
import { costs } from './intelligence/costs.ts'
import { wordErrors } from './intelligence/languages.ts'
import { liveLag } from './intelligence/live.ts'
import { print, type Row } from './kit.ts'

// Cost and latency of speech-to-text, and its effect on calls. Speech is synthesized by flite and goes
// through the band and the codec of a phone line; it is easier to transcribe than human speech.

const lines = [
  'c: Hello, I am calling about an invoice that I received last week for my order.',
  'a: Thank you for calling the support team, let me look at your account.',
  'c: The amount on the invoice is wrong, and I would like to have my money back.',
  'a: I am sorry about that, could you please tell me your name and your address?',
  'c: My name is Sarah Miller and I live in the green house near the station.',
  'a: Thank you, I can see the order, and I will send the money back on Friday.',
  'c: That is great, please send me a letter when it is done.',
  'a: Of course, you will have it next week, is there anything else?',
]

export interface Spoken {
  modelsDir: string
  placed: readonly Placed[]
  /** Ours and theirs. */
  sides: readonly [Int16Array, Int16Array]
}

export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { words: { type: 'string' } } })
  if (values.words !== undefined) {
    const folder = modelsFolder()
    if (!folder || !canSpeak) return [{ row: 'word error rates', figure: 'skipped: models or espeak-ng are missing' }]
    return wordErrors(folder, values.words === 'all' ? undefined : values.words)
  }
  const turns = await agentTurns()
  const modelsDir = modelsFolder()
  if (!modelsDir || !canSpeak)
    return [...turns, { row: 'speech', figure: 'skipped: models, flite, espeak-ng or sox are missing' }]
  const placed = await conversationOf(lines, 900)
  const spoken = { modelsDir, placed, sides: sidesWith(placed, noise(60)) }
  print(
    `${(spoken.sides[0].length / 8_000).toFixed(0)} seconds of two voices; models ${JSON.stringify(await findModels(modelsDir))}`,
  )
  return [...turns, ...(await costs(spoken)), ...(await liveLag(spoken)), ...(await callsBesideSpeech(spoken))]
}

export const errorRate = (placed: readonly Placed[], transcripts: readonly string[]) =>
  wordErrorRate(placed.map(({ text }) => text).join(' '), transcripts.join(' '))
