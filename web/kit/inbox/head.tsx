import { ActionIcon, Box, Group, NativeSelect, Text, Tooltip } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconMailOpened } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useUsers } from '../ui/lists.ts'
import { notifyError, notifyWithUndo } from '../ui/toast.tsx'
import { type Change, type One, useChange } from './data.ts'
import { conversationTitle } from './model.ts'

/** The other parties, the number, the assignee and the actions of a conversation. */
export function ThreadHead({
  one: { conversation },
  before,
  actions,
  leave,
}: {
  one: One
  before?: ReactNode
  actions?: ReactNode
  leave: () => void
}) {
  const { id, line, people, is_group, archived, may_write } = conversation
  const change = useChange(id)
  const put = (fields: Change) => change(fields).catch((error: unknown) => notifyError(error))
  const archive = async () => {
    await change({ archived: !archived })
    if (archived) return
    notifyWithUndo('Conversation archived', () => change({ archived: false }))
    leave()
  }
  const archiveLabel = archived ? 'Unarchive' : 'Archive'
  const detail = is_group
    ? people.map(({ display }) => display).join(', ')
    : people[0]?.contact
      ? people[0].display
      : undefined
  return (
    <>
      <Group gap={6} wrap="nowrap">
        {before}
        <Box flex={1} miw={0}>
          <Text component="h2" fw={650} size="md" truncate m={0}>
            {conversationTitle(conversation)}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {[is_group && `Group of ${people.length}`, detail, line.name].filter(Boolean).join(' · ')}
          </Text>
        </Box>
        {actions}
        {may_write && (
          <>
            <Tooltip label="Mark as unread">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label="Mark as unread"
                onClick={() => void put({ read: false }).then(leave)}
              >
                <IconMailOpened size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={archiveLabel}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={archiveLabel}
                onClick={() => void archive().catch((error: unknown) => notifyError(error))}
              >
                {archived ? <IconArchiveOff size={18} aria-hidden /> : <IconArchive size={18} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          </>
        )}
      </Group>
      <Assignee conversation={conversation} assign={(user_id) => void put({ user_id })} />
    </>
  )
}

function Assignee({
  conversation: { assigned_to, may_write },
  assign,
}: {
  conversation: One['conversation']
  assign: (userId: number | null) => void
}) {
  const { data: users } = useUsers()
  if (!may_write) {
    return (
      <Text size="xs" c="dimmed">
        {assigned_to ? `Assigned to ${assigned_to.name}` : 'Unassigned'}
      </Text>
    )
  }
  const known = users ?? (assigned_to ? [assigned_to] : [])
  return (
    <Group gap={6} wrap="nowrap" mt={4}>
      <Text size="xs" c="dimmed" component="label" htmlFor="assignee" flex="none">
        Assigned to
      </Text>
      <NativeSelect
        id="assignee"
        size="xs"
        variant="unstyled"
        maw={200}
        value={assigned_to ? String(assigned_to.id) : ''}
        onChange={(event) => assign(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
        data={[
          { value: '', label: 'Unassigned' },
          ...known.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </Group>
  )
}
