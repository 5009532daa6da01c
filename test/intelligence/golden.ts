import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Scorecard, ScorecardQuestion } from '../../src/domain/intelligence/scorecard.ts'
import type { Transcript } from '../../src/domain/intelligence/transcript.ts'

// Labelled conversations: one file each, labels first. They were written together with the rules, so that measurements on
// them favour the rules.

export interface Golden {
  name: string
  transcript: Transcript
  /** Null: the external party did not speak. */
  mood: string | null
  topics: string[]
  todo: string[]
  /** Expected answers about the agent, by question. */
  answers: Map<string, 'YES' | 'NO' | 'N/A'>
}

const folder = path.join(import.meta.dirname, 'golden')

export const goldenCalls = (): Golden[] =>
  readdirSync(folder)
    .toSorted()
    .map((file) => read(file, readFileSync(path.join(folder, file), 'utf8')))

function read(name: string, text: string): Golden {
  const [head = '', body = ''] = text.split('\n\n')
  const labels = head.split('\n').map((line) => line.split(': '))
  const of = (label: string) => labels.filter(([key]) => key === label).map(([, ...rest]) => rest.join(': '))
  const list = (label: string) =>
    of(label)
      .flatMap((line) => line.split(', '))
      .filter((word) => word !== 'none')
  const answered = (label: string, answer: 'YES' | 'NO' | 'N/A') =>
    list(label).map((word): [string, typeof answer] => [word, answer])
  const [mood = 'none'] = of('mood')
  return {
    name,
    transcript: { language: 'en', utterances: body.split('\n').filter(Boolean).map(utterance) },
    mood: mood === 'none' ? null : mood,
    topics: list('topics'),
    todo: of('todo'),
    answers: new Map([...answered('yes', 'YES'), ...answered('no', 'NO'), ...answered('na', 'N/A')]),
  }
}

const utterance = (line: string, place: number) => ({
  start: place * 5,
  end: place * 5 + 4,
  text: line.slice(3),
  speaker: line.startsWith('c')
    ? { side: 'external' as const, phone: '+33612345678' }
    : { side: 'internal' as const, userId: 7 },
})

const phrases: Record<string, string[]> = {
  greeting: ['thank you for calling', 'how can I help you', 'good morning, welcome to our company'],
  identity: ['can I have your name and date of birth', 'please confirm your identity'],
  apology: ['I am sorry about that', 'I apologise for the inconvenience'],
  discount: ['I can offer you a discount', 'we can give you ten percent off'],
  'next step': ['I will send you an email', 'we will get back to you tomorrow', 'I will take care of it today'],
  closing: ['have a nice day', 'thank you for your call, goodbye'],
}

const question = (name: string): ScorecardQuestion => ({
  text: name,
  type: 'BINARY',
  points: 1,
  strictness: 1,
  aiEnabled: true,
  phrases: phrases[name] ?? [],
})

export const questionNames = Object.keys(phrases)
export const allPhrases = Object.values(phrases).flat()
export const goldenCard: Scorecard = {
  name: 'Golden',
  description: '',
  categories: [{ name: 'All', questions: questionNames.map(question) }],
}

export interface Tally {
  right: number
  wrong: number
  missed: number
}

export const precision = ({ right, wrong }: Tally) => right / Math.max(1, right + wrong)
export const recall = ({ right, missed }: Tally) => right / Math.max(1, right + missed)

export function tallyOf(found: readonly string[], wanted: readonly string[]): Tally {
  const right = found.filter((one) => wanted.includes(one)).length
  return { right, wrong: found.length - right, missed: wanted.filter((one) => !found.includes(one)).length }
}

export const summed = (tallies: readonly Tally[]): Tally => ({
  right: tallies.reduce((sum, { right }) => sum + right, 0),
  wrong: tallies.reduce((sum, { wrong }) => sum + wrong, 0),
  missed: tallies.reduce((sum, { missed }) => sum + missed, 0),
})
