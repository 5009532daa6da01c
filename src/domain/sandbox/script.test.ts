import { describe, expect, test } from 'vitest'
import { parseScript } from './script.ts'

describe('a script that is right', () => {
  test('every step there is can be read', () => {
    const script = [
      { wait: 5 },
      { press: '2*#' },
      { say: 'My invoice is wrong', seconds: 3.5 },
      { hear: 4 },
      { request_callback: true },
      { voicemail: 12 },
      { hang_up: true },
    ]

    expect(parseScript(script)).toEqual(script)
  })

  test.each([undefined, null, []])('%j is a caller without a script', (value) => {
    expect(parseScript(value)).toEqual([])
  })

  test('zero seconds and a whole day are the limits', () => {
    expect(parseScript([{ wait: 0 }, { hear: 86_400 }])).toEqual([{ wait: 0 }, { hear: 86_400 }])
  })
})

describe('a script that is wrong', () => {
  test.each([
    ['text', 'hang_up'],
    ['an object', { wait: 1 }],
    ['more than 200 steps', Array.from({ length: 201 }, () => ({ wait: 1 }))],
    ['a step that is no object', [5]],
    ['an empty step', [{}]],
    ['a step with two keys', [{ wait: 1, press: '1' }]],
    ['an unknown step', [{ sing: 'la' }]],
    ['a step named like a property of all objects', [{ constructor: 1 }]],
    ['a negative wait', [{ wait: -1 }]],
    ['a wait of more than a day', [{ wait: 86_401 }]],
    ['a wait that is no number', [{ wait: '5' }]],
    ['a wait of NaN', [{ wait: Number.NaN }]],
    ['an endless wait', [{ wait: Number.POSITIVE_INFINITY }]],
    ['a letter as a key', [{ press: 'A' }]],
    ['no key', [{ press: '' }]],
    ['33 keys', [{ press: '1'.repeat(33) }]],
    ['a line without its length', [{ say: 'Hello' }]],
    ['a line without words', [{ say: '', seconds: 1 }]],
    ['a length without a line', [{ wait: 1, seconds: 1 }]],
    ['a hang-up that is not', [{ hang_up: false }]],
    ['a callback that is not', [{ request_callback: 1 }]],
  ])('%s is a mistake', (_, value) => {
    expect(parseScript(value)).toEqual({ mistake: expect.any(String) })
  })

  test('the error names the step', () => {
    expect(parseScript([{ wait: 1 }, { press: 'x' }])).toEqual({
      mistake: 'script step 2: press must be 1 to 32 of 0-9, * and #',
    })
  })
})
