import {
  Button,
  Group,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, managesNumbers, useSession } from '../../kit/session.tsx'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { timeZones } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { NumberRecordingNotice } from '../recording-notice/number-notice.tsx'
import { AudioState } from './audio-state.tsx'
import { type NumberSettings, type PhoneNumber, promptLanguages, useRereadNumber } from './number.ts'

/** Custom audio that replaces the built-in audio. */
const ownAudio = ({ messages }: PhoneNumber, key: Sound) =>
  messages[key].endsWith(`/audio/${key}.wav`) ? '' : messages[key]

const sounds = {
  waiting: 'Hold music',
  welcome: 'Welcome message',
  ringing_tone: 'Ringback tone',
  voicemail: 'Voicemail greeting',
  after_hours: 'After-hours greeting',
}
type Sound = keyof typeof sounds

interface NumberDraft {
  name: string
  availability: PhoneNumber['availability_status']
  recording: boolean
  first: boolean
  /** By the key of the sound; '': the built-in audio. */
  audio: Record<string, string>
  zone: string
  language: NumberSettings['language']
  together: number
  oneByOne: number
  validated: boolean
  voicemailEmails: boolean
}

interface FieldsProps {
  form: NumberDraft
  set: (change: Partial<NumberDraft>) => void
  mayChange: boolean
}

const numberRequest = ({ name, recording, first }: NumberDraft) => ({
  name: name.trim(),
  live_recording_activated: recording,
  priority: first ? 1 : null,
})

const settingsRequest = (draft: NumberDraft) => ({
  time_zone: draft.zone,
  language: draft.language,
  ring_simultaneous_seconds: draft.together,
  ring_one_by_one_seconds: draft.oneByOne,
  validated: draft.validated,
  voicemail_emails: draft.voicemailEmails,
})

