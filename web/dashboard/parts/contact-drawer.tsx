import {
  ActionIcon,
  Anchor,
  Autocomplete,
  Button,
  Group,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconPhone, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { nameOfContact } from './call.ts'

type Detail = Contact['phone_numbers'][number]

export type Contact = ResponseOf<'/v1/contacts/{id}'>['contact']

/** A row of the form; a new row has no id. */
interface Line {
  key: string
  id: number | undefined
  label: string
  value: string
}

interface Draft {
  first_name: string
  last_name: string
  company_name: string
  information: string
  phones: Line[]
  emails: Line[]
}

const newLine = (label: string): Line => ({ key: crypto.randomUUID(), id: undefined, label, value: '' })
const lineOf = ({ id, label, value }: Detail): Line => ({ key: String(id), id, label, value })

const draftOf = (contact: Contact | undefined): Draft => ({
  first_name: contact?.first_name ?? '',
  last_name: contact?.last_name ?? '',
  company_name: contact?.company_name ?? '',
  information: contact?.information ?? '',
  phones: contact ? contact.phone_numbers.map(lineOf) : [newLine('Work')],
  emails: contact?.emails.map(lineOf) ?? [],
})

/** `wanted` is a query parameter: an id, or "new". */
export function ContactDrawer({
  wanted,
  close,
  deleted = close,
}: {
  wanted: string | null
  close: () => void
  deleted?: () => void
}) {
  const id = wanted === 'new' ? null : wanted
  const { data, error } = useQuery({
    queryKey: ['contact', id],
    queryFn: async () => (await api.get('/v1/contacts/{id}', { params: { id: id ?? '' } })).contact,
    enabled: id !== null,
    gcTime: 0,
  })
  const isReady = wanted === 'new' || (data && String(data.id) === id)
  return (
    <>
      {wanted !== null && !isReady && (
        <FormDrawer title="Contact" opened close={close} action="Save" submit={async () => {}} disabled>
          {error ? <ErrorAlert error={error} /> : <Skeleton height={300} />}
        </FormDrawer>
      )}
      {wanted !== null && isReady && (
        <Editor key={wanted} contact={wanted === 'new' ? undefined : data} close={close} deleted={deleted} />
      )}
    </>
  )
}

const fields = ['first_name', 'last_name', 'company_name', 'information'] as const

interface EditorProps {
  contact: Contact | undefined
  close: () => void
  deleted: () => void
}

function Editor({ contact, close, deleted }: EditorProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(draftOf(contact))
  const [dialog, confirm] = useConfirm()
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = async () => {
    try {
      await (contact ? change(contact, draft) : create(draft))
      notify(contact ? 'Contact saved' : 'Contact created')
    } finally {
      // Also after a failure: some of the requests may have succeeded.
      await queries.invalidateQueries({ queryKey: ['contacts'] })
    }
  }
  const remove = () =>
    contact &&
    confirm({
      title: 'Delete contact?',
      body: `${nameOfContact(contact) || 'This contact'} will be deleted for all users. Its calls are kept.`,
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/contacts/{id}', { params: { id: contact.id } })
        deleted()
        await queries.invalidateQueries({ queryKey: ['contacts'] })
        notify('Contact deleted')
      },
    })
  return (
    <>
      {dialog}
      <FormDrawer
        title={contact ? nameOfContact(contact) || 'Contact' : 'New contact'}
        opened
        close={close}
        action={contact ? 'Save' : 'Create contact'}
        submit={submit}
        extra={
          contact && (
            <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
              Delete
            </Button>
          )
        }
      >
        {/* The API can change the fields of a contact but not clear them. */}
        <Group grow>
          <TextInput
            label="First name"
            maxLength={255}
            required={Boolean(contact?.first_name)}
            value={draft.first_name}
            onChange={(event) => set({ first_name: event.currentTarget.value })}
          />
          <TextInput
            label="Last name"
            maxLength={255}
            required={Boolean(contact?.last_name)}
            value={draft.last_name}
            onChange={(event) => set({ last_name: event.currentTarget.value })}
          />
        </Group>
        <TextInput
          label="Company"
          maxLength={255}
          required={Boolean(contact?.company_name)}
          value={draft.company_name}
          onChange={(event) => set({ company_name: event.currentTarget.value })}
        />
        <Lines
          title="Phone numbers"
          one="phone number"
          type="tel"
          lines={draft.phones}
          onChange={(phones) => set({ phones })}
          min={1}
        />
        <Lines
          title="Email addresses"
          one="email address"
          type="email"
          lines={draft.emails}
          onChange={(emails) => set({ emails })}
          min={0}
        />
        <Textarea
          label="Information"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={10_000}
          required={Boolean(contact?.information)}
          value={draft.information}
          onChange={(event) => set({ information: event.currentTarget.value })}
        />
        {contact?.phone_numbers.map(({ id, value }) => (
          <Anchor key={id} component={Link} to={`/dashboard/calls?phone=${encodeURIComponent(value)}`} size="sm">
            <Group gap={6} component="span">
              <IconPhone size={14} /> Calls with <PhoneText value={value} />
            </Group>
          </Anchor>
        ))}
      </FormDrawer>
    </>
  )
}

