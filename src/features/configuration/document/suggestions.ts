import { badRequest } from '../../../http/errors.ts'
import type { Names } from './names.ts'
import { within } from './problems.ts'
import { type Fields, listIn, nothingWithoutPlan } from './requests.ts'
import type { DocumentSection } from './sections.ts'

const route = '/v1/intelligence/suggestions'

/** Suggestions during calls: AI agents whose documents are suggested, and the teams that get them. */
export const suggestionSection: DocumentSection = {
  name: 'suggestions',
  key: null,
  follows: true,
  fields: ['sources'],
  shapes: { sources: 'objects' },
  async read({ requests, names }) {
    const { sources } = await requests.ask(`GET ${route}`).catch(nothingWithoutPlan)
    if (sources === undefined) return []
    const shown = listIn(sources).map(({ ai_voice_agent_id: id, team_ids: teams }) => ({
      ai_voice_agent: names.agents.nameOf(id),
      teams: Array.isArray(teams) ? teams.map((team) => String(names.teams.nameOf(team))).toSorted() : null,
    }))
    return [{ id: 'suggestions', fields: { sources: shown } }]
  },
  async change({ requests, names }, _item, { sources }) {
    const body = { sources: listIn(sources).map((source, n) => sourceOf(source, `sources[${n}]`, names)) }
    await requests.ask(`PUT ${route}`, { body })
  },
}

function sourceOf({ ai_voice_agent: agent, teams }: Fields, place: string, names: Names): Fields {
  const id = within(`${place}.ai_voice_agent`, () => names.agents.idOf(agent))
  if (id === null) throw badRequest(`\`${place}.ai_voice_agent\` is missing`)
  return { ai_voice_agent_id: id, team_ids: teams === undefined ? null : teamIdsIn(teams, `${place}.teams`, names) }
}

function teamIdsIn(teams: unknown, place: string, names: Names): unknown {
  if (teams === null) return null
  if (!Array.isArray(teams)) throw badRequest(`\`${place}\` must be a list of texts`)
  return teams.map((name, n) => within(`${place}[${n}]`, () => names.teams.idOf(name)))
}
