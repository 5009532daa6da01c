import { Alert, Group, Paper, SegmentedControl, Select, Stack, Switch, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { sayTrouble } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { useEngines } from './engines.ts'
import { EnginesCard, Told } from './engines-card.tsx'
import {
  type Choice,
  choiceOf,
  isOnFor,
  languageName,
  languages,
  type Settings,
  settingsKey,
  useIntelligence,
  withChoice,
  withLanguage,
} from './settings.ts'

/** Shown at once, and taken back when the server refuses. */
function useSave() {
  const queries = useQueryClient()
  return async (settings: Settings) => {
    const before = queries.getQueryData<Settings>(settingsKey)
    queries.setQueryData(settingsKey, settings)
    try {
      await api.put('/v1/intelligence/settings', settings)
    } catch (error) {
      queries.setQueryData(settingsKey, before)
      sayTrouble(error)
    }
  }
}

export function SettingsTab() {
  const session = useSession()
  const may = isAdmin(session)
  const save = useSave()
  const { data: settings, error, refetch } = useIntelligence()
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  // Simulated calls are transcribed from their script.
  const canTranscribe = session.mode === 'sandbox' || (settings?.transcription_available ?? false)
  return (
    <Stack gap="lg">
      {settings && !settings.transcription_available && <NoTranscription />}
      <Paper withBorder p="md" component="section" aria-label="The company">
        <Stack gap="sm">
          <Switch
            label="Look into conversations"
            description="Recorded calls and voicemails are written down, and everything else is made from their words. Tell callers about it where the law asks for that."
            checked={settings?.enabled ?? false}
            disabled={!may || !settings || (!canTranscribe && !settings.enabled)}
            onChange={({ currentTarget: { checked } }) => settings && void save({ ...settings, enabled: checked })}
          />
          <Select
            label="People speak"
            maw={260}
            allowDeselect={false}
            disabled={!may || !settings}
            data={languages}
            value={settings?.language ?? 'en'}
            onChange={(language) => settings && void save({ ...settings, language })}
          />
        </Stack>
      </Paper>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Numbers
        </Title>
        <Numbers settings={settings} may={may} canTranscribe={canTranscribe} save={save} />
      </Stack>
      <EnginesCard />
    </Stack>
  )
}

/** Why recorded calls are not transcribed, and what to do about it. */
function NoTranscription() {
  const { mode } = useSession()
  const { data: engines } = useEngines()
  return (
    <Alert variant="light" color="orange" title="Transcription is not available">
      {mode === 'sandbox'
        ? 'Simulated calls are transcribed from their script. Calls over SIP trunks need a speech-to-text engine. '
        : 'Conversation intelligence can be switched on when a speech-to-text engine is available. '}
      {engines ? <Told text={engines.engines.stt.explanation} /> : 'Ask an administrator to configure one.'}
    </Alert>
  )
}

const choices: { value: Choice; label: string }[] = [
  { value: 'company', label: 'As the company' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
]
const asCompany = ''

function Numbers({
  settings,
  may,
  canTranscribe,
  save,
}: {
  settings: Settings | undefined
  may: boolean
  canTranscribe: boolean
  save: (settings: Settings) => Promise<void>
}) {
  const { data: numbers, error, refetch } = useNumbers()
  return (
    <DataTable
      label="Numbers"
      rows={settings && numbers}
      keyOf={({ id }) => id}
      error={error}
      retry={() => void refetch()}
      empty={<Empty title="No Numbers yet">What is switched on here holds for the calls of a Number.</Empty>}
      columns={[
        {
          label: 'Number',
          cell: ({ name, digits }) => (
            <>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <Text size="xs" c="dimmed">
                {digits}
              </Text>
            </>
          ),
        },
        {
          label: 'Conversations',
          cell: ({ id, name }) =>
            settings && (
              <Group gap="xs">
                <SegmentedControl
                  size="xs"
                  aria-label={`Conversations of ${name}`}
                  data={choices.map((one) => ({
                    ...one,
                    disabled: one.value === 'on' && !canTranscribe && choiceOf(settings, id) !== 'on',
                  }))}
                  disabled={!may}
                  value={choiceOf(settings, id)}
                  onChange={(choice) => void save(withChoice(settings, id, choice as Choice))}
                />
                {choiceOf(settings, id) === 'company' && (
                  <Text size="xs" c="dimmed" visibleFrom="sm">
                    {isOnFor(settings, id) ? 'on' : 'off'}
                  </Text>
                )}
              </Group>
            ),
        },
        {
          label: 'People speak',
          from: 'sm',
          cell: ({ id, name }) => {
            const own = settings?.numbers.find(({ number_id }) => number_id === id)
            if (!settings || !own?.enabled) return <Text size="sm">{languageName(settings?.language ?? null)}</Text>
            return (
              <Select
                size="xs"
                w={190}
                aria-label={`Language of ${name}`}
                allowDeselect={false}
                disabled={!may}
                data={[
                  { value: asCompany, label: `As the company (${languageName(settings.language)})` },
                  ...languages,
                ]}
                value={own.language ?? asCompany}
                onChange={(language) => void save(withLanguage(settings, id, language || null))}
              />
            )
          },
        },
      ]}
    />
  )
}
