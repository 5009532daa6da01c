import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { notify } from '../../kit/ui/toast.tsx'

/** Resets the demo data. */
export function SandboxReset() {
  const queries = useQueryClient()
  const [dialog, ask] = useConfirm()
  const reset = () =>
    ask({
      title: 'Reset demo data?',
      body: 'Deletes the calls, contacts, tags, webhooks and events of this company and restores the initial demo data. API keys, passwords and the IDs of users and numbers are kept.',
      action: 'Reset',
      run: async () => {
        await api.post('/sandbox/v1/reset', { body: {} })
        await queries.invalidateQueries()
        notify('Demo data reset')
      },
    })
  return (
    <Paper withBorder p="lg" component="section" aria-label="Reset demo data">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h5">
            Reset demo data
          </Title>
          <Text size="sm" c="dimmed">
            Restores the initial data of the demo company. The clock keeps running.
          </Text>
        </div>
        <Button color="red" variant="light" onClick={reset}>
          Reset…
        </Button>
      </Group>
      {dialog}
    </Paper>
  )
}
