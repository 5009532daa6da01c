import { Radio, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { notify, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { nameOfContact } from './call.ts'
import { undoChange } from './contact-changes.ts'
import type { Contact } from './contact-drawer.tsx'

const fields = [
  { name: 'first_name', label: 'First name' },
  { name: 'last_name', label: 'Last name' },
  { name: 'company_name', label: 'Company' },
  { name: 'information', label: 'Information' },
] as const

type Choice = 'this' | 'other'
type Choices = Partial<Record<(typeof fields)[number]['name'], Choice>>

/** Merges another contact into this one: the user selects it, and which values are kept where both have one. */
export function MergeDrawer({ contact, close }: { contact: Contact; close: () => void }) {
  const queries = useQueryClient()
  const [text, setText] = useState(nameOfContact(contact))
  const [otherId, setOtherId] = useState<string | null>(null)
  const [choices, setChoices] = useState<Choices>({})
  const candidates = useCandidates(contact, text)
  const other = candidates.find(({ id }) => String(id) === otherId)
  const differing = fields.filter(({ name }) => other && contact[name] && other[name] && contact[name] !== other[name])
  const refresh = () => queries.invalidateQueries({ queryKey: ['contacts'] })
  const submit = async () => {
    const { change } = await api.post('/v1/contacts/{id}/merge', {
      params: { id: contact.id },
      body: { contact_id: Number(otherId), ...choices },
    })
    await refresh()
    notifyWithUndo('Contacts merged', async () => {
      const kept = await undoChange(change.id)
      await refresh()
      notify(kept > 0 ? 'The other contact was restored; this one was changed since and stays' : 'Merge undone')
    })
  }
  return (
    <FormDrawer
      title="Merge contacts"
      opened
      close={close}
      action="Merge"
      submit={submit}
      disabled={other === undefined}
    >
      <Text size="sm" c="dimmed">
        The other contact is merged into {nameOfContact(contact) || 'this one'} and then deleted. All phone numbers and
        email addresses are kept.
      </Text>
      <Select
        label="Other contact"
        placeholder="Search by name or phone number"
        searchable
        required
        nothingFoundMessage="No results"
        filter={({ options }) => options}
        data={candidates.map((one) => ({ value: String(one.id), label: describe(one) }))}
        searchValue={text}
        onSearchChange={setText}
        value={otherId}
        onChange={(id) => {
          setOtherId(id)
          setChoices({})
        }}
      />
      {other && differing.length === 0 && (
        <Text size="sm">No conflicting values: empty fields are filled from the other contact.</Text>
      )}
      {other &&
        differing.map(({ name, label }) => (
          <Radio.Group
            key={name}
            label={label}
            value={choices[name] ?? 'this'}
            onChange={(value) => setChoices({ ...choices, [name]: value === 'other' ? 'other' : 'this' })}
          >
            <Stack gap={6} mt={6}>
              <Radio value="this" label={contact[name]} />
              <Radio value="other" label={other[name]} />
            </Stack>
          </Radio.Group>
        ))}
    </FormDrawer>
  )
}

const describe = (contact: Contact) =>
  [nameOfContact(contact) || 'Unnamed contact', displayNumber(contact.phone_numbers[0]?.value ?? '')]
    .filter(Boolean)
    .join(' · ')

function useCandidates(contact: Contact, text: string): Contact[] {
  // The label of a selected contact contains its number; the name finds it again.
  const [words] = useDebouncedValue(text.split(' · ')[0]?.trim() ?? '', 300)
  const { data = [] } = useQuery({
    queryKey: ['contacts', 'candidates', words],
    queryFn: async () =>
      /^[+\d][\d\s().-]{2,}$/.test(words)
        ? (await api.get('/v1/contacts/suggestions', { query: { text: words } })).contacts
        : (await api.get('/v1/contacts/named', { query: { text: words || undefined, per_page: 20 } })).contacts,
    placeholderData: (before) => before,
  })
  return data.filter(({ id }) => id !== contact.id)
}
