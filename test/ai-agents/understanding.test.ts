import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type AgentLanguage,
  agentLanguages,
  type IntakeQuestion,
  type QuestionKind,
} from '../../src/domain/ai-agent/plan.ts'
import { answerInWords } from '../../src/domain/ai-agent/understanding/answers.ts'
import { asksForHuman } from '../../src/domain/ai-agent/understanding/human-request.ts'

// Callers' phrases by language, written for this project; see phrases/README.md for their format and origin. The
// phrases of held-out/ were written before the rules.

interface Phrase {
  kind: string
  expected: string
  said: string
}

function phrasesIn(set: 'tables' | 'held-out' | 'second', language: AgentLanguage): Phrase[] {
  const file = new URL(`phrases/${set}/${language}.txt`, import.meta.url)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      // "kind expected|phrase", or several phrases: "kind expected: one | another".
      const [, label = '', , said = ''] = /^([a-z]+( [^|]*?)?)(?:\||: )(.*)$/.exec(line) ?? []
      const [kind = '', ...expected] = label.split(' ')
      const phrases = line.startsWith(`${label}|`) ? [said] : said.split(' | ')
      return phrases.map((one) => ({ kind, expected: expected.join(' '), said: one.trim() }))
    })
}

/** Wednesday, 18 November 2026, noon in Paris. */
const now = Date.UTC(2026, 10, 18, 11)

const country: Record<AgentLanguage, string> = { en: 'GB', fr: 'FR', de: 'DE', es: 'ES', it: 'IT', nl: 'NL' }

function understood({ kind, said }: Phrase, language: AgentLanguage): string {
  if (kind === 'person' || kind === 'noperson') return asksForHuman(said, language) ? 'person' : 'noperson'
  const isYesNo = ['yes', 'no', 'unsure'].includes(kind)
  const question: IntakeQuestion = {
    key: 'it',
    ask: '',
    kind: isYesNo ? 'yes_no' : (kind as QuestionKind),
    options: [],
    confirm: false,
  }
  const answer = answerInWords(question, said, { language, now, timeZone: 'Europe/Paris', country: country[language] })
  if (isYesNo) return answer === undefined ? 'unsure' : answer.value ? 'yes' : 'no'
  return `${kind} ${answer?.value ?? '-'}`
}

describe.each(['held-out', 'tables', 'second'] as const)('%s phrases', (set) => {
  test.each(agentLanguages)('%s', (language) => {
    const groups = new Map<string, { right: number; of: number; wrong: string[] }>()
    for (const phrase of phrasesIn(set, language)) {
      const group = groups.get(phrase.kind) ?? { right: 0, of: 0, wrong: [] }
      const got = understood(phrase, language)
      group.of++
      if (got === `${phrase.kind} ${phrase.expected}`.trim()) group.right++
      else group.wrong.push(`${phrase.said} → ${got}`)
      groups.set(phrase.kind, group)
    }
    for (const [kind, { right, of }] of groups) console.log(`${set} ${language} ${kind}: ${right}/${of}`)
    for (const [kind, { right, of, wrong }] of groups)
      expect(right / of, `${kind}: ${wrong.join('; ')}`).toBeGreaterThanOrEqual(set === 'second' ? 0.75 : 0.9)
  })
})
