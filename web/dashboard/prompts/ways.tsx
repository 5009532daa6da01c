import { Alert, Button, Group, Loader, Select, Stack, Text, Textarea } from '@mantine/core'
import { IconMicrophone, IconPlayerStopFilled, IconUpload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { UploadButton } from '../../kit/ui/upload-button.tsx'
import { type AudioFile, maxBytes } from '../number-flow/sounds.ts'
import { PromptHint, SavePrompt } from './new-prompt.tsx'
import { maxRecordingSeconds, useRecorder } from './use-recorder.ts'

// The three ways to a new prompt. Each ends with a file to listen to, to name and to save.

interface Way {
  action: string
  onSaved: (sound: AudioFile) => void
}

type Speech = ResponseOf<'/v1/sounds/speech'>
type Spoken = Speech['languages'][number]

const maxText = 600
const languageNames: Record<Spoken, string> = {
  en: 'English',
  fr: 'French',
  es: 'Spanish',
  de: 'German',
  nl: 'Dutch',
  it: 'Italian',
}

export function TypePrompt(way: Way) {
  const { data, error, refetch } = useQuery({
    queryKey: ['prompt-speech'],
    queryFn: () => api.get('/v1/sounds/speech'),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Loader size="sm" role="status" aria-label="Loading…" />
  if (!data.available) {
    return (
      <Alert color="yellow" variant="light" title="Text-to-speech is not available">
        {data.explanation} You can record or upload the prompt instead.
      </Alert>
    )
  }
  return <TextForm speech={data} {...way} />
}

function TextForm({ speech, ...way }: Way & { speech: Speech }) {
  const browser = navigator.language.slice(0, 2)
  const [text, setText] = useState('')
  const [language, setLanguage] = useState<Spoken>(
    speech.languages.find((one) => one === browser) ?? speech.languages[0] ?? 'en',
  )
  // Shown only for the text and language it was made from.
  const [made, setMade] = useState<{ key: string; audio: Blob }>()
  const key = `${language}:${text.trim()}`
  const synthesize = useMutation({
    mutationFn: async () => {
      const body = { text: text.trim(), language }
      return { key, audio: wavIn((await api.post('/v1/sounds/speech', { body })).data) }
    },
    onSuccess: setMade,
  })
  return (
    <Stack gap="sm">
      <Textarea
        label="Text"
        placeholder="Thank you for calling. Please hold the line."
        autosize
        minRows={3}
        maxRows={8}
        maxLength={maxText}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Select
        label="Language"
        data={speech.languages.map((value) => ({ value, label: languageNames[value] }))}
        value={language}
        allowDeselect={false}
        onChange={(chosen) => chosen && setLanguage(chosen as Spoken)}
      />
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <PromptHint>
          {speech.explanation}
          {speech.external && ' The text is sent to this server.'}
        </PromptHint>
        <Button
          flex="none"
          variant={made?.key === key ? 'default' : 'filled'}
          disabled={text.trim() === ''}
          loading={synthesize.isPending}
          onClick={() => synthesize.mutate()}
        >
          Create speech
        </Button>
      </Group>
      {synthesize.error && (
        <SaveError error={synthesize.error} retry={() => synthesize.mutate()} title="Speech not created" />
      )}
      {made?.key === key && <SavePrompt key={key} audio={made.audio} proposed={titleOf(text)} {...way} />}
    </Stack>
  )
}

/** The first words. */
const titleOf = (text: string) => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length <= 40 ? line : `${line.slice(0, 40).replace(/\s\S*$/, '')}…`
}

const wavIn = (base64: string) =>
  new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: 'audio/wav' })

export function RecordPrompt(way: Way) {
  const [recorded, setRecorded] = useState<{ at: number; audio: Blob }>()
  const { state, seconds, problem, start, stop } = useRecorder((audio) => setRecorded({ at: Date.now(), audio }))
  const isRecording = state === 'recording'
  return (
    <Stack gap="sm">
      <PromptHint>Speak close to the microphone, in a quiet room. Up to {maxRecordingSeconds} seconds.</PromptHint>
      <Group>
        {isRecording ? (
          <Button color="red" leftSection={<IconPlayerStopFilled size={16} />} onClick={stop}>
            Stop recording
          </Button>
        ) : (
          <Button
            variant={recorded ? 'default' : 'filled'}
            leftSection={<IconMicrophone size={16} />}
            loading={state !== 'idle'}
            onClick={start}
          >
            {recorded ? 'Record again' : 'Start recording'}
          </Button>
        )}
        <Text size="sm" role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {isRecording && `Recording, ${seconds} s of ${maxRecordingSeconds} s`}
          {state === 'asking' && 'Allow the microphone in the browser.'}
        </Text>
      </Group>
      {problem && (
        <Alert color="yellow" variant="light" title="Not recorded" role="alert">
          {problem}
        </Alert>
      )}
      {recorded && state === 'idle' && (
        <SavePrompt key={recorded.at} audio={recorded.audio} proposed="Recording" {...way} />
      )}
    </Stack>
  )
}

const accepted = 'audio/mpeg,audio/wav,audio/ogg,.mp3,.wav,.ogg,.opus,.oga'

export function UploadPrompt(way: Way) {
  const [file, setFile] = useState<File | null>(null)
  const isTooLarge = file !== null && file.size > maxBytes
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <PromptHint>MP3, WAV or Ogg, up to {maxBytes / 1_000} kB. For larger files, enter a URL.</PromptHint>
        <UploadButton
          accept={accepted}
          onChoose={setFile}
          flex="none"
          variant={file ? 'default' : 'filled'}
          leftSection={<IconUpload size={16} />}
        >
          Choose file…
        </UploadButton>
      </Group>
      {isTooLarge && (
        <Alert color="red" variant="light" title={`${file.name} is too large`} role="alert">
          The file is larger than {maxBytes / 1_000} kB. Convert it to MP3 or Ogg, or enter its URL instead.
        </Alert>
      )}
      {file && !isTooLarge && (
        <SavePrompt key={`${file.name}:${file.lastModified}:${file.size}`} audio={file} proposed={file.name} {...way} />
      )}
    </Stack>
  )
}
