import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { count, when } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { undoChange } from './contact-changes.ts'

type Change = ResponseOf<'/v1/contacts/bulk_changes'>['changes'][number]

const titles = {
  import: (n: number) => `${count(n, 'contact')} imported`,
  delete: (n: number) => `${count(n, 'contact')} deleted`,
  merge: () => 'Two contacts merged',
}

/** Imports, deletions and merges of the last day, which can be undone. */
export function RecentContactChanges() {
  const { data } = useQuery({
    queryKey: ['contacts', 'bulk_changes'],
    queryFn: () => api.get('/v1/contacts/bulk_changes'),
  })
  if (!data || data.changes.length === 0) return null
  return (
    <Paper withBorder p="md">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4">
            Changes of the last 24 hours
          </Title>
          <Text size="sm" c="dimmed">
            Contacts that were changed later keep their values when a change is undone.
          </Text>
        </Stack>
        {data.changes.map((change) => (
          <ChangeRow key={change.id} change={change} />
        ))}
      </Stack>
    </Paper>
  )
}

function ChangeRow({ change }: { change: Change }) {
  const queries = useQueryClient()
  const [isUndoing, setUndoing] = useState(false)
  const title = titles[change.kind](change.total)
  const undo = async () => {
    setUndoing(true)
    try {
      const kept = await undoChange(change.id)
      notify(kept > 0 ? `Change undone; ${count(kept, 'contact')} changed since then stay` : 'Change undone')
    } catch (failure) {
      notifyError(failure, 'Undo failed')
    } finally {
      setUndoing(false)
      await queries.invalidateQueries({ queryKey: ['contacts'] })
    }
  }
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{title}</Text>
        <Text size="xs" c="dimmed">
          {[when(change.created_at), change.user_name].filter(Boolean).join(' · ')}
        </Text>
      </div>
      {change.state === 'done' ? (
        <Button
          size="xs"
          variant="default"
          loading={isUndoing}
          onClick={() => void undo()}
          aria-label={`Undo: ${title}`}
        >
          Undo
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          {states[change.state]}
        </Text>
      )}
    </Group>
  )
}

const states = { running: 'In progress', undoing: 'In progress', undone: 'Undone', failed: 'Failed, nothing changed' }
