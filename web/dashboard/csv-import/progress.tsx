import { Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { count } from '../../kit/ui/format.ts'

interface RunningChange {
  state: 'running' | 'done' | 'failed' | 'undoing' | 'undone'
  total: number
  done: number
}

/** The last step: progress, the result, and its undo. */
export function ImportProgress({
  change,
  word,
  list,
  undo,
  again,
  children,
}: {
  change: RunningChange
  /** "contact" */
  word: string
  /** The page of the list. */
  list: string
  undo: () => Promise<void>
  again: () => void
  /** What follows a complete import. */
  children?: ReactNode
}) {
  const isBusy = change.state === 'running' || change.state === 'undoing'
  const title = {
    running: 'Importing…',
    done: `${count(change.done, word)} imported`,
    failed: 'The import failed, and nothing was changed',
    undoing: 'Undoing the import…',
    undone: 'Import undone',
  }[change.state]
  return (
    <Paper withBorder p="md" aria-live="polite">
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        {isBusy && (
          <Progress
            value={change.total === 0 ? 100 : (change.done / change.total) * 100}
            aria-label={`${change.done} of ${change.total}`}
          />
        )}
        {isBusy && (
          <Text size="sm" c="dimmed">
            {change.done.toLocaleString()} of {change.total.toLocaleString()}. You can leave this page.
          </Text>
        )}
        {change.state === 'done' && children}
        <Group>
          <Button component={Link} to={list}>
            View {word}s
          </Button>
          {change.state === 'done' && change.done > 0 && (
            <Button variant="default" onClick={() => void undo()}>
              Undo import
            </Button>
          )}
          {!isBusy && (
            <Button variant="subtle" onClick={again}>
              Import another file
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}
