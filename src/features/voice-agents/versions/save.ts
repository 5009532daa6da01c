import type { Tx } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { notFound } from '../../../http/errors.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { lockCompany, userIdOf } from '../../accounts/index.ts'
import { type AgentSettings, findAgent, updateAgent, type VoiceAgent } from '../agents/store.ts'
import { insertAgentVersion } from './store.ts'

interface SavedAgent {
  id: string
  settings: AgentSettings
  note: string | null
}

/** Stores the settings of an AI agent. They are a new version if anything but `active` has changed. */
export async function saveAgent(
  { clock, vault }: Services,
  tx: Tx,
  caller: Caller,
  { id, settings, note }: SavedAgent,
): Promise<VoiceAgent> {
  const { companyId } = caller
  // Versions are numbered in the order of their commits.
  await lockCompany(tx, companyId)
  const before = await findAgent(tx, companyId, id)
  if (!before) throw notFound()
  const isNew = comparable(vault, before) !== comparable(vault, settings)
  const version = before.version + (isNew ? 1 : 0)
  const agent = await updateAgent(tx, companyId, id, settings, { version, at: clock.now() })
  if (!agent) throw notFound()
  if (isNew) await insertAgentVersion(tx, companyId, agent, { note, createdBy: userIdOf(caller), at: clock.now() })
  return agent
}

/** Encrypted values differ whenever they are written. */
function comparable(vault: Pick<Vault, 'open'>, settings: AgentSettings & Partial<VoiceAgent>): string {
  const { active: _active, id: _id, version: _version, createdAt: _made, updatedAt: _changed, ...rest } = settings
  const tools = (settings.tools ?? []).map((tool) => opened(vault, tool))
  const request = settings.contextRequest && opened(vault, settings.contextRequest)
  return JSON.stringify(
    sorted({ ...rest, tools, contextRequest: request ?? null, dataSchema: settings.dataSchema ?? null }),
  )
}

const opened = <T extends { headersSealed: string | null }>(
  vault: Pick<Vault, 'open'>,
  { headersSealed, ...rest }: T,
) => ({
  ...rest,
  headers: headersSealed === null ? null : vault.open(headersSealed),
})

/** With the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}
