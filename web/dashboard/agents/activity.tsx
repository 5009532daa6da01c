import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { displayNumber } from '../../kit/phone-number.ts'
import { span, when } from '../../kit/ui/format.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import type { AiAgent } from './agent.ts'
import { type TakenCall, useAgentActivity } from './use-agents.ts'

const ends = {
  answered: { label: 'Completed', color: 'green' },
  escalated: { label: 'Escalated', color: 'blue' },
  caller_hung_up: { label: 'Caller hung up', color: 'gray' },
  disconnected: { label: 'Disconnected', color: 'orange' },
} as const

/** Numbers that use the AI agent, and its recent calls. */
export function AgentActivity({ agent }: { agent: AiAgent }) {
  const { data: numbers = [] } = useNumbers()
  const { data } = useAgentActivity(agent.id)
  return (
    <Paper withBorder p="md" component="section" aria-label="Recent activity">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Recent activity
        </Title>
        {agent.number_ids.length === 0 ? (
          <Text size="sm" c="dimmed">
            Not used by any number yet. Add the “AI agent” widget to the flow of a number.{' '}
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
            No recent calls.
          </Text>
        )}
        {data?.taken.map((call) => (
          <RecentCall key={`${call.id}:${call.session.started_at}`} call={call} />
        ))}
      </Stack>
    </Paper>
  )
}

function RecentCall({ call: { id, raw_digits, session } }: { call: TakenCall }) {
  const end = session.end_reason === null ? { label: 'In progress', color: 'blue' } : ends[session.end_reason]
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} to={`/dashboard/calls/${id}`} size="sm">
          {displayNumber(raw_digits)}
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
