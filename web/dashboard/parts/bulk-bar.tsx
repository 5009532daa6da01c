import { Alert, Button, Group, List, Paper, Progress, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../kit/ui/error-alert.tsx'
import { count } from '../../kit/ui/format.ts'
import { notify, notifyWithUndo } from '../../kit/ui/toast.tsx'

export interface BulkAction<T> {
  /** The past participle: "archived". */
  done: string
  run: (row: T) => Promise<unknown>
  /** Reverses `run` for a row on which it succeeded. */
  undo?: (row: T) => Promise<unknown>
  /** Rows without anything to change, and what they are: "already archived". */
  skips?: { row: (row: T) => boolean; because: string }
}

interface Outcome {
  failures: { name: string; reason: string }[]
}

const atOnce = 4

/** Runs an action on each selected row: shows the progress, then rows that failed, and offers to undo the others. */
export function useBulk<T>({
  word,
  nameOf,
  refresh,
}: {
  /** "call" */
  word: string
  nameOf: (row: T) => string
  refresh: () => Promise<unknown>
}) {
  const [progress, setProgress] = useState<{ n: number; total: number }>()
  const [outcome, setOutcome] = useState<Outcome>({ failures: [] })
  const each = async (rows: readonly T[], work: (row: T) => Promise<unknown>) => {
    const failures: Outcome['failures'] = []
    const succeeded: T[] = []
    const left = [...rows]
    setOutcome({ failures: [] })
    setProgress({ n: 0, total: rows.length })
    const worker = async () => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) {
        try {
          await work(row)
          succeeded.push(row)
        } catch (error) {
          failures.push({ name: nameOf(row), reason: errorMessage(error) })
        }
        setProgress({ n: rows.length - left.length, total: rows.length })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    setProgress(undefined)
    setOutcome({ failures })
    await refresh()
    return succeeded
  }
  const run = async (rows: readonly T[], { done, run: work, undo, skips }: BulkAction<T>) => {
    const wanted = rows.filter((row) => !skips?.row(row))
    const skipped = rows.length - wanted.length
    const note = skipped > 0 ? `${count(skipped, word)} ${skips?.because}` : ''
    if (wanted.length === 0) return notify(`Nothing changed: ${note}`)
    const succeeded = await each(wanted, work)
    if (succeeded.length === 0) return
    const message = [`${count(succeeded.length, word)} ${done}`, note].filter(Boolean).join('; ')
    if (!undo) return notify(message)
    notifyWithUndo(message, async () => {
      const undone = await each(succeeded, undo)
      notify(`Undone for ${count(undone.length, word)}`)
    })
  }
  return { run, each, progress, ...outcome, dismiss: () => setOutcome({ failures: [] }) }
}

/** Above the table while rows are selected: their number, the actions, the progress and failures. */
export function BulkBar({
  selected,
  word,
  many = `${word}s`,
  clear,
  bulk: { progress, failures, dismiss },
  everything,
  children,
}: {
  selected: number
  word: string
  many?: string
  clear: () => void
  bulk: Pick<ReturnType<typeof useBulk>, 'progress' | 'failures' | 'dismiss'>
  /** All rows of the list, of which only one page is shown. */
  everything?: { total: number; select: () => void; isBusy: boolean } | undefined
  children: ReactNode
}) {
  const isEmpty = failures.length === 0 && selected === 0
  return (
    // Always in the page, so that changes are announced; without content it takes no space.
    <Stack gap="sm" aria-live="polite" pos={isEmpty ? 'absolute' : 'static'}>
      {failures.length > 0 && (
        <Alert
          color="red"
          variant="light"
          title={`${count(failures.length, word, many)} could not be changed`}
          withCloseButton
          closeButtonLabel="Dismiss"
          onClose={dismiss}
        >
          <List size="sm">
            {failures.slice(0, 20).map(({ name, reason }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
              <List.Item key={i}>
                {name}: {reason}
              </List.Item>
            ))}
            {failures.length > 20 && <List.Item>… and {failures.length - 20} more</List.Item>}
          </List>
        </Alert>
      )}
      {selected > 0 && (
        <Paper withBorder p="xs" role="toolbar" aria-label={`Actions for selected ${many}`}>
          <Group gap="xs">
            <Text size="sm" fw={600} px={6}>
              {count(selected, word, many)} selected
            </Text>
            {everything && everything.total > selected && (
              <Button variant="subtle" size="xs" loading={everything.isBusy} onClick={everything.select}>
                Select all {count(everything.total, word, many)}
              </Button>
            )}
            {children}
            <Button variant="subtle" color="gray" size="xs" leftSection={<IconX size={14} />} onClick={clear}>
              Clear selection
            </Button>
          </Group>
          {progress && (
            <Group gap="sm" mt={8} px={6}>
              <Progress
                flex={1}
                value={(progress.n / progress.total) * 100}
                aria-label={`${progress.n} of ${progress.total}`}
              />
              <Text size="xs" c="dimmed">
                {progress.n} of {progress.total}
              </Text>
            </Group>
          )}
        </Paper>
      )}
    </Stack>
  )
}
