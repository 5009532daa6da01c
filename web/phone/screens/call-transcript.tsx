import { Anchor, Badge, Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api } from '../../kit/api.ts'
import { keyOf, partyNames, speakersOf } from '../../kit/conversation/transcript.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { useSession } from '../../kit/session.tsx'
import { useUsers } from '../../kit/ui/lists.ts'
import { contactName, type PhoneCall } from '../data.ts'

/** Null also when the plan does not include it. */
async function included<T>(response: Promise<T | null>): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}

const previewLines = 3

/** Summary, topics and transcript of a call or voicemail; renders nothing without a transcript. */
export default function CallTranscript({ call }: { call: PhoneCall }) {
  const { user } = useSession()
  const { data: users } = useUsers()
  const [isExpanded, setExpanded] = useState(false)
  const { data } = useQuery({
    queryKey: ['call', call.id, 'said'],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { call_id: call.id }
      const transcript = await included(api.find('/v1/calls/{call_id}/transcription', { params }))
      if (!transcript) return null
      const [summary, topics] = await Promise.all([
        included(api.find('/v1/calls/{call_id}/summary', { params })),
        included(api.find('/v1/calls/{call_id}/topics', { params })),
      ])
      return {
        transcript: transcript.transcription,
        summary: summary?.summary.content,
        topics: topics?.topic.content ?? [],
      }
    },
  })
  if (!data) return null
  const utterances = data.transcript.content.utterances
  const speakers = speakersOf(utterances, {
    user: (id) => (id === user.id ? 'You' : (users?.find((one) => one.id === id)?.name ?? 'Unknown user')),
    agent: () => 'AI agent',
    party: partyNames(call.raw_digits, call.contact ? contactName(call.contact) : displayNumber(call.raw_digits)),
  })
  const lines = isExpanded ? utterances : utterances.slice(0, previewLines)
  return (
    <Stack gap="xs" component="section" aria-label="Transcript">
      {data.summary && <Text size="sm">{data.summary}</Text>}
      {data.topics.length > 0 && (
        <Group gap={4}>
          {data.topics.map((topic) => (
            <Badge key={topic} variant="light" color="gray" tt="none">
              {topic}
            </Badge>
          ))}
        </Group>
      )}
      <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {lines.map((line) => {
          const speaker = speakers.get(keyOf(line))
          return (
            <Text key={`${line.start_time}:${line.text}`} component="li" size="sm" style={{ overflowWrap: 'anywhere' }}>
              <Box component="span" fw={600} c={`var(--mantine-color-${speaker?.color ?? 'gray'}-light-color)`}>
                {speaker?.name}:
              </Box>{' '}
              {line.text}
            </Text>
          )
        })}
      </Stack>
      {utterances.length > previewLines && (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? 'Show less' : `Show all ${utterances.length} lines`}
        </Anchor>
      )}
    </Stack>
  )
}
