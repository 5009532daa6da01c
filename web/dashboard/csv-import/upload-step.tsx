import { Alert, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { count } from '../../kit/ui/format.ts'
import { UploadButton } from '../../kit/ui/upload-button.tsx'
import { textOf } from '../../kit/upload.ts'

export const maxImportRows = 10_000
const maxBytes = 15 * 1_048_576

/** Step 1: a file, or text that is pasted. */
export function UploadStep({
  label,
  hint,
  example,
  text,
  rows,
  onChange,
}: {
  /** "Contacts" */
  label: string
  hint: string
  example: string
  text: string
  /** Rows found in the text. */
  rows: number
  onChange: (text: string) => void
}) {
  const [error, setError] = useState('')
  const change = (next: string) => {
    setError('')
    onChange(next)
  }
  const upload = (file: File) => {
    if (file.size > maxBytes) return setError('The file is larger than 15 MB.')
    textOf(file).then(change, () => setError('The file could not be read. Try again.'))
  }
  return (
    <>
      <Paper withBorder p="md">
        <Stack>
          <Title order={2} size="h4">
            1. Upload or paste
          </Title>
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
          <Group>
            <UploadButton
              accept=".csv,.txt,.tsv,text/csv,text/plain"
              onChoose={upload}
              leftSection={<IconUpload size={16} />}
            >
              Upload CSV file
            </UploadButton>
          </Group>
          <Textarea
            label={label}
            placeholder={example}
            minRows={4}
            maxRows={8}
            autosize
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={text}
            error={error || undefined}
            onChange={(event) => change(event.currentTarget.value)}
          />
        </Stack>
      </Paper>
      {rows > maxImportRows && (
        <Alert color="red" variant="light" title={`${count(rows, 'row')}: too many`}>
          Split the file: an import has at most {maxImportRows.toLocaleString()} rows.
        </Alert>
      )}
    </>
  )
}