function Lines({
  title,
  one,
  type,
  lines,
  onChange,
  min,
}: {
  title: string
  one: string
  type: 'tel' | 'email'
  lines: Line[]
  onChange: (lines: Line[]) => void
  min: number
}) {
  const change = (key: string, part: Partial<Line>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...part } : line)))
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {lines.map(({ key, label, value }, i) => (
        <Group key={key} gap={6} wrap="nowrap">
          <Autocomplete
            aria-label={`Label of ${one} ${i + 1}`}
            data={['Work', 'Mobile', 'Home', 'Other']}
            w={120}
            flex="none"
            required
            maxLength={255}
            value={label}
            onChange={(text) => change(key, { label: text })}
          />
          {type === 'tel' ? (
            <PhoneInput
              aria-label={`Phone number ${i + 1}`}
              flex={1}
              required
              maxLength={64}
              value={value}
              onChange={(text) => change(key, { value: text })}
            />
          ) : (
            <TextInput
              aria-label={`Email address ${i + 1}`}
              type={type}
              flex={1}
              required
              maxLength={254}
              placeholder="name@example.com"
              value={value}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
            />
          )}
          {lines.length > min && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${one} ${i + 1}`}
              onClick={() => onChange(lines.filter((line) => line.key !== key))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {lines.length < 20 && (
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...lines, newLine('Work')])}
          >
            Add {one}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const detailOf = ({ label, value }: Line) => ({ label: label.trim(), value: value.trim() })

function create(draft: Draft): Promise<unknown> {
  const words = Object.fromEntries(
    fields.flatMap((field) => (draft[field].trim() ? [[field, draft[field].trim()]] : [])),
  )
  return api.post('/v1/contacts', {
    body: {
      ...words,
      phone_numbers: draft.phones.map(detailOf),
      emails: draft.emails.map(detailOf),
    },
  })
}

/** The API changes one detail per request; unchanged details are skipped. */
async function change(contact: Contact, draft: Draft): Promise<void> {
  const words = fields.filter((field) => draft[field].trim() && draft[field].trim() !== (contact[field] ?? ''))
  if (words.length > 0)
    await api.put('/v1/contacts/{id}', {
      params: { id: contact.id },
      body: Object.fromEntries(words.map((field) => [field, draft[field].trim()])),
      loaded: contact,
    })
  const params = { id: contact.id }
  await changeDetails(contact.phone_numbers, draft.phones, {
    add: (body) => api.post('/v1/contacts/{id}/phone_details', { params, body }),
    change: (phone_number_id, body, loaded) =>
      api.put('/v1/contacts/{id}/phone_details/{phone_number_id}', {
        params: { ...params, phone_number_id },
        body,
        loaded,
      }),
    remove: (phone_number_id) =>
      api.delete('/v1/contacts/{id}/phone_details/{phone_number_id}', { params: { ...params, phone_number_id } }),
  })
  await changeDetails(contact.emails, draft.emails, {
    add: (body) => api.post('/v1/contacts/{id}/email_details', { params, body }),
    change: (email_id, body, loaded) =>
      api.put('/v1/contacts/{id}/email_details/{email_id}', { params: { ...params, email_id }, body, loaded }),
    remove: (email_id) => api.delete('/v1/contacts/{id}/email_details/{email_id}', { params: { ...params, email_id } }),
  })
}

interface DetailRequests {
  add: (detail: Omit<Detail, 'id'>) => Promise<unknown>
  change: (id: number, detail: Omit<Detail, 'id'>, loaded: Detail) => Promise<unknown>
  remove: (id: number) => Promise<unknown>
}

async function changeDetails(
  before: readonly Detail[],
  lines: readonly Line[],
  { add, change, remove }: DetailRequests,
): Promise<void> {
  for (const line of lines) {
    const old = before.find(({ id }) => id === line.id)
    const now = detailOf(line)
    if (!old) await add(now)
    else if (old.label !== now.label || old.value !== now.value) await change(old.id, now, old)
  }
  // Deleted last, so that a contact always has a phone number.
  for (const { id } of before) if (!lines.some((line) => line.id === id)) await remove(id)
}
