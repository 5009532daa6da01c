import { Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { meKey, useMe } from '../data.ts'

/** Settings of the user that apply on every device. */
export function CallSettings() {
  const queries = useQueryClient()
  const { data: me } = useMe()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (call_waiting: boolean) => api.put('/v1/me/call_waiting', { body: { call_waiting } }),
    onSettled: () => queries.invalidateQueries({ queryKey: meKey }),
    onError: (error) => notifyError(error, 'Call waiting not changed'),
  })
  return (
    <Stack gap="xs" component="section" aria-label="Your calls">
      <Text fw={600} size="sm">
        Your calls, on all devices
      </Text>
      <Switch
        label="Call waiting"
        description="A second call rings while you are on a call. Accepting it puts the first one on hold."
        checked={isPending ? variables : (me?.call_waiting ?? false)}
        disabled={!me || isPending}
        onChange={(event) => mutate(event.currentTarget.checked)}
      />
    </Stack>
  )
}
