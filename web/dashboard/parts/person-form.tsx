import { Anchor, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { type UserItem, useNumbers } from '../../kit/ui/lists.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { browserZone, timeZones } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { type Profile, roleWords } from './profile.ts'
import { RolesInput } from './roles-input.tsx'

const languages = [
  'en-US',
  'en-GB',
  'fr-FR',
  'de-DE',
  'es-ES',
  'it-IT',
  'nl-NL',
  'pt-PT',
  'pt-BR',
  'sv-SE',
  'da-DK',
  'pl-PL',
]
const nameOfLanguage = new Intl.DisplayNames(undefined, { type: 'language' })
const withOwn = (list: readonly string[], own: string) => (list.includes(own) ? [...list] : [own, ...list])

const soundWords = { standard: 'Standard', robust: 'Robust (weak networks)' } as const

/** Read-only view. */
export function PersonFacts({ profile, user }: { profile: Profile; user: UserItem }) {
  const { data: numbers = [] } = useNumbers()
  const facts = {
    Roles: roleWords(profile.roles),
    Extension: profile.extension,
    'Time zone': profile.time_zone,
    Language: nameOfLanguage.of(profile.language) ?? profile.language,
    'Default number': numbers.find(({ id }) => id === profile.default_number_id)?.name ?? 'None',
    'Call audio': soundWords[profile.call_sound],
    'Wrap-up time': user.wrap_up_time > 0 ? `${user.wrap_up_time} s` : 'None',
  }
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm">{value}</Text>
        </div>
      ))}
    </SimpleGrid>
  )
}

type PersonDraft = Profile & Pick<UserItem, 'wrap_up_time'>

const profileRequest = ({ time_zone, language, extension, default_number_id, call_sound }: PersonDraft) => ({
  time_zone,
  language,
  extension,
  default_number_id,
  call_sound,
})

const userRequest = ({ first_name, last_name, roles, wrap_up_time }: PersonDraft) => ({
  first_name: first_name.trim(),
  last_name: last_name.trim(),
  role_ids: roles,
  wrap_up_time,
})

export function PersonForm({ profile, user }: { profile: Profile; user: UserItem }) {
  const queries = useQueryClient()
  const first: PersonDraft = { ...profile, wrap_up_time: user.wrap_up_time }
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(first, async (now, loaded, accept) => {
    const params = { id: now.id }
    const profile = profileRequest(now)
    await api.put('/v1/users/{id}/profile', { params, body: profile, loaded: profileRequest(loaded) })
    accept(profile)
    await api.put('/v2/users/{id}', { params, body: userRequest(now), loaded: userRequest(loaded) })
    await queries.invalidateQueries({ queryKey: ['users'] })
    notify('User saved')
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <CheckedForm onSubmit={submit}>
      <Stack>
        <ProfileFields form={form} set={set} />
        <RolesInput value={form.roles} onChange={(roles) => set({ roles })} />
        {form.roles.length === 0 && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            Select at least one role
          </Text>
        )}
        <SaveError error={error} retry={() => void save()} title="User not saved" />
        <Group justify="flex-end">
          {isChanged && (
            <Button variant="default" onClick={discard}>
              Discard changes
            </Button>
          )}
          <Button type="submit" loading={isBusy} disabled={!isChanged || form.roles.length === 0}>
            Save
          </Button>
        </Group>
      </Stack>
    </CheckedForm>
  )
}

function ProfileFields({ form, set }: { form: PersonDraft; set: (part: Partial<PersonDraft>) => void }) {
  const isMe = useSession().user.id === form.id
  const isAgent = form.roles.includes('agent')
  const { data: numbers = [] } = useNumbers()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label="First name"
        required
        maxLength={255}
        value={form.first_name}
        onChange={(event) => set({ first_name: event.currentTarget.value })}
      />
      <TextInput
        label="Last name"
        required
        maxLength={255}
        value={form.last_name}
        onChange={(event) => set({ last_name: event.currentTarget.value })}
      />
      <Select
        label="Time zone"
        searchable
        allowDeselect={false}
        data={timeZones(form.time_zone)}
        value={form.time_zone}
        onChange={(time_zone) => time_zone && set({ time_zone })}
        {...(isMe && form.time_zone !== browserZone() && { description: <BrowserZone use={set} /> })}
      />
      <Select
        label="Language"
        searchable
        allowDeselect={false}
        data={withOwn(languages, form.language).map((value) => ({
          value,
          label: nameOfLanguage.of(value) ?? value,
        }))}
        value={form.language}
        onChange={(language) => language && set({ language })}
      />
      <TextInput
        label="Extension"
        description="Dialed by colleagues"
        required
        inputMode="numeric"
        pattern="[0-9]{3,6}"
        title="Three to six digits"
        value={form.extension}
        onChange={(event) => set({ extension: event.currentTarget.value })}
      />
      <Select
        label="Default number"
        description="Caller ID for outbound calls"
        clearable
        placeholder="None"
        data={numbers.map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
        value={form.default_number_id === null ? null : String(form.default_number_id)}
        onChange={(value) => set({ default_number_id: value === null ? null : Number(value) })}
      />
      <Select
        label="Call audio"
        description="Audio in the browser for calls over SIP trunks"
        allowDeselect={false}
        data={Object.entries(soundWords).map(([value, label]) => ({ value, label }))}
        value={form.call_sound}
        onChange={(call_sound) => call_sound && set({ call_sound: call_sound === 'robust' ? 'robust' : 'standard' })}
      />
      <Figure
        label="Wrap-up time"
        description={isAgent ? 'Seconds after each call without new calls' : 'Agents only'}
        min={0}
        max={3_600}
        disabled={!isAgent}
        value={form.wrap_up_time}
        onChange={(wrap_up_time) => set({ wrap_up_time })}
      />
    </SimpleGrid>
  )
}

function BrowserZone({ use }: { use: (part: { time_zone: string }) => void }) {
  return (
    <>
      Your browser uses {browserZone().replaceAll('_', ' ')}.{' '}
      <Anchor component="button" type="button" size="xs" onClick={() => use({ time_zone: browserZone() })}>
        Use this time zone
      </Anchor>
    </>
  )
}
