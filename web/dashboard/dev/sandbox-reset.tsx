import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { say } from '../../kit/ui/toast.tsx'

/** Everything as on the first day. */
export function SandboxReset() {
  const queries = useQueryClient()
  const [dialog, ask] = useConfirm()
  const reset = () =>
    ask({
      title: 'Start again?',
      body: 'Calls, contacts, tags, webhooks and events of this company go, and the demo data of the first day comes back. Keys, passwords and the ids of users and Numbers stay.',
      action: 'Start again',
      run: async () => {
        await api.post('/sandbox/v1/reset', {})
        await queries.invalidateQueries()
        say('The data is as on its first day.')
      },
    })
  return (
    <Paper withBorder p="lg" component="section" aria-label="Start again">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h5">
            Start again
          </Title>
          <Text size="sm" c="dimmed">
            The data of the demo company is as on its first day. The clock goes on.
          </Text>
        </div>
        <Button color="red" variant="light" onClick={reset}>
          Reset …
        </Button>
      </Group>
      {dialog}
    </Paper>
  )
}
