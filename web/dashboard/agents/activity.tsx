import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { span, when } from '../../kit/ui/format.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import type { Agent } from './agent.ts'
import { type TakenCall, useActivity } from './use-agents.ts'

const ends = {
  answered: { label: 'To the end', color: 'green' },
  escalated: { label: 'Handed over', color: 'blue' },
  caller_hung_up: { label: 'Caller left', color: 'gray' },
  disconnected: { label: 'Broken off', color: 'orange' },
} as const

/** Which Numbers lead to it, and what it did lately. */
export function Activity({ agent }: { agent: Agent }) {
  const { data: numbers = [] } = useNumbers()
  const { data } = useActivity(agent.id)
  return (
    <Paper withBorder p="md" component="section" aria-label="Where it answers">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Where it answers
        </Title>
        {agent.number_ids.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nowhere yet. Open the flow of a Number and add the widget “AI voice agent”.{' '}
            <Anchor component={Link} to="/dashboard/numbers" size="sm" underline="always">
              Numbers
            </Anchor>
          </Text>
        ) : (
          <Group gap="xs">
            {agent.number_ids.map((id) => (
              <Anchor key={id} component={Link} to={`/dashboard/numbers/${id}/flow`} size="sm">
                {numbers.find((number) => number.id === id)?.name ?? `Number ${id}`}
              </Anchor>
            ))}
          </Group>
        )}
        {data && data.taken.length === 0 && data.looked > 0 && (
          <Text size="sm" c="dimmed">
            It took none of the newest calls.
          </Text>
        )}
        {data?.taken.map((call) => (
          <Taken key={`${call.id}:${call.session.started_at}`} call={call} />
        ))}
      </Stack>
    </Paper>
  )
}

function Taken({ call: { id, raw_digits, session } }: { call: TakenCall }) {
  const end = session.end_reason === null ? { label: 'Talking now', color: 'blue' } : ends[session.end_reason]
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} to={`/dashboard/calls/${id}`} size="sm">
          {raw_digits}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {when(session.started_at)}
          {session.ended_at !== null && ` · ${span(session.ended_at - session.started_at)}`}
          {session.escalation_reason && ` · ${session.escalation_reason}`}
        </Text>
      </div>
      <Badge variant="light" color={end.color} tt="none" flex="none">
        {end.label}
      </Badge>
    </Group>
  )
}
