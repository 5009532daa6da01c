import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { ResponseOf } from '../../kit/api.ts'
import { when } from '../../kit/ui/format.ts'
import { digitsOf } from '../parts/call.ts'

export type CallSummary = ResponseOf<'/v1/intelligence/search'>['results'][number]['call']

/** Whom the call was with, and when; a link to its page. */
export function CallLine({ call }: { call: CallSummary }) {
  const more = [call.agent, call.number, when(call.started_at)].filter(Boolean).join(' · ')
  return (
    <Group gap="xs" align="baseline">
      <Anchor component={Link} to={`/dashboard/calls/${call.id}`} size="sm" fw={550}>
        {call.contact ?? digitsOf(call.phone_number)}
      </Anchor>
      <Text size="xs" c="dimmed">
        {call.direction === 'inbound' ? 'Inbound' : 'Outbound'} · {more}
      </Text>
    </Group>
  )
}
