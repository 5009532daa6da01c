import { ActionIcon, Box, Button, Group, Input, Radio, Select, Stack, Switch, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { ResponseOf } from '../../kit/api.ts'
import { promptLanguages } from '../number-flow/number.ts'
import { audioLength, useSounds } from '../number-flow/sounds.ts'
import { PromptPicker } from '../prompts/picker.tsx'

export type RecordingNotice = ResponseOf<'/v1/company/recording_notice'>['recording_notice']
type Prompt = RecordingNotice['prompts'][number]

const modes: { value: RecordingNotice['mode']; label: string; description: string }[] = [
  { value: 'none', label: 'No announcement', description: 'Recording starts when the conversation does' },
  { value: 'announce', label: 'Announcement', description: 'Recording starts after the announcement' },
  {
    value: 'opt_out',
    label: 'Announcement with opt-out',
    description: 'Not recorded if the other party presses the key',
  },
  { value: 'consent', label: 'Consent required', description: 'Recorded only if the other party presses the key' },
]

export const modeLabel = (mode: RecordingNotice['mode']) => modes.find(({ value }) => value === mode)?.label ?? mode

const keys = [...'1234567890*#']
const named = new Intl.DisplayNames(['en'], { type: 'language' })
const languageName = (code: string) => named.of(code) ?? code

interface Props {
  notice: RecordingNotice
  set: (notice: RecordingNotice) => void
  /** One prompt, in the language of the Number. */
  language?: Prompt['language']
  disabled?: boolean
}

/** The recording announcement of a company or of a Number. */
export function RecordingNoticeFields({ notice, set, language, disabled = false }: Props) {
  const { mode, key, outbound } = notice
  return (
    <Stack>
      <Radio.Group
        label="Before a call is recorded"
        value={mode}
        onChange={(value) => set({ ...notice, mode: value as RecordingNotice['mode'] })}
      >
        <Stack gap="xs" mt="xs">
          {modes.map((one) => (
            <Radio key={one.value} {...one} disabled={disabled} />
          ))}
        </Stack>
      </Radio.Group>
      {mode !== 'none' && (
        <>
          <Prompts notice={notice} set={set} {...(language && { language })} disabled={disabled} />
          {mode !== 'announce' && (
            <Select
              label={mode === 'consent' ? 'Key to agree' : 'Key to opt out'}
              description="The announcement must name this key"
              maw={320}
              allowDeselect={false}
              disabled={disabled}
              data={keys}
              value={key}
              onChange={(value) => value && set({ ...notice, key: value })}
            />
          )}
          <Switch
            label="Also on outbound calls"
            description="Played to the called party after the answer; the conversation starts afterwards"
            disabled={disabled}
            checked={outbound}
            onChange={({ currentTarget: { checked } }) => set({ ...notice, outbound: checked })}
          />
        </>
      )}
    </Stack>
  )
}

function Prompts({ notice, set, language, disabled }: Props) {
  const { prompts } = notice
  const replace = (nth: number, change: Partial<Prompt>) =>
    set({ ...notice, prompts: prompts.map((one, index) => (index === nth ? { ...one, ...change } : one)) })
  const free = promptLanguages.filter((code) => !prompts.some((one) => one.language === code))
  const [next] = free
  const shown = language ? [prompts[0] ?? { language, url: '' }] : prompts
  return (
    <Input.Wrapper
      label="Announcement"
      description={
        language
          ? 'Typed, recorded or uploaded'
          : 'Typed, recorded or uploaded; by language of the number. A number in another language plays the first one'
      }
    >
      <Stack gap="xs" mt="xs">
        {shown.map((prompt, nth) => (
          <Group key={prompt.language} gap="sm" wrap="wrap">
            {!language && (
              <Select
                aria-label={`Language of announcement ${nth + 1}`}
                w={190}
                allowDeselect={false}
                disabled={disabled ?? false}
                data={[prompt.language, ...free].map((value) => ({ value, label: languageName(value) }))}
                value={prompt.language}
                onChange={(value) => value && replace(nth, { language: value as Prompt['language'] })}
              />
            )}
            <PromptChoice
              label={language ? 'Announcement' : languageName(prompt.language)}
              url={prompt.url}
              disabled={disabled ?? false}
              choose={(url) => (language ? set({ ...notice, prompts: [{ language, url }] }) : replace(nth, { url }))}
            />
            {!language && prompts.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={disabled ?? false}
                aria-label={`Remove ${languageName(prompt.language)}`}
                onClick={() => set({ ...notice, prompts: prompts.filter((one) => one !== prompt) })}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!language && next && (
          <Box>
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={disabled ?? false}
              onClick={() => set({ ...notice, prompts: [...prompts, { language: next, url: '' }] })}
            >
              {prompts.length === 0 ? 'Add announcement' : 'Add language'}
            </Button>
          </Box>
        )}
      </Stack>
    </Input.Wrapper>
  )
}

function PromptChoice({
  label,
  url,
  disabled,
  choose,
}: {
  label: string
  url: string
  disabled: boolean
  choose: (url: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const { data } = useSounds()
  const sound = data?.find((one) => one.url === url)
  return (
    <Group gap="xs">
      <Text size="sm" {...(!sound && { c: 'dimmed' })}>
        {sound ? `${sound.name ?? 'Audio file'}, ${audioLength(sound)}` : 'No audio selected'}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        disabled={disabled}
        aria-label={`Choose audio: ${label}`}
        onClick={() => setOpen(true)}
      >
        Choose audio…
      </Button>
      <PromptPicker opened={isOpen} close={() => setOpen(false)} chosen={url || null} choose={choose} />
    </Group>
  )
}

/** What is missing, or undefined. */
export function noticeProblem({ mode, prompts }: RecordingNotice): string | undefined {
  if (mode === 'none') return undefined
  return prompts.length > 0 && prompts.every(({ url }) => url !== '')
    ? undefined
    : 'Choose the audio of the announcement'
}

/** Prompts without audio are not sent. */
export const sentNotice = (notice: RecordingNotice): RecordingNotice => ({
  ...notice,
  prompts: notice.prompts.filter(({ url }) => url !== ''),
})
