import type { Client } from '../kit/app.ts'

// A company as its public API shows it, without what differs between two servers: ids, links, and fields that the API
// does not allow to import (roles and presence of users, the flow behind a Number).

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape
type Json = any

async function all(api: Client, path: string, root: string): Promise<Json[]> {
  const rows: Json[] = []
  for (let page = 1; ; page++) {
    const { json, status } = await api('GET', `${path}?per_page=50&page=${page}&fetch_call_timeline=true`)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    rows.push(...json[root])
    if (json[root].length < 50) return rows
  }
}

const dropped = new Set([
  ...['id', 'webhook_id', 'direct_link', 'call_id', 'number_id', 'user_id', 'default_number_id', 'extension'],
  // Depends on who is connected now, and on the flow.
  ...['available', 'is_ivr', 'open', 'messages', 'call_created_at', 'updated_by', 'created_by', 'ai_voice_agent_id'],
  ...['reviewee_user_id', 'reviewer_user_id', 'playbook', 'call_uuid', 'conversation_id'],
])
const urls = new Set(['recording', 'voicemail', 'asset', 'presigned_url'])

function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(key))
      .map(([key, one]) => [key, urls.has(key) ? typeof one : comparable(one)]),
  )
}

const byText = (rows: Json[]) => rows.map((row) => JSON.stringify(comparable(row))).sort()

/** In their order; one that is being sent is not imported. */
async function messagesOf(api: Client): Promise<Json[]> {
  const { status, text } = await api('GET', '/v1/export/messages')
  if (status !== 200) throw new Error(`messages: ${status}`)
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return lines.flatMap(({ message }) => (message && message.status !== 'pending' ? [comparable(message)] : []))
}

const results = [
  ...['transcription', 'sentiments', 'topics', 'summary', 'custom_summary_result', 'action_items'],
  ...['playbook_result', 'evaluations', 'predicted_csat'],
]

/** Lists as sorted texts, and calls by their sid. */
export async function companyAsShown(api: Client) {
  const calls = await all(api, '/v1/calls', 'calls')
  const resultsOf: Record<string, Json> = {}
  for (const call of calls) {
    const [first, ...others] = results
    const transcript = await api('GET', `/v1/calls/${call.id}/${first}`)
    if (transcript.status !== 200) continue
    resultsOf[call.sid] = { transcript: comparable(transcript.json) }
    await Promise.all(
      others.map(async (name) => {
        const { status, json } = await api('GET', `/v1/calls/${call.id}/${name}`)
        resultsOf[call.sid][name] = status === 200 ? comparable(json) : status
      }),
    )
  }
  return {
    users: byText(await all(api, '/v2/users', 'users')),
    teams: byText(await all(api, '/v1/teams', 'teams')),
    tags: byText(await all(api, '/v1/tags', 'tags')),
    contacts: byText(await all(api, '/v1/contacts', 'contacts')),
    numbers: byText(await all(api, '/v1/numbers', 'numbers')),
    calls: Object.fromEntries(calls.map((call) => [call.sid, comparable(call)])),
    results: resultsOf,
    messages: await messagesOf(api),
    /** With the links to audio. */
    rawCalls: calls,
  }
}
