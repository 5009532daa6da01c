import { Alert, Group, Paper, SegmentedControl, Select, Stack, Switch, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { EditDiscarded } from '../../kit/edits.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { notifyError } from '../../kit/ui/toast.tsx'
import { useEngines } from './engines.ts'
import { EnginesCard, Explanation } from './engines-card.tsx'
import { Phrases } from './phrases.tsx'
import {
  type Choice,
  choiceOf,
  isOnFor,
  languageName,
  type Settings,
  settingsKey,
  transcriptionLanguages,
  useIntelligence,
  withChoice,
  withLanguage,
} from './settings.ts'
import { SuggestionsCard } from './suggestions-card.tsx'

/** Optimistic update, rolled back when the request fails. */
function useSave() {
  const queries = useQueryClient()
  return async (settings: Settings) => {
    const before = queries.getQueryData<Settings>(settingsKey)
    queries.setQueryData(settingsKey, settings)
    try {
      await api.put('/v1/intelligence/settings', { body: settings, loaded: before })
    } catch (error) {
      queries.setQueryData(settingsKey, before)
      if (!(error instanceof EditDiscarded)) notifyError(error)
    }
  }
}

export function SettingsTab() {
  const session = useSession()
  const may = isAdmin(session)
  const save = useSave()
  const { data: settings, error, refetch } = useIntelligence()
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  // Simulated calls are transcribed from their script.
  const canTranscribe = session.mode === 'sandbox' || (settings?.transcription_available ?? false)
  return (
    <Stack gap="lg">
      {settings && !settings.transcription_available && <NoTranscription />}
      <Paper withBorder p="md" component="section" aria-label="Company default">
        <Stack gap="sm">
          <Switch
            label="Conversation intelligence"
            description="Transcribes recorded calls and voicemails and analyzes the transcripts. Inform callers where the law requires it."
            checked={settings?.enabled ?? false}
            disabled={!may || !settings || (!canTranscribe && !settings.enabled)}
            onChange={({ currentTarget: { checked } }) => settings && void save({ ...settings, enabled: checked })}
          />
          <Select
            label="Language"
            maw={260}
            allowDeselect={false}
            disabled={!may || !settings}
            data={transcriptionLanguages}
            value={settings?.language ?? 'en'}
            onChange={(language) => settings && void save({ ...settings, language: language as Settings['language'] })}
          />
          <Phrases
            label="Vocabulary"
            description="Names and terms that speech-to-text should recognize, such as your company and your products. Most important first."
            maw={620}
            maxTags={50}
            maxLength={60}
            disabled={!may || !settings}
            value={settings?.vocabulary ?? []}
            onChange={(vocabulary) => settings && void save({ ...settings, vocabulary })}
          />
        </Stack>
      </Paper>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Numbers
        </Title>
        <Numbers settings={settings} may={may} canTranscribe={canTranscribe} save={save} />
      </Stack>
      {may && <SuggestionsCard />}
      <EnginesCard />
    </Stack>
  )
}

/** Explains why transcription is not available. */
function NoTranscription() {
  const { mode } = useSession()
  const { data: engines } = useEngines()
  return (
    <Alert variant="light" color="orange" title="Transcription is not available">
      {mode === 'sandbox'
        ? 'Simulated calls are transcribed from their script. Calls over SIP trunks need a speech-to-text engine. '
        : 'Conversation intelligence can be enabled when a speech-to-text engine is available. '}
      {engines ? <Explanation text={engines.engines.stt.explanation} /> : 'Ask an administrator to configure one.'}
    </Alert>
  )
}

const choices: { value: Choice; label: string }[] = [
  { value: 'company', label: 'Default' },
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
      empty={<Empty title="No numbers yet">Settings by number appear here.</Empty>}
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
          label: 'Conversation intelligence',
          cell: ({ id, name }) =>
            settings && (
              <Group gap="xs">
                <SegmentedControl
                  size="xs"
                  aria-label={`Conversation intelligence for ${name}`}
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
                    {isOnFor(settings, id) ? 'On' : 'Off'}
                  </Text>
                )}
              </Group>
            ),
        },
        {
          label: 'Language',
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
                  { value: asCompany, label: `Default (${languageName(settings.language)})` },
                  ...transcriptionLanguages,
                ]}
                value={own.language ?? asCompany}
                onChange={(language) =>
                  void save(withLanguage(settings, id, (language || null) as Settings['language']))
                }
              />
            )
          },
        },
      ]}
    />
  )
}
