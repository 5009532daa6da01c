import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconPlane, IconUser } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type RequestOf } from '../../kit/api.ts'
import { canViewDashboard, signOut, useSession } from '../../kit/session.tsx'
import { Dot } from '../../kit/ui/people.tsx'
import { notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { type Me, meKey, type Status, useMe } from '../data.ts'
import { forgetDirect } from '../direct-messages/store.ts'
import { forget } from '../memory.ts'
import css from '../phone.module.css'
import { serviceTime } from '../selectors.ts'
import { DoNotDisturbItems, untilText } from './do-not-disturb.tsx'
import { OutOfOffice } from './out-of-office.tsx'

const reasons = [
  ['out_for_lunch', 'Out for lunch'],
  ['on_a_break', 'On a break'],
  ['in_training', 'In training'],
  ['doing_back_office', 'Back office'],
  ['other', 'Away'],
] as const

type AwayReason = (typeof reasons)[number][0]

/** Green: calls ring. Orange: on a call or in wrap-up. Red: unavailable. */
const colours: Record<string, string> = {
  available: 'green',
  in_call: 'orange',
  after_call_work: 'orange',
  do_not_disturb: 'red',
}

const labels: Record<string, string> = { in_call: 'On a call', after_call_work: 'Wrap-up', offline: 'Offline' }

function labelFor(presence: string, me: Me | undefined): string {
  const label = labels[presence]
  if (label) return label
  if (presence === 'available') return 'Available'
  if (me?.user.availability_status === 'custom') return 'Outside working hours'
  if (me?.user.substatus === 'other' && me.unavailable_until !== null) return 'Out of office'
  return reasons.find(([reason]) => reason === me?.user.substatus)?.[1] ?? 'Do not disturb'
}

export function Header() {
  return (
    <header className={css.header}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <StatusSwitcher />
        <Account />
      </Group>
    </header>
  )
}

function StatusSwitcher() {
  const { state } = usePhone()
  const queries = useQueryClient()
  const { data: me } = useMe()
  const [isAskingEnd, setAskingEnd] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: (status: RequestOf<'/v1/me/availability', 'put'>) => api.put('/v1/me/availability', { body: status }),
    onSettled: () => queries.invalidateQueries({ queryKey: meKey }),
    onError: (error) => notifyError(error, 'Status not changed'),
  })
  // During an outage no call can ring, so an agent is not shown as available; other statuses stay, except that of a call
  // that the agent has left.
  const presence = state.isKnown && state.connection !== 'replaced' ? state.presence : 'offline'
  const colour = state.connection === 'open' ? colours[presence] : undefined
  const isOver = presence === 'in_call' && state.talks.length === 0
  const isReachable = state.connection === 'open' || (presence !== 'available' && !isOver)
  const until = presence === 'do_not_disturb' ? untilText(me, serviceTime(state, Date.now())) : ''
  const label = isReachable ? [labelFor(presence, me), until].filter(Boolean).join(' ') : 'Not connected'
  const away = (substatus: AwayReason) => mutate({ availability_status: 'unavailable', substatus })
  const isNow = (status: Status, reason?: string) =>
    me?.user.availability_status === status && (reason === undefined || me.user.substatus === reason)
  return (
    <>
      <Menu position="bottom-start" width={230} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            variant="default"
            radius="xl"
            loading={isPending}
            leftSection={<Dot color={colour ?? 'gray'} size={10} />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={`Status: ${label}`}
            title={label}
            miw={0}
          >
            <Text span inherit truncate>
              {label}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Dot color="green" size={10} />}
            fw={isNow('available') ? 700 : 400}
            onClick={() => mutate({ availability_status: 'available' })}
          >
            Available
          </Menu.Item>
          <Menu.Item
            leftSection={<Dot color="orange" size={10} />}
            fw={isNow('custom') ? 700 : 400}
            onClick={() => mutate({ availability_status: 'custom' })}
          >
            Follow working hours
          </Menu.Item>
          <Menu.Divider />
          <DoNotDisturbItems choose={(duration) => mutate({ availability_status: 'unavailable', duration })} />
          <Menu.Divider />
          {reasons.map(([reason, name]) => (
            <Menu.Item
              key={reason}
              leftSection={<Dot color="red" size={10} />}
              fw={isNow('unavailable', reason) ? 700 : 400}
              onClick={() => away(reason)}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<IconPlane size={14} aria-hidden />} onClick={() => setAskingEnd(true)}>
            Out of office…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isAskingEnd && (
        <OutOfOffice
          close={() => setAskingEnd(false)}
          choose={(until) => mutate({ availability_status: 'unavailable', substatus: 'other', until })}
        />
      )}
    </>
  )
}

function Account() {
  const session = useSession()
  const { data: me } = useMe()
  const { notifyPage } = usePhone()
  const leave = (everywhere: boolean) => {
    notifyPage('logout')
    forget(session.user.id)
    forgetDirect(session.user.id)
    signOut(everywhere).catch((error: unknown) => notifyError(error, 'Sign-out failed'))
  }
  return (
    <Menu position="bottom-end" width={230} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="light" size="lg" radius="xl" aria-label={`Account of ${session.user.name}`}>
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate>
            {session.user.name}
          </Text>
          {me && `Extension ${me.user.extension}`}
        </Menu.Label>
        {canViewDashboard(session) && (
          <Menu.Item component="a" href="/dashboard" target="_blank" rel="noopener">
            Dashboard
          </Menu.Item>
        )}
        <Menu.Item onClick={() => leave(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => leave(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
