import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nameText, text } from '../../../http/schemas.ts'
import { extractedText } from '../../../lib/document-text.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import { admins, audit } from '../../accounts/index.ts'
import { agentEntry } from '../agents/audit-entry.ts'
import { findAgent } from '../agents/store.ts'
import {
  checkDocumentCount,
  formatOfFile,
  lengthProblem,
  maxDocumentBytes,
  maxDocumentLength,
  maxDocuments,
  saveText,
  startFetch,
  tooLargeText,
} from './documents.ts'
import {
  deleteDocument,
  documentsOf,
  findDocument,
  insertDocument,
  type KnowledgeDocument,
  textsOfDocument,
  updateDocument,
} from './store.ts'
import { KnowledgeDocumentView, knowledgeDocumentView } from './view.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), document_id: Type.String() })
const OneDocument = Type.Object({ document: KnowledgeDocumentView })

type Loading = { params: { id: string }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findAgent(services.db, caller.companyId, id)

async function loadOne({ params, caller, services }: Loading & { params: { document_id: string } }) {
  const agent = await load({ params, caller, services })
  const document = agent && (await findDocument(services.db, caller.companyId, params.document_id))
  return document && document.agentId === agent.id ? { agent, document } : undefined
}

/** A file is a third larger in base64. */
const bodyLimit = 7 * 1_048_576
const shared = { tag, feature, access: 'app', roles: admins } as const

const listDocuments = route({
  ...shared,
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/documents',
  summary: 'List the documents of an AI voice agent',
  description: 'Files and web pages, in the order in which they were added.',
  params,
  load,
  reply: { status: 200, body: Type.Object({ documents: Type.Array(KnowledgeDocumentView) }) },
  async handle({ loaded, caller: { companyId }, services: { db } }) {
    return { documents: (await documentsOf(db, companyId, loaded.id)).map(knowledgeDocumentView) }
  },
})

const getDocument = route({
  ...shared,
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/documents/:document_id',
  summary: 'Retrieve a document of an AI voice agent with its passages',
  description: 'The passages are all that is stored of a file or page.',
  params: one,
  load: loadOne,
  reply: {
    status: 200,
    body: Type.Object({
      document: KnowledgeDocumentView,
      texts: Type.Array(Type.String(), { description: 'The passages, in the order of the document' }),
    }),
  },
  async handle({ loaded: { document }, caller: { companyId }, services: { db } }) {
    const passages = await textsOfDocument(db, companyId, document.id)
    return { document: knowledgeDocumentView(document), texts: passages.map(({ text }) => text) }
  },
})

/** Text of uploads, from their check until they are stored. */
const readUploads = new WeakMap<object, ReadFile>()

interface ReadFile extends Pick<KnowledgeDocument, 'format' | 'bytes'> {
  text: string
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

async function readFile({ clock }: Services, name: string, data: string): Promise<ReadFile> {
  if (!base64.test(data)) throw badRequest('`data` must be base64')
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length === 0) throw badRequest('The file is empty')
  if (bytes.length > maxDocumentBytes) throw badRequest(tooLargeText)
  const format = formatOfFile(name, bytes)
  const read = await extractedText(bytes, format, { clock, maxLength: maxDocumentLength })
  if ('problem' in read) throw badRequest(read.problem)
  return { text: read.text, format, bytes: bytes.length }
}

const addDocument = route({
  ...shared,
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/documents',
  summary: 'Add a file or web page to the knowledge of an AI voice agent',
  description:
    `A file has \`name\` and \`data\`: text, Markdown, HTML or PDF with at most ${maxDocumentBytes / 1_000_000} MB; only its text is stored. A web page has ` +
    '`url`, which is fetched in the background: its `status` is `pending` until then.',
  params,
  load,
  bodyLimit,
  body: Type.Object({
    name: Type.Optional(
      nameText(255, { examples: ['prices.pdf'], description: 'File name; its ending is the format' }),
    ),
    data: Type.Optional(text(bodyLimit, { description: 'File content, base64-encoded' })),
    url: Type.Optional(text(2_048, { examples: ['https://example.com/faq'] })),
  }),
  errors: [
    {
      status: 400,
      when: `the file cannot be read, the URL is not allowed, or there are already ${maxDocuments} documents`,
    },
    { status: 422, when: 'there is neither `url` nor `name` and `data`, or both' },
  ],
  reply: { status: 201, body: OneDocument },
  // Reading takes seconds, and happens outside of the transaction.
  async check({ body, loaded, caller, services }) {
    const { name, data, url } = body
    if ((url === undefined) === (data === undefined)) throw unprocessable('Send either `url`, or `name` and `data`')
    await checkDocumentCount(services.db, caller.companyId, loaded.id)
    const problem = url === undefined ? undefined : services.outbound.urlProblem(url)
    if (problem) throw badRequest(`\`url\` ${problem}`)
    if (data === undefined) return
    if (name === undefined) throw unprocessable('Send the `name` of the file')
    readUploads.set(body, await readFile(services, name, data))
  },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const { clock } = services
    const file = readUploads.get(body)
    const at = clock.now()
    const fresh: KnowledgeDocument = {
      id: ulid(clock.machineNow()),
      agentId: loaded.id,
      name: body.name ?? body.url ?? '',
      url: body.url ?? null,
      format: null,
      status: 'pending',
      problem: null,
      bytes: 0,
      characters: 0,
      passages: 0,
      fetchedAt: null,
      createdAt: at,
    }
    const added = await transaction(services.db, async (tx) => {
      await checkDocumentCount(tx, companyId, loaded.id)
      await insertDocument(tx, companyId, fresh)
      if (file) {
        const problem = await lengthProblem(tx, companyId, fresh, file.text)
        if (problem) throw badRequest(problem)
        await saveText(tx, companyId, fresh, { ...file, name: fresh.name, at })
      } else await startFetch(tx, companyId, fresh.id, at)
      const entry = agentEntry(caller, 'document_added', loaded, address)
      await audit(services, tx, companyId, { ...entry, details: { name: loaded.name, document: fresh.name } })
      return findDocument(tx, companyId, fresh.id)
    })
    if (!added) throw new Error('a document that was just written must exist')
    return { document: knowledgeDocumentView(added) }
  },
})

