import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { uploading } from '../../kit/upload.ts'
import { agentsKey } from './use-agents.ts'

export type KnowledgeDocument = ResponseOf<'/v1/ai_voice_agents/{id}/documents'>['documents'][number]

/** As on the server, so that a large file is refused before it is sent. */
export const maxDocumentBytes = 5_000_000
export const documentEndings = '.txt,.text,.md,.markdown,.html,.htm,.pdf'

export const documentsKey = (id: string) => [...agentsKey, id, 'documents']

const pollMs = 1_500

/** Polled while a page is being fetched. */
export const useDocuments = (id: string) =>
  useQuery({
    queryKey: documentsKey(id),
    queryFn: async () => (await api.get('/v1/ai_voice_agents/{id}/documents', { params: { id } })).documents,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'pending') ? pollMs : false),
  })

/** Undefined if the file may be uploaded. */
export function fileProblem({ name, size }: { name: string; size: number }): string | undefined {
  if (size === 0) return 'The file is empty.'
  if (size > maxDocumentBytes)
    return `The file has ${sizeInWords(size)}; at most ${sizeInWords(maxDocumentBytes)} are allowed.`
  const ending = `.${name.split('.').at(-1)?.toLowerCase() ?? ''}`
  return documentEndings.split(',').includes(ending)
    ? undefined
    : 'This type of file is not supported. Upload text, Markdown, HTML or PDF.'
}

export async function uploadDocument(id: string, file: File): Promise<void> {
  const data = await base64Of(file)
  await uploading(api.post('/v1/ai_voice_agents/{id}/documents', { params: { id }, body: { name: file.name, data } }))
}

const base64Of = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })

export function sizeInWords(bytes: number): string {
  if (bytes >= 1_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${Math.max(1, Math.round(bytes / 1_000))} kB`
}
