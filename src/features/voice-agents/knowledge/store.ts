import type { Db } from '../../../db/database.ts'
import type { AiAgentDocumentTable, CompanyId } from '../../../db/tables.ts'
import type { Passage } from '../../../domain/ai-agent/passages.ts'
import type { DocumentFormat } from '../../../lib/document-text.ts'

// Documents of AI agents and the passages of their text. The files themselves are not kept.

export interface KnowledgeDocument {
  id: string
  agentId: string
  name: string
  /** Null: an uploaded file. */
  url: string | null
  format: DocumentFormat | null
  status: AiAgentDocumentTable['status']
  problem: string | null
  bytes: number
  characters: number
  passages: number
  fetchedAt: number | null
  createdAt: number
}

const toDocument = (row: AiAgentDocumentTable): KnowledgeDocument => ({
  id: row.id,
  agentId: row.agent_id,
  name: row.name,
  url: row.url,
  format: row.format as DocumentFormat | null,
  status: row.status,
  problem: row.problem,
  bytes: row.bytes,
  characters: row.characters,
  passages: row.passages,
  fetchedAt: row.fetched_at,
  createdAt: row.created_at,
})

/** In the order in which they were added. */
export async function documentsOf(db: Db, companyId: CompanyId, agentId: string): Promise<KnowledgeDocument[]> {
  const rows = await db
    .selectFrom('ai_agent_document')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toDocument)
}

export async function hasDocuments(db: Db, companyId: CompanyId, agentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('ai_agent_document')
    .select('id')
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .where('passages', '>', 0)
    .executeTakeFirst()
  return row !== undefined
}

export async function findDocument(db: Db, companyId: CompanyId, id: string): Promise<KnowledgeDocument | undefined> {
  const row = await db
    .selectFrom('ai_agent_document')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toDocument(row)
}

export async function insertDocument(
  db: Db,
  companyId: CompanyId,
  { id, agentId, fetchedAt, createdAt, ...document }: KnowledgeDocument,
): Promise<void> {
  const row = {
    id,
    company_id: companyId,
    agent_id: agentId,
    fetched_at: fetchedAt,
    created_at: createdAt,
    revision: 0,
    ...document,
  }
  await db.insertInto('ai_agent_document').values(row).execute()
}

export async function updateDocument(
  db: Db,
  companyId: CompanyId,
  id: string,
  { fetchedAt, ...changed }: Partial<Omit<KnowledgeDocument, 'id' | 'agentId' | 'url' | 'createdAt'>>,
): Promise<boolean> {
  const done = await db
    .updateTable('ai_agent_document')
    .set({ ...changed, ...(fetchedAt !== undefined && { fetched_at: fetchedAt }) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

const batchSize = 100

export async function replacePassages(
  db: Db,
  companyId: CompanyId,
  { id, agentId }: Pick<KnowledgeDocument, 'id' | 'agentId'>,
  texts: readonly string[],
): Promise<void> {
  await db.deleteFrom('ai_agent_passage').where('company_id', '=', companyId).where('document_id', '=', id).execute()
  const rows = texts.map((text, place) => ({
    document_id: id,
    place,
    company_id: companyId,
    agent_id: agentId,
    text,
    vector: null,
  }))
  for (let from = 0; from < rows.length; from += batchSize)
    await db
      .insertInto('ai_agent_passage')
      .values(rows.slice(from, from + batchSize))
      .execute()
  await passagesChanged(db, companyId, id)
}

/** Processes read the passages of the document again. */
export async function passagesChanged(db: Db, companyId: CompanyId, documentId: string): Promise<void> {
  await db
    .updateTable('ai_agent_document')
    .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('company_id', '=', companyId)
    .where('id', '=', documentId)
    .execute()
}

/**
 * Changes with the passages of an AI agent, their vectors and what is shown of their documents. Processes of earlier
 * releases do not count revisions, but a text that they store has another length or time.
 */
export async function passagesState(db: Db, companyId: CompanyId, agentId: string): Promise<string> {
  const rows = await db
    .selectFrom('ai_agent_document')
    .select(['id', 'revision', 'name', 'url', 'characters', 'fetched_at'])
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .where('passages', '>', 0)
    .orderBy('id')
    .execute()
  return rows.length === 0 ? '' : JSON.stringify(rows.map((row) => Object.values(row)))
}

export async function deleteDocument(db: Db, companyId: CompanyId, id: string): Promise<boolean> {
  await db.deleteFrom('ai_agent_passage').where('company_id', '=', companyId).where('document_id', '=', id).execute()
  const done = await db
    .deleteFrom('ai_agent_document')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

export async function deleteDocumentsOf(db: Db, companyId: CompanyId, agentId: string): Promise<void> {
  await db.deleteFrom('ai_agent_passage').where('company_id', '=', companyId).where('agent_id', '=', agentId).execute()
  await db.deleteFrom('ai_agent_document').where('company_id', '=', companyId).where('agent_id', '=', agentId).execute()
}

export interface PassageOfDocument extends Passage {
  /** Address of the web page; null for a file. */
  url: string | null
}

/** All passages of an AI agent, with the IDs of documents whose vectors are missing. */
export async function passagesOfAgent(
  db: Db,
  companyId: CompanyId,
  agentId: string,
): Promise<{ passages: PassageOfDocument[]; withoutVectors: string[] }> {
  const rows = await db
    .selectFrom('ai_agent_passage')
    .innerJoin('ai_agent_document', 'ai_agent_document.id', 'ai_agent_passage.document_id')
    .select(['document_id', 'text', 'vector', 'ai_agent_document.name', 'ai_agent_document.url'])
    .where('ai_agent_passage.company_id', '=', companyId)
    .where('ai_agent_passage.agent_id', '=', agentId)
    .orderBy('document_id')
    .orderBy('place')
    .execute()
  const missing = rows.flatMap(({ document_id: id, vector }) => (vector === null ? [id] : []))
  return {
    passages: rows.map(({ name, url, text, vector }) => ({ document: name, url, text, vector: vectorIn(vector) })),
    withoutVectors: [...new Set(missing)],
  }
}

const vectorIn = (stored: string | null) => (stored === null ? null : Int8Array.from(Buffer.from(stored, 'base64')))

export interface StoredPassage {
  place: number
  text: string
}

export const textsOfDocument = (db: Db, companyId: CompanyId, documentId: string): Promise<StoredPassage[]> =>
  db
    .selectFrom('ai_agent_passage')
    .select(['place', 'text'])
    .where('company_id', '=', companyId)
    .where('document_id', '=', documentId)
    .orderBy('place')
    .execute()

export const passagesWithoutVector = (
  db: Db,
  companyId: CompanyId,
  documentId: string,
  limit: number,
): Promise<StoredPassage[]> =>
  db
    .selectFrom('ai_agent_passage')
    .select(['place', 'text'])
    .where('company_id', '=', companyId)
    .where('document_id', '=', documentId)
    .where('vector', 'is', null)
    .orderBy('place')
    .limit(limit)
    .execute()

/** Not stored if the passage has been replaced meanwhile. */
export async function saveVector(
  db: Db,
  companyId: CompanyId,
  documentId: string,
  { place, text }: StoredPassage,
  vector: Int8Array,
): Promise<void> {
  await db
    .updateTable('ai_agent_passage')
    .set({ vector: Buffer.from(vector.buffer).toString('base64') })
    .where('company_id', '=', companyId)
    .where('document_id', '=', documentId)
    .where('place', '=', place)
    .where('text', '=', text)
    .execute()
}
