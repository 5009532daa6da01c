import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  maxSuggestions,
  type SearchedPassage,
  type SuggestedBy,
  searchedPassage,
  suggestedPassages,
} from '../../../domain/intelligence/suggestions.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { startEmbedding } from './documents.ts'
import { embedTimeoutMs, vectorOf } from './search.ts'
import type { NamedSource } from './sources-store.ts'
import { type PassageOfDocument, passagesOfAgent } from './store.ts'

/** A passage that is about what was said, and whose documents it is from. */
export interface FoundInDocuments extends PassageOfDocument {
  agentId: string
  by: SuggestedBy
}

/** At most `maxSuggestions`, best first; none that `isKnown`. */
export type DocumentSearch = (
  companyId: CompanyId,
  sources: readonly NamedSource[],
  query: { text: string; isEnglish: boolean; isKnown: (passage: string) => boolean },
) => Promise<FoundInDocuments[]>

interface SourcePassage extends SearchedPassage, PassageOfDocument {
  agentId: string
}

interface Held {
  until: number
  passages: SourcePassage[]
  withoutVectors: string[]
}

/** How long passages are held in memory: changed documents are used after this time at the latest. */
const heldMs = 30 * second
/** Of all companies; a passage with its words takes some 10 KB. */
const maxHeld = 8_000
/** Splitting a passage into words takes some 0.2 ms: calls must not wait for thousands of them. */
const passagesPerTurn = 25

/** Searches documents after utterances of many calls. */
export function createDocumentSearch(services: Pick<Services, 'ai' | 'clock' | 'db' | 'log'>): DocumentSearch {
  const { clock, db } = services
  // In the order of their last use.
  const held = new Map<string, Held>()

  async function passagesOf(companyId: CompanyId, agentId: string): Promise<Held> {
    const key = `${companyId} ${agentId}`
    const known = held.get(key)
    held.delete(key)
    const isCurrent = known !== undefined && known.until > clock.machineNow()
    const kept = isCurrent ? known : { ...(await read(db, companyId, agentId)), until: clock.machineNow() + heldMs }
    held.set(key, kept)
    let all = [...held.values()].reduce((sum, { passages }) => sum + passages.length, 0)
    for (const [oldest, { passages }] of held) {
      if (all <= maxHeld || oldest === key) break
      held.delete(oldest)
      all -= passages.length
    }
    return kept
  }

  return async (companyId, sources, { text, isEnglish, isKnown }) => {
    const passages: SourcePassage[] = []
    // The model knows English only.
    let vector: Float32Array | null | undefined
    for (const { agentId, language } of sources) {
      const { passages: own, withoutVectors } = await passagesOf(companyId, agentId)
      const isCompared = isEnglish && language === 'en'
      if (isCompared && own.length > 0 && vector === undefined) vector = await vectorOf(services, text, embedTimeoutMs)
      if (vector && isCompared) for (const id of withoutVectors) await startEmbedding(db, companyId, id, clock.now())
      passages.push(...(isCompared ? own : own.map((passage) => ({ ...passage, vector: null }))))
    }
    const seen = new Set<string>()
    const found = suggestedPassages(passages, text, vector ?? null).filter(({ passage }) => {
      const isNew = !seen.has(passage.text) && !isKnown(passage.text)
      seen.add(passage.text)
      return isNew
    })
    return found.slice(0, maxSuggestions).map(({ passage, by }) => ({ ...passage, by }))
  }
}

async function read(db: Db, companyId: CompanyId, agentId: string): Promise<Omit<Held, 'until'>> {
  const { passages, withoutVectors } = await passagesOfAgent(db, companyId, agentId)
  const split: SourcePassage[] = []
  for (const passage of passages) {
    split.push({ ...searchedPassage(passage), agentId })
    if (split.length % passagesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return { passages: split, withoutVectors }
}
