import { Card, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { CallShown, Target as Destination } from '../../../src/live/protocol.ts'
import { useSession } from '../../kit/session.tsx'
import { useTeams, useUsers } from '../../kit/ui/lists.ts'
import { Dot } from '../../kit/ui/people.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { usePhone } from '../context.ts'
import { numberIn } from '../links.ts'
import css from '../phone.module.css'

interface Choice {
  id: string
  label: string
  detail: string
  isFree: boolean
  to: Destination
}

type Manner = 'transfer' | 'consult'

/** Whom the call goes to, or who joins it: somebody here, a team, or a number. */
export default function Target({
  call,
  purpose,
  close,
}: {
  call: CallShown
  purpose: 'transfer' | 'add'
  close: () => void
}) {
  const { act } = usePhone()
  const [text, setText] = useState('')
  const [manner, setManner] = useState<Manner>('transfer')
  const [isBusy, setBusy] = useState(false)
  const { choices, error, isPending } = useChoices(call, purpose)
  const number = numberIn(text)
  const outside: Choice[] =
    number?.startsWith('+') && number.length > 7
      ? [{ id: 'number', label: number, detail: 'Outside number', isFree: true, to: { number } }]
      : []
  const wanted = text.trim().toLowerCase()
  const shown = [
    ...outside,
    ...choices.filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(wanted)),
  ].slice(0, 30)

  const choose = async ({ to }: Choice) => {
    setBusy(true)
    const { team_id: _team, ...person } = to
    const { key } = call
    const done = await act(purpose === 'add' ? { type: 'add_participant', key, to: person } : { type: manner, key, to })
    setBusy(false)
    if (done) close()
  }
  return (
    <Card
      withBorder
      padding="sm"
      component="section"
      aria-label={purpose === 'add' ? 'Add somebody' : 'Transfer'}
      flex="none"
    >
      <Stack gap="xs">
        {purpose === 'transfer' && (
          <SegmentedControl
            fullWidth
            aria-label="How to transfer"
            value={manner}
            onChange={(value) => setManner(value as Manner)}
            data={[
              { value: 'transfer', label: 'At once' },
              { value: 'consult', label: 'Ask first' },
            ]}
          />
        )}
        <TextInput
          aria-label="Name, team or number"
          placeholder="Name, team or +number"
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close()
            const [first] = shown
            if (event.key === 'Enter' && first && wanted !== '') void choose(first)
          }}
        />
        {error && <Trouble error={error} />}
        <Stack gap={0} mah={220} style={{ overflowY: 'auto' }} component="ul" m={0} p={0}>
          {shown.map((choice) => (
            <li key={choice.id} style={{ listStyle: 'none' }}>
              <button type="button" className={css.row} disabled={isBusy} onClick={() => void choose(choice)}>
                <Dot color={choice.isFree ? 'green' : 'gray'} label={choice.isFree ? 'Available' : 'Not available'} />
                <Group justify="space-between" wrap="nowrap" flex={1} miw={0} gap="xs">
                  <Text size="sm" truncate>
                    {choice.label}
                  </Text>
                  <Text size="xs" c="dimmed" flex="none">
                    {choice.detail}
                  </Text>
                </Group>
              </button>
            </li>
          ))}
        </Stack>
        {shown.length === 0 && !isPending && (
          <Text size="sm" c="dimmed" ta="center">
            Nobody of this name. A number is written as +33123456789.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function useChoices(call: CallShown, purpose: 'transfer' | 'add') {
  const session = useSession()
  const users = useUsers()
  const teams = useTeams()
  const { refetch } = users
  // Who is there changes by the minute, and this is the moment it matters.
  useEffect(() => void refetch(), [refetch])
  const busy = new Set([session.user.id, ...call.people.map(({ id }) => id)])
  const people = (users.data ?? [])
    .filter(({ id }) => !busy.has(id))
    .map(({ id, name, extension, available }) => ({
      id: `user ${id}`,
      label: name,
      detail: extension,
      isFree: available,
      to: { user_id: id },
    }))
    .toSorted((a, b) => Number(b.isFree) - Number(a.isFree) || a.label.localeCompare(b.label))
  const groups =
    purpose === 'add'
      ? []
      : (teams.data ?? []).map(({ id, name, users: members }) => ({
          id: `team ${id}`,
          label: name,
          detail: 'Team',
          isFree: members.some(({ id: member }) =>
            people.some((person) => person.id === `user ${member}` && person.isFree),
          ),
          to: { team_id: id },
        }))
  return {
    choices: [...groups, ...people] satisfies Choice[],
    error: users.error ?? teams.error,
    isPending: users.isPending || teams.isPending,
  }
}
