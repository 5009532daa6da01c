import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { type SmsTemplate, smsTemplatesKey, useSmsTemplates } from '../../kit/inbox/data.ts'
import { extentOf } from '../../kit/inbox/segments.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, ShortList } from '../parts/short-list.tsx'

/** A new template has no id. */
type Draft = Omit<SmsTemplate, 'id'> & { id?: number; loaded?: SmsTemplate }

/** Reusable texts for messages. */
export function SmsTemplates() {
  const may = isAdmin(useSession())
  const queries = useQueryClient()
  const { data, error, refetch } = useSmsTemplates()
  const [draft, setDraft] = useState<Draft>()
  const [dialog, confirm] = useConfirm()
  const refresh = () => queries.invalidateQueries({ queryKey: smsTemplatesKey })
  const remove = ({ id, name }: SmsTemplate) =>
    confirm({
      title: `Delete template ${name}?`,
      body: 'Sent messages are kept. This cannot be undone.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/sms/templates/{id}', { params: { id } })
        await refresh()
        notify('Template deleted')
      },
    })
  return (
    <Stack>
      {dialog}
      {may && (
        <Group justify="flex-end">
          <Button leftSection={<IconPlus size={16} />} onClick={() => setDraft({ name: '', body: '' })}>
            New template
          </Button>
        </Group>
      )}
      <ShortList
        page="templates"
        label="SMS templates"
        word="template"
        search="Search templates"
        textsOf={({ name, body }) => [name, body]}
        columns={columns}
        actions={may && actions(setDraft, remove)}
        bulk={may ? [deletion] : []}
        refresh={refresh}
        nameOf={({ name }) => name}
        rows={data}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No templates yet">
            Create templates for frequent messages, such as business hours or directions.
          </Empty>
        }
      />
      <Editor draft={draft} change={setDraft} close={() => setDraft(undefined)} />
    </Stack>
  )
}

const deletion: ListAction<SmsTemplate> = {
  label: 'Delete',
  done: 'deleted',
  icon: <IconTrash size={14} />,
  run: ({ id }) => api.delete('/v1/sms/templates/{id}', { params: { id } }),
  undo: ({ name, body }) => api.post('/v1/sms/templates', { body: { name, body } }),
}

const columns: ListColumn<SmsTemplate>[] = [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: ({ name }) => (
      <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    ),
  },
  {
    label: 'Text',
    value: ({ body }) => body,
    cell: ({ body }) => (
      <Text size="sm" lineClamp={2} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {body}
      </Text>
    ),
  },
  {
    label: 'Length',
    value: ({ body }) => extentOf(body).parts,
    cell: ({ body }) => <Text size="sm">{extentOf(body).parts} SMS</Text>,
    from: 'sm',
  },
]

const actions = (edit: (draft: Draft) => void, remove: (template: SmsTemplate) => void): ListColumn<SmsTemplate> => ({
  label: 'Actions',
  align: 'right',
  cell: (template) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Edit ${template.name}`}
        onClick={() => edit({ ...template, loaded: template })}
      >
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Delete ${template.name}`} onClick={() => remove(template)}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  ),
})

function Editor({
  draft,
  change,
  close,
}: {
  draft: Draft | undefined
  change: (draft: Draft) => void
  close: () => void
}) {
  const queries = useQueryClient()
  const { id, name, body } = draft ?? { id: undefined, name: '', body: '' }
  const { characters, parts, alphabet } = extentOf(body)
  const submit = async () => {
    const template = { name: name.trim(), body: body.trim() }
    await (id === undefined
      ? api.post('/v1/sms/templates', { body: template })
      : api.put('/v1/sms/templates/{id}', { params: { id }, body: template, loaded: draft?.loaded }))
    await queries.invalidateQueries({ queryKey: smsTemplatesKey })
    notify(id === undefined ? 'Template created' : 'Template saved')
  }
  return (
    <FormDrawer
      title={id === undefined ? 'New template' : 'Edit template'}
      opened={draft !== undefined}
      close={close}
      action={id === undefined ? 'Create template' : 'Save'}
      submit={submit}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        value={name}
        onChange={(event) => draft && change({ ...draft, name: event.currentTarget.value })}
      />
      <Textarea
        label="Text"
        required
        autosize
        minRows={4}
        maxRows={14}
        maxLength={1_600}
        description={`${count(characters, 'character')} · ${parts} SMS · ${alphabet}`}
        value={body}
        onChange={(event) => draft && change({ ...draft, body: event.currentTarget.value })}
      />
    </FormDrawer>
  )
}
