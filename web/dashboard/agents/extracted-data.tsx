import { Text } from '@mantine/core'

/** Data of a conversation with an AI agent, or why there is none. */
export function ExtractedData({ data, problem }: { data: Record<string, unknown> | null; problem: string | null }) {
  if (problem !== null)
    return (
      <Text size="xs" c="dimmed">
        No data extracted: {problem}
      </Text>
    )
  if (data === null) return null
  return Object.entries(data).map(([name, value]) => (
    <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span size="xs" c="dimmed">
        {name.replaceAll('_', ' ')}:
      </Text>{' '}
      {inWords(value)}
    </Text>
  ))
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
