import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable, Timestamp, text } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { admins, audit, usersById } from '../../accounts/index.ts'
import { agentEntry } from '../agents/audit-entry.ts'
import { checkAgent } from '../agents/settings.ts'
import { findAgent, numbersWithAgents } from '../agents/store.ts'
import { VoiceAgentSettingsView, voiceAgentSettingsView } from '../agents/view.ts'
import { saveAgent } from './save.ts'
import { agentVersions, findAgentVersion } from './store.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const one = Type.Object({ id: Type.String(), version: Version })

type Loading = { params: { id: string }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findAgent(services.db, caller.companyId, id)
const shared = { tag, feature, access: 'app', roles: admins, load } as const

const VersionView = Type.Object({
  version: Type.Integer({ description: 'Number of the version, from 1' }),
  note: nullable(Type.String({ description: 'What was changed, in the words of the author' })),
  created_at: Timestamp,
  created_by: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      { description: 'The user who saved the version; `null` for an API key and for the service' },
    ),
  ),
})

const listVersions = route({
  ...shared,
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/versions',
  summary: 'List the versions of an AI voice agent, newest first',
  description: 'Every change of the settings but `active` is a version. The last 200 are kept.',
  params: Type.Object({ id: Type.String() }),
  reply: { status: 200, body: Type.Object({ versions: Type.Array(VersionView) }) },
  async handle({ loaded, caller: { companyId }, services: { db } }) {
    const versions = await agentVersions(db, companyId, loaded.id)
    const ids = versions.flatMap(({ createdBy }) => (createdBy === null ? [] : [createdBy]))
    const users = await usersById(db, companyId, ids)
    return {
      versions: versions.map(({ version, note, createdAt, createdBy }) => {
        const author = createdBy === null ? undefined : users.get(createdBy)
        return {
          version,
          note,
          created_at: isoSeconds(createdAt),
          created_by: author ? { id: author.id, name: `${author.firstName} ${author.lastName}`.trim() } : null,
        }
      }),
    }
  },
})

const getVersion = route({
  ...shared,
  method: 'GET',
  path: '/v1/ai_voice_agents/:id/versions/:version',
  summary: 'Retrieve the settings of a version of an AI voice agent',
  description: 'Values of tool headers are not returned.',
  params: one,
  reply: { status: 200, body: Type.Object({ ai_voice_agent: VoiceAgentSettingsView }) },
  async handle({ params, loaded, caller: { companyId }, services: { db } }) {
    const found = await findAgentVersion(db, companyId, loaded, params.version)
    if (!found) throw notFound()
    const { settings, version, createdAt } = found
    const agent = { ...settings, id: loaded.id, version, createdAt: loaded.createdAt, updatedAt: createdAt }
    return { ai_voice_agent: voiceAgentSettingsView(agent, await numbersWithAgents(db, companyId)) }
  },
})

const restoreVersion = route({
  ...shared,
  method: 'POST',
  path: '/v1/ai_voice_agents/:id/versions/:version/restore',
  summary: 'Restore a version of an AI voice agent as a new version',
  description: 'Ongoing conversations keep their settings; `active` stays as it is.',
  params: one,
  body: Type.Object({ note: Type.Optional(nullable(text(500, { description: 'What was changed' }))) }),
  errors: [{ status: 400, when: 'a Number, user or team of the version no longer exists' }],
  reply: { status: 200, body: Type.Object({ ai_voice_agent: VoiceAgentSettingsView }) },
  async handle({ params: { id, version }, body, caller, services, address }) {
    const { companyId } = caller
    const restored = await transaction(services.db, async (tx) => {
      const before = await findAgent(tx, companyId, id)
      const found = before && (await findAgentVersion(tx, companyId, before, version))
      if (!found) throw notFound()
      await checkAgent(services, tx, companyId, found.settings)
      const note = body.note ?? `Restored version ${version}`
      const agent = await saveAgent(services, tx, caller, { id, settings: found.settings, note })
      const entry = agentEntry(caller, 'restored', agent, address)
      await audit(services, tx, companyId, { ...entry, details: { name: agent.name, version } })
      return agent
    })
    return { ai_voice_agent: voiceAgentSettingsView(restored, await numbersWithAgents(services.db, companyId)) }
  },
})

export const agentVersionRoutes = [listVersions, getVersion, restoreVersion]
