import type { Db } from '../../../db/database.ts'
import { unindexed } from '../../../db/dialect.ts'
import type { AiVoiceAgentTable, CompanyId } from '../../../db/tables.ts'
import { scriptedMode } from '../../../domain/ai-agent/plan.ts'
import { readFlow } from '../../../domain/flow/parse.ts'
import { flowReferences } from '../../../domain/flow/references.ts'
import type { Window } from '../../../http/paging.ts'
import { type AgentSettings, rowOf, settingsOfRow } from './settings-row.ts'

export type { AgentSettings } from './settings-row.ts'

export interface VoiceAgent extends AgentSettings {
  id: string
  version: number
  createdAt: number
  updatedAt: number
}

/** Columns that the API does not return. */
export const freshAgent: Omit<AgentSettings, 'name'> = {
  language: 'en',
  voice: null,
  firstMessage: null,
  goodbyeMessage: null,
  questions: [],
  intents: [],
  escalation: { phrases: [], afterMisunderstandings: 3, target: { type: 'branch' } },
  maxSeconds: 600,
  ...scriptedMode,
  numberId: null,
  active: true,
}

const toAgent = (row: AiVoiceAgentTable): VoiceAgent => ({
  ...settingsOfRow(row),
  id: row.id,
  version: row.version,
  active: row.active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const rows = (db: Db, companyId: CompanyId) =>
  db.selectFrom('ai_voice_agent').selectAll().where('company_id', '=', companyId)

export async function findAgent(db: Db, companyId: CompanyId, id: string): Promise<VoiceAgent | undefined> {
  const row = await rows(db, companyId).where('id', '=', id).executeTakeFirst()
  return row && toAgent(row)
}

/** Which of the ids are AI agents of the company. */
export async function agentsAmong(db: Db, companyId: CompanyId, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('ai_voice_agent')
    .select('id')
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .execute()
  return found.map(({ id }) => id)
}

/** The oldest one of this name. */
export async function agentNamed(db: Db, companyId: CompanyId, name: string): Promise<VoiceAgent | undefined> {
  const row = await rows(db, companyId).where('name', '=', name).orderBy('created_at').orderBy('id').executeTakeFirst()
  return row && toAgent(row)
}

export async function pageOfAgents(db: Db, companyId: CompanyId, window: Window) {
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = window
  const within = rows(db, companyId).where('created_at', '>=', from).where('created_at', '<=', to)
  const page = await within
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  const { n } = await within
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { agents: page.map(toAgent), total: n }
}

export async function countAgents(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await db
    .selectFrom('ai_voice_agent')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return n
}

export async function insertAgent(
  db: Db,
  companyId: CompanyId,
  id: string,
  settings: AgentSettings,
  at: number,
): Promise<VoiceAgent> {
  const row = { ...rowOf(settings), id, company_id: companyId, version: 1, created_at: at, updated_at: at }
  await db.insertInto('ai_voice_agent').values(row).execute()
  return toAgent(row)
}

export async function updateAgent(
  db: Db,
  companyId: CompanyId,
  id: string,
  settings: AgentSettings,
  { version, at }: { version: number; at: number },
): Promise<VoiceAgent | undefined> {
  const row = await db
    .updateTable('ai_voice_agent')
    .set({ ...rowOf(settings), version, updated_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toAgent(row)
}

export async function deleteAgent(db: Db, companyId: CompanyId, id: string): Promise<boolean> {
  const done = await db
    .deleteFrom('ai_voice_agent')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Numbers whose live flow uses an AI agent, by agent ID. */
export async function numbersWithAgents(db: Db, companyId: CompanyId): Promise<Map<string, number[]>> {
  const found = await db
    .selectFrom('number')
    .innerJoin('flow_version', (join) =>
      join.onRef('flow_version.number_id', '=', 'number.id').onRef('flow_version.version', '=', 'number.flow_version'),
    )
    .where(unindexed('number.company_id'), '=', companyId)
    .where('flow_version.document', 'like', '%"ai_agent"%')
    .select(['number.id', 'flow_version.document'])
    .orderBy('number.id')
    .execute()
  const numbers = new Map<string, number[]>()
  for (const { id, document } of found) {
    for (const agent of flowReferences(readFlow(document)).agents)
      numbers.set(agent, [...(numbers.get(agent) ?? []), id])
  }
  return numbers
}
