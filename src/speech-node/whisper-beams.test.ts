import { expect, test } from 'vitest'
import { beforeLoop, type DecoderState, loopStart, searchBeams } from './whisper-beams.ts'
import { firstTimestamp, WhisperRules } from './whisper-choice.ts'

/** Words are 1 to 8, 10 is the end, 13 says that there are no times. */
const numbers = {
  decoder_start_token_id: 9,
  eos_token_id: 10,
  no_timestamps_token_id: 13,
  lang_to_id: { '<|fr|>': 11 },
  task_to_id: { transcribe: 12 },
  suppress_tokens: [0],
  begin_suppress_tokens: [10],
}
const rules = new WhisperRules(numbers, 2)
const time = (seconds: number) => firstTimestamp(numbers) + Math.round(seconds / 0.02)

type Likely = (tokens: readonly number[]) => Record<number, number>

/** A decoder whose next token depends on the previous ones; everything else is unlikely. */
function decoder(likely: Likely, tokens: readonly number[] = []): DecoderState {
  const logits = new Float32Array(14 + 101).fill(-20)
  for (const [token, value] of Object.entries(likely(tokens))) logits[Number(token)] = value
  return { logits, after: async (token) => decoder(likely, [...tokens, token]) }
}

test('the sequence that is likeliest as a whole is found, though its first word is not', async () => {
  const likely: Likely = (tokens) => {
    const [, word] = tokens
    if (tokens.length === 0) return { [time(0)]: 5 }
    // The first word leads into words that are all equally likely, the second one into the end.
    if (tokens.length === 1) return { 1: 1, 2: 0.8 }
    if (tokens.length === 2) return word === 1 ? { 3: 1, 4: 1, 5: 1, 6: 1 } : { [time(1)]: 9 }
    if (tokens.length === 3 && word === 1) return { [time(1)]: 9 }
    return { 10: 9 }
  }
  const find = (width: number) => searchBeams(decoder(likely), { rules, width, limit: 20 })

  expect((await find(1)).tokens).toEqual([time(0), 1, 3, time(1)])
  expect((await find(2)).tokens).toEqual([time(0), 2, time(1)])
})

test('a loop is found by a phrase that occurs four times, whatever the times between', () => {
  const phrase = [3, 4, 5]

  expect(loopStart([time(0), 1, 2, ...phrase, ...phrase, ...phrase], rules)).toBeUndefined()
  expect(loopStart([time(0), 1, 2, ...phrase, ...phrase, ...phrase, ...phrase], rules)).toBe(3)
  expect(loopStart([time(0), 1, 7, time(0.2), time(0.2), 7, time(0.4), time(0.4), 7, 7], rules)).toBe(2)
  expect(loopStart([time(0), 1, 2, 3, 4, 1, 2, 5, 1, 2, 6, 1, 2], rules)).toBeUndefined()
})

test('of a window with a loop, the complete utterances before it are kept', () => {
  const first = [time(0), 1, 2, time(0.4)]
  const second = [time(0.6), 3, time(0.8)]
  const loop = [time(1), 4, 5, 6, 5, 6, 5, 6, 5, 6]

  expect(beforeLoop([...first, ...second, ...loop], rules)).toEqual([...first, ...second, time(1)])
  // The loop is in the first utterance.
  expect(beforeLoop(loop, rules)).toEqual([])
})

test('decoding ends in the loop, and continues from the utterances before it without repetition', async () => {
  const before = [time(0), 1, 2, time(0.4), time(0.6)]
  let steps = 0
  const likely: Likely = (tokens) => {
    steps++
    const last = tokens.at(-1) ?? -1
    if (tokens.length < before.length) return { [before[tokens.length] ?? 0]: 5 }
    // 3 and 4 follow each other for ever. What is said is 3, 4, 5 and the end.
    if (last === 5) return { [time(1)]: 5 }
    if (last === time(1)) return { 10: 5 }
    const previous = tokens.filter((token) => token === 3).length
    return last === 3 ? { 4: 5, 5: 2 } : { 3: 5, 5: previous > 0 ? 3 : 0 }
  }
  const looped = await searchBeams(decoder(likely), { rules, width: 1, limit: 90 })
  const stepsOfLoop = steps
  const given = beforeLoop(looped.tokens, rules)
  const evidence = looped.evidence.slice(0, given.length)
  const again = await searchBeams(decoder(likely, given), {
    rules,
    width: 1,
    limit: 90,
    given: { tokens: given, evidence },
    withoutRepetition: true,
  })

  expect(looped.isLoop).toBe(true)
  expect(stepsOfLoop).toBeLessThan(20)
  expect(given).toEqual(before)
  expect(again.isLoop).toBe(false)
  expect(again.tokens).toEqual([...before, 3, 4, 3, 4, 5, time(1)])
  // The probability of each token is known, also of those before the loop.
  expect(again.evidence).toHaveLength(again.tokens.length)
  expect(again.evidence.slice(0, given.length)).toEqual(evidence)
  for (const { logProbability } of again.evidence) expect(logProbability).toBeLessThanOrEqual(0)
})
