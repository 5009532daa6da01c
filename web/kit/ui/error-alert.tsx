import { Alert, Button, Group, Text } from '@mantine/core'
import { ApiError } from '../api.ts'

/** The message for a person: the API quotes its field names, `first_name` becomes "first name". */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong'
  const text = error.message.replaceAll(/`(?:\w+\.)*(\w+)`/g, (_quoted, field: string) => wordsOf(field))
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const wordsOf = (field: string) =>
  field.replaceAll('_', ' ').replaceAll(/\b(api|id|ip|uri|url)\b/g, (word) => word.toUpperCase())

/** The request was valid but could not be processed: the same input may succeed later. */
export const mayRepeat = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** An error with the server's message and a button to retry. */
export function ErrorAlert({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  return (
    <Alert color="red" variant="light" title={title ?? 'Something went wrong'} role="alert">
      <Text size="sm">{errorMessage(error)}</Text>
      {retry && (
        <Group mt="sm">
          <Button size="xs" variant="light" color="red" onClick={retry}>
            Retry
          </Button>
        </Group>
      )}
    </Alert>
  )
}
