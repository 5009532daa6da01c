import { Button, Group, Text } from '@mantine/core'
import { IconDownload, IconPlus, IconTrash, IconUpload } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Navigate } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { count, when } from '../../kit/ui/format.ts'
import { everyPage } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { Person } from '../../kit/ui/people.tsx'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { type Column, DataTable, type Sort } from '../../kit/ui/table.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { BulkBar } from '../parts/bulk-bar.tsx'
import { nameOfContact } from '../parts/call.ts'
import { type ContactChange, followChange, undoChange } from '../parts/contact-changes.ts'
import { type Contact, ContactDrawer } from '../parts/contact-drawer.tsx'
import { contactsAsCsv } from '../parts/contacts-csv.ts'
import { everyContact } from '../parts/every-contact.ts'
import { saveFile } from '../parts/save-file.ts'
import { SearchBox } from '../parts/search-box.tsx'
import { type Filters, SavedFilters, useColumns, usePageSize, useSelection } from '../parts/table-tools.tsx'

type Found = ResponseOf<'/v1/contacts'>

/** Searches by phone number, email address or part of a name. */
async function find(words: string, filters: Filters, pages: { page: number; per_page: number }): Promise<Found> {
  const order = filters.get('order') === 'asc' ? 'asc' : 'desc'
  const list = { order, order_by: orderOf(filters), ...pages }
  if (!words) return api.get('/v1/contacts', { query: list })
  if (words.includes('@')) return api.get('/v1/contacts/search', { query: { ...list, email: words } })
  if (/^[+\d][\d\s().-]{3,}$/.test(words))
    return api.get('/v1/contacts/search', { query: { ...list, phone_number: words } })
  return api.get('/v1/contacts/named', { query: { ...pages, order, text: words } })
}

const orderOf = (filters: Filters) => (filters.get('sort') === 'created_at' ? 'created_at' : 'updated_at')
const nameOf = (contact: Contact) =>
  nameOfContact(contact) || displayNumber(contact.phone_numbers[0]?.value ?? '') || 'Unnamed contact'

export default function ContactsPage() {
  const filters = useFilters()
  const opened = filters.get('contact')
  // Links of earlier releases.
  if (opened && opened !== 'new') return <Navigate to={`/dashboard/contacts/${opened}`} replace />
  return <ContactList filters={filters} />
}

