import {
  Anchor,
  Badge,
  Button,
  FileButton,
  Group,
  Loader,
  Modal,
  Paper,
  Progress,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { Section } from './builder-parts.tsx'
import {
  documentEndings,
  documentsKey,
  fileProblem,
  type KnowledgeDocument,
  sizeInWords,
  uploadDocument,
  useDocuments,
} from './documents.ts'

interface Upload {
  key: number
  name: string
  size: number
  /** Undefined while it is uploaded. */
  problem: string | undefined
}

let lastUpload = 0

/** Files and web pages of an AI agent. They take effect at once and are no part of a version. */
export function Documents({ id }: { id: string }) {
  const queries = useQueryClient()
  const { data: documents, error, refetch } = useDocuments(id)
  const [uploads, setUploads] = useState<Upload[]>([])
  const [shown, setShown] = useState<KnowledgeDocument | null>(null)
  // So that the same file can be chosen again.
  const resetFiles = useRef<() => void>(null)
  const reload = () => queries.invalidateQueries({ queryKey: documentsKey(id) })

  const send = async (files: readonly File[]) => {
    const started = files.map((file) => {
      lastUpload++
      return { file, key: lastUpload, name: file.name, size: file.size, problem: fileProblem(file) }
    })
    setUploads((before) => [...before, ...started.map(({ file: _file, ...upload }) => upload)])
    for (const { file, key, problem } of started) {
      if (problem !== undefined) continue
      try {
        await uploadDocument(id, file)
        setUploads((before) => before.filter((upload) => upload.key !== key))
        await reload()
      } catch (failure) {
        const reason = failure instanceof Error ? failure.message : 'Something went wrong'
        setUploads((before) => before.map((one) => (one.key === key ? { ...one, problem: reason } : one)))
      }
    }
  }

  return (
    <Section
      title="Documents"
      about="Files and web pages. For each reply, the LLM receives the passages about what the caller said. Changes apply immediately."
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {documents?.length === 0 && uploads.length === 0 && (
        <Text size="sm" c="dimmed">
          No documents yet. Upload price lists, manuals or answers to frequent questions, or add a web page.
        </Text>
      )}
      <Stack gap="xs">
        {documents?.map((document) => (
          <DocumentRow key={document.id} id={id} document={document} show={() => setShown(document)} changed={reload} />
        ))}
        {uploads.map((upload) => (
          <UploadRow
            key={upload.key}
            upload={upload}
            dismiss={() => setUploads((before) => before.filter(({ key }) => key !== upload.key))}
          />
        ))}
      </Stack>
      <Group gap="sm" align="flex-end" wrap="wrap">
        <FileButton
          multiple
          resetRef={resetFiles}
          accept={documentEndings}
          onChange={(files) => {
            resetFiles.current?.()
            void send(files)
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              Upload files
            </Button>
          )}
        </FileButton>
        <AddPage id={id} added={reload} />
      </Group>
      <Text size="xs" c="dimmed">
        Text, Markdown, HTML or PDF, at most 5 MB each. Only the text is stored.
      </Text>
      {shown && <Passages id={id} document={shown} close={() => setShown(null)} />}
    </Section>
  )
}

function AddPage({ id, added }: { id: string; added: () => Promise<void> }) {
  const [url, setUrl] = useState('')
  const add = useMutation({
    mutationFn: () => api.post('/v1/ai_voice_agents/{id}/documents', { params: { id }, body: { url: url.trim() } }),
    onSuccess: async () => {
      setUrl('')
      await added()
    },
  })
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" flex="1 1 260px">
      <TextInput
        label="Web page"
        placeholder="https://example.com/faq"
        flex={1}
        maxLength={2_048}
        error={add.error?.message.replace('`url`', 'The URL')}
        value={url}
        onChange={({ currentTarget }) => {
          setUrl(currentTarget.value)
          add.reset()
        }}
      />
      <Button variant="default" disabled={url.trim() === ''} loading={add.isPending} onClick={() => add.mutate()}>
        Add page
      </Button>
    </Group>
  )
}

