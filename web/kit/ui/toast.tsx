import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { errorMessage } from './error-alert.tsx'

export function notify(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true })
}

export function notifyError(error: unknown, title = 'Something went wrong'): void {
  notifications.show({
    title,
    message: errorMessage(error),
    color: 'red',
    withBorder: true,
    autoClose: 8_000,
    role: 'alert',
  })
}

/** Stays until it is closed. */
export function notifyAlert(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', withBorder: true, autoClose: false, role: 'alert' })
}

/** Offers to undo the action for as long as the toast is shown. */
export function notifyWithUndo(message: string, undo: () => Promise<unknown>): void {
  const id = crypto.randomUUID()
  const run = () => {
    notifications.hide(id)
    undo().catch((error: unknown) => notifyError(error, 'Undo failed'))
  }
  notifications.show({
    id,
    color: 'teal',
    withBorder: true,
    autoClose: 8_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" style={{ wordBreak: 'break-word' }}>
          {message}
        </Text>
        <Button size="compact-sm" variant="light" onClick={run} flex="none">
          Undo
        </Button>
      </Group>
    ),
  })
}
