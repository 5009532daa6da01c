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
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, managesNumbers, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { timeZones } from '../../kit/ui/time-zones.ts'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { AudioState } from './audio-state.tsx'
import { languages, type NumberSettings, type PhoneNumber, useRereadNumber } from './number.ts'

/** What the company has put in the place of built-in audio. */
const ownAudio = ({ messages }: PhoneNumber, key: string) =>
  messages[key]?.endsWith(`/audio/${key}.wav`) ? '' : (messages[key] ?? '')

const sounds = {
  waiting: 'Music on hold',
  welcome: 'Welcome',
  ringing_tone: 'Ringing tone',
  voicemail: 'Voicemail greeting',
  after_hours: 'Greeting after hours',
}
type Sound = keyof typeof sounds

/** Everything about a Number but its flow. */
export function NumberSettingsTab({ number, settings }: { number: PhoneNumber; settings: NumberSettings }) {
  const session = useSession()
  const mayChange = isAdmin(session)
  const isSelfService = managesNumbers(session)
  const reread = useRereadNumber(number.id)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, ask] = useConfirm()
  // The audio of a flow number is in its widgets; a classic one has no other place for it.
  const heard: Sound[] = settings.flow_editor_enabled
    ? ['waiting']
    : ['welcome', 'ringing_tone', 'waiting', 'voicemail', 'after_hours']
  const before = {
    name: number.name,
    availability: number.availability_status,
    recording: number.live_recording_activated,
    first: number.priority === 1,
    audio: Object.fromEntries(heard.map((key) => [key, ownAudio(number, key)])),
    zone: settings.time_zone,
    language: settings.language,
    together: settings.ring_simultaneous_seconds,
    oneByOne: settings.ring_one_by_one_seconds,
    validated: settings.validated,
  }
  const [wish, setWish] = useState(before)
  const set = (change: Partial<typeof wish>) => setWish({ ...wish, ...change })
  const isChanged = JSON.stringify(wish) !== JSON.stringify(before)

  const save = useMutation({
    mutationFn: async () => {
      const changedAudio = Object.entries(wish.audio).filter(([key, url]) => url && url !== before.audio[key])
      // First what may be refused.
      await api.put(`/v1/numbers/${number.id}`, {
        name: wish.name.trim(),
        live_recording_activated: wish.recording,
        priority: wish.first ? 1 : null,
        // Unchanged values stay out: each of these makes a new version of the flow, or fetches audio.
        ...(wish.availability !== before.availability && { availability_status: wish.availability }),
        ...(changedAudio.length > 0 && { messages: Object.fromEntries(changedAudio) }),
      })
      await api.put(`/v1/numbers/${number.id}/settings`, {
        time_zone: wish.zone,
        language: wish.language,
        ring_simultaneous_seconds: wish.together,
        ring_one_by_one_seconds: wish.oneByOne,
        validated: wish.validated,
      })
    },
    onSuccess: async () => {
      await Promise.all([reread(), queries.invalidateQueries({ queryKey: ['sounds'] })])
      say('Saved.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const remove = async () => {
    await api.delete(`/v1/numbers/${number.id}`)
    await navigate('/dashboard/numbers')
    await reread()
    say(`${number.name} was removed.`)
  }
  return (
    <Stack maw={720} gap="lg">
      <Paper withBorder p="lg" component="form" onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={255}
            readOnly={!mayChange}
            value={wish.name}
            onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          />
          <Stack gap={4}>
            <Text size="sm" fw={500} id="open-label">
              Open
            </Text>
            <SegmentedControl
              aria-labelledby="open-label"
              disabled={!mayChange}
              value={wish.availability}
              onChange={(availability) => set({ availability: availability as typeof wish.availability })}
              data={[
                { value: 'custom', label: settings.flow_editor_enabled ? 'By its Time Rule' : 'By opening hours' },
                { value: 'open', label: 'Always' },
                { value: 'closed', label: 'Never' },
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
              data={timeZones(wish.zone)}
              value={wish.zone}
              onChange={(zone) => zone && set({ zone })}
            />
            <Select
              label="Language of built-in audio"
              allowDeselect={false}
              readOnly={!mayChange}
              data={languages.map((value) => ({ value, label: languageName(value) }))}
              value={wish.language}
              onChange={(language) => language && set({ language: language as typeof wish.language })}
            />
            <Figure
              label="Ring time, all together"
              suffix=" s"
              min={5}
              max={120}
              readOnly={!mayChange}
              value={wish.together}
              onChange={(together) => set({ together })}
            />
            <Figure
              label="Ring time, one by one"
              suffix=" s"
              min={5}
              max={120}
              readOnly={!mayChange}
              value={wish.oneByOne}
              onChange={(oneByOne) => set({ oneByOne })}
            />
          </SimpleGrid>
          {heard.map((key) => (
            <Stack key={key} gap={4}>
              <TextInput
                label={sounds[key]}
                description="Public address of an audio file; the built-in audio until one is given"
                placeholder="https://example.com/audio/file.mp3"
                readOnly={!mayChange}
                value={wish.audio[key] ?? ''}
                onChange={({ currentTarget: { value } }) => set({ audio: { ...wish.audio, [key]: value.trim() } })}
              />
              <AudioState
                url={wish.audio[key] ?? null}
                mayChange={mayChange}
                set={(url) => set({ audio: { ...wish.audio, [key]: url } })}
              />
            </Stack>
          ))}
          <Switch
            label="Record calls"
            description="Inbound and outbound"
            disabled={!mayChange}
            checked={wish.recording}
            onChange={({ currentTarget }) => set({ recording: currentTarget.checked })}
          />
          <Switch
            label="Served first"
            description="Its callers come before those of other Numbers in the queue"
            disabled={!mayChange}
            checked={wish.first}
            onChange={({ currentTarget }) => set({ first: currentTarget.checked })}
          />
          <Switch
            label="Validated"
            description={
              isSelfService
                ? 'Only a validated Number can be used for outbound calls'
                : 'Only a validated Number can be used for outbound calls. The operator verifies Numbers.'
            }
            disabled={!isSelfService}
            checked={wish.validated}
            onChange={({ currentTarget }) => set({ validated: currentTarget.checked })}
          />
          {save.error && <Trouble error={save.error} />}
          {mayChange && (
            <Group justify="flex-end" gap="xs">
              <Button variant="default" disabled={!isChanged} onClick={() => setWish(before)}>
                Reset
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </Paper>
      {mayChange && (
        <Paper withBorder p="lg">
          <Group justify="space-between">
            <div>
              <Title order={2} size="h5">
                Remove this Number
              </Title>
              <Text size="sm" c="dimmed">
                Its flow is lost; past calls stay.
              </Text>
            </div>
            <Button
              color="red"
              variant="light"
              onClick={() =>
                ask({
                  title: `Remove ${number.name}?`,
                  body: `Calls to ${number.digits} will no longer be answered, and its flow is lost. Past calls stay.`,
                  action: 'Remove',
                  run: remove,
                })
              }
            >
              Remove
            </Button>
          </Group>
        </Paper>
      )}
      {dialog}
    </Stack>
  )
}

const named = new Intl.DisplayNames(['en'], { type: 'language' })
const languageName = (code: string) => named.of(code) ?? code
