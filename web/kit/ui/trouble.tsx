import { Alert, Button, Group, Text } from '@mantine/core'

/** The server speaks to programs, and names their fields: `first_name` is a first name here. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong'
  const text = error.message.replaceAll(/`(\w+)`/g, (_quoted, field: string) => field.replaceAll('_', ' '))
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What went wrong, in the server's words, and a way to try again. */
export function Trouble({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  return (
    <Alert color="red" variant="light" title={title ?? 'That did not work'} role="alert">
      <Text size="sm">{inWords(error)}</Text>
      {retry && (
        <Group mt="sm">
          <Button size="xs" variant="light" color="red" onClick={retry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}
