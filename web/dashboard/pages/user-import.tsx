import { Anchor, Button, Checkbox, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { writeCsv } from '../../../src/domain/csv.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
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
import { saveFile } from '../parts/save-file.ts'
import { followImport, linksOf, type UserImport } from '../users/user-imports.ts'
import { readUsers, type UserField, userFields, userRows } from '../users/users-csv.ts'

type UserCheck = ResponseOf<'/v1/users/import_checks', 'post'>
type Mapping = ImportTable<UserField>['mapping']

/** Upload or paste, map columns, check, import, invite, undo. The text stays until the import has succeeded. */
export default function UserImportPage() {
  const [text, setText] = useState('')
  const [mapping, setMapping] = useState<Mapping>()
  const table = useMemo(() => (text.trim() ? readUsers(text) : undefined), [text])
  const change = (next: string) => {
    setText(next)
    setMapping(undefined)
  }
  return (
    <Page
      title="Import users"
      lead={
        <Anchor component={Link} to="/dashboard/users" size="sm">
          All users
        </Anchor>
      }
    >
      <UploadStep
        label="Users"
        hint={`A CSV file or cells of a spreadsheet, one user per line, at most ${maxImportRows.toLocaleString()}. Teams and numbers must exist; separate several with a semicolon. Without a role a user is an agent, without an extension the next free one is used.`}
        example={
          'Email,First name,Last name,Roles,Teams,Numbers,Extension\nada@example.com,Ada,Lovelace,Agent,Support; Sales,+33 1 99 00 02 07,201'
        }
        text={text}
        rows={table?.rows.length ?? 0}
        onChange={change}
      />
      {table && table.rows.length > 0 && table.rows.length <= maxImportRows && (
        <CheckedUsers
          key={text}
          table={{ ...table, mapping: mapping ?? table.mapping }}
          setMapping={setMapping}
          again={() => change('')}
        />
      )}
    </Page>
  )
}

function CheckedUsers({
  table,
  setMapping,
  again,
}: {
  table: ImportTable<UserField>
  setMapping: (mapping: Mapping) => void
  again: () => void
}) {
  const has = (...fields: UserField[]) => table.mapping.some((field) => fields.some((one) => one === field))
  const missing = !has('email')
    ? 'Select the column with the email address.'
    : !has('first_name', 'last_name', 'name')
      ? 'Select the column with the name.'
      : undefined
  const check = useMutation({
    mutationFn: () => uploading(api.post('/v1/users/import_checks', { body: { rows: userRows(table) } })),
  })
  return (
    <>
      <ColumnsStep
        table={table}
        columns={userFields}
        setMapping={(mapping) => {
          check.reset()
          setMapping(mapping)
        }}
        missing={missing}
        check={{ run: () => check.mutate(), isPending: check.isPending, error: check.error }}
      />
      {check.data && <ReviewUsers table={table} check={check.data} again={again} />}
    </>
  )
}

function ReviewUsers({ table, check, again }: { table: ImportTable<UserField>; check: UserCheck; again: () => void }) {
  const queries = useQueryClient()
  const { mail_server: hasMailServer } = useSession()
  const [invites, setInvites] = useState(hasMailServer)
  const [progress, setProgress] = useState<UserImport>()
  const [started, setStarted] = useState<UserImport>()
  const [error, setError] = useState<unknown>()
  const invalid = new Set(check.problems.filter(({ errors }) => errors.length > 0).map(({ row }) => row))
  const refresh = async () => {
    for (const queryKey of [['users'], ['teams'], ['numbers']]) await queries.invalidateQueries({ queryKey })
  }
  const run = async () => {
    setError(undefined)
    try {
      const rows = userRows(table).filter((_, i) => !invalid.has(i))
      const body = { rows, send_invitations: invites }
      // After an interruption the import that the server has is followed, not repeated.
      const change = started ?? (await uploading(api.post('/v1/users/imports', { body }))).import
      setStarted(change)
      const ended = await followImport(change, setProgress)
      setStarted(undefined)
      await refresh()
      if (ended.state === 'failed') throw new Error('The import failed, and nothing was changed. Try again.')
    } catch (failure) {
      setProgress(undefined)
      setError(failure)
    }
  }
  if (progress)
    return (
      <ImportedUsers change={progress} setChange={setProgress} isMailed={invites} refresh={refresh} again={again} />
    )
  const [first] = check.sample
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h4">
          3. Check and import
        </Title>
        <Text size="sm" aria-live="polite">
          {count(check.valid, 'new user')} · {count(check.duplicates, 'duplicate')} · {count(check.invalid, 'row')} with
          errors
        </Text>
        {first && (
          <Text size="sm" c="dimmed">
            First row:{' '}
            {[first.email, first.first_name, first.last_name, first.roles.join(', ')].filter(Boolean).join(' · ')}
          </Text>
        )}
        <Problems
          table={table}
          problems={check.problems}
          same="same email as"
          known={() => 'a user has this email already, is skipped'}
        />
        {hasMailServer ? (
          <Checkbox
            label="Send invitations by email"
            description="Each user receives a link that is valid for 24 hours. Emails cannot be unsent, but an undo makes their links invalid."
            checked={invites}
            onChange={(event) => setInvites(event.currentTarget.checked)}
          />
        ) : (
          <Text size="sm">
            No mail server is configured, so no email is sent. After the import you can download the invitation links.
          </Text>
        )}
        {error !== undefined && <SaveError error={error} retry={() => void run()} title="Users not imported" />}
        <Group>
          <Button disabled={check.valid === 0} onClick={() => void run()}>
            {invalid.size > 0
              ? `Import ${count(check.valid, 'user')}, leave out ${count(invalid.size, 'row')}`
              : `Import ${count(check.valid, 'user')}`}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

function ImportedUsers({
  change,
  setChange,
  isMailed,
  refresh,
  again,
}: {
  change: UserImport
  setChange: (change: UserImport) => void
  isMailed: boolean
  refresh: () => Promise<void>
  again: () => void
}) {
  const [isBusy, setBusy] = useState(false)
  const undo = async () => {
    try {
      const started = await api.post('/v1/users/imports/{id}/undo', { params: { id: change.id } })
      const { done } = await followImport(started.import, setChange)
      await refresh()
      notify(done > 0 ? `Import undone; ${count(done, 'user')} with an account already stay` : 'Import undone')
    } catch (failure) {
      notifyError(failure, 'Undo failed')
    }
  }
  const download = async () => {
    setBusy(true)
    try {
      const links = await linksOf(change.id)
      const rows = links.map(({ email, name, link }) => [email, name, link])
      saveFile('invitation-links.csv', writeCsv([['Email', 'Name', 'Invitation link'], ...rows]))
      notify(`${count(links.length, 'invitation link')} downloaded. Each works once, for 24 hours.`)
    } catch (failure) {
      notifyError(failure, 'Links not created')
    }
    setBusy(false)
  }
  return (
    <ImportProgress change={change} word="user" list="/dashboard/users" undo={undo} again={again}>
      <Text size="sm">
        {isMailed
          ? 'The invitations are being sent by email; see the email log in Settings. You can also download links and pass them on.'
          : 'No email is sent. Download the invitation links and pass them on: each sets the password of one account, works once, for 24 hours.'}
      </Text>
      {change.done > 0 && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            loading={isBusy}
            onClick={() => void download()}
          >
            Download invitation links
          </Button>
        </Group>
      )}
    </ImportProgress>
  )
}
