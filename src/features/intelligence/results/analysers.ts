import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { actionItemsOf, actionItemText } from '../../../domain/intelligence/action-items.ts'
import {
  askActionItems,
  askCsat,
  askCustomSummary,
  askSentiment,
  askSummary,
  askTopics,
  type Csat,
} from '../../../domain/intelligence/ask-findings.ts'
import { askPlaybook, askScorecard } from '../../../domain/intelligence/ask-measures.ts'
import type { Asking } from '../../../domain/intelligence/asking.ts'
import { customSummaryOf, type SectionResult } from '../../../domain/intelligence/custom-summary.ts'
import type { DueContext } from '../../../domain/intelligence/due-time.ts'
import type { LlmEngine } from '../../../domain/intelligence/engines.ts'
import { byMeaning, byWords, type Finder, ourClauses } from '../../../domain/intelligence/finder.ts'
import { comparePlaybook, type PlaybookOutcome } from '../../../domain/intelligence/playbook.ts'
import { type Answered, answersOf, questionsIn } from '../../../domain/intelligence/scorecard.ts'
import { type ParticipantMood, sentimentOf } from '../../../domain/intelligence/sentiment.ts'
import { summaryOf } from '../../../domain/intelligence/summary.ts'
import {
  type Topic,
  tellingSentences,
  topicExamples,
  topicsFor,
  topicsNear,
  topicsOf,
} from '../../../domain/intelligence/topics.ts'
import { isEnglish, type Transcript } from '../../../domain/intelligence/transcript.ts'
import type { CallOutput } from '../../../jobs/payloads.ts'
import type { Ai } from '../../../services.ts'
import { activeGuides, type GuideOf } from '../guides/store.ts'

/** Engine that produced the result; stored with it. */
export const rules = 'rules-2'
const rulesWithMeaning = 'rules-2+minilm'

/** Results by output. An empty list is a result. */
export interface AnalysisOutputs {
  sentiment: ParticipantMood[]
  topics: string[]
  summary: string
  action_items: string[]
  custom_summary: { template: GuideOf<'summary_template'>; sections: SectionResult[] }
  playbook_result: { playbook: GuideOf<'playbook'>; outcome: PlaybookOutcome }
  evaluation: { scorecard: GuideOf<'scorecard'>; answers: Answered[] }[]
  predicted_csat: Csat
}

export interface AnalysisResult<O extends CallOutput> {
  engine: string
  value: AnalysisOutputs[O]
}

export interface AnalysisInput {
  db: Db
  companyId: CompanyId
  transcript: Transcript
  /** Undefined: no LLM is used. */
  llm?: LlmEngine | undefined
  /** Undefined: keyword matching only. */
  similarity?: Ai['similarity'] | undefined
  signal: AbortSignal
  /** Answers of the LLM to one request for several outputs, by output. */
  answers?: Partial<Record<string, unknown>> | undefined
  /** Total hold time of the customer. */
  holdSeconds(): Promise<number>
  /** The day of the call, for due times. */
  day(): Promise<DueContext>
}

type Analysers = { [O in CallOutput]: (search: AnalysisInput) => Promise<AnalysisResult<O> | null> }

/**
 * Uses the LLM if there is one and its answer is valid, else the rules, else returns nothing. Rejects with EngineTrouble
 * when the LLM request fails.
 */
