import { Button, Menu } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconDownload, IconTag, IconUser } from '@tabler/icons-react'
import { writeCsv } from '../../../src/domain/csv.ts'
import { api } from '../../kit/api.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { type TagItem, type UserItem, useTags, useUsers } from '../../kit/ui/lists.ts'
import type { BulkAction, useBulk } from './bulk-bar.tsx'
import { type Call, digitsOf, externalPartyName, outcomeWords } from './call.ts'
import { saveFile } from './save-file.ts'

type Bulk = ReturnType<typeof useBulk<Call>>

const pathOf = ({ id }: Call) => ({ params: { id } })

const archive: BulkAction<Call> = {
  done: 'archived',
  run: (call) => api.put('/v1/calls/{id}/archive', pathOf(call)),
  undo: (call) => api.put(call.archived ? '/v1/calls/{id}/archive' : '/v1/calls/{id}/unarchive', pathOf(call)),
}

const unarchive: BulkAction<Call> = {
  done: 'unarchived',
  run: (call) => api.put('/v1/calls/{id}/unarchive', pathOf(call)),
  undo: (call) => api.put(call.archived ? '/v1/calls/{id}/archive' : '/v1/calls/{id}/unarchive', pathOf(call)),
}

const tagWith = ({ id: tag_id, name }: TagItem): BulkAction<Call> => ({
  done: `tagged “${name}”`,
  run: (call) => api.post('/v1/calls/{id}/tags', { ...pathOf(call), body: { tags: [tag_id] } }),
  undo: async (call) => {
    if (call.tags.some(({ id }) => id === tag_id)) return
    await api.delete('/v1/calls/{id}/tags/{tag_id}', { params: { id: call.id, tag_id } })
  },
})

/** An assignment can be changed but not removed, so only calls that were assigned before can be undone. */
const assignTo = ({ id: user_id, name }: UserItem, calls: readonly Call[]): BulkAction<Call> => ({
  done: `assigned to ${name}`,
  run: (call) => api.post('/v1/calls/{id}/assign', { ...pathOf(call), body: { user_id } }),
  ...(calls.every(({ assigned_to }) => assigned_to) && {
    undo: (call: Call) =>
      api.post('/v1/calls/{id}/assign', { ...pathOf(call), body: { user_id: call.assigned_to?.id ?? user_id } }),
  }),
})

/** Bulk actions on selected calls. */
export function CallActions({ selected, bulk, clear }: { selected: Call[]; bulk: Bulk; clear: () => void }) {
  const { data: tags = [] } = useTags()
  const { data: users = [] } = useUsers()
  const isBusy = bulk.progress !== undefined
  const run = (action: BulkAction<Call>) => void bulk.run(selected, action).then(clear)
  const button = { variant: 'default', size: 'xs', disabled: isBusy } as const
  return (
    <>
      <Menu shadow="md" withinPortal>
        <Menu.Target>
          <Button {...button} leftSection={<IconTag size={14} />}>
            Tag
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {tags.length === 0 && <Menu.Label>No tags yet. Create one on the page Tags.</Menu.Label>}
          {tags.map((tag) => (
            <Menu.Item key={tag.id} onClick={() => run(tagWith(tag))}>
              {tag.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu shadow="md" withinPortal>
        <Menu.Target>
          <Button {...button} leftSection={<IconUser size={14} />}>
            Assign
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {users.map((user) => (
            <Menu.Item key={user.id} onClick={() => run(assignTo(user, selected))}>
              {user.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button {...button} leftSection={<IconArchive size={14} />} onClick={() => run(archive)}>
        Archive
      </Button>
      <Button {...button} leftSection={<IconArchiveOff size={14} />} onClick={() => run(unarchive)}>
        Unarchive
      </Button>
      <Button
        {...button}
        leftSection={<IconDownload size={14} />}
        onClick={() => saveFile('calls.csv', callsAsCsv(selected))}
      >
        Export CSV
      </Button>
    </>
  )
}

const callsAsCsv = (calls: readonly Call[]) =>
  writeCsv([
    ['ID', 'Contact', 'Phone number', 'Direction', 'Outcome', 'Agent', 'Number', 'Tags', 'Started', 'Duration (s)'],
    ...calls.map((call) => [
      call.id,
      call.contact ? externalPartyName(call) : '',
      digitsOf(call.raw_digits),
      call.direction,
      outcomeWords(call),
      call.user?.name ?? '',
      call.number?.name ?? '',
      call.tags.map(({ name }) => name).join('; '),
      dateTime(call.started_at),
      call.duration,
    ]),
  ])