function UploadRow({ upload: { name, size, problem }, dismiss }: { upload: Upload; dismiss: () => void }) {
  return (
    <Paper withBorder p="xs" role="status" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
            {problem === undefined ? `Uploading and reading ${sizeInWords(size)}…` : `Not added: ${problem}`}
          </Text>
        </div>
        {problem !== undefined && (
          <Button size="compact-xs" variant="subtle" flex="none" onClick={dismiss}>
            Dismiss
          </Button>
        )}
      </Group>
      {problem === undefined && <Progress mt={6} size="sm" value={100} animated aria-label={`Upload of ${name}`} />}
    </Paper>
  )
}

function DocumentRow({
  id,
  document,
  show,
  changed,
}: {
  id: string
  document: KnowledgeDocument
  show: () => void
  changed: () => Promise<void>
}) {
  const { name, url, status, problem, passages } = document
  const params = { id, document_id: document.id }
  const refresh = useMutation({
    mutationFn: () => api.post('/v1/ai_voice_agents/{id}/documents/{document_id}/refresh', { params, body: {} }),
    onSuccess: changed,
    onError: (error) => notifyError(error, 'Page not refreshed'),
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/v1/ai_voice_agents/{id}/documents/{document_id}', { params }),
    onSuccess: async () => {
      notify('Document deleted')
      await changed()
    },
    onError: (error) => notifyError(error, 'Document not deleted'),
  })
  return (
    <Paper withBorder p="xs" component="section" aria-label={name}>
      <Group justify="space-between" gap="xs" align="flex-start" wrap="wrap">
        <div style={{ minWidth: 0, flex: '1 1 200px' }}>
          <Group gap={6} wrap="nowrap">
            <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {status === 'pending' && <Loader size={12} role="status" aria-label="Fetching" />}
            {status === 'failed' && (
              <Badge size="sm" color="red" variant="light">
                Failed
              </Badge>
            )}
          </Group>
          {url !== null && url !== name && (
            <Anchor href={url} target="_blank" rel="noreferrer" size="xs" style={{ overflowWrap: 'anywhere' }}>
              {url}
            </Anchor>
          )}
          <Text size="xs" c="dimmed">
            {factsOf(document)}
          </Text>
          {problem !== null && (
            <Text size="xs" c="var(--mantine-color-error)">
              {passages > 0 ? `The last fetch failed, older text is in use: ${problem}` : problem}
            </Text>
          )}
        </div>
        <Group gap={4}>
          {passages > 0 && (
            <Button size="compact-xs" variant="subtle" onClick={show}>
              View
            </Button>
          )}
          {url !== null && (
            <Button
              size="compact-xs"
              variant="subtle"
              disabled={status === 'pending'}
              loading={refresh.isPending}
              onClick={() => refresh.mutate()}
            >
              Refresh
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Delete
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

function factsOf({ status, bytes, passages, fetched_at: fetched }: KnowledgeDocument): string {
  if (passages === 0) return status === 'pending' ? 'Fetching…' : 'No text'
  const count = `${passages} ${passages === 1 ? 'passage' : 'passages'}`
  return [sizeInWords(bytes), count, ...(fetched === null ? [] : [`Fetched ${dateTime(fetched)}`])].join(' · ')
}

function Passages({ id, document, close }: { id: string; document: KnowledgeDocument; close: () => void }) {
  const { data, error } = useQuery({
    queryKey: [...documentsKey(id), document.id, document.fetched_at],
    queryFn: () =>
      api.get('/v1/ai_voice_agents/{id}/documents/{document_id}', { params: { id, document_id: document.id } }),
  })
  return (
    <Modal opened onClose={close} title={document.name} size="lg">
      {error && <ErrorAlert error={error} />}
      {!data && !error && <Loader role="status" aria-label="Loading" />}
      <Stack gap="xs">
        {data?.texts.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <Paper key={at} withBorder p="xs">
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text}
            </Text>
          </Paper>
        ))}
      </Stack>
    </Modal>
  )
}
