import { Button, Group, Modal, NativeSelect, Pill, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type ResponseOf } from '../api.ts'
import { displayNumber, readNumber } from '../phone-number.ts'
import { useFormLeave } from '../ui/leave-form.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { openWith } from './data.ts'
import css from './inbox.module.css'

export type LineChoice = Pick<ResponseOf<'/v1/me'>['numbers'][number], 'id' | 'name' | 'digits'>

interface Recipient {
  number: string
  name: string
}

type Contact = ResponseOf<'/v1/contacts/suggestions'>['contacts'][number]

const nameOf = ({ first_name, last_name, company_name }: Contact) =>
  [first_name, last_name].filter(Boolean).join(' ') || company_name || 'No name'

/** Selects the number to send from and the recipients; several recipients form a group. */
export default function NewConversation({
  lines,
  first,
  close,
  opened,
}: {
  lines: readonly LineChoice[]
  /** The id of the number that is preselected. */
  first: number | null
  close: () => void
  opened: (id: string) => void
}) {
  const [lineId, setLineId] = useState(lines.find(({ id }) => id === first)?.id ?? lines[0]?.id)
  const [text, setText] = useState('')
  const [recipients, setRecipients] = useState<Recipient[]>([])
  const [isBusy, setBusy] = useState(false)
  const { form, leave, saved, dialog, isAsking } = useFormLeave(close)
  const [error, setError] = useState<unknown>()
  const typed = readNumber(text)
  const add = (one: Recipient) => {
    if (!recipients.some(({ number }) => number === one.number)) setRecipients([...recipients, one])
    setText('')
  }
  const all =
    typed && !recipients.some(({ number }) => number === typed)
      ? [...recipients, { number: typed, name: displayNumber(typed) }]
      : recipients
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
      saved()
      opened(id)
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Modal
      opened
      onClose={leave}
      closeOnEscape={!isAsking}
      title="New message"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {dialog}
      {lines.length === 0 ? (
        <Text size="sm">No number is assigned to you. Ask an admin to assign one.</Text>
      ) : (
        <form onSubmit={(event) => void submit(event)} ref={form}>
          {/* So that leaving the dialog asks. */}
          <input type="hidden" value={recipients.map(({ number }) => number).join()} />
          <Stack gap="sm">
            <NativeSelect
              label="From"
              value={lineId}
              onChange={(event) => setLineId(Number(event.currentTarget.value))}
              data={lines.map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
            />
            {recipients.length > 0 && (
              <Group gap={6} role="group" aria-label="To">
                {recipients.map(({ number, name }) => (
                  <Pill
                    key={number}
                    size="md"
                    withRemoveButton
                    removeButtonProps={{ 'aria-label': `Remove ${name}`, tabIndex: 0, 'aria-hidden': false }}
                    onRemove={() => setRecipients(recipients.filter((one) => one.number !== number))}
                  >
                    {name}
                  </Pill>
                ))}
              </Group>
            )}
            <TextInput
              data-autofocus
              label={recipients.length > 0 ? 'Add recipient' : 'To'}
              description="Name, or number such as +33612345678"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Found text={text} choose={add} />
            {error !== undefined && <SaveError error={error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={all.length === 0}>
                {all.length > 1 ? 'Start group' : 'Continue'}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function Found({ text, choose }: { text: string; choose: (one: Recipient) => void }) {
  const [query] = useDebouncedValue(text.trim(), 150)
  const { data: contacts } = useQuery({
    queryKey: ['suggestions', query],
    enabled: query.length >= 2,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    queryFn: async () => (await api.get('/v1/contacts/suggestions', { query: { text: query } })).contacts,
  })
  if (text.trim().length < 2 || !contacts) return null
  const found = contacts
    .flatMap((contact) =>
      contact.phone_numbers.flatMap(({ id, label, value }) => {
        const number = readNumber(value)
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
              {label} {displayNumber(number)}
            </Text>
          </button>
        </li>
      ))}
    </ul>
  )
}
