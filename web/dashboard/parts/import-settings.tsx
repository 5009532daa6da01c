import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Group,
  Paper,
  PasswordInput,
  Progress,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { importKindLabels, importKinds } from '../../../src/domain/import/kinds.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'

type Run = ResponseOf<'/v1/company_imports'>['imports'][number]
type Counts = ResponseOf<'/v1/company_imports/counts', 'post'>['counts']

const key = ['imports']

/** Brings the company over from another server. */
export function ImportSettings() {
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: () => api.get('/v1/company_imports'),
    refetchInterval: ({ state }) => (state.data?.imports.some((run) => run.state === 'running') ? 1_000 : false),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  const [latest, ...earlier] = data.imports
  return (
    <Stack gap="lg">
      {latest && <ImportRun run={latest} />}
      {latest?.state !== 'running' && <NewImport />}
      {earlier.length > 0 && <EarlierImports runs={earlier} />}
    </Stack>
  )
}

function NewImport() {
  const queries = useQueryClient()
  const [source, setSource] = useState({ url: '', api_key: '', api_token: '' })
  const [merge, setMerge] = useState(false)
  const [counts, setCounts] = useState<Counts>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const change = (part: Partial<typeof source>) => {
    setSource({ ...source, ...part })
    setCounts(undefined)
  }
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setFailure(undefined)
    await work().catch(setFailure)
    setBusy(false)
  }
  const count = () =>
    attempt(async () => setCounts((await api.post('/v1/company_imports/counts', { body: source })).counts))
  const start = () =>
    attempt(async () => {
      await api.post('/v1/company_imports', { body: { ...source, merge } })
      setSource({ url: '', api_key: '', api_token: '' })
      setCounts(undefined)
      await queries.invalidateQueries({ queryKey: key })
      notify('Import started')
    })
  const isComplete = source.url !== '' && source.api_key !== '' && source.api_token !== ''
  return (
    <Paper withBorder p="lg" component="section" aria-label="New import">
      <Title order={2} size="h4" mb={4}>
        Import from another server
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw={640}>
        Brings over users, teams, tags, Numbers, contacts, webhooks, and calls of the last six months with their
        recordings and transcripts. The other server is not changed.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void (counts ? start() : count())
        }}
      >
        <Stack gap="sm" maw={480}>
          <TextInput
            label="Server URL"
            placeholder="https://phone.example.com"
            required
            value={source.url}
            onChange={(event) => change({ url: event.currentTarget.value.trim() })}
          />
          <TextInput
            label="API ID"
            required
            autoComplete="off"
            value={source.api_key}
            onChange={(event) => change({ api_key: event.currentTarget.value.trim() })}
          />
          <PasswordInput
            label="API token"
            description="Stored encrypted until the import is done, and never shown"
            required
            autoComplete="off"
            value={source.api_token}
            onChange={(event) => change({ api_token: event.currentTarget.value.trim() })}
          />
          {counts && <CountTable counts={counts} />}
          {counts && (
            <Checkbox
              label="Update existing objects"
              description="Without this, users, tags, Numbers and contacts that exist here are not changed"
              checked={merge}
              onChange={(event) => setMerge(event.currentTarget.checked)}
            />
          )}
          <SaveError
            error={failure}
            retry={() => void (counts ? start() : count())}
            title="The source cannot be read"
          />
          <Group gap="xs">
            <Button type="submit" loading={isBusy} disabled={!isComplete}>
              {counts ? 'Start import' : 'Check source'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function CountTable({ counts }: { counts: Counts }) {
  return (
    <Table aria-label="Objects of the source" verticalSpacing={4}>
      <Table.Tbody>
        {importKinds.map((kind) => (
          <Table.Tr key={kind}>
            <Table.Th fw={500}>{importKindLabels[kind]}</Table.Th>
            <Table.Td ta="right">{counts[kind]?.toLocaleString() ?? 'Counted during the import'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const stateLabels = {
  running: { label: 'In progress', color: 'blue' },
  stopped: { label: 'Stopped', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
  done: { label: 'Complete', color: 'green' },
} as const

function ImportRun({ run }: { run: Run }) {
  const queries = useQueryClient()
  const { label, color } = stateLabels[run.state]
  const act = async (path: '/v1/company_imports/{id}/stop' | '/v1/company_imports/{id}/continue', done: string) => {
    try {
      await api.post(path, { params: { id: run.id } })
      await queries.invalidateQueries({ queryKey: key })
      notify(done)
    } catch (problem) {
      notifyError(problem, 'Import not changed')
    }
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="Latest import">
      <Group justify="space-between" align="flex-start" mb="sm">
        <div>
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {run.source}
          </Title>
          <Text size="sm" c="dimmed">
            Started {dateTime(run.created_at)}
          </Text>
        </div>
        <Group gap="xs">
          <Badge color={color} variant="light">
            {label}
          </Badge>
          {run.state === 'running' && (
            <Button
              variant="default"
              size="xs"
              onClick={() => void act('/v1/company_imports/{id}/stop', 'Import stopped')}
            >
              Stop
            </Button>
          )}
          {(run.state === 'stopped' || run.state === 'failed') && (
            <Button size="xs" onClick={() => void act('/v1/company_imports/{id}/continue', 'Import continued')}>
              Continue
            </Button>
          )}
        </Group>
      </Group>
      {run.error !== null && (
        <Alert color="red" mb="sm" title="The import failed">
          {run.error}
        </Alert>
      )}
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label="Progress" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Objects</Table.Th>
              <Table.Th w="30%">Progress</Table.Th>
              <Table.Th ta="right">Created</Table.Th>
              <Table.Th ta="right">Existing</Table.Th>
              <Table.Th ta="right">Updated</Table.Th>
              <Table.Th ta="right">Rejected</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {run.progress.map((one) => (
              <Table.Tr key={one.kind}>
                <Table.Th fw={500}>{importKindLabels[one.kind]}</Table.Th>
                <Table.Td>
                  <Progress value={shareOf(one)} color={color} aria-label={importKindLabels[one.kind]} />
                </Table.Td>
                {[one.created, one.existing, one.updated, one.rejected].map((n, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: four columns in a fixed order
                  <Table.Td key={place} ta="right">
                    {n.toLocaleString()}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {run.state !== 'running' && <ImportRemarks id={run.id} />}
    </Paper>
  )
}

function shareOf({ total, created, existing, updated, rejected, finished }: Run['progress'][number]): number {
  if (finished) return 100
  return total ? Math.min(99, ((created + existing + updated + rejected) / total) * 100) : 0
}

/** Rejected rows, and settings that the public API does not show. */
function ImportRemarks({ id }: { id: number }) {
  const { data } = useQuery({
    queryKey: [...key, id],
    queryFn: () => api.get('/v1/company_imports/{id}', { params: { id } }),
  })
  const remarks = data?.import.remarks ?? []
  if (remarks.length === 0) return null
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="xs">
        Report
      </Title>
      <Table.ScrollContainer minWidth={480} mah={420}>
        <Table aria-label="Report" verticalSpacing={4}>
          <Table.Tbody>
            {remarks.map(({ kind, source_id: sourceId, severity, reason }) => (
              <Table.Tr key={`${kind} ${sourceId} ${reason}`}>
                <Table.Td>
                  <Badge color={severity === 'rejected' ? 'red' : 'yellow'} variant="light">
                    {severity === 'rejected' ? 'Rejected' : 'Check'}
                  </Badge>
                </Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {importKindLabels[kind]} {sourceId}
                </Table.Td>
                <Table.Td>{reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

function EarlierImports({ runs }: { runs: readonly Run[] }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label="Earlier imports">
      <Title order={2} size="h4" mb="sm">
        Earlier imports
      </Title>
      <Table verticalSpacing={4}>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{run.source}</Table.Td>
              <Table.Td>{dateTime(run.created_at)}</Table.Td>
              <Table.Td>{stateLabels[run.state].label}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
