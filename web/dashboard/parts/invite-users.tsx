import { ActionIcon, Button, MultiSelect, SimpleGrid, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ClipboardEvent, useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { type Role, useSession } from '../../kit/session.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { useNumbers, useTeams } from '../../kit/ui/lists.ts'
import { blankInvitee, emailPattern, type Invitee, inviteesIn, looksLikeEmail } from './invitees.ts'
import { RolesInput } from './roles-input.tsx'

export type InvitationResult = ResponseOf<'/v1/invitations', 'post'>['results'][number] & { name: string }

const maxPeople = 50

const blank = () => ({
  people: [blankInvitee()],
  roles: ['agent'] as Role[],
  wrapUp: 0,
  teams: [] as string[],
  numbers: [] as string[],
})

/** Invites one or more users with the same roles, teams and numbers. */
export function InviteUsers({
  opened,
  close,
  created,
}: {
  opened: boolean
  close: () => void
  created: (results: InvitationResult[]) => void
}) {
  const queries = useQueryClient()
  const { mail_server: hasMailServer } = useSession()
  const [form, setForm] = useState(blank)
  const set = (part: Partial<ReturnType<typeof blank>>) => setForm((before) => ({ ...before, ...part }))
  const { people } = form
  const submit = async () => {
    if (form.roles.length === 0) throw new Error('Select at least one role')
    const { results } = await api.post('/v1/invitations', {
      body: {
        people: people.map(({ email, first_name, last_name }) => ({
          email: email.trim(),
          first_name: first_name.trim(),
          last_name: last_name.trim(),
        })),
        role_ids: form.roles,
        team_ids: form.teams.map(Number),
        number_ids: form.numbers.map(Number),
        wrap_up_time: form.wrapUp,
      },
    })
    for (const queryKey of [['users'], ['teams'], ['numbers']]) await queries.invalidateQueries({ queryKey })
    created(results.map((result, nth) => ({ ...result, name: nameOf(people[nth]) })))
    setForm(blank())
  }
  return (
    <FormDrawer
      title={people.length > 1 ? 'Invite users' : 'Invite user'}
      opened={opened}
      close={close}
      size="lg"
      action={people.length > 1 ? `Create ${people.length} invitations` : 'Create invitation'}
      submit={submit}
    >
      <Text size="sm" c="dimmed">
        {hasMailServer
          ? 'Each user receives an email with a link. You can also copy the links.'
          : 'No mail server is configured, so no email is sent. You will get a link for each user to pass on yourself.'}{' '}
        Paste a list of addresses into an email field to invite several users.
      </Text>
      <People people={people} set={(next) => set({ people: next })} />
      <RolesInput value={form.roles} onChange={(roles) => set({ roles })} />
      <Places form={form} set={set} />
      {form.roles.includes('agent') && (
        <Figure
          label="Wrap-up time"
          description="Seconds after each call without new calls"
          min={0}
          max={3_600}
          value={form.wrapUp}
          onChange={(wrapUp) => set({ wrapUp })}
        />
      )}
    </FormDrawer>
  )
}

const nameOf = (person: Invitee | undefined) => `${person?.first_name ?? ''} ${person?.last_name ?? ''}`.trim()

function People({ people, set }: { people: Invitee[]; set: (people: Invitee[]) => void }) {
  const change = (key: string, part: Partial<Invitee>) =>
    set(people.map((person) => (person.key === key ? { ...person, ...part } : person)))
  /** A list of addresses becomes rows; a single address is pasted as usual. */
  const paste = (event: ClipboardEvent, key: string) => {
    const found = inviteesIn(event.clipboardData.getData('text'))
    if (found.length < 2) return
    event.preventDefault()
    const others = people.filter((person) => person.key !== key && person.email.trim() !== '')
    const isNew = ({ email }: { email: string }) =>
      !others.some((person) => person.email.trim().toLowerCase() === email.toLowerCase())
    set([...others, ...found.filter(isNew).map((person) => ({ ...blankInvitee(), ...person }))].slice(0, maxPeople))
  }
  return (
    <Stack gap="sm">
      {people.map((person, nth) => (
        <SimpleGrid key={person.key} cols={{ base: 1, xs: 3 }} spacing="xs" verticalSpacing={4}>
          <TextInput
            label="Email"
            required
            pattern={emailPattern}
            title="Enter an email address"
            maxLength={254}
            {...(nth === 0 && { 'data-autofocus': true })}
            value={person.email}
            error={person.email.trim() !== '' && !looksLikeEmail(person.email) && 'Enter an email address'}
            onPaste={(event) => paste(event, person.key)}
            onChange={({ currentTarget }) => change(person.key, { email: currentTarget.value })}
          />
          <TextInput
            label="First name"
            required
            maxLength={255}
            value={person.first_name}
            onChange={({ currentTarget }) => change(person.key, { first_name: currentTarget.value })}
          />
          <TextInput
            label="Last name"
            required
            maxLength={255}
            value={person.last_name}
            onChange={({ currentTarget }) => change(person.key, { last_name: currentTarget.value })}
            rightSectionPointerEvents="all"
            rightSection={
              people.length > 1 && (
                <Tooltip label="Remove">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove ${person.email || 'user'}`}
                    onClick={() => set(people.filter(({ key }) => key !== person.key))}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              )
            }
          />
        </SimpleGrid>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconPlus size={14} />}
        disabled={people.length >= maxPeople}
        onClick={() => set([...people, blankInvitee()])}
      >
        Add another user
      </Button>
    </Stack>
  )
}

function Places({
  form,
  set,
}: {
  form: { teams: string[]; numbers: string[] }
  set: (part: { teams?: string[]; numbers?: string[] }) => void
}) {
  const { data: teams = [] } = useTeams()
  const { data: numbers = [] } = useNumbers()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <MultiSelect
        label="Teams"
        description="Optional"
        searchable
        clearable
        nothingFoundMessage="No teams"
        data={teams.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.teams}
        onChange={(chosen) => set({ teams: chosen })}
      />
      <MultiSelect
        label="Numbers"
        description="Optional: linked users are rung by the default flow"
        searchable
        clearable
        nothingFoundMessage="No numbers"
        data={numbers.map(({ id, name, digits }) => ({ value: String(id), label: `${name} · ${digits}` }))}
        value={form.numbers}
        onChange={(chosen) => set({ numbers: chosen })}
      />
    </SimpleGrid>
  )
}
