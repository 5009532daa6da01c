import { NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { AudioState } from './audio-state.tsx'

/** URL of an audio file, or the built-in audio. */
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
        description="URL of an audio file. Leave blank for default"
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
  range: [min: number, max: number]
  set: (value: number) => void
  readOnly: boolean
}

export const Seconds = (figure: Figure) => <Whole {...figure} unit="s" />

export function Whole({
  label,
  description,
  value,
  range: [min, max],
  set,
  readOnly,
  unit,
}: Figure & { unit?: string }) {
  return (
    <NumberInput
      label={label}
      {...(description !== undefined && { description })}
      value={Number.isNaN(value) ? '' : value}
      min={min}
      max={max}
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
