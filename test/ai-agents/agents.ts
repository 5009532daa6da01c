import { readEvents } from '../../src/events/log.ts'
import { hangUp, type Nodes, type Office } from '../kit/phone.ts'

// AI agents for tests, and their events.

export async function addAgent({ a }: Office, settings: object): Promise<string> {
  const made = await a.own('POST', '/v1/ai_voice_agents', settings)
  if (made.status !== 201) throw new Error(made.text)
  return made.json.ai_voice_agent.id
}

/** A flow with the AI agent and its escalation branch; hangs up if there is none. */
export const agentFlow = (agent: string, escalated: Nodes[string] = hangUp): Nodes => ({
  robot: { type: 'ai_agent', agent_id: agent, branches: { escalated: 'escalated', unavailable: 'away' } },
  escalated,
  away: hangUp,
})

async function eventsOf({ a, app, db }: Office, callId: number) {
  await app.settle()
  const events = await readEvents(db, a.id)
  return events.filter(({ resource_key }) => resource_key === `call:${callId}`)
}

/** Names of all events of a call. */
export const storyOf = async (office: Office, callId: number) =>
  (await eventsOf(office, callId)).map(({ name }) => name)

// biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
export async function agentPayloads(office: Office, callId: number): Promise<Record<string, any>> {
  const events = (await eventsOf(office, callId)).filter(({ name }) => name.startsWith('ai_voice_agent.'))
  return Object.fromEntries(events.map(({ name, data }) => [name.slice('ai_voice_agent.'.length), JSON.parse(data)]))
}