function ContactList({ filters }: { filters: Filters }) {
  const words = (filters.get('q') ?? '').trim()
  const mayChangeAll = isAdmin(useSession())
  const [size, setSize] = usePageSize('contacts', filters)
  const { shown, menu } = useColumns('contacts', columns)
  const { selection, selected, clear } = useSelection<Contact>(({ id }) => id, nameOf, words)
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', words, filters.page, size, filters.get('order'), orderOf(filters)],
    queryFn: () => find(words, filters, { page: filters.page, per_page: size }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Contacts"
      lead="Shared address book. The phone app shows the contact of an inbound call."
      actions={
        <>
          {mayChangeAll && (
            <>
              <Button
                variant="default"
                leftSection={<IconUpload size={16} />}
                component={Link}
                to="/dashboard/contacts/import"
              >
                Import
              </Button>
              <Export words={words} filters={filters} />
            </>
          )}
          <Button leftSection={<IconPlus size={16} />} onClick={() => filters.setOnly({ contact: 'new' })}>
            New contact
          </Button>
        </>
      }
    >
      <Group justify="space-between" gap="xs">
        <SearchBox label="Name, phone number or email" value={words} onChange={(q) => filters.set({ q })} />
        <Group gap="xs">
          <SavedFilters page="contacts" filters={filters} />
          {menu}
        </Group>
      </Group>
      <Selected selected={selected} clear={clear} mayDelete={mayChangeAll} />
      <DataTable
        label="Contacts"
        columns={shown}
        rows={data?.contacts}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/dashboard/contacts/${id}`}
        selection={selection}
        sort={words && !words.includes('@') && /\p{L}/u.test(words) ? undefined : sortOf(filters)}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
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
            <Empty title="No contacts yet">
              Create a contact here, import a CSV file, or sync contacts from your CRM with the API.
            </Empty>
          )
        }
      />
      <ContactDrawer wanted={filters.get('contact')} close={() => filters.setOnly({ contact: null })} />
    </Page>
  )
}

const sortOf = (filters: Filters): Sort => ({
  by: orderOf(filters),
  order: filters.get('order') === 'asc' ? 'asc' : 'desc',
  onChange: (sort, order) => filters.set({ sort, order }),
})

/** What the list shows on all of its pages. */
function Export({ words, filters }: { words: string; filters: Filters }) {
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const contacts = words
        ? await everyPage(
            (pages) => find(words, filters, pages),
            (found) => found.contacts,
          )
        : await everyContact()
      saveFile('contacts.csv', contactsAsCsv(contacts))
      notify(`${count(contacts.length, 'contact')} exported`)
    } catch (error) {
      notifyError(error, 'Export failed')
    }
    setBusy(false)
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={isBusy} onClick={() => void run()}>
      {words ? 'Export results' : 'Export all'}
    </Button>
  )
}

function Selected({ selected, clear, mayDelete }: { selected: Contact[]; clear: () => void; mayDelete: boolean }) {
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const [change, setChange] = useState<ContactChange>()
  const refresh = () => queries.invalidateQueries({ queryKey: ['contacts'] })
  const remove = async () => {
    const ids = selected.map(({ id }) => id)
    const started = (await api.post('/v1/contacts/deletions', { body: { ids } })).change
    void followChange(started, setChange)
      .then(async (ended) => {
        setChange(undefined)
        clear()
        await refresh()
        if (ended.state === 'failed') return notifyError(new Error('No contact was deleted.'), 'Deletion failed')
        notifyWithUndo(`${count(ended.total, 'contact')} deleted`, async () => {
          await undoChange(ended.id)
          await refresh()
          notify(`${count(ended.total, 'contact')} restored`)
        })
      })
      .catch(notifyError)
  }
  const ask = () =>
    confirm({
      title: `Delete ${count(selected.length, 'contact')}?`,
      body: 'They will be deleted for all users. Their calls are kept. You can undo this for 24 hours under Import.',
      action: 'Delete',
      run: remove,
    })
  const progress = change && { n: change.done, total: change.total }
  return (
    <>
      {dialog}
      <BulkBar
        selected={selected.length}
        word="contact"
        clear={clear}
        bulk={{ progress, failures: [], dismiss: clear }}
      >
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
          onClick={() => saveFile('contacts.csv', contactsAsCsv(selected))}
        >
          Export CSV
        </Button>
        {mayDelete && (
          <Button
            variant="default"
            size="xs"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={14} />}
            disabled={change !== undefined}
            onClick={ask}
          >
            Delete
          </Button>
        )}
      </BulkBar>
    </>
  )
}

const columns: Column<Contact>[] = [
  {
    label: 'Name',
    cell: (contact) => {
      const name = nameOf(contact)
      const [phone] = contact.phone_numbers
      return (
        <Person
          name={name}
          detail={contact.company_name && contact.company_name !== name ? contact.company_name : undefined}
          narrowDetail={phone && <PhoneText value={phone.value} />}
        />
      )
    },
  },
  { label: 'Phone', cell: ({ phone_numbers }) => <Several items={phone_numbers} isPhone />, from: 'xs' },
  { label: 'Email', cell: ({ emails }) => <Several items={emails} />, from: 'sm' },
  { label: 'Created', sort: 'created_at', cell: ({ created_at }) => <Time at={created_at} />, from: 'lg' },
  { label: 'Updated', sort: 'updated_at', cell: ({ updated_at }) => <Time at={updated_at} />, from: 'md' },
]

function Time({ at }: { at: number | string }) {
  return (
    <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
      {when(at)}
    </Text>
  )
}

function Several({ items, isPhone = false }: { items: { value: string }[]; isPhone?: boolean }) {
  const [first, ...others] = items
  if (!first) return <Text size="sm">–</Text>
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" truncate>
        {isPhone ? <PhoneText value={first.value} /> : first.value}
      </Text>
      {others.length > 0 && (
        <Text size="xs" c="dimmed" flex="none">
          +{others.length}
        </Text>
      )}
    </Group>
  )
}
