import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { actionItemsOf } from '../../src/domain/intelligence/action-items.ts'
import { byMeaning, byWords, type Finder, ourClauses } from '../../src/domain/intelligence/finder.ts'
import { answersOf } from '../../src/domain/intelligence/scorecard.ts'
import { sentimentOf } from '../../src/domain/intelligence/sentiment.ts'
import {
  tellingSentences,
  topicExamples,
  topicsFor,
  topicsNear,
  topicsOf,
} from '../../src/domain/intelligence/topics.ts'
import type { Transcript } from '../../src/domain/intelligence/transcript.ts'
import { testApp } from '../kit/app.ts'
import {
  allPhrases,
  goldenCalls,
  goldenCard,
  precision,
  questionNames,
  recall,
  summed,
  type Tally,
  tallyOf,
} from './golden.ts'

const calls = goldenCalls()
const models = process.env.AI_MODELS_DIR ?? path.join(homedir(), '.cache', 'hookswitch', 'models')

function report(what: string, tally: Tally): string {
  const percent = (share: number) => `${Math.round(100 * share)} %`
  const { right, wrong, missed } = tally
  const line = `${what}: precision ${percent(precision(tally))}, recall ${percent(recall(tally))} (${right} right, ${wrong} wrong, ${missed} missed)`
  console.info(line)
  return line
}

async function answersBy(finder: (transcript: Transcript) => Promise<Finder>) {
  const tallies: Tally[] = []
  let negated = true
  for (const { transcript, answers } of calls) {
    const given = answersOf(transcript, goldenCard, { find: await finder(transcript) }) ?? []
    const named = given.map(({ answer }, place) => ({ name: questionNames[place] ?? '', answer }))
    const judged = named.filter(({ name }) => answers.has(name))
    const yes = judged.filter(({ answer }) => answer === 'YES').map(({ name }) => name)
    tallies.push(
      tallyOf(
        yes,
        [...answers].filter(([, answer]) => answer === 'YES').map(([name]) => name),
      ),
    )
    negated &&= judged.every(({ name, answer }) => answers.get(name) !== 'N/A' || answer !== 'YES')
  }
  return { tally: summed(tallies), negated }
}

describe('on labelled conversations, the rules', () => {
  test('find the sentiment of customers', () => {
    const moods = calls.map(({ transcript }) => sentimentOf(transcript)?.[0]?.value ?? null)
    const wrong = calls.filter(({ mood }, place) => mood !== moods[place]).map(({ name }) => name)
    console.info(`moods: ${calls.length - wrong.length} of ${calls.length} right; wrong: ${wrong.join(', ')}`)

    expect(1 - wrong.length / calls.length).toBeGreaterThanOrEqual(0.7)
  })

  test('find action items', () => {
    const tally = summed(
      calls.map(({ transcript, todo }) => tallyOf(actionItemsOf(transcript)?.map(({ text }) => text) ?? [], todo)),
    )
    report('things to do', tally)

    expect(precision(tally)).toBeGreaterThanOrEqual(0.81)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.81)
  })

  test('find topics', () => {
    const tally = summed(calls.map(({ transcript, topics }) => tallyOf(topicsOf(transcript, []) ?? [], topics)))
    report('topics', tally)

    expect(precision(tally)).toBeGreaterThanOrEqual(0.77)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.95)
  })

  test('find topics by similarity, if the embedding model is available', async () => {
    const { app } = await testApp({ env: { AI_MODELS_DIR: models } })
    const near = app.services.ai.similarity
    if (!(await near([], [])))
      return void console.warn('no embedding model is installed: topics by meaning were not tried')
    const tallies: Tally[] = []
    for (const { transcript, topics } of calls) {
      const examples = topicsFor(transcript, []).flatMap((topic) =>
        topicExamples(topic).map((text) => ({ name: topic.name, text })),
      )
      const sentences = tellingSentences(transcript)
      const texts = examples.map(({ text }) => text)
      const nearness = sentences.length === 0 ? [] : ((await near(sentences, texts)) ?? [])
      tallies.push(tallyOf(topicsOf(transcript, [], topicsNear(examples, nearness)) ?? [], topics))
    }
    const tally = summed(tallies)
    report('topics by meaning', tally)

    expect(precision(tally)).toBeGreaterThanOrEqual(0.7)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.95)
  })

  test('answer questions by keywords, and do not take a negation for a yes', async () => {
    const { tally, negated } = await answersBy(async (transcript) => byWords(transcript))
    report('questions by words', tally)

    expect(negated).toBe(true)
    expect(precision(tally)).toBeGreaterThanOrEqual(0.77)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.36)
  })

  test('answer questions by similarity, if the embedding model is available', async () => {
    const { app } = await testApp({ env: { AI_MODELS_DIR: models } })
    const near = app.services.ai.similarity
    if (!(await near([], [])))
      return void console.warn('no model for meaning is here: questions by meaning were not tried')
    const { tally, negated } = await answersBy(async (transcript) => {
      const clauses = ourClauses(transcript)
      return byMeaning(clauses, allPhrases, (await near(clauses, allPhrases)) ?? [])
    })
    report('questions by meaning', tally)

    expect(negated).toBe(true)
    expect(precision(tally)).toBeGreaterThanOrEqual(0.77)
    expect(recall(tally)).toBeGreaterThanOrEqual(0.69)
  })

  test('return no results for a call without speech', () => {
    const empty = calls.find(({ name }) => name.startsWith('empty'))?.transcript ?? { language: 'en', utterances: [] }

    expect([sentimentOf(empty), actionItemsOf(empty), topicsOf(empty, []), answersOf(empty, goldenCard)]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})
