import { Badge, Button, Group, Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { notify } from '../../kit/ui/toast.tsx'

/** Whether a user has two-step verification; owners reset it. */
export function UserTwoStep({ userId, name }: { userId: number; name: string }) {
  const { user } = useSession()
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const queryKey = ['users', 'two-step', userId]
  const { data, error } = useQuery({
    queryKey,
    queryFn: () => api.get('/v1/users/{id}/two_step', { params: { id: userId } }),
  })
  if (error) return <ErrorAlert error={error} />
  if (!data) return <Skeleton height={28} />
  const reset = () =>
    confirm({
      title: `Reset two-step verification of ${name}?`,
      body: 'Check first that the request really comes from this user. All sessions of the user end, and the password alone is then enough to sign in.',
      action: 'Reset',
      run: async () => {
        await api.delete('/v1/users/{id}/two_step', { params: { id: userId } })
        notify('Two-step verification reset')
        await queries.invalidateQueries({ queryKey })
      },
    })
  const mayReset = user.roles.includes('owner') && user.id !== userId && data.enabled
  return (
    <Group justify="space-between">
      {dialog}
      <Group gap="xs">
        <Text size="sm">Two-step verification</Text>
        <Badge variant="light" color={data.enabled ? 'green' : 'gray'} tt="none">
          {data.enabled ? 'Enabled' : 'Not set up'}
        </Badge>
      </Group>
      {mayReset && (
        <Button size="xs" variant="light" color="red" onClick={reset}>
          Reset
        </Button>
      )}
    </Group>
  )
}
