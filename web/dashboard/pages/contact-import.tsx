import {
  Alert,
  Anchor,
  Button,
  FileButton,
  Group,
  List,
  Paper,
  Progress,
  Radio,
  Select,
  Stack,
  Table,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { count } from '../../kit/ui/format.ts'
import { Page } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { uploading } from '../../kit/upload.ts'
import { type ContactChange, followChange, undoChange } from '../parts/contact-changes.ts'
import { type ImportField, type ImportTable, importFields, importRows, readTable } from '../parts/contacts-csv.ts'

type Check = ResponseOf<'/v1/contacts/import_checks', 'post'>

const maxRows = 10_000
const maxBytes = 15 * 1_048_576
const shownProblems = 50

/** Upload or paste, map columns, check, import, undo. The text stays until the import has succeeded. */
export default function ContactImportPage() {
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  const [mapping, setMapping] = useState<ImportField[]>()
  const table = useMemo(() => (text.trim() ? readTable(text) : undefined), [text])
  const change = (next: string) => {
    setText(next)
    setMapping(undefined)
    setError('')
  }
  const upload = (file: File | null) => {
    if (!file) return
    if (file.size > maxBytes) return setError('The file is larger than 15 MB.')
    file.text().then(change, () => setError('The file could not be read. Try again.'))
  }
  return (
    <Page
      title="Import contacts"
      lead={
        <Anchor component={Link} to="/dashboard/contacts" size="sm">
          All contacts
        </Anchor>
      }
    >
      <Paper withBorder p="md">
        <Stack>
          <Title order={2} size="h4">
            1. Upload or paste
          </Title>
          <Text size="sm" c="dimmed">
            A CSV file or cells of a spreadsheet, one contact per line, at most {maxRows.toLocaleString()}. Phone
            numbers without a country code are read in the country of your company.
          </Text>
          <Group>
            <FileButton onChange={upload} accept=".csv,.txt,.tsv,text/csv,text/plain">
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={16} />}>
                  Upload CSV file
                </Button>
              )}
            </FileButton>
          </Group>
          <Textarea
            label="Contacts"
            placeholder={
              'First name,Last name,Company,Phone,Email\nAda,Lovelace,Engines Ltd,01 99 00 02 07,ada@example.com'
            }
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
      {table && table.rows.length > maxRows && (
        <Alert color="red" variant="light" title={`${count(table.rows.length, 'row')}: too many`}>
          Split the file: an import has at most {maxRows.toLocaleString()} rows.
        </Alert>
      )}
      {table && table.rows.length > 0 && table.rows.length <= maxRows && (
        <Columns
          key={text}
          table={{ ...table, mapping: mapping ?? table.mapping }}
          setMapping={setMapping}
          imported={() => change('')}
        />
      )}
    </Page>
  )
}

