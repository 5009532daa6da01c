import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { joinedPassage, splitPassage, suggestionQuery } from '../../../domain/intelligence/suggestions.ts'
import { second } from '../../../lib/clock.ts'
import { createFairQueue } from '../../../lib/fair-queue.ts'
import type { Services } from '../../../services.ts'
import { mayUse, teamsOfUsers } from '../../accounts/index.ts'
import { lockCall } from '../../calls/index.ts'
import { createDocumentSearch, type NamedSource, suggestionSources } from '../../voice-agents/index.ts'
import { addSuggestions, suggestionsOfCall } from './store.ts'
import { suggestionView } from './view.ts'

/** An utterance of the customer on a call with agents. */
export interface CustomerUtterance {
  text: string
  /** The utterance before, of the same call. */
  before: string | undefined
  at: number
  /** `en-GB` */
  language: string
  /** The agents on the call. */
  userIds: readonly number[]
}

/** Suggests passages of documents to agents, beside the calls: one search at a time, companies take turns. */
export interface Suggester {
  /** Returns at once. An utterance replaces one of the same call that still waits. */
  onUtterance(companyId: CompanyId, callId: number, utterance: CustomerUtterance): void
  /** Waits for the searches that are pending; true if there were some. */
  settle(): Promise<boolean>
}

/** A later suggestion is about what the customer no longer talks about. */
const maxDelayMs = 10 * second
const maxWaitingOfCompany = 200

interface Waiting {
  companyId: CompanyId
  utterance: CustomerUtterance
  since: number
}

export function createSuggester(services: Services): Suggester {
  const { clock, log } = services
  const queue = createFairQueue()
  const search = createDocumentSearch(services)
  const waiting = new Map<number, Waiting>()
  const waitingOf = new Map<CompanyId, number>()
  const running = new Set<Promise<void>>()

  const count = (companyId: CompanyId, by: 1 | -1) => {
    const after = (waitingOf.get(companyId) ?? 0) + by
    if (after > 0) waitingOf.set(companyId, after)
    else waitingOf.delete(companyId)
  }

  /** The latest utterance of the call. */
  async function serve(companyId: CompanyId, callId: number): Promise<void> {
    const next = waiting.get(callId)
    waiting.delete(callId)
    count(companyId, -1)
    if (!next || clock.machineNow() - next.since > maxDelayMs) return
    await suggest(services, search, companyId, callId, next.utterance)
  }

  return {
    onUtterance(companyId, callId, utterance) {
      const earlier = waiting.get(callId)
      if (!earlier && (waitingOf.get(companyId) ?? 0) >= maxWaitingOfCompany) return
      waiting.set(callId, { companyId, utterance, since: earlier?.since ?? clock.machineNow() })
      if (earlier) return
      count(companyId, 1)
      const done = queue
        .run(companyId, () => serve(companyId, callId))
        .catch((error) => log.warn({ event: 'suggestions.failed', callId, error }, 'passages could not be suggested'))
        .finally(() => running.delete(done))
      running.add(done)
    },
    async settle() {
      const wasBusy = running.size > 0
      while (running.size > 0) await Promise.all(running)
      return wasBusy
    },
  }
}

async function suggest(
  services: Services,
  search: ReturnType<typeof createDocumentSearch>,
  companyId: CompanyId,
  callId: number,
  { text, before, at, language, userIds }: CustomerUtterance,
): Promise<void> {
  const { db, clock, liveHub } = services
  const query = suggestionQuery(text, before)
  if (query === undefined || userIds.length === 0) return
  const sources = (await suggestionSources(db, companyId)).filter(({ documents }) => documents > 0)
  if (sources.length === 0 || !(await mayUse(services, db, companyId, 'assist-pro'))) return
  const readers = await readersOf(services, companyId, sources, userIds)
  const searched = sources.filter(({ agentId }) => (readers.get(agentId) ?? []).length > 0)
  if (searched.length === 0) return
  const known = new Set((await suggestionsOfCall(db, companyId, callId)).map(joinedPassage))
  const isKnown = (passage: string) => known.has(passage)
  const found = await search(companyId, searched, { text: query, isEnglish: language.startsWith('en'), isKnown })
  if (found.length === 0) return
  const added = await transaction(db, async (tx) => {
    if (!(await lockCall(tx, companyId, callId))) return []
    const suggestions = found.map(({ agentId, document, url, text: passage, by }) => ({
      at,
      document,
      url,
      ...splitPassage(passage),
      by,
      userIds: readers.get(agentId) ?? [],
    }))
    return addSuggestions(tx, companyId, callId, suggestions, clock.now())
  })
  for (const suggestion of added) {
    const message = { kind: 'suggestion', callId, suggestion: suggestionView(suggestion) } as const
    for (const userId of suggestion.userIds) liveHub.send(companyId, userId, message)
  }
}

/** The agents on the call to whom the documents of each AI agent are suggested. */
async function readersOf(
  { db }: Services,
  companyId: CompanyId,
  sources: readonly NamedSource[],
  userIds: readonly number[],
): Promise<Map<string, number[]>> {
  const isLimited = sources.some(({ teamIds }) => teamIds !== null)
  const teams = isLimited ? await teamsOfUsers(db, companyId, userIds) : new Map<number, number[]>()
  return new Map(
    sources.map(({ agentId, teamIds }) => [
      agentId,
      userIds.filter((id) => teamIds === null || teams.get(id)?.some((team) => teamIds.includes(team))),
    ]),
  )
}
