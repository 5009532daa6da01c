import { Badge, Button, Drawer, Group, Loader, Paper, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { type AiAgent, settingsOf } from './agent.ts'
import classes from './agents.module.css'
import { type ChangedSetting, changedSettings } from './changes.ts'
import { agentsKey } from './use-agents.ts'

type Version = ResponseOf<'/v1/ai_voice_agents/{id}/versions'>['versions'][number]

/** All versions, newest first; one of them compared with another. */
export function AgentVersions({
  agent,
  close,
  restored,
}: {
  agent: AiAgent
  close: () => void
  restored: (agent: AiAgent) => void
}) {
  const { data, error, refetch } = useQuery({
    queryKey: [...agentsKey, agent.id, 'versions'],
    queryFn: async () => (await api.get('/v1/ai_voice_agents/{id}/versions', { params: { id: agent.id } })).versions,
  })
  const [chosen, setChosen] = useState<number>()
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      title="Versions"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Loader role="status" aria-label="Loading" />}
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {data?.map((version) => (
          <li key={version.version}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <VersionFacts version={version} isCurrent={version.version === agent.version} />
              <Button
                size="xs"
                variant="default"
                aria-label={`Compare version ${version.version}`}
                aria-expanded={chosen === version.version}
                onClick={() => setChosen(chosen === version.version ? undefined : version.version)}
              >
                Compare
              </Button>
            </Group>
            {chosen === version.version && <Comparison agent={agent} version={chosen} all={data} restored={restored} />}
          </li>
        ))}
      </Stack>
    </Drawer>
  )
}

function VersionFacts({ version, isCurrent }: { version: Version; isCurrent: boolean }) {
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          Version {version.version}
        </Text>
        {isCurrent && (
          <Badge size="xs" color="green" variant="light" tt="none">
            Current
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {dateTime(version.created_at)}
        {version.created_by && ` · ${version.created_by.name}`}
      </Text>
      {version.note && <Text size="sm">{version.note}</Text>}
    </div>
  )
}

interface Compared {
  agent: AiAgent
  version: number
  all: readonly Version[]
  restored: (agent: AiAgent) => void
}

function Comparison({ agent, version, all, restored }: Compared) {
  const isCurrent = version === agent.version
  const others = all.map((one) => one.version).filter((one) => one !== version)
  const [other, setOther] = useState(isCurrent ? others[0] : agent.version)
  const [older, newer] = other === undefined ? [] : [Math.min(version, other), Math.max(version, other)]
  const settings = (number: number) => ({
    queryKey: [...agentsKey, agent.id, 'versions', number],
    queryFn: async () => {
      const params = { id: agent.id, version: number }
      return settingsOf((await api.get('/v1/ai_voice_agents/{id}/versions/{version}', { params })).ai_voice_agent)
    },
    staleTime: Number.POSITIVE_INFINITY,
    enabled: older !== undefined,
  })
  const before = useQuery(settings(older ?? 0))
  const after = useQuery(settings(newer ?? 0))
  const error = before.error ?? after.error
  return (
    <Paper withBorder p="sm" mt="xs">
      <Stack gap="sm">
        {other === undefined ? (
          <Text size="sm">There is no other version yet.</Text>
        ) : (
          <Select
            size="xs"
            label="Compare with"
            allowDeselect={false}
            data={others.map((one) => ({ value: String(one), label: `Version ${one}` }))}
            value={String(other)}
            onChange={(value) => setOther(Number(value))}
          />
        )}
        {error && <ErrorAlert error={error} retry={() => void Promise.all([before.refetch(), after.refetch()])} />}
        {before.data && after.data && (
          <Differences from={older ?? 0} to={newer ?? 0} settings={changedSettings(before.data, after.data)} />
        )}
        {!isCurrent && <Restore agent={agent} version={version} restored={restored} />}
      </Stack>
    </Paper>
  )
}

function Differences({ from, to, settings }: { from: number; to: number; settings: readonly ChangedSetting[] }) {
  if (settings.length === 0)
    return (
      <Text size="sm">
        Versions {from} and {to} have the same settings.
      </Text>
    )
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        From version {from} to version {to}
      </Text>
      {settings.map(({ label, lines }) => (
        <section key={label} aria-label={label}>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <div className={classes.differences}>
            {lines.map(({ kind, text }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity and never move
              <div key={at} className={classes[kind]}>
                <span aria-hidden>{kind === 'added' ? '+ ' : kind === 'removed' ? '− ' : '  '}</span>
                {kind === 'added' ? <ins>{text}</ins> : kind === 'removed' ? <del>{text}</del> : text}
              </div>
            ))}
          </div>
        </section>
      ))}
    </Stack>
  )
}

function Restore({ agent, version, restored }: Omit<Compared, 'all'>) {
  const queries = useQueryClient()
  const restore = useMutation({
    mutationFn: () =>
      api.post('/v1/ai_voice_agents/{id}/versions/{version}/restore', { params: { id: agent.id, version }, body: {} }),
    onSuccess: ({ ai_voice_agent: now }) => {
      void queries.invalidateQueries({ queryKey: [...agentsKey, agent.id, 'versions'], exact: true })
      void queries.invalidateQueries({ queryKey: [...agentsKey, 'all'] })
      notify(`Version ${version} restored as version ${now.version}. Changes apply to the next call`)
      restored(now)
    },
    onError: (error) => notifyError(error, 'Version not restored'),
  })
  return (
    <Group justify="flex-end">
      <Button size="xs" loading={restore.isPending} onClick={() => restore.mutate()}>
        Restore version {version}
      </Button>
    </Group>
  )
}
