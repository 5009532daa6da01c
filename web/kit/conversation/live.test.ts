import { describe, expect, test } from 'vitest'
import { isAtEnd, type LiveLine, type LiveWords, mostLines, onlyOf, utteranceIn, withLine } from './live.ts'

const line = (at: number, text = `line ${at}`): LiveLine => ({ participant_type: 'external', text, at })

describe('words of calls that go on', () => {
  test('stand in the order in which they began, each once', () => {
    const heard = [line(30), line(10), line(20), line(10)].reduce<LiveWords>(
      (words, one) => withLine(words, 7, one),
      {},
    )

    expect(heard[7]?.map(({ at }) => at)).toEqual([10, 20, 30])
    expect(withLine(heard, 8, line(5))[7]).toBe(heard[7])
  })

  test('are not kept without end, nor after the call', () => {
    let words: LiveWords = {}
    for (let at = 0; at < mostLines + 5; at++) words = withLine(words, 7, line(at))

    expect(words[7]?.length).toBe(mostLines)
    expect(words[7]?.[0]?.at).toBe(5)
    expect(onlyOf(words, new Set([8]))).toEqual({})
    expect(onlyOf(words, new Set([7]))).toBe(words)
  })

  test('come over the socket', () => {
    const message = { type: 'utterance', call_id: 7, utterance: line(1) }

    expect(utteranceIn(message)).toEqual({ callId: 7, line: line(1) })
    expect(utteranceIn({ type: 'ring' })).toBeUndefined()
  })

  test('are followed only by who reads at the end', () => {
    expect(isAtEnd({ scrollTop: 60, clientHeight: 100, scrollHeight: 180 })).toBe(true)
    expect(isAtEnd({ scrollTop: 0, clientHeight: 100, scrollHeight: 180 })).toBe(false)
  })
})
