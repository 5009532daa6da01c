import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { passagesOf } from '../domain/ai-agent/passages.ts'
import { customSummaryOf } from '../domain/intelligence/custom-summary.ts'
import { comparePlaybook } from '../domain/intelligence/playbook.ts'
import { answersOf, scored, scoredByEngine } from '../domain/intelligence/scorecard.ts'
import type { Mood } from '../domain/intelligence/sentiment.ts'
import {
  maxSuggestions,
  searchedPassage,
  splitPassage,
  suggestedPassages,
  suggestionQuery,
} from '../domain/intelligence/suggestions.ts'
import { topicsOf } from '../domain/intelligence/topics.ts'
import type { Transcript, Utterance } from '../domain/intelligence/transcript.ts'
import { writeEvaluation } from '../features/intelligence/evaluations/store.ts'
import { activeGuides, type GuideOf, guidesOf, insertGuide } from '../features/intelligence/guides/store.ts'
import {
  type Contents,
  type InsightKind,
  insertActionItem,
  insertInsight,
  insertSpeechLines,
  type Suggestion,
  writeTranscript,
} from '../features/intelligence/results/store.ts'
import { day, hour, minute } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { PastCall, Talk } from './past-call.ts'
import { csatDrivers, demoGuides, reviews } from './texts/guides.ts'
import { demoHandbook } from './texts/handbook.ts'

// Transcripts of past calls and what conversation intelligence derives from them. Summaries, moods and action items are
// part of the script; topics, playbook and evaluations are computed by the rules, as for any call.

const engine = 'script'
const language = 'en'

/** Skipped if there are some. */
export async function writeGuides(tx: Tx, companyId: CompanyId, at: number): Promise<void> {
  if ((await guidesOf(tx, companyId)).length > 0) return
  for (const [index, guide] of demoGuides.entries()) {
    const times = { createdAt: at - 60 * day + index * minute, updatedAt: at - 40 * day + index * minute }
    await insertGuide(tx, companyId, { ...guide, active: true, ...times })
  }
}

interface Guides {
  topics: GuideOf<'topic'>[]
  playbook: GuideOf<'playbook'> | undefined
  template: GuideOf<'summary_template'> | undefined
  scorecards: GuideOf<'scorecard'>[]
}

export interface ResultWriting {
  tx: Tx
  companyId: CompanyId
  guides: Guides
  /** Reviews a sample of the evaluations. */
  supervisorId: number | null
  random: Random
}

export async function guidesForResults(tx: Tx, companyId: CompanyId): Promise<Guides> {
  const [playbook] = await activeGuides(tx, companyId, 'playbook')
  const [template] = await activeGuides(tx, companyId, 'summary_template')
  const topics = await activeGuides(tx, companyId, 'topic')
  return { topics, playbook, template, scorecards: await activeGuides(tx, companyId, 'scorecard') }
}

export async function writeResults(writing: ResultWriting, callId: number, call: PastCall, talk: Talk): Promise<void> {
  const { tx, companyId, guides, random } = writing
  const { record } = call
  const at = (record.endedAt ?? record.startedAt) + 40_000
  const sound = call.voicemailMs === null ? 'recording' : 'voicemail'
  await insertSpeechLines(tx, companyId, callId, { sound, engine, language, lines: [] })
  const transcript: Transcript = { language, utterances: utterancesIn(call, talk) }
  await writeTranscript(tx, companyId, callId, transcript.utterances, at)
  const put = <K extends InsightKind>(kind: K, content: Contents[K]) =>
    insertInsight(tx, companyId, callId, { kind, engine, content }, at)
  await put('sentiment', [{ phone: record.external, value: talk.mood }])
  const own = guides.topics.map(({ name, document }) => ({ name, keywords: document.keywords }))
  const topics = topicsOf(transcript, own)
  if (topics) await put('topics', topics)
  if (talk.summary !== null) await put('summary', talk.summary)
  for (const content of talk.next) {
    await insertActionItem(tx, companyId, callId, { content, aiGenerated: true, createdBy: null, engine }, at)
  }
  const suggestions =
    record.userId === null || call.session ? [] : suggestionsIn(call, transcript.utterances, record.userId)
  if (suggestions.length > 0) await put('suggestions', suggestions)
  if (talk.csat === null) return
  await put('csat', { score: talk.csat, drivers: driversOf(talk.mood, random) })
  const { playbook, template } = guides
  const sections = template && customSummaryOf(transcript, template.document.sections, own)
  if (sections) {
    const made = sections.map((section) => ({ ...section, aiGenerated: true, createdAt: at }))
    await put('custom_summary', { name: template.name, language, sections: made })
  }
  const outcome = playbook && comparePlaybook(transcript, playbook.document.topics)
  if (outcome) {
    const { id, name, document } = playbook
    await put('playbook_result', {
      playbook: { id, name, language: document.language },
      userId: record.userId,
      ...outcome,
    })
  }
  await writeScores(writing, callId, transcript, record.userId, at)
}

