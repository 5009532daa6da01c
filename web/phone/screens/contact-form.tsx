import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { numberProblem, readNumber } from '../../kit/phone-number.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { errorMessage } from '../../kit/ui/error-alert.tsx'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { useUnsaved } from '../../kit/unsaved.ts'
import { type ContactShown, refreshContacts } from '../work-data.ts'

interface Draft {
  first_name: string
  last_name: string
  company_name: string
  information: string
  number: string
  email: string
}

type Errors = Partial<Record<keyof Draft, string>>

const names = ['first_name', 'last_name', 'company_name', 'information'] as const
const labels = {
  first_name: 'First name',
  last_name: 'Last name',
  company_name: 'Company',
  email: 'Email',
  information: 'Information',
}
const maxLengths = { first_name: 255, last_name: 255, company_name: 255, information: 10_000 }

/** Input of forms that were left without saving, such as for an incoming call: it returns with the form. */
const kept = new Map<string, Draft>()

/** Creates a contact, or changes the names and the email address of an existing one. */
export function ContactForm({
  contact,
  number,
  close,
  saved,
}: {
  contact: ContactShown | null
  /** The number of a stranger; empty: the user enters it. */
  number: string
  close: () => void
  saved?: (contact: ContactShown) => void
}) {
  const queries = useQueryClient()
  const key = contact ? `contact ${contact.id}` : `number ${number}`
  const [first] = useState(() => draftOf(contact, number))
  const [draft, setDraft] = useState(kept.get(key) ?? first)
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first)
  useUnsaved(isChanged)
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [dialog, confirm] = useConfirm()
  const set = (part: Partial<Draft>) => {
    const next = { ...draft, ...part }
    kept.set(key, next)
    setDraft(next)
    setErrors({})
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const clean = withoutPadding(draft)
    const found = errorsIn(clean, contact)
    setErrors(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    setFailure(undefined)
    try {
      const stored = contact ? await change(contact, clean) : await create(clean)
      kept.delete(key)
      notify(contact ? 'Contact saved' : 'Contact created')
      refreshContacts(queries)
      saved?.(stored)
      close()
    } catch (error) {
      // The input stays.
      setFailure(error)
      refreshContacts(queries)
    }
    setBusy(false)
  }
  const leave = () => {
    if (isChanged) {
      return confirm({
        title: 'Discard changes?',
        body: 'Your changes have not been saved.',
        action: 'Discard changes',
        run: async () => {
          kept.delete(key)
          close()
        },
      })
    }
    kept.delete(key)
    close()
  }
  const field = (name: 'first_name' | 'last_name' | 'company_name' | 'email') => (
    <TextInput
      label={labels[name]}
      type={name === 'email' ? 'email' : 'text'}
      value={draft[name]}
      error={errors[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate aria-label={contact ? 'Edit contact' : 'Create contact'}>
      {dialog}
      <Stack gap="xs">
        <Group grow align="flex-start">
          {field('first_name')}
          {field('last_name')}
        </Group>
        {field('company_name')}
        {!contact && (
          <PhoneInput
            label="Number"
            withAsterisk
            value={draft.number}
            error={errors.number}
            onChange={(text) => set({ number: text })}
          />
        )}
        {field('email')}
        <Textarea
          label="Information"
          autosize
          minRows={2}
          maxRows={6}
          value={draft.information}
          error={errors.information}
          onChange={(event) => set({ information: event.currentTarget.value })}
        />
        {failure !== undefined && (
          <Alert color="red" variant="light" role="alert">
            {errorMessage(failure)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="xs" disabled={isBusy} onClick={leave}>
            Cancel
          </Button>
          <Button type="submit" size="xs" loading={isBusy}>
            {contact ? 'Save' : 'Create contact'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const draftOf = (contact: ContactShown | null, number: string): Draft => ({
  first_name: contact?.first_name ?? '',
  last_name: contact?.last_name ?? '',
  company_name: contact?.company_name ?? '',
  information: contact?.information ?? '',
  number,
  email: contact?.emails[0]?.value ?? '',
})

function withoutPadding(draft: Draft): Draft {
  const trimmed: unknown = Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value.trim()]))
  return trimmed as Draft
}

function errorsIn(draft: Draft, contact: ContactShown | null): Errors {
  const errors: Errors = {}
  for (const name of names) {
    const { length } = draft[name]
    if (length > maxLengths[name]) errors[name] = `At most ${maxLengths[name].toLocaleString()} characters`
    // The API can change the fields of a contact but not clear them.
    else if (length === 0 && contact?.[name]) errors[name] = `${labels[name]} cannot be removed, only changed`
  }
  if (!contact) {
    if (draft.number === '') errors.number = 'Enter a number'
    else if (!readNumber(draft.number)) errors.number = numberProblem()
    if (!names.slice(0, 3).some((name) => draft[name])) errors.first_name = 'Enter a name or a company'
  }
  if (draft.email.length > 254) errors.email = 'At most 254 characters'
  else if (draft.email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(draft.email)) errors.email = 'Enter a valid email address'
  return errors
}

async function create(draft: Draft): Promise<ContactShown> {
  const text = (name: (typeof names)[number]) => draft[name] || null
  const { contact } = await api.post('/v1/contacts', {
    body: {
      first_name: text('first_name'),
      last_name: text('last_name'),
      company_name: text('company_name'),
      information: text('information'),
      phone_numbers: [{ label: 'Work', value: readNumber(draft.number) ?? draft.number }],
      emails: draft.email ? [{ label: 'Work', value: draft.email }] : [],
    },
  })
  return contact
}

async function change(before: ContactShown, draft: Draft): Promise<ContactShown> {
  const params = { id: before.id }
  const body = Object.fromEntries(
    names.filter((name) => draft[name] !== (before[name] ?? '')).map((name) => [name, draft[name]]),
  )
  let { contact } = await api.put('/v1/contacts/{id}', { params, body, loaded: before })
  const [email] = before.emails
  if (draft.email === (email?.value ?? '')) return contact
  if (!email) {
    ;({ contact } = await api.post('/v1/contacts/{id}/email_details', {
      params,
      body: { label: 'Work', value: draft.email },
    }))
  } else if (draft.email === '') {
    await api.delete('/v1/contacts/{id}/email_details/{email_id}', { params: { ...params, email_id: email.id } })
  } else {
    ;({ contact } = await api.put('/v1/contacts/{id}/email_details/{email_id}', {
      params: { ...params, email_id: email.id },
      body: { value: draft.email },
      loaded: email,
    }))
  }
  return contact
}
