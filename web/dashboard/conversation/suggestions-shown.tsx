import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { Card } from './results.tsx'

/** Passages of documents that were suggested to the agents during the call. */
export function SuggestionsShown({ callId }: { callId: number }) {
  const { data } = useQuery({
    queryKey: ['call', String(callId), 'suggestions'],
    queryFn: async () =>
      (await api.get('/v1/calls/{call_id}/suggestions', { params: { call_id: callId } })).suggestions,
  })
  if (!data || data.length === 0) return null
  return (
    <Card title="Suggestions during the call">
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.map(({ id, heading, text, document, url }) => (
          <li key={id}>
            {heading && (
              <Text size="sm" fw={550}>
                {heading}
              </Text>
            )}
            <Text size="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
              {text}
            </Text>
            <Text size="xs" c="dimmed">
              {url ? (
                <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit underline="always">
                  {document}
                </Anchor>
              ) : (
                document
              )}
            </Text>
          </li>
        ))}
      </Stack>
    </Card>
  )
}
