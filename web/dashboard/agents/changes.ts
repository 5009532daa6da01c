import type { AgentSettings } from './agent.ts'

// The difference of two versions of an AI agent, line by line.

export interface ChangedLine {
  kind: 'added' | 'removed' | 'same'
  text: string
}

export interface ChangedSetting {
  label: string
  lines: ChangedLine[]
}

const labels: Partial<Record<keyof AgentSettings, string>> = {
  name: 'Name',
  language: 'Language',
  voice: 'Voice',
  brain: 'Mode',
  first_message: 'Greeting',
  goodbye_message: 'Closing message',
  prompt: 'Instructions',
  knowledge: 'Knowledge',
  questions: 'Questions',
  intents: 'Intents',
  tools: 'HTTP tools',
  context_request: 'Data before the call',
  data_schema: 'Data to extract',
  escalation: 'Escalation',
  transfer_targets: 'Transfer destinations',
  outbound_number_id: 'Number for outbound calls',
  max_seconds: 'Maximum duration',
  idle: 'Silence',
  error_message: 'Error message',
}

/** Settings that differ, in the order of the builder. */
export function changedSettings(before: AgentSettings, after: AgentSettings): ChangedSetting[] {
  return Object.entries(labels).flatMap(([field, label]) => {
    const [old, now] = [before, after].map((settings) => linesOf(settings[field as keyof AgentSettings]))
    if (!old || !now || old.join('\n') === now.join('\n')) return []
    return [{ label, lines: withoutDistantLines(changedLines(old, now)) }]
  })
}

/** A value as lines: a field per line, and a heading per entry of a list. */
function linesOf(value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap(linesOfEntry)
  if (typeof value === 'object') return Object.entries(value).flatMap(([key, one]) => fieldLines(key, one))
  return String(value).split('\n')
}

function linesOfEntry(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null) return [String(entry)]
  const { key, name, ...rest } = entry as Record<string, unknown>
  const fields = Object.entries(rest).flatMap(([field, one]) => fieldLines(field, one))
  return [String(key ?? name ?? ''), ...fields.map((line) => `  ${line}`)]
}

function fieldLines(field: string, value: unknown): string[] {
  const label = field.replaceAll('_', ' ')
  if (value === null || value === undefined) return []
  if (Array.isArray(value) && value.length === 0) return []
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return [`${label}: ${value.join(', ')}`]
  if (typeof value === 'object') return [`${label}:`, ...linesOf(value).map((line) => `  ${line}`)]
  return [`${label}: ${value}`]
}

/** Longer texts are shown as replaced as a whole. */
const maxCompared = 2_000

/** The longest common sequence of lines stays; everything else was removed or added. */
export function changedLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  const removed = (text: string): ChangedLine => ({ kind: 'removed', text })
  const added = (text: string): ChangedLine => ({ kind: 'added', text })
  if (before.length > maxCompared || after.length > maxCompared) return [...before.map(removed), ...after.map(added)]
  const width = after.length + 1
  const common = new Uint16Array((before.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: ChangedLine[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]]
    if (old !== undefined && old === now) {
      lines.push({ kind: 'same', text: old })
      i++
      j++
    } else if (now === undefined || (old !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(old ?? ''))
      i++
    } else {
      lines.push(added(now))
      j++
    }
  }
  return lines
}

const context = 2

/** Unchanged lines only near a change; a gap is one line with an ellipsis. */
function withoutDistantLines(lines: readonly ChangedLine[]): ChangedLine[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same')
  const shown: ChangedLine[] = []
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) shown.push(line)
    else if (shown.at(-1)?.text !== '…') shown.push({ kind: 'same', text: '…' })
  }
  return shown
}
