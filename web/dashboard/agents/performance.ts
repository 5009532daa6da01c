import type { ResponseOf } from '../../kit/api.ts'

export type Performance = ResponseOf<'/v1/ai_agent_performance'>
export type CountedText = Performance['misunderstood'][number]

export const purposeLabels: Record<Performance['purposes'][number]['purpose'], string> = {
  agent: 'Calls of AI agents',
  agent_test: 'Test chats and agent tests',
  combined: 'Summary, action items, topics and sentiment',
  summary: 'Summaries',
  topics: 'Topics',
  sentiment: 'Sentiment',
  action_items: 'Action items',
  custom_summary: 'Template summaries',
  playbook_result: 'Playbooks',
  evaluation: 'Evaluations',
  predicted_csat: 'Predicted CSAT',
}

export const percentWords = (part: number, whole: number) =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`

/** Small costs keep two significant digits. */
export function costWords(cost: number | null): string {
  if (cost === null) return '–'
  return cost === 0 || cost >= 0.01
    ? cost.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : cost.toLocaleString(undefined, { maximumSignificantDigits: 2 })
}
