import type { Services } from '../../../services.ts'
import { narrowingFields, periodFields, periodIn } from '../../analytics/index.ts'
import { callsById, showCalls } from '../../calls/index.ts'
import { callSummaries } from './view.ts'

// Conversation intelligence across calls, for those who may read every transcript of the company.

export const readers = {
  tag: 'Conversation intelligence',
  access: 'app',
  feature: 'assist',
  roles: ['owner', 'admin', 'supervisor'],
} as const

export const askedFields = { ...periodFields, ...narrowingFields }
export const askedIn = (query: Parameters<typeof periodIn>[0] & Ids, now: number) => {
  const { zone, range } = periodIn(query, now)
  const { number_id: numberIds, user_id: userIds, team_id: teamIds } = query
  return { zone, range, asked: { from: range.from, to: range.to, numberIds, userIds, teamIds } }
}
interface Ids {
  number_id?: number[]
  user_id?: number[]
  team_id?: number[]
}

export async function callSummariesOf(
  services: Services,
  companyId: number,
  ids: readonly number[],
): Promise<ReturnType<typeof callSummaries>> {
  const byId = await callsById(services.db, companyId, [...new Set(ids)])
  const flags = { contact: true, shortUrls: false, timeline: false, voiceAgents: false }
  return callSummaries(await showCalls(services, companyId, [...byId.values()], flags))
}
