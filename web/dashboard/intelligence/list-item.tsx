import { ActionIcon, Box, Button, Group, Paper, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { moved, without } from './order.ts'

export interface Items {
  count: number
  move(from: number, to: number): void
  remove(place: number, what: string): void
  /** The item removed last, and how to restore it. */
  gone: { what: string; putBack(): void } | undefined
}

/** An editable list in a form. The removed item can be restored at its position. */
export function useItems<T>(list: readonly T[], change: (list: T[]) => void): Items {
  const [gone, setGone] = useState<{ item: T[]; place: number; what: string }>()
  const putBack = () => {
    if (gone) change([...list.slice(0, gone.place), ...gone.item, ...list.slice(gone.place)])
    setGone(undefined)
  }
  return {
    count: list.length,
    move: (from, to) => change(moved(list, from, to)),
    remove(place, what) {
      setGone({ item: list.slice(place, place + 1), place, what })
      change(without(list, place))
    },
    gone: gone && { what: gone.what, putBack },
  }
}

/** Undo notice inside the form, where a toast would cover the buttons. */
export function RemovedItem({ items: { gone } }: { items: Items }) {
  if (!gone) return null
  return (
    <Group gap="xs" role="status">
      <Text size="sm" c="dimmed">
        {gone.what} removed
      </Text>
      <Button size="compact-xs" variant="light" onClick={gone.putBack}>
        Undo
      </Button>
    </Group>
  )
}

/** An item of a list in a form, with buttons to move and remove it. */
export function ListItem({
  what,
  items,
  place,
  children,
  plain = false,
  mayBeEmpty = false,
}: {
  /** "Question 2", for buttons and the toast. */
  what: string
  items: Items
  place: number
  children: ReactNode
  /** Nested in another item. */
  plain?: boolean
  /** The last item can be removed. */
  mayBeEmpty?: boolean
}) {
  const tools = (
    <Group gap={0} wrap="nowrap" flex="none">
      <Tool label={`Move ${what} up`} disabled={place === 0} run={() => items.move(place, place - 1)}>
        <IconChevronUp size={15} />
      </Tool>
      <Tool label={`Move ${what} down`} disabled={place === items.count - 1} run={() => items.move(place, place + 1)}>
        <IconChevronDown size={15} />
      </Tool>
      <Tool label={`Remove ${what}`} disabled={items.count === 1 && !mayBeEmpty} run={() => items.remove(place, what)}>
        <IconTrash size={15} />
      </Tool>
    </Group>
  )
  return (
    <Paper withBorder={!plain} p={plain ? 0 : 'sm'} role="group" aria-label={what}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Box fz="xs" c="dimmed" fw={600}>
          {what}
        </Box>
        {tools}
      </Group>
      {children}
    </Paper>
  )
}

function Tool({
  label,
  run,
  disabled,
  children,
}: {
  label: string
  run: () => void
  disabled: boolean
  children: ReactNode
}) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} disabled={disabled} onClick={run}>
      {children}
    </ActionIcon>
  )
}