/** Settings of a number except its flow. */
export function NumberSettingsTab({ number, settings }: { number: PhoneNumber; settings: NumberSettings }) {
  const session = useSession()
  const mayChange = isAdmin(session)
  const isSelfService = managesNumbers(session)
  const reread = useRereadNumber(number.id)
  const queries = useQueryClient()
  // The audio of a flow number is set in its widgets.
  const audioKeys: Sound[] = settings.flow_editor_enabled
    ? ['waiting']
    : ['welcome', 'ringing_tone', 'waiting', 'voicemail', 'after_hours']
  const before: NumberDraft = {
    name: number.name,
    availability: number.availability_status,
    recording: number.live_recording_activated,
    first: number.priority === 1,
    audio: Object.fromEntries(audioKeys.map((key) => [key, ownAudio(number, key)])),
    zone: settings.time_zone,
    language: settings.language,
    together: settings.ring_simultaneous_seconds,
    oneByOne: settings.ring_one_by_one_seconds,
    validated: settings.validated,
    voicemailEmails: settings.voicemail_emails,
  }
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(before, async (now, loaded, accept) => {
    const params = { id: number.id }
    const changedAudio = Object.entries(now.audio).filter(([key, url]) => url && url !== loaded.audio[key])
    // The request that validation may reject goes first.
    await api.put('/v1/numbers/{id}', {
      params,
      body: {
        ...numberRequest(now),
        // Unchanged values are omitted: each creates a new version of the flow or downloads audio.
        ...(now.availability !== loaded.availability && { availability_status: now.availability }),
        ...(changedAudio.length > 0 && { messages: Object.fromEntries(changedAudio) }),
      },
      loaded: { ...numberRequest(loaded), availability_status: loaded.availability },
    })
    const { name, recording, first, availability, audio } = now
    accept({ name, recording, first, availability, audio })
    await api.put('/v1/numbers/{id}/settings', {
      params,
      body: {
        ...settingsRequest(now),
        ...(now.audio.waiting === '' && loaded.audio.waiting !== '' && { hold_music: null }),
      },
      loaded: settingsRequest(loaded),
    })
    await Promise.all([reread(), queries.invalidateQueries({ queryKey: ['sounds'] })])
    notify('Settings saved')
  })
  const fields = { form, set, mayChange }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <Stack maw={720} gap="lg">
      <Paper withBorder p="lg" component={CheckedForm} onSubmit={submit}>
        <Stack>
          <GeneralFields {...fields} isFlow={settings.flow_editor_enabled} />
          <AudioFields {...fields} keys={audioKeys} />
          <CallFields {...fields} isSelfService={isSelfService} />
          <SaveError error={error} retry={() => void save()} title="Settings not saved" />
          {mayChange && (
            <Group justify="flex-end" gap="xs">
              <Button variant="default" disabled={!isChanged} onClick={discard}>
                Discard changes
              </Button>
              <Button type="submit" loading={isBusy} disabled={!isChanged}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </Paper>
      <NumberRecordingNotice number={number} language={settings.language} mayChange={mayChange} />
      {mayChange && <RemoveNumber number={number} />}
    </Stack>
  )
}

function GeneralFields({ form, set, mayChange, isFlow }: FieldsProps & { isFlow: boolean }) {
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={255}
        readOnly={!mayChange}
        value={form.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <Stack gap={4}>
        <Text size="sm" fw={500} id="open-label">
          Availability
        </Text>
        <SegmentedControl
          aria-labelledby="open-label"
          // Three words fit next to each other on a phone.
          size="xs"
          disabled={!mayChange}
          value={form.availability}
          onChange={(availability) => set({ availability: availability as NumberDraft['availability'] })}
          data={[
            { value: 'custom', label: isFlow ? 'Time Rule' : 'Business hours' },
            { value: 'open', label: 'Always open' },
            { value: 'closed', label: 'Always closed' },
          ]}
        />
      </Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label="Time zone"
          searchable
          allowDeselect={false}
          limit={50}
          readOnly={!mayChange}
          data={timeZones(form.zone)}
          value={form.zone}
          onChange={(zone) => zone && set({ zone })}
        />
        <Select
          label="Language of built-in audio"
          allowDeselect={false}
          readOnly={!mayChange}
          data={promptLanguages.map((value) => ({ value, label: languageName(value) }))}
          value={form.language}
          onChange={(language) => language && set({ language: language as NumberDraft['language'] })}
        />
        <Figure
          label="Ring timeout, simultaneous"
          suffix=" s"
          min={5}
          max={120}
          readOnly={!mayChange}
          value={form.together}
          onChange={(together) => set({ together })}
        />
        <Figure
          label="Ring timeout, sequential"
          suffix=" s"
          min={5}
          max={120}
          readOnly={!mayChange}
          value={form.oneByOne}
          onChange={(oneByOne) => set({ oneByOne })}
        />
      </SimpleGrid>
    </>
  )
}

function AudioFields({ form, set, mayChange, keys }: FieldsProps & { keys: readonly Sound[] }) {
  return keys.map((key) => (
    <Stack key={key} gap={4}>
      <TextInput
        label={sounds[key]}
        description="Public URL of an audio file. Leave blank for default"
        placeholder="https://example.com/audio/file.mp3"
        readOnly={!mayChange}
        value={form.audio[key] ?? ''}
        onChange={({ currentTarget: { value } }) => set({ audio: { ...form.audio, [key]: value.trim() } })}
      />
      <AudioState
        url={form.audio[key] ?? null}
        mayChange={mayChange}
        set={(url) => set({ audio: { ...form.audio, [key]: url } })}
      />
    </Stack>
  ))
}

function CallFields({ form, set, mayChange, isSelfService }: FieldsProps & { isSelfService: boolean }) {
  return (
    <>
      <Switch
        label="Record calls"
        description="Inbound and outbound"
        disabled={!mayChange}
        checked={form.recording}
        onChange={({ currentTarget }) => set({ recording: currentTarget.checked })}
      />
      <Switch
        label="High priority"
        description="Callers to this number are answered before callers to other numbers in the queue"
        disabled={!mayChange}
        checked={form.first}
        onChange={({ currentTarget }) => set({ first: currentTarget.checked })}
      />
      <Switch
        label="Voicemails by email"
        description="Sent to the users of this number with the transcript, if there is one, and a link. Each user can turn it off."
        disabled={!mayChange}
        checked={form.voicemailEmails}
        onChange={({ currentTarget }) => set({ voicemailEmails: currentTarget.checked })}
      />
      <Switch
        label="Verified"
        description={
          isSelfService
            ? 'Only verified numbers can be used for outbound calls'
            : 'Only verified numbers can be used for outbound calls. The operator verifies numbers.'
        }
        disabled={!isSelfService}
        checked={form.validated}
        onChange={({ currentTarget }) => set({ validated: currentTarget.checked })}
      />
    </>
  )
}

function RemoveNumber({ number }: { number: PhoneNumber }) {
  const reread = useRereadNumber(number.id)
  const navigate = useNavigate()
  const [dialog, ask] = useConfirm()
  const remove = async () => {
    await api.delete('/v1/numbers/{id}', { params: { id: number.id } })
    await navigate('/dashboard/numbers')
    await reread()
    notify(`${number.name} removed`)
  }
  return (
    <>
      <Paper withBorder p="lg">
        <Group justify="space-between">
          <div>
            <Title order={2} size="h5">
              Remove number
            </Title>
            <Text size="sm" c="dimmed">
              Deletes the number and its flow. Past calls are kept.
            </Text>
          </div>
          <Button
            color="red"
            variant="light"
            onClick={() =>
              ask({
                title: `Remove ${number.name}?`,
                body: `Calls to ${number.digits} will no longer be answered, and its flow is deleted. Past calls are kept.`,
                action: 'Remove',
                run: remove,
              })
            }
          >
            Remove
          </Button>
        </Group>
      </Paper>
      {dialog}
    </>
  )
}

const named = new Intl.DisplayNames(['en'], { type: 'language' })
const languageName = (code: string) => named.of(code) ?? code
