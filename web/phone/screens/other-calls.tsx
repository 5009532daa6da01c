import { Button, Card, Group, Text } from '@mantine/core'
import { IconArrowsExchange, IconArrowsJoin2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { CallShown } from '../../../src/live/protocol.ts'
import type { Request } from '../../kit/live.ts'
import { span } from '../../kit/ui/format.ts'
import { useNow, usePhone } from '../context.ts'
import { isOffline, offlineHint, otherParty, serviceTime } from '../selectors.ts'

/** The second call of the user: swap it with the one that is shown, or merge both into a conference. */
export function OtherCalls({ front }: { front: CallShown }) {
  const { state } = usePhone()
  return state.talks
    .filter(({ key }) => key !== front.key)
    .map((call) => <OtherCall key={call.key} call={call} front={front} />)
}

function OtherCall({ call, front }: { call: CallShown; front: CallShown }) {
  const { state, act, dispatch } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const now = serviceTime(state, useNow()) / 1_000
  const { title } = otherParty(call)
  const run = async (request: Request) => {
    setBusy(true)
    const isDone = await act(request)
    setBusy(false)
    return isDone
  }
  const swap = async () => {
    if (call.held && !(await run({ type: 'unhold', key: call.key }))) return
    dispatch({ type: 'done', key: front.key, change: { held: true } })
    dispatch({ type: 'done', key: call.key, change: { held: false } })
    dispatch({ type: 'front', key: call.key })
  }
  const isTalking = front.phase === 'talking' && call.phase === 'talking'
  const isConsulting = [front, call].some(({ consultation }) => consultation?.purpose === 'consult')
  const why = isOffline(state) ? offlineHint(state) : isTalking ? undefined : 'Available when the call is answered'
  const disabled = why !== undefined || isConsulting || isBusy
  return (
    <Card withBorder radius="md" padding="sm" component="section" aria-label={`Other call: ${title}`} flex="none">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={550} truncate>
          {title}
        </Text>
        <Text size="sm" c="dimmed" flex="none" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {call.held ? 'On hold' : 'Active'} · {span(now - (call.answered_at ?? call.started_at))}
        </Text>
      </Group>
      <Group grow gap="xs" mt="xs">
        <Button
          size="xs"
          variant="default"
          disabled={disabled}
          title={why}
          leftSection={<IconArrowsExchange size={16} aria-hidden />}
          onClick={() => void swap()}
        >
          Swap
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={disabled}
          title={why}
          leftSection={<IconArrowsJoin2 size={16} aria-hidden />}
          onClick={() => void run({ type: 'merge' })}
        >
          Merge calls
        </Button>
      </Group>
    </Card>
  )
}
