import type { AiVoiceAgentTable } from '../../../db/tables.ts'
import { type AgentLanguage, type AgentPlan, scriptedMode } from '../../../domain/ai-agent/plan.ts'

// Settings of an AI agent as columns, for the agent and for its versions.

export interface AgentSettings extends Omit<AgentPlan, 'id' | 'version'> {
  /** Number for outbound calls. */
  numberId: number | null
  active: boolean
}

/** Settings without a column of their own. */
type Kept = Omit<AgentSettings, 'name' | 'language' | 'firstMessage' | 'numberId' | 'active'>

type SettingsColumns = Pick<AiVoiceAgentTable, 'name' | 'language' | 'first_message' | 'number_id' | 'settings'>

export const settingsOfRow = (row: SettingsColumns): Omit<AgentSettings, 'active'> => ({
  // Rows written by older releases have no mode.
  ...scriptedMode,
  ...(JSON.parse(row.settings) as Kept),
  name: row.name,
  language: row.language as AgentLanguage,
  firstMessage: row.first_message,
  numberId: row.number_id,
})

export function rowOf({ name, language, firstMessage, numberId, active, ...kept }: AgentSettings) {
  const settings: Kept = kept
  return {
    name,
    language,
    first_message: firstMessage,
    number_id: numberId,
    active: active ? (1 as const) : (0 as const),
    settings: JSON.stringify(settings),
  }
}
