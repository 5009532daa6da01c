import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { documentFormats } from '../../../lib/document-text.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { KnowledgeDocument } from './store.ts'

export const KnowledgeDocumentView = Type.Object({
  id: Type.String({ examples: ['01JZ0Q3V9X5R8M2K7T4N6P1C0B'] }),
  name: Type.String({ description: 'File name, or title of the web page' }),
  url: nullable(Type.String({ description: 'Address of the web page; null for a file' })),
  format: nullable(oneOf(documentFormats, { description: 'Null before the first successful fetch' })),
  status: oneOf(['pending', 'ready', 'failed'], {
    description: '`pending`: the URL is being fetched. `ready`: the passages are in use',
  }),
  problem: nullable(
    Type.String({
      description: 'Why the document has no text, or why the last fetch failed while older text is in use',
    }),
  ),
  bytes: Type.Integer(),
  characters: Type.Integer({ description: 'Length of the text' }),
  passages: Type.Integer({ description: 'Number of passages' }),
  fetched_at: nullable(Type.Unsafe<string>({ ...Timestamp, description: 'Last successful fetch of the URL' })),
  created_at: Timestamp,
})

export const knowledgeDocumentView = ({
  agentId: _agent,
  fetchedAt,
  createdAt,
  ...document
}: KnowledgeDocument): Static<typeof KnowledgeDocumentView> => ({
  ...document,
  fetched_at: fetchedAt === null ? null : isoSeconds(fetchedAt),
  created_at: isoSeconds(createdAt),
})