export const analyse: Analysers = {
  sentiment: (search) => first(search, askSentiment(search.transcript), () => sentimentOf(search.transcript)),

  async topics(search) {
    const { transcript } = search
    const own = await topicList(search)
    const found = await byModel(search, askTopics(transcript, own))
    if (found) return found
    const near = await nearTopics(search, own)
    const value = topicsOf(transcript, own, near)
    return value === null ? null : { engine: near ? rulesWithMeaning : rules, value }
  },

  summary: (search) => first(search, askSummary(search.transcript), () => summaryOf(search.transcript)),

  async action_items(search) {
    const { transcript } = search
    const context = await search.day()
    return first(
      search,
      askActionItems(transcript),
      () => actionItemsOf(transcript)?.map((item) => actionItemText(item, transcript.language, context)) ?? null,
    )
  },

  async custom_summary(search) {
    const { db, companyId, transcript } = search
    const [template] = await activeGuides(db, companyId, 'summary_template')
    if (!template) return null
    const { sections } = template.document
    const own = await topicList(search)
    const found = await first(search, askCustomSummary(transcript, sections), () =>
      customSummaryOf(transcript, sections, own),
    )
    return found && { engine: found.engine, value: { template, sections: found.value } }
  },

  async playbook_result(search) {
    const { db, companyId, transcript } = search
    const [playbook] = await activeGuides(db, companyId, 'playbook')
    if (!playbook) return null
    const { topics } = playbook.document
    const phrases = topics.flatMap((topic) => topic.phrases)
    const found = await byModel(search, askPlaybook(transcript, topics))
    if (found) return { engine: found.engine, value: { playbook, outcome: found.value } }
    const { finder, engine } = await analyserFor(search, phrases)
    const outcome = comparePlaybook(transcript, topics, finder)
    return outcome && { engine, value: { playbook, outcome } }
  },

  async evaluation(search) {
    const { db, companyId, transcript } = search
    const cards = await activeGuides(db, companyId, 'scorecard')
    const holdSeconds = await search.holdSeconds()
    const value: AnalysisOutputs['evaluation'] = []
    const engines = new Set<string>()
    for (const scorecard of cards) {
      const card = { name: scorecard.name, ...scorecard.document }
      const asked = await byModel(search, askScorecard(transcript, card, holdSeconds))
      const { finder, engine } = asked
        ? { finder: byWords(transcript), engine: asked.engine }
        : await analyserFor(
            search,
            questionsIn(card).flatMap(({ phrases }) => phrases),
          )
      const answers = asked?.value ?? answersOf(transcript, card, { find: finder, holdSeconds })
      if (!answers) continue
      value.push({ scorecard, answers })
      engines.add(engine)
    }
    return value.length === 0 ? null : { engine: [...engines].join(' '), value }
  },

  // There are no rules for a predicted CSAT.
  predicted_csat: (search) => first(search, askCsat(search.transcript), () => null),
}

async function first<V>(search: AnalysisInput, asking: Asking<V> | undefined, byRules: () => V | null) {
  const found = await byModel(search, asking)
  if (found) return found
  const value = byRules()
  return value === null ? null : { engine: rules, value }
}

/** Of the outputs that one request may produce: what to ask for; without those that have nothing to ask. */
export async function askingsTogether(
  search: AnalysisInput,
  outputs: readonly ('summary' | 'action_items' | 'topics' | 'sentiment')[],
): Promise<Asking<unknown>[]> {
  const { transcript } = search
  const askings = {
    summary: askSummary(transcript),
    action_items: askActionItems(transcript),
    topics: askTopics(transcript, await topicList(search)),
    sentiment: askSentiment(transcript),
  }
  return outputs.flatMap((output) => {
    const asking: Asking<unknown> | undefined = askings[output]
    return asking ? [asking] : []
  })
}

async function byModel<V>({ llm, signal, answers }: AnalysisInput, asking: Asking<V> | undefined) {
  if (!llm || !asking) return null
  const { read, task: _task, ...question } = asking
  const answer = answers ? (answers[asking.name] ?? null) : await llm.json({ ...question, signal })
  const value = answer === null ? null : read(answer)
  return value === null ? null : { engine: llm.id, value }
}

/** By embedding similarity if a model supports the language; else by keywords. */
async function analyserFor(
  { transcript, similarity }: AnalysisInput,
  phrases: readonly string[],
): Promise<{ finder: Finder; engine: string }> {
  const words = { finder: byWords(transcript), engine: rules }
  const clauses = ourClauses(transcript)
  if (!similarity || !isEnglish(transcript) || clauses.length === 0 || phrases.length === 0) return words
  const known = [...new Set(phrases)]
  const nearness = await similarity(clauses, known)
  return nearness ? { finder: byMeaning(clauses, known, nearness), engine: rulesWithMeaning } : words
}

async function nearTopics({ transcript, similarity }: AnalysisInput, own: readonly Topic[]) {
  const sentences = tellingSentences(transcript)
  if (!similarity || !isEnglish(transcript) || sentences.length === 0) return undefined
  const examples = topicsFor(transcript, own).flatMap((topic) =>
    topicExamples(topic).map((text) => ({ name: topic.name, text })),
  )
  const nearness = await similarity(
    sentences,
    examples.map(({ text }) => text),
  )
  return nearness && topicsNear(examples, nearness)
}

const topicList = async ({ db, companyId }: AnalysisInput) =>
  (await activeGuides(db, companyId, 'topic')).map(({ name, document }) => ({ name, keywords: document.keywords }))
