import { ActionIcon, Group, Paper, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useTags } from '../../kit/ui/lists.ts'
import { Dot } from '../../kit/ui/people.tsx'

/** A tag in its colour, with an optional remove button. */
export function TagPill({ id, name, remove }: { id: number; name: string; remove?: () => void }) {
  const { data } = useTags()
  const color = data?.find((tag) => tag.id === id)?.color ?? '#868e96'
  return (
    <Paper withBorder radius="xl" px={10} py={2} display="inline-block" maw="100%">
      <Group gap={6} wrap="nowrap">
        <Dot color={color} />
        <Text size="xs" truncate>
          {name}
        </Text>
        {remove && (
          <ActionIcon
            size={18}
            variant="subtle"
            color="gray"
            radius="xl"
            mr={-6}
            aria-label={`Remove tag ${name}`}
            onClick={remove}
          >
            <IconX size={12} />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  )
}
