import { Button, Group, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { Person } from '../../kit/ui/people.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { nameOfContact } from '../parts/call.ts'
import { type Contact, ContactDrawer } from '../parts/contact-drawer.tsx'

type Found = ResponseOf<'/v1/contacts'>

const size = 20

/** Searches by phone number, email address or part of a name. */
async function find(words: string, page: number): Promise<Found> {
  const list = { order: 'desc', order_by: 'updated_at', page, per_page: size }
  if (!words) return api.get('/v1/contacts', { query: list })
  if (words.includes('@')) return api.get('/v1/contacts/search', { query: { ...list, email: words } })
  if (/^[+\d][\d\s().-]{3,}$/.test(words))
    return api.get('/v1/contacts/search', { query: { ...list, phone_number: words } })
  return api.get('/v1/contacts/named', { query: { page, per_page: size, order: 'desc', text: words } })
}

export default function ContactsPage() {
  const filters = useFilters()
  const words = (filters.get('q') ?? '').trim()
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', words, filters.page],
    queryFn: () => find(words, filters.page),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Contacts"
      lead="Shared address book. The phone app shows the contact of an inbound call."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => filters.setOnly({ contact: 'new' })}>
          New contact
        </Button>
      }
    >
      <Search value={words} onChange={(q) => filters.set({ q })} />
      <DataTable
        label="Contacts"
        columns={columns}
        rows={data?.contacts}
        keyOf={({ id }) => id}
        hrefOf={({ id }) =>
          `/dashboard/contacts?${new URLSearchParams({ ...(words && { q: words }), ...(filters.page > 1 && { page: String(filters.page) }), contact: String(id) })}`
        }
        meta={data?.meta}
        onPage={filters.setPage}
        error={error}
        retry={() => void refetch()}
        empty={
          words ? (
            <Empty
              title="No results"
              action={
                <Button variant="light" size="xs" onClick={filters.clear}>
                  Clear search
                </Button>
              }
            >
              Names match partially; phone numbers and email addresses must match completely.
            </Empty>
          ) : (
            <Empty title="No contacts yet">Create a contact here, or sync contacts from your CRM with the API.</Empty>
          )
        }
      />
      <ContactDrawer wanted={filters.get('contact')} close={() => filters.setOnly({ contact: null })} />
    </Page>
  )
}

function Search({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    setTyped(value)
  }
  const look = useDebouncedCallback((words: string) => {
    setKnown(words)
    onChange(words)
  }, 350)
  return (
    <TextInput
      aria-label="Name, phone number or email"
      placeholder="Name, phone number or email"
      leftSection={<IconSearch size={16} />}
      maw={320}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        look(event.currentTarget.value.trim())
      }}
    />
  )
}

const columns: Column<Contact>[] = [
  {
    label: 'Name',
    cell: (contact) => {
      const name = nameOfContact(contact) || contact.phone_numbers[0]?.value || 'Unnamed contact'
      return (
        <Person
          name={name}
          detail={contact.company_name && contact.company_name !== name ? contact.company_name : undefined}
        />
      )
    },
  },
  { label: 'Phone', cell: ({ phone_numbers }) => <Several items={phone_numbers} /> },
  { label: 'Email', cell: ({ emails }) => <Several items={emails} />, from: 'sm' },
  {
    label: 'Updated',
    cell: ({ updated_at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {when(updated_at)}
      </Text>
    ),
    from: 'md',
  },
]

function Several({ items }: { items: { value: string }[] }) {
  const [first, ...others] = items
  if (!first) return <Text size="sm">–</Text>
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" truncate>
        {first.value}
      </Text>
      {others.length > 0 && (
        <Text size="xs" c="dimmed" flex="none">
          +{others.length}
        </Text>
      )}
    </Group>
  )
}
