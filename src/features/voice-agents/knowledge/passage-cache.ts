import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { indexPassages, type PassageIndex } from '../../../domain/ai-agent/knowledge.ts'
import { passagesOfAgent, passagesState } from './store.ts'

/** The passages of an AI agent in memory, with the IDs of documents whose vectors are missing. */
interface IndexedKnowledge {
  index: PassageIndex
  withoutVectors: readonly string[]
}

export interface PassageCache {
  passagesFor(companyId: CompanyId, agentId: string): Promise<IndexedKnowledge>
}

interface Held {
  state: string
  read: Promise<IndexedKnowledge>
  /** 0 until they have been read. */
  passages: number
}

/** Of all AI agents: some 3 KB each, with its words. An AI agent has at most some 12,000. */
const defaultMaxPassages = 20_000
/** Calls must not wait until thousands of passages are split into words. */
const passagesPerTurn = 25

const none: IndexedKnowledge = { index: indexPassages([]), withoutVectors: [] }

/**
 * Passages stay in memory until a document of the AI agent changes, in whichever process: each use reads the state of
 * its documents, at most 50 rows. Those that were not used for the longest time are dropped.
 */
export function createPassageCache(db: Db, maxPassages = defaultMaxPassages): PassageCache {
  // In the order of their last use.
  const held = new Map<string, Held>()

  async function passagesFor(companyId: CompanyId, agentId: string): Promise<IndexedKnowledge> {
    const key = `${companyId} ${agentId}`
    // Before the passages: what changes while they are read is noticed by the next turn.
    const state = await passagesState(db, companyId, agentId)
    const known = held.get(key)
    held.delete(key)
    if (state === '') return none
    const current = known?.state === state ? known : { state, read: readIndexed(db, companyId, agentId), passages: 0 }
    held.set(key, current)
    try {
      const read = await current.read
      current.passages = read.index.passages.length
      dropOldest(key)
      return read
    } catch (error) {
      if (held.get(key) === current) held.delete(key)
      throw error
    }
  }

  function dropOldest(used: string): void {
    let all = [...held.values()].reduce((sum, { passages }) => sum + passages, 0)
    for (const [key, { passages }] of held) {
      if (all <= maxPassages) return
      if (key === used) continue
      held.delete(key)
      all -= passages
    }
  }

  return { passagesFor }
}

async function readIndexed(db: Db, companyId: CompanyId, agentId: string): Promise<IndexedKnowledge> {
  const { passages, withoutVectors } = await passagesOfAgent(db, companyId, agentId)
  const index = indexPassages([])
  for (let from = 0; from < passages.length; from += passagesPerTurn) {
    indexPassages(passages.slice(from, from + passagesPerTurn), index)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { index, withoutVectors }
}

const caches = new WeakMap<Db, PassageCache>()

/** Calls, test chats and agent tests of a process share one. */
export function sharedPassageCache(db: Db): PassageCache {
  const known = caches.get(db) ?? createPassageCache(db)
  caches.set(db, known)
  return known
}
