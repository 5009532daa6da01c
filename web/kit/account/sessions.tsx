import { Badge, Button, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../api.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { dateTime } from '../ui/format.ts'
import { notify, notifyError } from '../ui/toast.tsx'
import { SecuritySection } from './section.tsx'

export const sessionsKey = ['account', 'sessions']

type OpenSession = ResponseOf<'/v1/sessions'>['sessions'][number]

/** Browsers in which the user is signed in. */
export function Sessions() {
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: sessionsKey,
    queryFn: async () => (await api.get('/v1/sessions')).sessions,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: sessionsKey })
  const endOthers = () =>
    confirm({
      title: 'Sign out of all other sessions?',
      body: 'A call in one of those browsers is disconnected from it. This session stays signed in.',
      action: 'Sign out of others',
      run: async () => {
        await api.delete('/v1/sessions/others')
        notify('All other sessions were signed out')
        await refresh()
      },
    })
  return (
    <SecuritySection
      title="Sessions"
      lead="Browsers in which you are signed in. If you do not recognize one, sign it out and change your password."
    >
      {dialog}
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton height={96} />}
      {data && (
        <Stack gap="md">
          {data.map((session) => (
            <SessionRow key={session.id} session={session} refresh={refresh} />
          ))}
          {data.length > 1 && (
            <Group>
              <Button variant="default" onClick={endOthers}>
                Sign out of all other sessions
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </SecuritySection>
  )
}

function SessionRow({ session, refresh }: { session: OpenSession; refresh: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false)
  const end = async () => {
    setBusy(true)
    try {
      await api.delete('/v1/sessions/{session_id}', { params: { session_id: session.id } })
      notify(`${session.browser} was signed out`)
      await refresh()
    } catch (error) {
      notifyError(error, 'Session not signed out')
    }
    setBusy(false)
  }
  const Icon = /iPhone|iPad|Android/.test(session.browser) ? IconDeviceMobile : IconDeviceDesktop
  return (
    <Group justify="space-between" wrap="nowrap" gap="md">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <ThemeIcon variant="light" color="gray" size="lg">
          <Icon size={18} aria-hidden />
        </ThemeIcon>
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {session.browser}
            </Text>
            {session.current && (
              <Badge size="sm" variant="light" tt="none">
                This session
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {session.address ?? 'Unknown address'} · signed in {dateTime(session.signed_in_at)} · last used{' '}
            {dateTime(session.last_used_at)}
          </Text>
        </div>
      </Group>
      {!session.current && (
        <Button
          size="xs"
          variant="default"
          flex="none"
          loading={isBusy}
          aria-label={`Sign out ${session.browser}`}
          onClick={() => void end()}
        >
          Sign out
        </Button>
      )}
    </Group>
  )
}
