import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentLanguage } from '../../src/domain/ai-agent/plan.ts'
import type { Transcript } from '../../src/domain/intelligence/transcript.ts'

// Turns and calls with labels. The header of each file has its origin; the held-out halves were not used to write rules.

export const halves = ['development', 'held-out', 'second-author-examined', 'second-author-unseen'] as const
export type Half = (typeof halves)[number]

const read = (file: string) =>
  readFileSync(path.join(import.meta.dirname, 'labelled', file), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))

export interface LabelledTurn {
  language: AgentLanguage
  label: string
  text: string
}

export const labelledTurns = (half: Half): LabelledTurn[] =>
  read(`turns-${half}.tsv`)
    .filter(Boolean)
    .map((line) => {
      const [language, label = '', text = ''] = line.split('\t')
      return { language: language as AgentLanguage, label, text }
    })

export interface LabelledItem {
  owner: 'agent' | 'customer'
  /** Words of the sentence that holds the item; more than one when a request and the answering promise both hold it. */
  words: string[]
  due: string | null
}

export interface LabelledCall {
  transcript: Transcript
  items: LabelledItem[]
  reason: string
}

export const labelledCalls = (half: Half): LabelledCall[] =>
  read(`calls-${half}.txt`)
    .join('\n')
    .split('\n\n')
    .map((block) => block.trim().split('\n'))
    .filter(([first = '']) => first.startsWith('call '))
    .map(([first = '', ...lines]) => ({
      transcript: {
        language: first.slice(5),
        utterances: lines.filter((line) => /^[AC]: /.test(line)).map(utterance),
      },
      items: lines.filter((line) => line.startsWith('item ')).map(item),
      reason: lines.find((line) => line.startsWith('reason '))?.slice(7) ?? '',
    }))

function item(line: string): LabelledItem {
  const [owner = '', words = '', due = ''] = line.slice(5).split(' | ')
  return { owner: owner === 'A' ? 'agent' : 'customer', words: words.split(' / '), due: due === '-' ? null : due }
}

const utterance = (line: string, place: number): Transcript['utterances'][number] => ({
  start: place * 5,
  end: place * 5 + 4,
  text: line.slice(3),
  speaker: line.startsWith('C') ? { side: 'external', phone: '+33612345678' } : { side: 'internal', userId: 7 },
})
