import {
  Button,
  Group,
  Paper,
  PasswordInput,
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
import { importKindLabels, importKinds } from '../../../src/domain/import/kinds.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { useUnsaved } from '../../kit/unsaved.ts'
import { importsKey } from './import-run.tsx'

type Counts = ResponseOf<'/v1/company_imports/counts', 'post'>['counts']

/** The first submission counts the objects of the source, the second one starts the import. */
export function NewImport({ close }: { close: () => void }) {
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const [source, setSource] = useState({ url: '', api_key: '', api_token: '' })
  const [merge, setMerge] = useState(false)
  const [counts, setCounts] = useState<Counts>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  useUnsaved(Object.values(source).some((value) => value !== ''))
  const change = (part: Partial<typeof source>) => {
    setSource({ ...source, ...part })
    setCounts(undefined)
  }
  const trimmed = { url: source.url.trim(), api_key: source.api_key.trim(), api_token: source.api_token.trim() }
  const start = async () => {
    await api.post('/v1/company_imports', { body: { ...trimmed, merge } })
    await queries.invalidateQueries({ queryKey: importsKey })
    notify('Import started')
    close()
  }
  const submit = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (!counts) setCounts((await api.post('/v1/company_imports/counts', { body: trimmed })).counts)
      else if (!merge) await start()
      else {
        confirm({
          title: 'Update existing objects?',
          body: `Names and settings of users, tags, Numbers and contacts that exist here and at ${trimmed.url} are replaced by those of the other server. This cannot be undone.`,
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
      <Title order={2} size="h4" mb={4}>
        New import
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw={640}>
        Brings over users, teams, tags, Numbers, contacts, webhooks, messages, and calls of the last six months with
        recordings and transcripts. Nothing is imported before you have seen the counts.
      </Text>
      <CheckedForm onSubmit={() => !isBusy && void submit()}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1_000}>
          <Stack gap="sm">
            <TextInput
              label="Server URL"
              name="url"
              type="url"
              placeholder="https://phone.example.com"
              required
              data-autofocus
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
          {counts && (
            <Stack gap="sm">
              <SourceCounts counts={counts} />
              <Switch
                label="Update existing objects"
                description="Otherwise users, teams, tags, Numbers and contacts that exist here are not changed"
                checked={merge}
                onChange={(event) => setMerge(event.currentTarget.checked)}
              />
            </Stack>
          )}
        </SimpleGrid>
        <Stack gap="sm" mt="md">
          <SaveError error={failure} title="Import not started" />
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

function SourceCounts({ counts }: { counts: Counts }) {
  return (
    <Table aria-label="Objects of the source" verticalSpacing={4} withTableBorder>
      <Table.Tbody>
        {importKinds.map((kind) => (
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
