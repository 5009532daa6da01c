import { describe, expect, test } from 'vitest'
import { movesOf } from './script.ts'

describe('moves', () => {
  test('keys are pressed one after the other, once the line is open', () => {
    expect(movesOf([{ press: '12' }])).toEqual([
      { do: 'wait_for', sign: 'answered' },
      { do: 'wait_for', sign: 'reply' },
      { do: 'press', digit: '1' },
      { do: 'pause', ms: 250 },
      { do: 'press', digit: '2' },
    ])
  })

  test('a voicemail is spoken after the beep, and then the caller hangs up', () => {
    expect(movesOf([{ wait: 1 }, { voicemail: 12 }])).toEqual([
      { do: 'pause', ms: 1_000 },
      { do: 'wait_for', sign: 'recording' },
      { do: 'speak', text: null, ms: 12_000 },
      { do: 'hang_up' },
    ])
  })
})
