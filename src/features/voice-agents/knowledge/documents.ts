import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { passagesOf } from '../../../domain/ai-agent/passages.ts'
import { badRequest } from '../../../http/errors.ts'
import { enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import type { DocumentFormat } from '../../../lib/document-text.ts'
import { documentsOf, type KnowledgeDocument, replacePassages, updateDocument } from './store.ts'

// Limits of the documents of an AI agent, and what a document becomes once its text is known.

export const maxDocumentBytes = 5_000_000
export const maxDocuments = 50
/** Of one document. */
export const maxDocumentLength = 300_000
/** Of all documents of an AI agent: the vectors of all passages are compared in each turn. */
export const maxKnowledgeLength = 1_000_000

export const tooLargeText = `The file is larger than ${maxDocumentBytes / 1_000_000} MB`

const endings: Record<string, DocumentFormat> = {
  txt: 'text',
  text: 'text',
  md: 'markdown',
  markdown: 'markdown',
  htm: 'html',
  html: 'html',
  pdf: 'pdf',
}

/** By its content if that is unmistakable, otherwise by its name. */
export function formatOfFile(name: string, bytes: Uint8Array): DocumentFormat {
  if (isPdf(bytes)) return 'pdf'
  const format = endings[name.split('.').at(-1)?.toLowerCase() ?? '']
  if (!format || !name.includes('.')) throw badRequest(unsupported)
  if (format === 'pdf') throw badRequest('The file is no PDF, or damaged')
  return format
}

export const unsupported = 'This type of file is not supported. Upload text, Markdown, HTML or PDF'

export function formatOfResponse(contentType: string, url: string, bytes: Uint8Array): DocumentFormat | undefined {
  if (isPdf(bytes)) return 'pdf'
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === 'text/markdown') return 'markdown'
  if (type === 'text/plain') return new URL(url).pathname.endsWith('.md') ? 'markdown' : 'text'
  return type === '' && isHtml(bytes) ? 'html' : undefined
}

const isHtml = (bytes: Uint8Array) =>
  /^\s{0,100}<(!doctype html|html|head)\b/i.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1'))

const isPdf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 1_024)).includes('%PDF-')

/** Throws if the AI agent has as many documents as it may have. */
export async function checkDocumentCount(db: Db, companyId: CompanyId, agentId: string): Promise<void> {
  if ((await documentsOf(db, companyId, agentId)).length >= maxDocuments)
    throw badRequest(`The AI agent already has ${maxDocuments} documents; delete one first`)
}

/** Undefined if there is room for the text of the document. */
export async function lengthProblem(
  tx: Db,
  companyId: CompanyId,
  { id, agentId }: Pick<KnowledgeDocument, 'id' | 'agentId'>,
  text: string,
): Promise<string | undefined> {
  const others = (await documentsOf(tx, companyId, agentId)).filter((other) => other.id !== id)
  const length = others.reduce((sum, { characters }) => sum + characters, text.length)
  if (length <= maxKnowledgeLength) return undefined
  return `The documents of the AI agent would have more than ${maxKnowledgeLength.toLocaleString('en-US')} characters of text; delete one first`
}

/** Stores the text of a document; its passages replace earlier ones. */
export async function saveText(
  tx: Db,
  companyId: CompanyId,
  document: Pick<KnowledgeDocument, 'id' | 'agentId'>,
  {
    text,
    at,
    ...read
  }: { text: string; at: number } & Pick<KnowledgeDocument, 'name' | 'format' | 'bytes'> & {
      fetchedAt?: number
    },
): Promise<void> {
  const passages = passagesOf(text)
  const state = { status: 'ready' as const, problem: null, characters: text.length, passages: passages.length }
  if (!(await updateDocument(tx, companyId, document.id, { ...read, ...state }))) return
  await replacePassages(tx, companyId, document, passages)
  await startEmbedding(tx, companyId, document.id, at)
}

export const startEmbedding = (tx: Db, companyId: CompanyId, documentId: string, at: number): Promise<void> =>
  enqueueOnce(tx, 'agent_document.embed', { companyId, documentId }, at, `agent-document-embed:${documentId}`)

export const startFetch = (tx: Db, companyId: CompanyId, documentId: string, at: number): Promise<void> =>
  enqueue(tx, 'agent_document.fetch', { companyId, documentId }, at, `agent-document:${documentId}`)
