import { describe, expect, test } from 'vitest'
import { hasOpus } from '../../src/media/opus.ts'
import { intelligibility } from '../kit/intelligibility.ts'
import { overNetwork, promptsIn } from '../kit/weak-network.ts'

const speech = promptsIn('en', ['welcome', 'callback_offer'])

describe.skipIf(!hasOpus())('Opus on a weak network', () => {
  test.each([
    ['10 % of the packets are lost', { loss: 0.1, jitterMs: 0, seed: 1 }],
    ['packets come 60 ms early or late', { loss: 0, jitterMs: 120, seed: 2 }],
    ['both', { loss: 0.1, jitterMs: 120, seed: 3 }],
  ])('is understood better than G.711 when: %s', (_, network) => {
    const understood = (codec: 'opus' | 'PCMU') => intelligibility(speech, overNetwork(codec, speech, network))

    expect(understood('opus')).toBeGreaterThan(understood('PCMU'))
  })
})
