import { ActionIcon, Alert, Button, Group, SegmentedControl, Text, Textarea, Tooltip } from '@mantine/core'
import { IconFile, IconPaperclip, IconSend2, IconTemplate, IconX } from '@tabler/icons-react'
import { type ChangeEvent, type KeyboardEvent, Suspense, useRef, useState } from 'react'
import { lazyPart } from '../load.ts'
import { errorMessage, mayRepeat } from '../ui/error-alert.tsx'
import { count } from '../ui/format.ts'
import { notifyError } from '../ui/toast.tsx'
import { fileTypes, type ItemShown, type One, upload } from './data.ts'
import css from './inbox.module.css'
import { type Channel, channelOf, maxFiles, messageDraft, permissionIn, type TemplateMessage } from './model.ts'
import { extentOf } from './segments.ts'
import { useInbox } from './store.tsx'

const Templates = lazyPart(() => import('./templates.tsx'))
const channels = [
  { value: 'texts', label: 'SMS' },
  { value: 'whatsapp', label: 'WhatsApp' },
]

/** Enter sends, Shift+Enter inserts a line break. When nothing can be sent, the reason replaces the field. */
export function Composer({ one: { conversation, reachable }, items }: { one: One; items: readonly ItemShown[] }) {
  const { id } = conversation
  const { state, dispatch, send } = useInbox()
  const [isPicking, setPicking] = useState(false)
  const { uploading, failed, setFailed, attach } = useUploads(id)
  const input = useRef<HTMLTextAreaElement>(null)
  const draft = messageDraft(state, id)
  const channel = channelOf(draft, reachable)
  const permission = permissionIn(conversation, reachable, channel)
  const known = items.map(({ key }) => key)
  const isEmpty = draft.text.trim() === '' && draft.files.length === 0
  const maxLength = channel === 'texts' ? 1_600 : 4_096

  const submit = () => {
    if (isEmpty || uploading > 0 || permission.kind !== 'write') return
    send(id, { channel, text: draft.text.trim(), files: draft.files }, known)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const sendTemplate = (template: TemplateMessage) => {
    setPicking(false)
    send(id, { channel: 'whatsapp', text: '', files: [], template }, known)
  }
  const insert = (body: string) => {
    setPicking(false)
    const text = draft.text === '' ? body : `${draft.text}\n${body}`
    dispatch({ type: 'typed', id, text: text.slice(0, maxLength) })
    input.current?.focus()
  }

  if (permission.kind === 'nothing') {
    return (
      <div className={css.composer}>
        <Alert color="gray" variant="light" py="xs" role="status">
          {permission.why}
        </Alert>
      </div>
    )
  }
  const needsTemplate = permission.kind === 'templates'
  return (
    <div className={css.composer}>
      {reachable.texts && reachable.whatsapp && (
        <SegmentedControl
          size="xs"
          mb={8}
          data={channels}
          value={channel}
          aria-label="Channel"
          onChange={(value) => dispatch({ type: 'channel', id, channel: value as Channel })}
        />
      )}
      {needsTemplate ? (
        <TemplateNeeded choose={() => setPicking(true)} />
      ) : (
        <>
          <Files id={id} uploading={uploading} />
          <FailedFiles failed={failed} setFailed={setFailed} attach={attach} />
          <Group gap={6} align="flex-end" wrap="nowrap">
            <Attach attach={attach} isFull={draft.files.length >= maxFiles} />
            <Tooltip label="Templates">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label="Templates"
                onClick={() => setPicking(true)}
              >
                <IconTemplate size={20} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Textarea
              ref={input}
              flex={1}
              autosize
              minRows={1}
              maxRows={6}
              maxLength={maxLength}
              aria-label="Message"
              placeholder={channel === 'whatsapp' ? 'WhatsApp message' : 'Text message'}
              value={draft.text}
              onChange={(event) => dispatch({ type: 'typed', id, text: event.currentTarget.value })}
              onKeyDown={onKeyDown}
            />
            <ActionIcon
              size={36}
              variant="filled"
              aria-label="Send"
              disabled={isEmpty || uploading > 0}
              onClick={submit}
            >
              <IconSend2 size={19} aria-hidden />
            </ActionIcon>
          </Group>
          <Length text={draft.text} channel={channel} />
        </>
      )}
      {isPicking && (
        <Suspense>
          <Templates
            id={id}
            channel={channel}
            close={() => setPicking(false)}
            insert={insert}
            sendTemplate={sendTemplate}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Outside of the 24 hours in which WhatsApp allows free text. */
function TemplateNeeded({ choose }: { choose: () => void }) {
  return (
    <Alert color="yellow" variant="light" py="xs" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex={1} miw={200}>
          No WhatsApp message from this contact in the last 24 hours: only an approved template can be sent.
        </Text>
        <Button size="xs" leftSection={<IconTemplate size={16} />} onClick={choose}>
          Choose template
        </Button>
      </Group>
    </Alert>
  )
}

/** Carriers charge for each segment of a text message. */
function Length({ text, channel }: { text: string; channel: Channel }) {
  const { characters, parts, alphabet, left } = extentOf(text)
  const label =
    channel === 'whatsapp'
      ? count(characters, 'character')
      : `${count(characters, 'character')} · ${parts} SMS · ${alphabet} · ${left} left`
  return (
    <Text size="xs" c="dimmed" mt={4} mih={18} ta="right">
      {characters > 0 ? label : 'Enter to send, Shift+Enter for a new line'}
    </Text>
  )
}

function Files({ id, uploading }: { id: string; uploading: number }) {
  const { state, dispatch } = useInbox()
  const { files } = messageDraft(state, id)
  if (files.length + uploading === 0) return null
  return (
    <ul className={css.files} aria-label="Files to send">
      {files.map((file) => (
        <li key={file.id} className={css.chip}>
          <IconFile size={16} aria-hidden />
          <span>{file.name}</span>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={`Remove ${file.name}`}
            onClick={() => dispatch({ type: 'detached', id, fileId: file.id })}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </li>
      ))}
      {uploading > 0 && <li className={css.chip}>Uploading {count(uploading, 'file')}…</li>}
    </ul>
  )
}

/** Uploads of files that are attached to a message. */
function useUploads(id: string) {
  const { dispatch } = useInbox()
  const [uploading, setUploading] = useState(0)
  const [failed, setFailed] = useState<readonly FailedFile[]>([])
  const attach = async (file: File) => {
    setUploading((n) => n + 1)
    try {
      dispatch({ type: 'attached', id, file: await upload(file) })
    } catch (error) {
      if (mayRepeat(error)) setFailed((before) => [...before, { file, why: errorMessage(error) }])
      else notifyError(error, `${file.name} was not attached`)
    }
    setUploading((n) => n - 1)
  }
  return { uploading, failed, setFailed, attach }
}

interface FailedFile {
  file: File
  why: string
}

/** Files whose upload was interrupted. */
function FailedFiles({
  failed,
  setFailed,
  attach,
}: {
  failed: readonly FailedFile[]
  setFailed: (failed: readonly FailedFile[]) => void
  attach: (file: File) => Promise<void>
}) {
  const remove = (one: FailedFile) => setFailed(failed.filter((other) => other !== one))
  return failed.map((one, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same file may fail twice
    <Alert key={i} color="red" variant="light" py="xs" mb={6} role="alert" title={`${one.file.name} was not attached`}>
      <Text size="sm">{one.why}</Text>
      <Group gap="xs" mt={6}>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          onClick={() => {
            remove(one)
            void attach(one.file)
          }}
        >
          Retry
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => remove(one)}>
          Remove
        </Button>
      </Group>
    </Alert>
  ))
}

function Attach({ attach, isFull }: { attach: (file: File) => Promise<void>; isFull: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  const onChosen = (event: ChangeEvent<HTMLInputElement>) => {
    for (const file of [...(event.currentTarget.files ?? [])].slice(0, maxFiles)) void attach(file)
    // So that the same file can be chosen again.
    event.currentTarget.value = ''
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={fileTypes}
        aria-label="Files"
        data-testid="files"
        onChange={onChosen}
      />
      <Tooltip label="Attach files">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label="Attach files"
          disabled={isFull}
          onClick={() => input.current?.click()}
        >
          <IconPaperclip size={20} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </>
  )
}
