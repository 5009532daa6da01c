import { describe, expect, test } from 'vitest'
import { movesOf } from './script.ts'

describe('moves', () => {
  test('keys are pressed one after the other, once the line is open', () => {
    expect(movesOf([{ press: '12' }])).toEqual([
      { kind: 'wait_for', sign: 'answered' },
      { kind: 'wait_for', sign: 'reply' },
      { kind: 'press', digit: '1' },
      { kind: 'pause', ms: 250 },
      { kind: 'press', digit: '2' },
    ])
  })

  test('a voicemail is spoken after the beep, and then the caller hangs up', () => {
    expect(movesOf([{ wait: 1 }, { voicemail: 12 }])).toEqual([
      { kind: 'pause', ms: 1_000 },
      { kind: 'wait_for', sign: 'recording' },
      { kind: 'speak', text: null, ms: 12_000 },
      { kind: 'hang_up' },
    ])
  })
})
