import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { RateLine } from './limits.ts'

interface Props {
  /** Unit of a price: `minute`. */
  unit: string
  lines: RateLine[]
  onChange: (lines: RateLine[]) => void
}

/** Prices by prefix of the number. */
export function Rates({ unit, lines, onChange }: Props) {
  const title = `Rates per ${unit}`
  const change = (key: string, part: Partial<RateLine>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...part } : line)))
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="xs" c="dimmed">
        By prefix; the longest matching prefix applies. Numbers without a matching prefix use the highest rate.
      </Text>
      {lines.map(({ key, prefix, price }, i) => (
        <Group key={key} gap={6} wrap="nowrap" maw={420}>
          <TextInput
            aria-label={`Prefix ${i + 1}`}
            type="tel"
            placeholder="+33"
            maxLength={20}
            value={prefix}
            onChange={(event) => change(key, { prefix: event.currentTarget.value })}
          />
          <NumberInput
            aria-label={`Price ${i + 1}`}
            placeholder="0.02"
            min={0}
            max={1_000_000}
            value={price}
            onChange={(value) => change(key, { price: typeof value === 'number' ? value : '' })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove rate ${i + 1}`}
            onClick={() => onChange(lines.filter((line) => line.key !== key))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...lines, { key: `new-${Date.now()}`, prefix: '', price: '' }])}
        >
          Add rate
        </Button>
      </Group>
    </Stack>
  )
}
