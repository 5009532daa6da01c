import { Avatar, Badge, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { type ConfirmRequest, useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { EditIntegration } from '../dev/edit-integration.tsx'
import { type Integration, integrationName, type Offer } from '../dev/integration.ts'

export default function Integrations() {
  const mayChange = isAdmin(useSession())
  const [isInstalling, setInstalling] = useState(false)
  const [edited, setEdited] = useState<Integration>()
  const [dialog, ask] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['integrations'],
    // The installation window does not report completion.
    refetchInterval: isInstalling ? 3_000 : false,
    queryFn: async () => (await api.get('/v1/integrations')).integrations,
  })
  const apps = data?.filter(({ kind }) => kind === 'oauth')
  const keys = data?.filter(({ kind }) => kind === 'api_key')
  return (
    <Page title="Integrations" lead="Connect third-party apps to your phone system.">
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton role="status" height={120} aria-label="Loading" />}
      <Stack component="section" aria-labelledby="installed" gap="sm">
        <Title order={2} size="h4" id="installed">
          Installed apps
        </Title>
        {apps?.length === 0 && (
          <Paper withBorder>
            <Empty title="No apps installed">
              Install an app from the marketplace below. An admin approves its access.
            </Empty>
          </Paper>
        )}
        {apps?.map((one) => (
          <Installed key={one.id} integration={one} mayChange={mayChange} edit={() => setEdited(one)} ask={ask} />
        ))}
      </Stack>
      {keys && keys.length > 0 && (
        <Stack component="section" aria-labelledby="keys" gap="sm">
          <Title order={2} size="h4" id="keys">
            API keys
          </Title>
          {keys.map((one) => (
            <Installed key={one.id} integration={one} mayChange={mayChange} edit={() => setEdited(one)} ask={ask} />
          ))}
        </Stack>
      )}
      <Marketplace mayInstall={mayChange} installing={() => setInstalling(true)} />
      {dialog}
      <EditIntegration integration={edited} close={() => setEdited(undefined)} />
    </Page>
  )
}

function Installed({
  integration,
  mayChange,
  edit,
  ask,
}: {
  integration: Integration
  mayChange: boolean
  edit: () => void
  ask: (question: ConfirmRequest) => void
}) {
  const queries = useQueryClient()
  const { id, kind, name, custom_name: own, active, restricted, numbers_count: numbers, user } = integration
  const isKey = kind === 'api_key'
  const turn = useMutation({
    mutationFn: (on: boolean) => api.put('/v1/integrations/{id}', { params: { id }, body: { active: on } }),
    onSuccess: async (_, on) => {
      await queries.invalidateQueries({ queryKey: ['integrations'] })
      notify(
        on
          ? `${integrationName(integration)} enabled`
          : `${integrationName(integration)} disabled. Its webhooks receive no events`,
      )
    },
    onError: (error) => notifyError(error),
  })
  const uninstall = () =>
    ask({
      title: `Uninstall ${integrationName(integration)}?`,
      body: 'Its access is revoked immediately and its webhooks are deleted. To stop it temporarily, disable it instead.',
      action: 'Uninstall',
      run: async () => {
        await api.delete('/v1/integrations/{id}', { params: { id } })
        await queries.invalidateQueries({ queryKey: ['integrations'] })
        notify(`${integrationName(integration)} uninstalled`)
      },
    })
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Group wrap="nowrap" miw={0} flex="1 1 240px">
          <Avatar src={integration.logo} alt="" radius="md" name={name} color="initials" />
          <div style={{ minWidth: 0 }}>
            <Group gap="xs">
              <Text fw={600} truncate>
                {integrationName(integration)}
              </Text>
              {own && (
                <Text size="sm" c="dimmed">
                  {name}
                </Text>
              )}
              {restricted && (
                <Badge variant="light" tt="none">
                  {count(numbers, 'number')} only
                </Badge>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {isKey ? 'Created' : 'Installed'} {dateTime(integration.installed_at)}
              {user && ` by ${user.name}`}
            </Text>
          </div>
        </Group>
        <Group gap="sm">
          <Switch
            label={active ? 'Enabled' : 'Disabled'}
            aria-label={`${integrationName(integration)} enabled`}
            checked={active}
            disabled={!mayChange || turn.isPending}
            onChange={({ currentTarget }) => turn.mutate(currentTarget.checked)}
          />
          {mayChange && (
            <Button size="xs" variant="default" aria-label={`Edit ${integrationName(integration)}`} onClick={edit}>
              Edit
            </Button>
          )}
          {mayChange && isKey && (
            <Button size="xs" variant="default" component={Link} to="/dashboard/developers/keys">
              API keys
            </Button>
          )}
          {mayChange && !isKey && (
            <Button
              size="xs"
              variant="light"
              color="red"
              aria-label={`Uninstall ${integrationName(integration)}`}
              onClick={uninstall}
            >
              Uninstall
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  )
}

function Marketplace({ mayInstall, installing }: { mayInstall: boolean; installing: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['marketplace'],
    queryFn: async () => (await api.get('/v1/marketplace')).apps,
  })
  const install = ({ install_uri: address }: Offer) => {
    // `noopener`: a third-party page must not access this window.
    window.open(address, '_blank', 'popup,noopener,width=640,height=760')
    installing()
  }
  return (
    <Stack component="section" aria-labelledby="marketplace" gap="sm">
      <Title order={2} size="h4" id="marketplace">
        Marketplace
      </Title>
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton role="status" height={120} aria-label="Loading" />}
      {data?.length === 0 && (
        <Paper withBorder>
          <Empty title="No apps available">Partners register apps under Developers &gt; OAuth apps.</Empty>
        </Paper>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data?.map((offer) => (
          <Paper key={offer.id} withBorder p="md">
            <Stack h="100%" justify="space-between">
              <Group wrap="nowrap" align="flex-start">
                <Avatar src={offer.logo_url} alt="" radius="md" name={offer.name} color="initials" />
                <div>
                  <Text fw={600}>{offer.name}</Text>
                  <Text size="sm" c="dimmed" lineClamp={3}>
                    {offer.description || 'No description'}
                  </Text>
                </div>
              </Group>
              {mayInstall && /^https?:/i.test(offer.install_uri) && (
                <Button
                  variant="light"
                  rightSection={<IconExternalLink size={15} />}
                  aria-label={`Install ${offer.name}, opens a new window`}
                  onClick={() => install(offer)}
                >
                  Install
                </Button>
              )}
            </Stack>
          </Paper>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
