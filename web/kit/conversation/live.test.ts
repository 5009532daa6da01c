import { describe, expect, test } from 'vitest'
import { isAtEnd, type LiveLine, type LiveTranscripts, maxLines, onlyOf, utteranceIn, withLine } from './live.ts'

const line = (at: number, text = `line ${at}`): LiveLine => ({ participant_type: 'external', text, at })

describe('live transcripts', () => {
  test('lines are sorted by start, without duplicates', () => {
    const lines = [line(30), line(10), line(20), line(10)].reduce<LiveTranscripts>(
      (transcripts, one) => withLine(transcripts, 7, one),
      {},
    )

    expect(lines[7]?.map(({ at }) => at)).toEqual([10, 20, 30])
    expect(withLine(lines, 8, line(5))[7]).toBe(lines[7])
  })

  test('the number of lines is limited, and they are dropped after the call', () => {
    let transcripts: LiveTranscripts = {}
    for (let at = 0; at < maxLines + 5; at++) transcripts = withLine(transcripts, 7, line(at))

    expect(transcripts[7]?.length).toBe(maxLines)
    expect(transcripts[7]?.[0]?.at).toBe(5)
    expect(onlyOf(transcripts, new Set([8]))).toEqual({})
    expect(onlyOf(transcripts, new Set([7]))).toBe(transcripts)
  })

  test('lines are read from WebSocket messages', () => {
    const message = { type: 'utterance', call_id: 7, utterance: line(1) }

    expect(utteranceIn(message)).toEqual({ callId: 7, line: line(1) })
    expect(utteranceIn({ type: 'ring' })).toBeUndefined()
  })

  test('the view follows new lines only when it is scrolled to the end', () => {
    expect(isAtEnd({ scrollTop: 60, clientHeight: 100, scrollHeight: 180 })).toBe(true)
    expect(isAtEnd({ scrollTop: 0, clientHeight: 100, scrollHeight: 180 })).toBe(false)
  })
})
