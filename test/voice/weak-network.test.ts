import { describe, expect, test } from 'vitest'
import { hasOpus } from '../../src/media/opus.ts'
import { intelligibility } from '../kit/intelligibility.ts'
import { overNetwork, promptsIn } from '../kit/weak-network.ts'

const brief = promptsIn('en', ['welcome', 'callback_offer'])
/** Our encoder adds redundancy until the first report, after five seconds. */
const long = promptsIn('en', ['welcome', 'callback_offer', 'voicemail', 'ivr', 'callback_later'])

/** Their differences on a clean network are inaudible. */
const inaudible = 0.003

test.each([
  ['nothing is lost or late', { loss: 0, jitterMs: 0, seed: 4 }],
  ['5 % of the packets are lost', { loss: 0.05, jitterMs: 0, seed: 1 }],
  ['packets come 20 ms early or late', { loss: 0, jitterMs: 40, seed: 2 }],
] as const)('G.722 is understood like G.711 when: %s', (_, network) => {
  const [g711 = 1, g722 = 0] = (['g711', 'g722'] as const).map((sender) =>
    intelligibility(brief, overNetwork(sender, brief, network)),
  )

  expect(g722).toBeGreaterThan(g711 - 0.01)
})

describe.skipIf(!hasOpus())('wideband Opus of a trunk', () => {
  test.each([
    ['nothing is lost or late', { loss: 0, jitterMs: 0, seed: 4 }],
    ['10 % of the packets are lost', { loss: 0.1, jitterMs: 0, seed: 1 }],
    ['packets come 60 ms early or late', { loss: 0, jitterMs: 120, seed: 2 }],
  ] as const)('is understood at least like G.722 when: %s', (_, network) => {
    const [g722 = 1, opus = 0] = (['g722', 'wideband opus'] as const).map((sender) =>
      intelligibility(brief, overNetwork(sender, brief, network)),
    )

    expect(opus).toBeGreaterThan(g722 - inaudible)
  })
})

describe.skipIf(!hasOpus())('Opus', () => {
  test.each([
    ['nothing is lost or late', long, { loss: 0, jitterMs: 0, seed: 4 }],
    ['10 % of the packets are lost', brief, { loss: 0.1, jitterMs: 0, seed: 1 }],
    ['packets come 60 ms early or late', brief, { loss: 0, jitterMs: 120, seed: 2 }],
    ['both', brief, { loss: 0.1, jitterMs: 120, seed: 3 }],
  ] as const)('is understood better than G.711, from a browser and to one, when: %s', (_, speech, network) => {
    const [g711 = 1, ...opus] = (['g711', 'opus', 'opus of a browser'] as const).map((sender) =>
      intelligibility(speech, overNetwork(sender, speech, network)),
    )

    for (const score of opus) expect(score).toBeGreaterThan(g711)
  })
})