function Columns({
  table,
  setMapping,
  imported,
}: {
  table: ImportTable
  setMapping: (mapping: ImportField[]) => void
  imported: () => void
}) {
  const hasPhone = table.mapping.some((field) => field === 'phone' || field === 'mobile')
  const check = useMutation({
    mutationFn: () => uploading(api.post('/v1/contacts/import_checks', { body: { rows: importRows(table) } })),
  })
  return (
    <>
      <Paper withBorder p="md">
        <Stack>
          <Title order={2} size="h4">
            2. Columns
          </Title>
          <div style={{ overflowX: 'auto' }}>
            <Table aria-label="Columns">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Column</Table.Th>
                  <Table.Th>Imported as</Table.Th>
                  <Table.Th>First values</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {table.header.map((name, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
                  <Table.Tr key={i}>
                    <Table.Td>{name}</Table.Td>
                    <Table.Td>
                      <Select
                        aria-label={`Column ${name}`}
                        size="xs"
                        w={170}
                        allowDeselect={false}
                        data={importFields.map(({ value, label }) => ({ value, label }))}
                        value={table.mapping[i] ?? 'ignore'}
                        onChange={(field) => {
                          check.reset()
                          setMapping(table.mapping.map((one, at) => (at === i ? (field as ImportField) : one)))
                        }}
                      />
                    </Table.Td>
                    <Table.Td>
                      <Text size="sm" c="dimmed" lineClamp={1}>
                        {table.rows
                          .slice(0, 3)
                          .map((row) => row[i])
                          .filter(Boolean)
                          .join(' · ')}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {!hasPhone && (
            <Text size="sm" c="var(--mantine-color-error)">
              Select the column with the phone number: a contact needs one.
            </Text>
          )}
          {check.error !== null && (
            <SaveError error={check.error} retry={() => check.mutate()} title="Rows not checked" />
          )}
          <Group>
            <Button disabled={!hasPhone} loading={check.isPending} onClick={() => check.mutate()}>
              Check {count(table.rows.length, 'row')}
            </Button>
          </Group>
        </Stack>
      </Paper>
      {check.data && <Review table={table} check={check.data} imported={imported} />}
    </>
  )
}

function Review({ table, check, imported }: { table: ImportTable; check: Check; imported: () => void }) {
  const queries = useQueryClient()
  const [duplicates, setDuplicates] = useState<'skip' | 'update'>('skip')
  const [progress, setProgress] = useState<ContactChange>()
  const [started, setStarted] = useState<ContactChange>()
  const [error, setError] = useState<unknown>()
  const invalid = new Set(check.problems.filter(({ errors }) => errors.length > 0).map(({ row }) => row))
  const known = check.problems.filter(
    ({ duplicate_of, same_as, row }) => duplicate_of !== null && same_as === null && !invalid.has(row),
  )
  const n = check.valid + (duplicates === 'update' ? known.length : 0)
  const run = async () => {
    setError(undefined)
    try {
      const rows = importRows(table).filter((_, i) => !invalid.has(i))
      // After an interruption the import that the server has is followed, not repeated.
      const change =
        started ?? (await uploading(api.post('/v1/contacts/imports', { body: { rows, duplicates } }))).change
      setStarted(change)
      setProgress(change)
      const ended = await followChange(change, setProgress)
      setStarted(undefined)
      await queries.invalidateQueries({ queryKey: ['contacts'] })
      if (ended.state === 'failed') throw new Error('The import failed, and nothing was changed. Try again.')
    } catch (failure) {
      setProgress(undefined)
      setError(failure)
    }
  }
  if (progress) return <Imported change={progress} setChange={setProgress} again={imported} />
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h4">
          3. Check and import
        </Title>
        <Text size="sm" aria-live="polite">
          {count(check.valid, 'new contact')} · {count(check.duplicates, 'duplicate')} · {count(check.invalid, 'row')}{' '}
          with errors
        </Text>
        {check.sample[0] && (
          <Text size="sm" c="dimmed">
            First row:{' '}
            {[
              check.sample[0].first_name,
              check.sample[0].last_name,
              check.sample[0].company_name,
              ...check.sample[0].phone_numbers.map(displayNumber),
              ...check.sample[0].emails,
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        )}
        <Problems check={check} />
        {check.duplicates > 0 && (
          <Radio.Group
            label="Contacts that already have the number"
            value={duplicates}
            onChange={(value) => setDuplicates(value === 'update' ? 'update' : 'skip')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="skip" label="Skip these rows" />
              <Radio value="update" label="Update these contacts with the values of the file" />
            </Stack>
          </Radio.Group>
        )}
        {error !== undefined && <SaveError error={error} retry={() => void run()} title="Contacts not imported" />}
        <Group>
          <Button disabled={n === 0} onClick={() => void run()}>
            {invalid.size > 0
              ? `Import ${count(n, 'contact')}, leave out ${count(invalid.size, 'row')}`
              : `Import ${count(n, 'contact')}`}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function Problems({ check }: { check: Check }) {
  if (check.problems.length === 0) return null
  return (
    <Alert variant="light" color="yellow" title="Rows to look at">
      <List size="sm">
        {check.problems.slice(0, shownProblems).map(({ row, errors, duplicate_of, same_as }) => (
          <List.Item key={row}>
            Row {row + 1}:{' '}
            {errors.length > 0
              ? errors.map(({ message }) => message).join('; ')
              : same_as !== null
                ? `same number as row ${same_as + 1}, is skipped`
                : `a contact has this number already (${duplicate_of})`}
          </List.Item>
        ))}
        {check.problems.length > shownProblems && (
          <List.Item>… and {(check.problems.length - shownProblems).toLocaleString()} more</List.Item>
        )}
      </List>
    </Alert>
  )
}

function Imported({
  change,
  setChange,
  again,
}: {
  change: ContactChange
  setChange: (change: ContactChange) => void
  again: () => void
}) {
  const queries = useQueryClient()
  const isBusy = change.state === 'running' || change.state === 'undoing'
  const undo = async () => {
    try {
      const kept = await undoChange(change.id, setChange)
      await queries.invalidateQueries({ queryKey: ['contacts'] })
      notify(kept > 0 ? `Import undone; ${count(kept, 'contact')} changed since then stay` : 'Import undone')
    } catch (failure) {
      notifyError(failure, 'Undo failed')
    }
  }
  const title = {
    running: 'Importing…',
    done: `${count(change.done, 'contact')} imported`,
    failed: 'The import failed, and nothing was changed',
    undoing: 'Undoing the import…',
    undone: 'Import undone',
  }[change.state]
  return (
    <Paper withBorder p="md" aria-live="polite">
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        {isBusy && (
          <Progress
            value={change.total === 0 ? 100 : (change.done / change.total) * 100}
            aria-label={`${change.done} of ${change.total}`}
          />
        )}
        {isBusy && (
          <Text size="sm" c="dimmed">
            {change.done.toLocaleString()} of {change.total.toLocaleString()}. You can leave this page.
          </Text>
        )}
        <Group>
          <Button component={Link} to="/dashboard/contacts">
            View contacts
          </Button>
          {change.state === 'done' && change.done > 0 && (
            <Button variant="default" onClick={() => void undo()}>
              Undo import
            </Button>
          )}
          {!isBusy && (
            <Button variant="subtle" onClick={again}>
              Import another file
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}
