import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconPhone, IconPhoneOff } from '@tabler/icons-react'
import { useState } from 'react'
import type { CallShown } from '../../../src/live/protocol.ts'
import { callerIdWords } from '../../kit/caller-id-words.ts'
import { green, red } from '../colours.ts'
import { usePhone } from '../context.ts'
import css from '../phone.module.css'
import { isOffline, otherParty } from '../selectors.ts'
import { Cards } from './cards.tsx'

function titleOf({ purpose, given_by }: CallShown): string {
  const who = given_by?.name
  switch (purpose) {
    case 'transfer':
      return who ? `Transferred by ${who}` : 'Transferred to you'
    case 'consult':
      return `${who ?? 'A colleague'} wants to talk before a transfer`
    case 'conference':
      return `${who ?? 'A colleague'} invites you to a call`
    case 'internal':
      return 'Internal call'
    case 'callback':
      return 'Callback request'
    default:
      return 'Incoming call'
  }
}

/** An incoming call: the caller, the number, and the buttons to accept or decline. */
export function RingCard({ ring, isSmall = false }: { ring: CallShown; isSmall?: boolean }) {
  const { dispatch, act, state } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const party = otherParty(ring)
  const isOnCall = state.talks.some(({ held }) => !held)
  const answer = async () => {
    setBusy(true)
    await act({ type: 'answer', key: ring.key })
    setBusy(false)
  }
  const decline = () => dispatch({ type: 'declined', key: ring.key })
  return (
    <>
      <Card
        withBorder
        radius="lg"
        padding={isSmall ? 'sm' : 'lg'}
        component="section"
        aria-label={`Incoming call from ${party.title}`}
        className={isSmall ? undefined : css.ring}
        flex="none"
      >
        <Stack gap={isSmall ? 'xs' : 'md'} align="center" ta="center">
          <Text size="sm" c="dimmed">
            {titleOf(ring)}
          </Text>
          <div>
            <Title order={1} size={isSmall ? 'h4' : 'h2'} style={{ wordBreak: 'break-word' }}>
              {party.title}
            </Title>
            {party.detail && ring.external !== null && <Text c="dimmed">{party.detail}</Text>}
          </div>
          <Group gap="xs" justify="center">
            {ring.number && (
              <Badge variant="light" tt="none">
                {ring.number.name}
              </Badge>
            )}
            {ring.caller_id && ring.caller_id.verification !== 'none' && (
              <Badge variant="light" color={ring.caller_id.verification === 'passed' ? 'green' : 'red'} tt="none">
                {callerIdWords(ring.caller_id)}
              </Badge>
            )}
            {ring.menu && (
              <Badge variant="light" color="gray" tt="none">
                IVR: {ring.menu}
              </Badge>
            )}
          </Group>
          <Group grow w="100%" mt={isSmall ? 0 : 'sm'}>
            <Button
              {...red}
              size={isSmall ? 'sm' : 'md'}
              px="xs"
              leftSection={<IconPhoneOff size={20} aria-hidden />}
              onClick={decline}
            >
              Decline
            </Button>
            <Button
              {...green}
              size={isSmall ? 'sm' : 'md'}
              px="xs"
              loading={isBusy}
              disabled={isOffline(state)}
              leftSection={!isOnCall && <IconPhone size={20} aria-hidden />}
              onClick={() => void answer()}
            >
              {isOnCall ? 'Hold and accept' : 'Accept'}
            </Button>
          </Group>
        </Stack>
      </Card>
      {!isSmall && <Cards callId={ring.call_id} />}
    </>
  )
}
