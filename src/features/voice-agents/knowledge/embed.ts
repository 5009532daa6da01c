import { compactVector } from '../../../domain/ai-agent/knowledge.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import type { Services } from '../../../services.ts'
import { passagesChanged, passagesWithoutVector, saveVector } from './store.ts'

const batchSize = 16

/** Job: computes the vectors of passages. Without the embedding model there are none. */
export function passageEmbedder({ db, ai }: Services) {
  return async ({ companyId, documentId }: JobPayloads['agent_document.embed']): Promise<void> => {
    for (;;) {
      const passages = await passagesWithoutVector(db, companyId, documentId, batchSize)
      if (passages.length === 0) return passagesChanged(db, companyId, documentId)
      const vectors = await ai.embed(passages.map(({ text }) => text))
      if (!vectors) return
      for (const [at, passage] of passages.entries()) {
        const vector = vectors[at]
        if (vector) await saveVector(db, companyId, documentId, passage, compactVector(vector))
      }
    }
  }
}
