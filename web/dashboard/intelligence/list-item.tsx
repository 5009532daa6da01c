import { ActionIcon, Box, Button, Group, Paper, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { moved, without } from './order.ts'

export interface Items {
  count: number
  move(from: number, to: number): void
  remove(place: number, what: string): void
  /** What was taken out last, and how it comes back. */
  gone: { what: string; putBack(): void } | undefined
}

/** A list in a form. What is taken out can be put back, among whatever stands there by then. */
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

/** In the form itself: a toast would lie on its buttons. */
export function TakenOut({ items: { gone } }: { items: Items }) {
  if (!gone) return null
  return (
    <Group gap="xs" role="status">
      <Text size="sm" c="dimmed">
        {gone.what} is taken out
      </Text>
      <Button size="compact-xs" variant="light" onClick={gone.putBack}>
        Undo
      </Button>
    </Group>
  )
}

/** One of several parts in a form: it can go up and down, and be taken out. */
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
  /** Inside another one. */
  plain?: boolean
  /** The last of them can go, too. */
  mayBeEmpty?: boolean
}) {
  const tools = (
    <Group gap={0} wrap="nowrap" flex="none">
      <Tool label={`${what} earlier`} disabled={place === 0} run={() => items.move(place, place - 1)}>
        <IconChevronUp size={15} />
      </Tool>
      <Tool label={`${what} later`} disabled={place === items.count - 1} run={() => items.move(place, place + 1)}>
        <IconChevronDown size={15} />
      </Tool>
      <Tool
        label={`Take out ${what}`}
        disabled={items.count === 1 && !mayBeEmpty}
        run={() => items.remove(place, what)}
      >
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
