import {
  Anchor,
  Avatar,
  Button,
  Center,
  Group,
  Loader,
  MultiSelect,
  Paper,
  Radio,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core'
import { IconArrowsExchange, IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, type ResponseOf } from '../kit/api.ts'
import { isAdmin, signOut, useSession } from '../kit/session.tsx'
import { ErrorAlert } from '../kit/ui/error-alert.tsx'
import icon from '../kit/ui/icon.svg'

type Asked = ResponseOf<'/v1/oauth/authorizations/look', 'post'>

/** The authorization request exactly as the app sent it: the server validates it again. */
const request = () => window.location.search.slice(1)

/** OAuth consent screen: an admin allows or denies access to the company. */
export default function Consent() {
  const session = useSession()
  const mayDecide = isAdmin(session)
  useEffect(() => {
    document.title = 'Connect an app · Hookswitch'
    if (!mayDecide) window.location.replace('/download')
  }, [mayDecide])
  const { data, error, refetch } = useQuery({
    queryKey: ['authorization', request()],
    queryFn: () => api.post('/v1/oauth/authorizations/look', { body: { request: request() } }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: mayDecide,
  })
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p={{ base: 'lg', xs: 'xl' }} w="100%" maw={480}>
        {error ? (
          <ErrorAlert error={error} title="This app cannot be connected" retry={() => void refetch()} />
        ) : data ? (
          <Decision asked={data} />
        ) : (
          <Center py="xl">
            <Loader role="status" aria-label="Loading" />
          </Center>
        )}
      </Paper>
    </Center>
  )
}

function Decision({ asked: { app, redirect_host: host } }: { asked: Asked }) {
  const { user, company } = useSession()
  const [scope, setScope] = useState<'all' | 'some'>('all')
  const [chosen, setChosen] = useState<string[]>([])
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: (allow: boolean) =>
      api.post('/v1/oauth/authorizations', {
        body: {
          request: request(),
          allow,
          ...(allow && scope === 'some' && { number_ids: chosen.map(Number) }),
        },
      }),
    onSuccess: ({ redirect_to }) => window.location.assign(redirect_to),
  })
  return (
    <Stack gap="lg">
      <Group justify="center" gap="md" wrap="nowrap">
        <Avatar src={app.logo_url} name={app.name} color="sea" size={56} radius="md" alt="" />
        <IconArrowsExchange size={22} aria-hidden color="var(--mantine-color-dimmed)" />
        <Avatar src={icon} size={56} radius="md" alt="" />
      </Group>
      <div>
        <Title order={1} size="h3" ta="center" style={{ overflowWrap: 'anywhere' }}>
          {app.name} requests access to {company.name}
        </Title>
        {app.description && (
          <Text c="dimmed" size="sm" ta="center" mt={6} style={{ overflowWrap: 'anywhere' }}>
            {app.description}
          </Text>
        )}
      </div>
      <Permissions />
      <NumberChoice scope={scope} setScope={setScope} chosen={chosen} setChosen={setChosen} />
      {error && <ErrorAlert error={error} />}
      <Group grow>
        <Button variant="default" onClick={() => mutate(false)} loading={isPending && variables === false}>
          Deny
        </Button>
        <Button
          onClick={() => mutate(true)}
          disabled={scope === 'some' && chosen.length === 0}
          loading={isPending && variables === true}
        >
          Allow
        </Button>
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        Registered by {app.maker}. Either choice redirects you to {host}. You can disable or remove the app under
        Integrations at any time. You are signed in as {user.email};{' '}
        <Anchor component="button" type="button" size="xs" underline="always" onClick={() => void signOut()}>
          use another account
        </Anchor>
        .
      </Text>
    </Stack>
  )
}

const allowed = [
  'View and edit users, teams, numbers, contacts and tags',
  'View calls and play recordings; start, transfer, tag and archive calls',
  'Receive events in real time through its own webhooks',
]

function Permissions() {
  return (
    <section aria-labelledby="may">
      <Text fw={600} size="sm" id="may" mb={8}>
        This app will be able to
      </Text>
      <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: 'none' }}>
        {allowed.map((words) => (
          <Group key={words} component="li" gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon size={20} radius="xl" variant="light" color="teal" mt={1} aria-hidden>
              <IconCheck size={13} />
            </ThemeIcon>
            <Text size="sm" lh={1.45}>
              {words}
            </Text>
          </Group>
        ))}
      </Stack>
      <Text size="sm" lh={1.45} mt="sm" c="dimmed">
        It cannot sign in as you and has no access to passwords or API keys.
      </Text>
    </section>
  )
}

interface Choice {
  scope: 'all' | 'some'
  setScope(scope: 'all' | 'some'): void
  chosen: string[]
  setChosen(ids: string[]): void
}

function NumberChoice({ scope, setScope, chosen, setChosen }: Choice) {
  const numbers = useQuery({ queryKey: ['numbers', 'all'], queryFn: readNumbers, enabled: scope === 'some' })
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Which numbers can it receive events for?"
        value={scope}
        onChange={(value) => setScope(value === 'some' ? 'some' : 'all')}
      >
        <Stack gap={8} mt={8}>
          <Radio value="all" label="All numbers, including new ones" />
          <Radio value="some" label="Selected numbers" />
        </Stack>
      </Radio.Group>
      {scope === 'some' && numbers.error && <ErrorAlert error={numbers.error} retry={() => void numbers.refetch()} />}
      {scope === 'some' && !numbers.error && (
        <MultiSelect
          aria-label="Numbers"
          placeholder={chosen.length === 0 ? 'Select numbers' : ''}
          data={(numbers.data ?? []).map(({ id, name, digits }) => ({
            value: String(id),
            label: `${name}  ${digits}`,
          }))}
          value={chosen}
          onChange={setChosen}
          searchable
          clearable
          hidePickedOptions
          nothingFoundMessage={numbers.isPending ? 'Loading…' : 'No results'}
          clearButtonProps={{ 'aria-label': 'Clear selection' }}
        />
      )}
    </Stack>
  )
}

type NumberLine = ResponseOf<'/v1/numbers'>['numbers'][number]

async function readNumbers(): Promise<NumberLine[]> {
  const all: NumberLine[] = []
  for (let page = 1; ; page++) {
    const { numbers, meta } = await api.get('/v1/numbers', {
      query: {
        page,
        per_page: 50,
      },
    })
    all.push(...numbers)
    if (numbers.length === 0 || all.length >= meta.total) return all
  }
}
