import {
  Anchor,
  Button,
  FileInput,
  Group,
  Paper,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type CsvFiles, csvKinds } from '../../../src/domain/import/csv.ts'
import { importKindLabels, importKinds } from '../../../src/domain/import/kinds.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { useUnsaved } from '../../kit/unsaved.ts'
import { importsKey } from './import-run.tsx'

type Counts = ResponseOf<'/v1/company_imports/counts', 'post'>['counts']

const noSource = { from: 'server', url: '', api_key: '', api_token: '', files: {} as ChosenFiles }
type Source = typeof noSource
type ChosenFiles = Partial<Record<(typeof csvKinds)[number], File>>

/** The first submission counts the objects of the source, the second one starts the import. */
export function NewImport({ close }: { close: () => void }) {
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const [source, setSource] = useState(noSource)
  const [merge, setMerge] = useState(false)
  const [counts, setCounts] = useState<Counts>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const { url, api_key, api_token, files } = source
  useUnsaved([url, api_key, api_token, ...Object.keys(files)].some((value) => value !== ''))
  const change = (part: Partial<Source>) => {
    setSource({ ...source, ...part })
    setCounts(undefined)
    setFailure(undefined)
  }
  const start = async () => {
    await api.post('/v1/company_imports', { body: { ...(await bodyOf(source)), merge } })
    await queries.invalidateQueries({ queryKey: importsKey })
    notify('Import started')
    close()
  }
  const submit = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (!counts) setCounts((await api.post('/v1/company_imports/counts', { body: await bodyOf(source) })).counts)
      else if (!merge) await start()
      else {
        confirm({
          title: 'Update existing objects?',
          body: 'Names and settings of users, tags, Numbers and contacts that exist here and at the source are replaced by those of the source. This cannot be undone.',
          action: 'Start import',
          run: start,
        })
      }
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="New import">
      {dialog}
      <Title order={2} size="h4" mb="sm">
        New import
      </Title>
      <SegmentedControl
        aria-label="Source"
        mb="sm"
        data={[
          { value: 'server', label: 'Another server' },
          { value: 'csv', label: 'CSV files' },
        ]}
        value={source.from}
        onChange={(from) => change({ from })}
      />
      <CheckedForm onSubmit={() => !isBusy && void submit()}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1_000}>
          {source.from === 'csv' ? (
            <CsvFields source={source} change={change} />
          ) : (
            <ServerFields source={source} change={change} />
          )}
          {counts && (
            <Stack gap="sm">
              <SourceCounts counts={counts} kinds={source.from === 'csv' ? csvKinds : importKinds} />
              <Switch
                label="Update existing objects"
                description="Otherwise users, teams, tags, Numbers and contacts that exist here are not changed"
                checked={merge}
                onChange={(event) => setMerge(event.currentTarget.checked)}
              />
            </Stack>
          )}
        </SimpleGrid>
        <Stack gap="sm" mt="md" maw={1_000}>
          <SaveError error={failure} title="The source cannot be read" />
          <Group gap="xs">
            <Button type="submit" loading={isBusy}>
              {counts ? 'Start import' : 'Check source'}
            </Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Paper>
  )
}

async function bodyOf({ from, url, api_key, api_token, files }: Source) {
  if (from === 'server') return { url: url.trim(), api_key: api_key.trim(), api_token: api_token.trim() }
  const texts: CsvFiles = {}
  for (const kind of csvKinds) {
    const text = await files[kind]?.text()
    if (text !== undefined) texts[kind] = text
  }
  return { files: texts }
}

interface SourceFieldsProps {
  source: Source
  change: (part: Partial<Source>) => void
}

function ServerFields({ source, change }: SourceFieldsProps) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Brings over users, teams, tags, Numbers, contacts, webhooks, messages, and calls of the last six months with
        recordings and transcripts. Nothing is imported before you have seen the counts.
      </Text>
      <TextInput
        label="Server URL"
        name="url"
        type="url"
        placeholder="https://phone.example.com"
        required
        maxLength={2_048}
        value={source.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <TextInput
        label="API ID"
        name="api_key"
        required
        autoComplete="off"
        maxLength={255}
        value={source.api_key}
        onChange={(event) => change({ api_key: event.currentTarget.value })}
      />
      <PasswordInput
        label="API token"
        name="api_token"
        description="Stored encrypted until the import is complete, and never shown"
        required
        autoComplete="off"
        maxLength={255}
        value={source.api_token}
        onChange={(event) => change({ api_token: event.currentTarget.value })}
      />
    </Stack>
  )
}

const columnsOf = {
  users: 'email, name, language, time_zone, wrap_up_time, extension',
  contacts: 'phone_numbers, first_name, last_name, company_name, information, emails',
  calls: 'direction, number, external_number, started_at, answered_at, duration, user_email, tags, comment',
}

function CsvFields({ source: { files }, change }: SourceFieldsProps) {
  const choose = (kind: (typeof csvKinds)[number], file: File | null) => {
    const { [kind]: _before, ...others } = files
    change({ files: file ? { ...others, [kind]: file } : others })
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        The first line of a file has the names of the columns. The{' '}
        <Anchor href="/docs/import" inherit underline="always">
          documentation
        </Anchor>{' '}
        lists them all. Nothing is imported before you have seen the counts.
      </Text>
      {csvKinds.map((kind) => (
        <FileInput
          key={kind}
          label={importKindLabels[kind]}
          description={columnsOf[kind]}
          placeholder="Select CSV file"
          accept=".csv,text/csv"
          clearable
          clearButtonProps={{ 'aria-label': `Remove file of ${importKindLabels[kind].toLowerCase()}` }}
          value={files[kind] ?? null}
          onChange={(file) => choose(kind, file)}
        />
      ))}
    </Stack>
  )
}

function SourceCounts({ counts, kinds }: { counts: Counts; kinds: readonly (keyof Counts)[] }) {
  return (
    <Table aria-label="Objects of the source" verticalSpacing={4} withTableBorder>
      <Table.Tbody>
        {kinds.map((kind) => (
          <Table.Tr key={kind}>
            <Table.Th fw={500}>{importKindLabels[kind]}</Table.Th>
            <Table.Td ta="right" {...(counts[kind] === null && { c: 'dimmed' })}>
              {counts[kind]?.toLocaleString() ?? 'Counted during the import'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
