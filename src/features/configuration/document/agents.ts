import { withObjectIds, withObjectNames } from './names.ts'
import { within } from './problems.ts'
import { type Fields, picked, type Requests } from './requests.ts'
import type { DocumentSection } from './sections.ts'

const plain = [
  'name',
  'active',
  'language',
  'voice',
  'brain',
  'first_message',
  'goodbye_message',
  'questions',
  'intents',
  'prompt',
  'knowledge',
  'tools',
  'context_request',
  'data_schema',
  'error_message',
  'idle',
  'max_seconds',
  'voicemail',
]
/** Web pages of the knowledge. Uploaded files are no part of the configuration, and stay as they are. */
const urls = 'knowledge_urls'
const referring = ['escalation', 'transfer_targets']

/** AI voice agents: destinations are email addresses and names of teams, the Number is its digits. */
export const agentSection: DocumentSection = {
  name: 'ai_voice_agents',
  key: 'name',
  fields: [...plain, ...referring, 'outbound_number', urls],
  sets: [urls],
  async read({ requests, names }) {
    const found = await requests.all('GET /v1/ai_voice_agents', 'ai_voice_agents')
    return Promise.all(
      found.map(async ({ id }) => {
        const shown = (await requests.ask('GET /v1/ai_voice_agents/:id/settings', { params: { id } }))
          .ai_voice_agent as Fields
        const pages = await pagesOf(requests, id as string)
        const fields = {
          ...picked(shown, plain),
          ...(withObjectNames(picked(shown, referring), names) as Fields),
          outbound_number: names.numbers.nameOf(shown.outbound_number_id),
          [urls]: pages.map(({ url }) => url),
        }
        return { id: id as string, fields }
      }),
    )
  },
  async create({ requests }, { name }) {
    const made = await requests.ask('POST /v1/ai_voice_agents', { body: { name } })
    return (made.ai_voice_agent as Fields).id as string
  },
  async change({ requests, names }, { id }, { outbound_number, [urls]: wanted, ...changed }) {
    const body = {
      ...Object.fromEntries(
        Object.entries(changed).map(([name, value]) => [name, within(name, () => withObjectIds(value, names))]),
      ),
      ...(outbound_number !== undefined && {
        outbound_number_id: within('outbound_number', () => names.numbers.idOf(outbound_number)),
      }),
    }
    await requests.ask('PUT /v1/ai_voice_agents/:id', { params: { id }, body })
    if (wanted !== undefined) await changePages(requests, id as string, wanted as string[])
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/ai_voice_agents/:id', { params: { id } })
  },
}

const documents = '/v1/ai_voice_agents/:id/documents'

async function pagesOf(requests: Requests, id: string): Promise<{ id: string; url: string }[]> {
  const found = (await requests.ask(`GET ${documents}`, { params: { id } })).documents as Fields[]
  return found.flatMap((document) =>
    typeof document.url === 'string' ? [{ id: document.id as string, url: document.url }] : [],
  )
}

async function changePages(requests: Requests, id: string, wanted: readonly string[]): Promise<void> {
  const pages = await pagesOf(requests, id)
  for (const { id: document_id } of pages.filter(({ url }) => !wanted.includes(url)))
    await requests.ask(`DELETE ${documents}/:document_id`, { params: { id, document_id } })
  for (const url of new Set<string>(wanted))
    if (!pages.some((page) => page.url === url))
      await requests.ask(`POST ${documents}`, { params: { id }, body: { url } })
}
