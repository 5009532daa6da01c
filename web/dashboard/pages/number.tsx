import { Anchor, Badge, Group, Loader, Skeleton, Tabs } from '@mantine/core'
import { IconClock, IconSettings, IconSitemap, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { lazyPart } from '../../kit/load.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type PhoneNumber, settingsQuery, useNumber } from '../number-flow/number.ts'
import { NumberHours } from '../number-flow/number-hours.tsx'
import { NumberSettingsTab } from '../number-flow/number-settings.tsx'
import { NumberUsers } from '../number-flow/number-users.tsx'
import type { StoredFlow } from '../number-flow/stored-flow.ts'

// The canvas is large and loads on demand.
const FlowEditor = lazyPart(() => import('../number-flow/editor.tsx'))

export default function NumberPage() {
  const { id: given, '*': path = '' } = useParams()
  const id = Number(given)
  const navigate = useNavigate()
  const number = useNumber(id)
  const { data: settings, error: settingsError, refetch } = useQuery(settingsQuery(id))
  const error = number.error ?? settingsError
  if (error instanceof ApiError && error.status === 404)
    return (
      <Page title="Number">
        <Empty
          title="Number not found"
          action={
            <Anchor component={Link} to="/dashboard/numbers">
              All numbers
            </Anchor>
          }
        />
      </Page>
    )
  if (error)
    return (
      <ErrorAlert
        error={error}
        retry={() => {
          void number.refetch()
          void refetch()
        }}
      />
    )
  if (!number.data || !settings)
    return (
      <Page title="Number">
        <Skeleton role="status" height={320} aria-label="Loading" />
      </Page>
    )
  const { name, digits, open } = number.data
  const isFlow = settings.flow_editor_enabled
  const tabs = ['flow', 'settings', 'users', ...(isFlow ? [] : ['hours'])]
  const tab = tabs.includes(path) ? path : 'flow'
  return (
    <Page
      title={name}
      lead={
        <Group gap="xs" component="span">
          <Anchor component={Link} to="/dashboard/numbers" size="sm">
            Numbers
          </Anchor>
          <span>{digits}</span>
          <Badge variant="light" color={open ? 'green' : 'gray'} tt="none">
            {open ? 'Open' : 'Closed'}
          </Badge>
          {!settings.validated && (
            <Badge variant="light" color="yellow" tt="none">
              Not verified
            </Badge>
          )}
        </Group>
      }
    >
      <Tabs value={tab} onChange={(next) => void navigate(`/dashboard/numbers/${id}/${next}`)} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="flow" leftSection={<IconSitemap size={16} />}>
            Flow
          </Tabs.Tab>
          {!isFlow && (
            <Tabs.Tab value="hours" leftSection={<IconClock size={16} />}>
              Business hours
            </Tabs.Tab>
          )}
          <Tabs.Tab value="users" leftSection={<IconUsers size={16} />}>
            Users
          </Tabs.Tab>
          <Tabs.Tab value="settings" leftSection={<IconSettings size={16} />}>
            Settings
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="flow">
          <FlowTab number={number.data} isFixed={!isFlow} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <NumberSettingsTab key={id} number={number.data} settings={settings} />
        </Tabs.Panel>
        <Tabs.Panel value="users">
          <NumberUsers key={id} number={number.data} settings={settings} />
        </Tabs.Panel>
        <Tabs.Panel value="hours">
          <NumberHours key={id} number={number.data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function FlowTab({ number, isFixed }: { number: PhoneNumber; isFixed: boolean }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['number', number.id, 'flow'],
    queryFn: async () => (await api.get('/v1/numbers/{id}/flow', { params: { id: number.id } })) as StoredFlow,
    // Refetching would replace unsaved edits.
    refetchOnWindowFocus: false,
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Loader role="status" aria-label="Loading" />
  return (
    <Suspense fallback={<Loader role="status" aria-label="Loading" />}>
      <FlowEditor key={number.id} number={number} stored={data} isFixed={isFixed} />
    </Suspense>
  )
}