function utterancesIn({ record, session }: PastCall, { lines }: Talk): Utterance[] {
  return lines.map(({ by, text, start, end }) => ({
    start,
    end,
    text,
    speaker:
      by === 'customer'
        ? { side: 'external', phone: record.external }
        : session
          ? { side: 'internal', voiceAgentId: session.agent.id }
          : { side: 'internal', userId: record.userId },
  }))
}

const handbook = passagesOf(demoHandbook.text).map((text) =>
  searchedPassage({ document: demoHandbook.name, text, vector: null }),
)

/** Passages of the handbook that the agent saw, each once. */
function suggestionsIn({ record }: PastCall, utterances: readonly Utterance[], userId: number): Suggestion[] {
  const said = utterances.filter(({ speaker }) => speaker.side === 'external')
  const shown = new Map<string, Suggestion>()
  for (const [place, { text, start }] of said.entries()) {
    const query = suggestionQuery(text, said[place - 1]?.text)
    const found = query === undefined ? [] : suggestedPassages(handbook, query, null)
    for (const { passage, by } of found.slice(0, maxSuggestions)) {
      if (shown.has(passage.text)) continue
      const at = (record.answeredAt ?? record.startedAt) + Math.round(start * 1_000)
      const { document } = passage
      const split = splitPassage(passage.text)
      shown.set(passage.text, { id: shown.size + 1, at, document, url: null, ...split, by, userIds: [userId] })
    }
  }
  return [...shown.values()]
}

function driversOf(mood: Mood, random: Random): Contents['csat']['drivers'] {
  const [first, ...others] = csatDrivers[mood]
  const polarity = (label: string) => (label === 'Agent apologised' ? 'POSITIVE' : mood)
  return [first, random.pick(others)].map((label) => ({ polarity: polarity(label), label }))
}

/** By the rules; a supervisor has reviewed one in three. */
async function writeScores(
  { tx, companyId, guides, supervisorId, random }: ResultWriting,
  callId: number,
  transcript: Transcript,
  reviewee: number | null,
  at: number,
): Promise<void> {
  if (reviewee === null) return
  const reviewer = random.next() < 0.35 && supervisorId !== reviewee ? supervisorId : null
  const evaluations = guides.scorecards.flatMap(({ id, name, document }) => {
    const answers = answersOf(transcript, { name, ...document })
    if (!answers) return []
    const scorecard = { id, name, description: document.description }
    const card = { name, ...document }
    const result =
      reviewer === null ? scoredByEngine(card, answers) : { ...scored(card, answers), feedback: random.pick(reviews) }
    return [{ ...result, scorecard, reviewee, reviewer }]
  })
  if (evaluations.length === 0) return
  const reviewedAt = reviewer === null ? null : at + random.integer(1, 20) * hour
  const times = { createdAt: at, updatedAt: reviewedAt ?? at, reviewedAt }
  const authors = { createdBy: null, updatedBy: reviewer }
  await writeEvaluation(tx, companyId, callId, { aiGenerated: true, ...times, ...authors, evaluations, engine })
}
