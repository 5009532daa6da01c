import { NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { AudioState } from './audio-state.tsx'

/** The address of an audio file, or the usual. */
export function MediaField({
  label,
  media,
  set,
  readOnly,
  builtIn = 'Built-in audio',
}: {
  label: string
  media: string | null
  set: (media: string | null) => void
  readOnly: boolean
  builtIn?: string
}) {
  return (
    <Stack gap={4}>
      <TextInput
        label={label}
        description="Address of an audio file; empty for the usual"
        placeholder={builtIn}
        value={media ?? ''}
        readOnly={readOnly}
        maxLength={2_048}
        onChange={({ currentTarget }) => set(currentTarget.value.trim() === '' ? null : currentTarget.value.trim())}
      />
      <AudioState url={media} mayChange={!readOnly} set={set} />
    </Stack>
  )
}

interface Figure {
  label: string
  description?: string
  value: number
  range: [least: number, most: number]
  set: (value: number) => void
  readOnly: boolean
}

export const Seconds = (figure: Figure) => <Whole {...figure} unit="s" />

export function Whole({
  label,
  description,
  value,
  range: [least, most],
  set,
  readOnly,
  unit,
}: Figure & { unit?: string }) {
  return (
    <NumberInput
      label={label}
      {...(description !== undefined && { description })}
      value={Number.isNaN(value) ? '' : value}
      min={least}
      max={most}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      readOnly={readOnly}
      rightSection={
        unit && (
          <Text size="xs" c="dimmed" aria-hidden>
            {unit}
          </Text>
        )
      }
      onChange={(given) => set(given === '' ? Number.NaN : Number(given))}
    />
  )
}
