import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { PeoplePicker, Person } from '../../kit/ui/people.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import type { NumberSettings, PhoneNumber } from './number.ts'
import { useRereadNumber } from './number.ts'

/** Who works with the Number: linked by hand, and whoever its flow rings. */
export function NumberUsers({ number, settings }: { number: PhoneNumber; settings: NumberSettings }) {
  const mayChange = isAdmin(useSession())
  const reread = useRereadNumber(number.id)
  const [ids, setIds] = useState(settings.linked_user_ids)
  const byHand = new Set(settings.linked_user_ids)
  const isChanged = [...ids].sort().join() !== [...byHand].sort().join()
  const save = useMutation({
    mutationFn: () => api.put(`/v1/numbers/${number.id}/users`, { user_ids: ids }),
    onSuccess: async () => {
      await reread()
      say('Saved.')
    },
  })
  const isFlow = settings.flow_editor_enabled
  return (
    <Stack maw={720} gap="lg">
      {mayChange && (
        <Paper withBorder p="lg">
          <Stack gap="sm">
            <Title order={2} size="h5">
              Linked by hand
            </Title>
            <Text size="sm" c="dimmed">
              {isFlow
                ? 'They may call from this Number. Users that the flow rings are linked as well. The default flow rings all of them.'
                : 'They are rung together when somebody calls, and may call from this Number.'}
            </Text>
            <PeoplePicker aria-label="Linked users" placeholder="Add somebody …" value={ids} onChange={setIds} />
            {save.error && <Trouble error={save.error} />}
            <Group justify="flex-end">
              <Button disabled={!isChanged} loading={save.isPending} onClick={() => save.mutate()}>
                Save
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
      <DataTable
        label="Users of the Number"
        rows={number.users}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/dashboard/users/${id}`}
        columns={[
          { label: 'User', cell: ({ name, email }) => <Person name={name} detail={email} /> },
          {
            label: 'Linked',
            cell: ({ id }) => (
              <Badge variant="light" color={byHand.has(id) ? 'blue' : 'gray'} tt="none">
                {byHand.has(id) ? 'By hand' : 'By the flow'}
              </Badge>
            ),
          },
        ]}
        empty={
          <Empty
            title="Nobody is linked to this Number"
            action={
              isFlow && (
                <Button component={Link} to={`/dashboard/numbers/${number.id}/flow`} variant="light">
                  Open the flow
                </Button>
              )
            }
          >
            {isFlow ? 'Let its flow ring somebody, or link users by hand.' : 'Link users, so that somebody is rung.'}
          </Empty>
        }
      />
    </Stack>
  )
}
