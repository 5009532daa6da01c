import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { PeoplePicker, Person } from '../../kit/ui/people.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { NumberSettings, PhoneNumber } from './number.ts'
import { useRereadNumber } from './number.ts'

/** Users of the number: assigned manually or through the flow. */
export function NumberUsers({ number, settings }: { number: PhoneNumber; settings: NumberSettings }) {
  const mayChange = isAdmin(useSession())
  const reread = useRereadNumber(number.id)
  const assignedManually = new Set(settings.linked_user_ids)
  const { form, set, isChanged, isBusy, error, save } = useSavedForm(
    { user_ids: settings.linked_user_ids },
    async (body, loaded) => {
      await api.put('/v1/numbers/{id}/users', { params: { id: number.id }, body, loaded })
      await reread()
      notify('Users saved')
    },
  )
  const isFlow = settings.flow_editor_enabled
  return (
    <Stack maw={720} gap="lg">
      {mayChange && (
        <Paper withBorder p="lg">
          <Stack gap="sm">
            <Title order={2} size="h5">
              Assigned users
            </Title>
            <Text size="sm" c="dimmed">
              {isFlow
                ? 'These users can call from this number. Users in the flow are assigned automatically. The default flow rings all of them.'
                : 'Inbound calls ring these users simultaneously. They can also call from this number.'}
            </Text>
            <PeoplePicker
              aria-label="Assigned users"
              placeholder="Add users…"
              value={form.user_ids}
              onChange={(user_ids) => set({ user_ids })}
            />
            <SaveError error={error} retry={() => void save()} title="Users not saved" />
            <Group justify="flex-end">
              <Button disabled={!isChanged} loading={isBusy} onClick={() => void save()}>
                Save
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
      <DataTable
        label="Users of the number"
        rows={number.users}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/dashboard/users/${id}`}
        columns={[
          { label: 'User', cell: ({ name, email }) => <Person name={name} detail={email} /> },
          {
            label: 'Assigned',
            cell: ({ id }) => (
              <Badge variant="light" color={assignedManually.has(id) ? 'blue' : 'gray'} tt="none">
                {assignedManually.has(id) ? 'Manually' : 'By flow'}
              </Badge>
            ),
          },
        ]}
        empty={
          <Empty
            title="No users assigned to this number"
            action={
              isFlow && (
                <Button component={Link} to={`/dashboard/numbers/${number.id}/flow`} variant="light">
                  Edit flow
                </Button>
              )
            }
          >
            {isFlow ? 'Add users to its flow, or assign them here.' : 'Assign users to receive its calls.'}
          </Empty>
        }
      />
    </Stack>
  )
}
