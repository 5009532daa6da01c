import { Anchor, Button, Group, Paper, Radio, Stack, Text, Title } from '@mantine/core'
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
import { ColumnsStep } from '../csv-import/columns-step.tsx'
import { Problems } from '../csv-import/problems.tsx'
import { ImportProgress } from '../csv-import/progress.tsx'
import type { ImportTable } from '../csv-import/table.ts'
import { maxImportRows, UploadStep } from '../csv-import/upload-step.tsx'
import { type ContactChange, followChange, undoChange } from '../parts/contact-changes.ts'
import { type ImportField, importFields, importRows, readTable } from '../parts/contacts-csv.ts'
import { RecentContactChanges } from '../parts/recent-contact-changes.tsx'

type Check = ResponseOf<'/v1/contacts/import_checks', 'post'>

/** Upload or paste, map columns, check, import, undo. The text stays until the import has succeeded. */
export default function ContactImportPage() {
  const [text, setText] = useState('')
  const [mapping, setMapping] = useState<ImportField[]>()
  const table = useMemo(() => (text.trim() ? readTable(text) : undefined), [text])
  const change = (next: string) => {
    setText(next)
    setMapping(undefined)
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
      <UploadStep
        label="Contacts"
        hint={`A CSV file or cells of a spreadsheet, one contact per line, at most ${maxImportRows.toLocaleString()}. Phone numbers without a country code are read in the country of your company.`}
        example={'First name,Last name,Company,Phone,Email\nAda,Lovelace,Engines Ltd,01 99 00 02 07,ada@example.com'}
        text={text}
        rows={table?.rows.length ?? 0}
        onChange={change}
      />
      {table && table.rows.length > 0 && table.rows.length <= maxImportRows && (
        <CheckAndImport
          key={text}
          table={{ ...table, mapping: mapping ?? table.mapping }}
          setMapping={setMapping}
          imported={() => change('')}
        />
      )}
      {!text && <RecentContactChanges />}
    </Page>
  )
}

function CheckAndImport({
  table,
  setMapping,
  imported,
}: {
  table: ImportTable<ImportField>
  setMapping: (mapping: ImportField[]) => void
  imported: () => void
}) {
  const hasPhone = table.mapping.some((field) => field === 'phone' || field === 'mobile')
  const check = useMutation({
    mutationFn: () => uploading(api.post('/v1/contacts/import_checks', { body: { rows: importRows(table) } })),
  })
  return (
    <>
      <ColumnsStep
        table={table}
        columns={importFields}
        setMapping={(mapping) => {
          check.reset()
          setMapping(mapping)
        }}
        missing={hasPhone ? undefined : 'Select the column with the phone number: a contact needs one.'}
        check={{ run: () => check.mutate(), isPending: check.isPending, error: check.error }}
      />
      {check.data && <Review table={table} check={check.data} imported={imported} />}
    </>
  )
}

function Review({ table, check, imported }: { table: ImportTable<ImportField>; check: Check; imported: () => void }) {
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
        <Problems
          table={table}
          problems={check.problems}
          same="same number as"
          known={(id) => `a contact has this number already (${id})`}
        />
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
  const undo = async () => {
    try {
      const kept = await undoChange(change.id, setChange)
      await queries.invalidateQueries({ queryKey: ['contacts'] })
      notify(kept > 0 ? `Import undone; ${count(kept, 'contact')} changed since then stay` : 'Import undone')
    } catch (failure) {
      notifyError(failure, 'Undo failed')
    }
  }
  return <ImportProgress change={change} word="contact" list="/dashboard/contacts" undo={undo} again={again} />
}
