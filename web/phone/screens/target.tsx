import { Card, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { CallShown, DestinationFields as Destination } from '../../../src/live/protocol.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useTeams, useUsers } from '../../kit/ui/lists.ts'
import { AvailabilityDot, availabilityLooks } from '../../kit/ui/people.tsx'
import { usePhone } from '../context.ts'
import { numberIn } from '../links.ts'
import css from '../phone.module.css'
import { usePresences } from '../work-data.ts'

interface Choice {
  id: string
  label: string
  detail: string
  isFree: boolean
  presence: string
  /** Why a call cannot ring there now. */
  unavailable?: string | undefined
  to: Destination
}

type Mode = 'transfer' | 'consult'

/** Selects the user, team or number to transfer the call to, or the participant to add. */
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
  const [mode, setMode] = useState<Mode>('transfer')
  const [isBusy, setBusy] = useState(false)
  const { choices, error, isPending } = useChoices(call, purpose)
  const number = numberIn(text)
  const outside: Choice[] =
    number?.startsWith('+') && number.length > 7
      ? [
          {
            id: 'number',
            label: displayNumber(number),
            detail: 'External number',
            isFree: true,
            presence: 'available',
            to: { number },
          },
        ]
      : []
  const wanted = text.trim().toLowerCase()
  const shown = [
    ...outside,
    ...choices.filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(wanted)),
  ].slice(0, 30)

  // A transfer that rings no phone would end in the voicemail of the number.
  const isBlind = purpose === 'transfer' && mode === 'transfer'
  const isDisabled = ({ unavailable }: Choice) => isBusy || (isBlind && unavailable !== undefined)
  const choose = async ({ to }: Choice) => {
    setBusy(true)
    const { team_id: _team, ...person } = to
    const { key } = call
    const done = await act(purpose === 'add' ? { type: 'add_participant', key, to: person } : { type: mode, key, to })
    setBusy(false)
    if (done) close()
  }
  return (
    <Card
      withBorder
      padding="sm"
      component="section"
      aria-label={purpose === 'add' ? 'Add participant' : 'Transfer'}
      flex="none"
    >
      <Stack gap="xs">
        {purpose === 'transfer' && (
          <SegmentedControl
            fullWidth
            aria-label="Transfer type"
            value={mode}
            onChange={(value) => setMode(value as Mode)}
            data={[
              { value: 'transfer', label: 'Transfer now' },
              { value: 'consult', label: 'Talk first' },
            ]}
          />
        )}
        <TextInput
          aria-label={purpose === 'add' ? 'Name or number' : 'Name, team or number'}
          placeholder={purpose === 'add' ? 'Name or number' : 'Name, team or number'}
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close()
            const [first] = shown
            if (event.key === 'Enter' && first && wanted !== '' && !isDisabled(first)) void choose(first)
          }}
        />
        {error && <ErrorAlert error={error} />}
        <Stack gap={0} mah={220} style={{ overflowY: 'auto' }} component="ul" m={0} p={0}>
          {shown.map((choice) => (
            <li key={choice.id} style={{ listStyle: 'none' }}>
              <button
                type="button"
                className={css.row}
                disabled={isDisabled(choice)}
                title={isBlind && choice.unavailable ? `${choice.label}: ${choice.unavailable}` : undefined}
                onClick={() => void choose(choice)}
              >
                <AvailabilityDot availability={choice.presence} />
                <Group justify="space-between" wrap="nowrap" flex={1} miw={0} gap="xs">
                  <Text size="sm" truncate>
                    {choice.label}
                  </Text>
                  <Text size="xs" c="dimmed" flex="none">
                    {choice.unavailable ? `${choice.unavailable} · ${choice.detail}` : choice.detail}
                  </Text>
                </Group>
              </button>
            </li>
          ))}
        </Stack>
        {shown.length === 0 && !isPending && (
          <Text size="sm" c="dimmed" ta="center">
            No results. Enter external numbers with their country code, for example +33 1 23 45 67 89.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

/** A user on a call may have call waiting. */
function whyNotRung(presence: keyof typeof availabilityLooks | undefined): string | undefined {
  if (presence === undefined || presence === 'available' || presence === 'in_call') return undefined
  return availabilityLooks[presence].label
}

function useChoices(call: CallShown, purpose: 'transfer' | 'add') {
  const session = useSession()
  const users = useUsers()
  const teams = useTeams()
  const { data: presences, refetch: refetchPresences } = usePresences()
  const { refetch } = users
  // Availability changes often, so the cached list is refreshed.
  useEffect(() => {
    void refetch()
    void refetchPresences()
  }, [refetch, refetchPresences])
  const busy = new Set([session.user.id, ...call.people.map(({ id }) => id)])
  const people = (users.data ?? [])
    .filter(({ id }) => !busy.has(id))
    .map(({ id, name, extension, available }) => ({
      id: `user ${id}`,
      label: name,
      detail: extension,
      isFree: presences ? presences.get(id) === 'available' : available,
      presence: presences?.get(id) ?? (available ? 'available' : 'offline'),
      unavailable: whyNotRung(presences?.get(id)),
      to: { user_id: id },
    }))
    .toSorted((a, b) => Number(b.isFree) - Number(a.isFree) || a.label.localeCompare(b.label))
  const groups =
    purpose === 'add'
      ? []
      : (teams.data ?? []).map(({ id, name, users: members }) => {
          const isFree = members.some(({ id: member }) =>
            people.some((person) => person.id === `user ${member}` && person.isFree),
          )
          const presence = isFree ? 'available' : 'do_not_disturb'
          return { id: `team ${id}`, label: name, detail: 'Team', isFree, presence, to: { team_id: id } }
        })
  return {
    choices: [...groups, ...people] as readonly Choice[],
    error: users.error ?? teams.error,
    isPending: users.isPending || teams.isPending,
  }
}
