import { Badge, Button, Code, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { api } from '../../kit/api.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { EngineDrawer, engineTitles } from './engine-drawer.tsx'
import { type EngineKind, type EngineSettings, engineKinds, enginesKey, type Tried, useEngines } from './engines.ts'

/** AI engines, their status, and whether external providers are allowed. */
export function EnginesCard() {
  const { data } = useEngines()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Engines
      </Title>
      <Paper withBorder p="md" component="section" aria-label="Engines">
        {data ? <Engines settings={data} /> : <NoAccess />}
      </Paper>
    </Stack>
  )
}

const NoAccess = () => (
  <Text size="sm" c="dimmed">
    Built-in rules analyze conversations. Ratings, predicted CSAT and free-form summaries require an LLM. Only admins
    can view the configured engines.
  </Text>
)

function Engines({ settings }: { settings: EngineSettings }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<EngineKind>()
  const allow = async (external_allowed: boolean) => {
    queries.setQueryData(enginesKey, { ...settings, external_allowed })
    try {
      const answer = await api.put('/v1/intelligence/engines', { body: { external_allowed } })
      queries.setQueryData(enginesKey, answer.settings)
    } catch (error) {
      queries.setQueryData(enginesKey, settings)
      notifyError(error)
    }
  }
  return (
    <Stack gap="md">
      <Switch
        label="Allow external AI providers"
        description="Audio and transcripts of your calls are sent to the providers configured below. When disabled, no data leaves this installation."
        checked={settings.external_allowed}
        onChange={({ currentTarget: { checked } }) => void allow(checked)}
      />
      {engineKinds.map((kind) => (
        <EngineRow key={kind} kind={kind} settings={settings} edit={() => setOpen(kind)} />
      ))}
      {open && <EngineDrawer key={open} kind={open} settings={settings} close={() => setOpen(undefined)} />}
    </Stack>
  )
}

function EngineRow({ kind, settings, edit }: { kind: EngineKind; settings: EngineSettings; edit: () => void }) {
  const engine = settings.engines[kind]
  const [tried, setTried] = useState<Tried>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    setTried(undefined)
    try {
      setTried(await api.post('/v1/intelligence/engines/test', { body: { kind } }))
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  const { title } = engineTitles[kind]
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" role="group" aria-label={title}>
      <Badge variant="light" color={engine.on ? 'green' : 'gray'} tt="none" miw={46} flex="none" mt={2}>
        {engine.on ? 'On' : 'Off'}
      </Badge>
      <Stack gap={2} flex={1} miw={0}>
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Text size="sm" fw={550}>
              {title}
            </Text>
            {engine.external && (
              <Badge variant="light" color="yellow" tt="none">
                External
              </Badge>
            )}
            {engine.source === 'company' && (
              <Badge variant="light" color="gray" tt="none">
                Custom
              </Badge>
            )}
          </Group>
          <Group gap={4}>
            <Button
              size="compact-xs"
              variant="subtle"
              loading={isBusy}
              disabled={!engine.on}
              aria-label={`Test: ${title}`}
              onClick={() => void test()}
            >
              Test
            </Button>
            <Button size="compact-xs" variant="subtle" aria-label={`Edit: ${title}`} onClick={edit}>
              Edit
            </Button>
          </Group>
        </Group>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Explanation text={engine.explanation} />
        </Text>
        {tried && (
          <Text
            size="sm"
            role="status"
            c={tried.ok ? 'var(--mantine-color-green-light-color)' : 'var(--mantine-color-error)'}
            style={{ overflowWrap: 'anywhere' }}
          >
            {tried.explanation}
            {tried.ok && ` (${(tried.milliseconds / 1_000).toFixed(1)} s)`}
          </Text>
        )}
      </Stack>
    </Group>
  )
}

/** Text of the server, with commands in backticks shown as code. */
export const Explanation = ({ text }: { text: string }) =>
  text
    .split('`')
    .map((piece, nth) => (nth % 2 === 1 ? <Code key={piece}>{piece}</Code> : <Fragment key={piece}>{piece}</Fragment>))
