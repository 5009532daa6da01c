import { Button, Group, Modal, NativeSelect, Pill, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { Trouble } from '../ui/trouble.tsx'
import { openWith } from './data.ts'
import css from './inbox.module.css'

export interface LineChoice {
  id: number
  name: string
  digits: string
}

interface Recipient {
  number: string
  name: string
}

interface Contact {
  first_name: string | null
  last_name: string | null
  company_name: string | null
  phone_numbers: { id: number; label: string; value: string }[]
}

const e164 = (text: string) => {
  const bare = text.replace(/[\s().\-/]/g, '').replace(/^00(?=[1-9])/, '+')
  return /^\+[1-9]\d{6,14}$/.test(bare) ? bare : undefined
}

const nameOf = ({ first_name, last_name, company_name }: Contact) =>
  [first_name, last_name].filter(Boolean).join(' ') || company_name || 'No name'

/** From which line and to whom; several people are a group. */
export default function NewConversation({
  lines,
  first,
  close,
  begun,
}: {
  lines: readonly LineChoice[]
  /** The line that is chosen before anybody chooses. */
  first: number | null
  close: () => void
  begun: (id: string) => void
}) {
  const [lineId, setLineId] = useState(lines.find(({ id }) => id === first)?.id ?? lines[0]?.id)
  const [text, setText] = useState('')
  const [people, setPeople] = useState<Recipient[]>([])
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const typed = e164(text)
  const add = (one: Recipient) => {
    if (!people.some(({ number }) => number === one.number)) setPeople([...people, one])
    setText('')
  }
  const all =
    typed && !people.some(({ number }) => number === typed) ? [...people, { number: typed, name: typed }] : people
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (lineId === undefined || all.length === 0) return
    setBusy(true)
    setError(undefined)
    try {
      const { id } = await openWith(
        lineId,
        all.map(({ number }) => number),
      )
      begun(id)
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Modal opened onClose={close} title="New message">
      {lines.length === 0 ? (
        <Text size="sm">You are linked to no line. An admin can link you to a Number.</Text>
      ) : (
        <form onSubmit={(event) => void submit(event)}>
          <Stack gap="sm">
            <NativeSelect
              label="From"
              value={lineId}
              onChange={(event) => setLineId(Number(event.currentTarget.value))}
              data={lines.map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
            />
            {people.length > 0 && (
              <Group gap={6} role="group" aria-label="To">
                {people.map(({ number, name }) => (
                  <Pill
                    key={number}
                    size="md"
                    withRemoveButton
                    removeButtonProps={{ 'aria-label': `Remove ${name}`, tabIndex: 0, 'aria-hidden': false }}
                    onRemove={() => setPeople(people.filter((one) => one.number !== number))}
                  >
                    {name}
                  </Pill>
                ))}
              </Group>
            )}
            <TextInput
              data-autofocus
              label={people.length > 0 ? 'Somebody else, for a group' : 'To'}
              description="A name, or a number such as +33612345678"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Found text={text} choose={add} />
            {error !== undefined && <Trouble error={error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={all.length === 0}>
                {all.length > 1 ? 'Write to the group' : 'Write'}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function Found({ text, choose }: { text: string; choose: (one: Recipient) => void }) {
  const [asked] = useDebouncedValue(text.trim(), 150)
  const { data: contacts } = useQuery({
    queryKey: ['suggestions', asked],
    enabled: asked.length >= 2,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    queryFn: async () => (await api.get<{ contacts: Contact[] }>('/v1/contacts/suggestions', { text: asked })).contacts,
  })
  if (text.trim().length < 2 || !contacts) return null
  const found = contacts
    .flatMap((contact) =>
      contact.phone_numbers.flatMap(({ id, label, value }) => {
        const number = e164(value)
        return number ? [{ id, label, number, name: nameOf(contact) }] : []
      }),
    )
    .slice(0, 6)
  if (found.length === 0) return null
  return (
    <ul className={css.list} aria-label="Contacts">
      {found.map(({ id, label, number, name }) => (
        <li key={id}>
          <button type="button" className={css.row} onClick={() => choose({ number, name })}>
            <Text size="sm" fw={550} truncate flex={1}>
              {name}
            </Text>
            <Text size="sm" c="dimmed" flex="none">
              {label} {number}
            </Text>
          </button>
        </li>
      ))}
    </ul>
  )
}