const refreshDocument = route({
  ...shared,
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/documents/:document_id/refresh',
  summary: 'Fetch the web page of a document again',
  description: 'The text of the last fetch stays in use until the new one is known, and after a failure.',
  params: one,
  load: loadOne,
  body: Type.Object({}),
  errors: [{ status: 400, when: 'the document is a file' }],
  reply: { status: 200, body: OneDocument },
  async handle({ loaded: { document }, caller: { companyId }, services: { db, clock } }) {
    if (document.url === null) throw badRequest('The document is a file; upload it again instead')
    await transaction(db, async (tx) => {
      if (!(await updateDocument(tx, companyId, document.id, { status: 'pending' }))) throw notFound()
      await startFetch(tx, companyId, document.id, clock.now())
    })
    return { document: knowledgeDocumentView({ ...document, status: 'pending' }) }
  },
})

const removeDocument = route({
  ...shared,
  method: 'DELETE',
  path: '/v1/ai_voice_agents/:id/documents/:document_id',
  summary: 'Delete a document of an AI voice agent with its passages',
  description: 'The next reply of the AI agent no longer uses it.',
  params: one,
  load: loadOne,
  reply: { status: 204 },
  async handle({ loaded: { agent, document }, caller, services, address }) {
    const { companyId } = caller
    await transaction(services.db, async (tx) => {
      if (!(await deleteDocument(tx, companyId, document.id))) throw notFound()
      const entry = agentEntry(caller, 'document_deleted', agent, address)
      await audit(services, tx, companyId, { ...entry, details: { name: agent.name, document: document.name } })
    })
    return {}
  },
})

export const knowledgeDocumentRoutes = [listDocuments, getDocument, addDocument, refreshDocument, removeDocument]
