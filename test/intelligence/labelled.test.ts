import { describe, expect, test } from 'vitest'
import { actionItemsOf, type FoundAction } from '../../src/domain/intelligence/action-items.ts'
import { moodOf } from '../../src/domain/intelligence/sentiment.ts'
import { contactReason } from '../../src/domain/intelligence/summary.ts'
import { precision, recall, summed, type Tally } from './golden.ts'
import { type Half, halves, type LabelledItem, type LabelledTurn, labelledCalls, labelledTurns } from './labelled.ts'

const percent = (share: number) => `${Math.round(100 * share)} %`

function report(what: string, tally: Tally): Tally {
  const { right, wrong, missed } = tally
  console.info(
    `${what}: precision ${percent(precision(tally))}, recall ${percent(recall(tally))} (${right} right, ${wrong} wrong, ${missed} missed)`,
  )
  return tally
}

function moodTally(turns: readonly LabelledTurn[], mood: string): Tally {
  const found = turns.map(({ text, language, label }) => ({ label, value: moodOf([text], language) }))
  const right = found.filter(({ label, value }) => label === mood && value === mood).length
  return {
    right,
    wrong: found.filter(({ label, value }) => label !== mood && value === mood).length,
    missed: found.filter(({ label }) => label === mood).length - right,
  }
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const fits = (found: FoundAction, item: LabelledItem) =>
  found.owner === item.owner && item.words.some((words) => plain(found.text).includes(plain(words)))

/** Turns of the second author are found less often: decision 0087 has the figures. Wrong labels are what users see. */
const isSecondAuthor = (half: Half) => half.startsWith('second-author')
const least = (half: Half, share: number) => (isSecondAuthor(half) ? 0 : share)

describe.each(halves)('on the %s half of the labelled data, the rules', (half) => {
  test('find negative sentiment', () => {
    const turns = labelledTurns(half)
    const tally = report(`NEGATIVE, ${half}`, moodTally(turns, 'NEGATIVE'))
    for (const language of new Set(turns.map((turn) => turn.language))) {
      const own = turns.filter((turn) => turn.language === language)
      report(`NEGATIVE, ${half}, ${language}`, moodTally(own, 'NEGATIVE'))
    }

    expect(precision(tally)).toBeGreaterThanOrEqual(0.8)
    expect(recall(tally)).toBeGreaterThanOrEqual(isSecondAuthor(half) ? 0.4 : 0.7)
  })

  test.each(['POSITIVE', 'NEUTRAL'])('find %s sentiment', (mood) => {
    const tally = report(`${mood}, ${half}`, moodTally(labelledTurns(half), mood))

    expect(precision(tally)).toBeGreaterThanOrEqual(mood === 'NEUTRAL' && isSecondAuthor(half) ? 0.7 : 0.8)
    expect(recall(tally)).toBeGreaterThanOrEqual(least(half, 0.7))
  })

  test('find requests and promises of both sides with their owner', () => {
    const calls = labelledCalls(half)
    const tallies = calls.map(({ transcript, items }): Tally & { language: string } => {
      const found = actionItemsOf(transcript) ?? []
      const wrong = found.filter((one) => !items.some((item) => fits(one, item))).length
      const missed = items.filter((item) => !found.some((one) => fits(one, item))).length
      return { language: transcript.language, right: items.length - missed, wrong, missed }
    })
    const tally = report(`action items, ${half}`, summed(tallies))
    for (const language of new Set(tallies.map((one) => one.language)))
      report(`action items, ${half}, ${language}`, summed(tallies.filter((one) => one.language === language)))

    expect(precision(tally)).toBeGreaterThanOrEqual(0.8)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.7)
  })

  test('find due times of action items', () => {
    const tallies = labelledCalls(half).flatMap(({ transcript, items }) =>
      (actionItemsOf(transcript) ?? []).flatMap((found): Tally[] => {
        const dues = items.filter((item) => fits(found, item)).map(({ due }) => due)
        if (dues.length === 0) return []
        const isRight = dues.some((due) => due !== null && found.due !== null && plain(due).includes(found.due.words))
        const isMissed = found.due === null && dues.every((due) => due !== null)
        const isWrong = found.due !== null && !isRight
        return [{ right: Number(isRight), wrong: Number(isWrong), missed: Number(isMissed) }]
      }),
    )
    const tally = report(`due times, ${half}`, summed(tallies))

    expect(precision(tally)).toBeGreaterThanOrEqual(isSecondAuthor(half) ? 0.7 : 0.8)
    expect(recall(tally)).toBeGreaterThanOrEqual(isSecondAuthor(half) ? 0.6 : 0.7)
  })

  test('find the reason of a call', () => {
    const calls = labelledCalls(half)
    const found = calls.map(({ transcript }) => contactReason(transcript))
    const right = calls.filter(({ reason }, place) => plain(found[place] ?? '').includes(plain(reason))).length
    const absent = found.filter((one) => one === null).length
    const tally = { right, wrong: calls.length - right - absent, missed: calls.length - right }
    report(`reasons, ${half}`, tally)

    expect(precision(tally)).toBeGreaterThanOrEqual(isSecondAuthor(half) ? 0.6 : 0.8)
  })
})
