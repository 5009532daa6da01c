import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import {
  actorOf,
  admins,
  anyRole,
  audit,
  existingTeams,
  lockCompany,
  maySeeAll,
  userIdOf,
} from '../../accounts/index.ts'
import { loadCall } from '../../calls/index.ts'
import { agentsAmong, replaceSuggestionSources, suggestionSources } from '../../voice-agents/index.ts'
import { suggestionsOfCall } from './store.ts'
import { SuggestionView, suggestionView } from './view.ts'

const tag = 'Conversation intelligence'
const feature = 'assist-pro'
/** Their passages are compared with each utterance. */
const maxSources = 5

const sourceFields = {
  ai_voice_agent_id: text(64, { examples: ['01JZ0Q3V9X5R8M2K7T4N6P1C0B'] }),
  team_ids: nullable(
    Type.Array(Id, { maxItems: 100, description: 'Teams whose members get the suggestions; null: all agents' }),
  ),
}
const SuggestionSources = Type.Object({
  sources: Type.Array(
    Type.Object({
      ...sourceFields,
      name: Type.String({ description: 'Name of the AI agent' }),
      documents: Type.Integer({ description: 'Number of its documents that have text' }),
    }),
  ),
})

async function sourcesView({ db }: Services, companyId: CompanyId) {
  const sources = await suggestionSources(db, companyId)
  const teams = await existingTeams(
    db,
    companyId,
    sources.flatMap(({ teamIds }) => teamIds ?? []),
  )
  return {
    sources: sources.map(({ agentId, teamIds, name, documents }) => ({
      ai_voice_agent_id: agentId,
      team_ids: teamIds?.filter((id) => teams.has(id)) ?? null,
      name,
      documents,
    })),
  }
}

const getSources = route({
  method: 'GET',
  path: '/v1/intelligence/suggestions',
  summary: 'List the AI agents whose documents are suggested to human agents during calls',
  tag,
  access: 'app',
  feature,
  roles: admins,
  reply: { status: 200, body: SuggestionSources },
  handle: ({ caller, services }) => sourcesView(services, caller.companyId),
})

const putSources = route({
  method: 'PUT',
  path: '/v1/intelligence/suggestions',
  summary: 'Choose the AI agents whose documents are suggested to human agents during calls',
  description:
    'While a call is transcribed in real time, passages of their documents that are about what the customer says are shown in ' +
    'the phone app. An AI agent may be inactive.',
  tag,
  access: 'app',
  feature,
  roles: admins,
  edits: {
    object: 'suggestions',
    view: async ({ caller, services }) => ({
      sources: (await sourcesView(services, caller.companyId)).sources.map(({ ai_voice_agent_id, team_ids }) => ({
        ai_voice_agent_id,
        team_ids,
      })),
    }),
  },
  body: Type.Object({ sources: Type.Array(Type.Object(sourceFields), { maxItems: maxSources }) }),
  errors: [{ status: 400, when: 'an AI agent or a team is unknown, or an AI agent is listed twice' }],
  reply: { status: 200, body: SuggestionSources },
  async handle({ body: { sources }, caller, services, address }) {
    const { companyId } = caller
    const { db } = services
    const ids = sources.map(({ ai_voice_agent_id: id }) => id)
    if (new Set(ids).size < ids.length) throw badRequest('`sources` lists an AI agent twice')
    if ((await agentsAmong(db, companyId, ids)).length < ids.length)
      throw badRequest('`sources` contains an unknown AI agent')
    const teamIds = sources.flatMap(({ team_ids }) => team_ids ?? [])
    const teams = await existingTeams(db, companyId, teamIds)
    if (teamIds.some((id) => !teams.has(id))) throw badRequest('`team_ids` contains an unknown team')
    await transaction(db, async (tx) => {
      await lockCompany(tx, companyId)
      const stored = sources.map(({ ai_voice_agent_id: agentId, team_ids }) => ({ agentId, teamIds: team_ids }))
      await replaceSuggestionSources(tx, companyId, stored)
      const entry = { actor: actorOf(caller), action: 'suggestions.changed', address }
      await audit(services, tx, companyId, { ...entry, details: { ai_voice_agents: ids.length } })
    })
    return sourcesView(services, companyId)
  },
})

const getSuggestions = route({
  method: 'GET',
  path: '/v1/calls/:call_id/suggestions',
  summary: 'List the passages of documents that were suggested during a call',
  description: 'Agents see those that were suggested to themselves.',
  tag,
  access: 'app',
  feature,
  roles: anyRole,
  params: Type.Object({ call_id: Id }),
  wrongParams: 400,
  load: ({ params, caller, services }) => loadCall({ params: { id: params.call_id }, caller, services }),
  reply: { status: 200, body: Type.Object({ suggestions: Type.Array(SuggestionView) }) },
  async handle({ loaded, caller, services: { db } }) {
    const all = await suggestionsOfCall(db, loaded.companyId, loaded.id)
    const person = maySeeAll(caller) ? null : userIdOf(caller)
    const own = all.filter(({ userIds }) => person === null || userIds.includes(person))
    return { suggestions: own.map(suggestionView) }
  },
})

export const suggestionRoutes = [getSources, putSources, getSuggestions]
