import { ActionIcon, Button, ColorInput, Group, Text, TextInput } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { emojiHint } from '../../kit/ui/emoji-hint.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { type TagItem, useTags } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { Dot } from '../../kit/ui/people.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, ShortList } from '../parts/short-list.tsx'

const swatches = ['#2F80ED', '#27AE60', '#F2994A', '#EB5757', '#9B51E0', '#00B388', '#E64980', '#828282']

/** A tag in the drawer; a new tag has not been loaded. */
type Draft = { name: string; color: string; loaded?: TagItem }

export default function TagsPage() {
  const session = useSession()
  const queries = useQueryClient()
  const { data: tags, error, refetch } = useTags()
  const [draft, setDraft] = useState<Draft>()
  const [dialog, confirm] = useConfirm()
  const refresh = () => queries.invalidateQueries({ queryKey: ['tags'] })
  const may = isAdmin(session)
  const begin = () => setDraft({ name: '', color: swatches[(tags?.length ?? 0) % swatches.length] ?? '#2F80ED' })
  const remove = ({ id, name }: TagItem) =>
    confirm({
      title: `Delete tag ${name}?`,
      body: 'The tag is removed from all calls. This cannot be undone.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/tags/{id}', { params: { id } })
        await refresh()
        notify('Tag deleted')
      },
    })
  return (
    <Page
      title="Tags"
      lead="Labels that categorize calls. Agents add them during or after a call."
      actions={
        may && (
          <Button leftSection={<IconPlus size={16} />} onClick={begin}>
            New tag
          </Button>
        )
      }
    >
      {dialog}
      <ShortList
        page="tags"
        label="Tags"
        word="tag"
        search="Search tags"
        columns={columns}
        actions={may && actions(setDraft, remove)}
        bulk={may ? [deletion] : []}
        refresh={refresh}
        rows={tags}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/dashboard/calls?tag=${id}`}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No tags yet">Create tags such as complaint, order or question.</Empty>}
      />
      <Editor draft={draft} change={setDraft} close={() => setDraft(undefined)} />
    </Page>
  )
}

const deletion: ListAction<TagItem> = {
  label: 'Delete',
  done: 'deleted',
  icon: <IconTrash size={14} />,
  body: 'The tags are removed from all calls. This cannot be undone.',
  typed: 'delete',
  run: ({ id }) => api.delete('/v1/tags/{id}', { params: { id } }),
}

const columns: ListColumn<TagItem>[] = [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: ({ name, color }) => (
      <Group gap="sm" wrap="nowrap">
        <Dot color={color} size={14} />
        <Text size="sm" fw={550}>
          {name}
        </Text>
      </Group>
    ),
  },
  {
    label: 'Color',
    value: ({ color }) => color.toUpperCase(),
    cell: ({ color }) => (
      <Text size="sm" ff="monospace">
        {color.toUpperCase()}
      </Text>
    ),
    from: 'xs',
  },
  {
    label: 'Calls',
    cell: () => (
      <Text size="sm" c="dimmed">
        View calls
      </Text>
    ),
    from: 'sm',
  },
]

const actions = (edit: (tag: Draft) => void, remove: (tag: TagItem) => void): ListColumn<TagItem> => ({
  label: 'Actions',
  align: 'right',
  cell: (tag) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Edit ${tag.name}`}
        onClick={() => edit({ name: tag.name, color: tag.color, loaded: tag })}
      >
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Delete ${tag.name}`} onClick={() => remove(tag)}>
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
  const { loaded, name, color } = draft ?? { loaded: undefined, name: '', color: '' }
  const hint = emojiHint(name)
  const submit = async () => {
    const body = { name: name.trim(), color }
    await (loaded
      ? api.put('/v1/tags/{id}', { params: { id: loaded.id }, body, loaded })
      : api.post('/v1/tags', { body }))
    await queries.invalidateQueries({ queryKey: ['tags'] })
    notify(loaded ? 'Tag saved' : 'Tag created')
  }
  return (
    <FormDrawer
      title={loaded ? 'Edit tag' : 'New tag'}
      opened={draft !== undefined}
      close={close}
      action={loaded ? 'Save' : 'Create tag'}
      submit={submit}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        {...hint}
        ref={(field) => field?.setCustomValidity(hint.error ?? '')}
        value={name}
        onChange={(event) => draft && change({ ...draft, name: event.currentTarget.value })}
      />
      <ColorInput
        label="Color"
        required
        format="hex"
        fixOnBlur={false}
        pattern="#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"
        title="Enter a color, such as #2F80ED"
        swatches={swatches}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a color from the screen' }}
        value={color}
        onChange={(value) => draft && change({ ...draft, color: value })}
      />
    </FormDrawer>
  )
}
