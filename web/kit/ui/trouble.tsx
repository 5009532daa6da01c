import { Alert, Button, Group, Text } from '@mantine/core'
import { ApiError } from '../api.ts'

/** What went wrong, in the server's words, and a way to try again. */
export function Trouble({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const message = error instanceof Error ? error.message : 'Something went wrong'
  const status = error instanceof ApiError && error.status > 0 ? ` (${error.status})` : ''
  return (
    <Alert color="red" variant="light" title={title ?? `That did not work${status}`} role="alert">
      <Text size="sm">{message}</Text>
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
