import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { inWords } from './trouble.tsx'

/** Something went well. */
export function say(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true })
}

/** Something did not, in the server's words. */
export function sayTrouble(error: unknown, title = 'That did not work'): void {
  notifications.show({
    title,
    message: inWords(error),
    color: 'red',
    withBorder: true,
    autoClose: 8_000,
    role: 'alert',
  })
}

/** Something was done that can be taken back for a while. */
export function sayWithUndo(message: string, undo: () => Promise<unknown>): void {
  const id = crypto.randomUUID()
  const takeBack = () => {
    notifications.hide(id)
    undo().catch((error: unknown) => sayTrouble(error, 'It could not be undone'))
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
        <Button size="compact-sm" variant="light" onClick={takeBack} flex="none">
          Undo
        </Button>
      </Group>
    ),
  })
}
