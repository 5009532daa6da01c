import { Alert, Group, Loader, Text } from '@mantine/core'
import { type ReactNode, useSyncExternalStore } from 'react'
import { reach } from '../reach.ts'

export const useReachable = () => useSyncExternalStore(reach.watch, reach.isReachable)

/** Shown while the server is unreachable; disappears when it is reachable again. */
export function Reconnecting({ isLost = false, children }: { isLost?: boolean; children?: ReactNode }) {
  const isReachable = useReachable()
  if (isReachable && !isLost) return null
  return (
    <Alert color="orange" variant="light" radius={0} py="xs" role="status">
      <Group gap="xs" wrap="nowrap">
        <Loader size={14} color="orange" aria-hidden />
        <Text size="sm">Reconnecting… {children}</Text>
      </Group>
    </Alert>
  )
}
