import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBackspace, IconMessage, IconPhone } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { isInternationalForm } from '../../../src/domain/phone-number.ts'
import { isEmergencyAnywhere } from '../../../src/domain/toll.ts'
import { api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { green } from '../colours.ts'
import { usePhone } from '../context.ts'
import { contactName, useMe } from '../data.ts'
import { mayDial, numberIn } from '../links.ts'
import { useOpenConversation } from '../open-conversation.ts'
import css from '../phone.module.css'
import { isOffline, offlineHint } from '../selectors.ts'
import { NoEmergency } from './emergency.tsx'
import { Pad } from './pad.tsx'

/** Dials a number, an extension or a contact, from the selected number. */
export function Keypad() {
  const { state, dispatch, act } = usePhone()
  const { data: me } = useMe()
  const [isBusy, setBusy] = useState(false)
  const openConversation = useOpenConversation()
  const input = useRef<HTMLInputElement>(null)
  // On a desktop the keypad returns after each call: it must not take the focus from another field.
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) input.current?.focus()
  }, [])
  const lines = me?.numbers.filter(({ validated }) => validated) ?? []
  const chosen = state.dial.lineId ?? me?.user.default_number_id ?? null
  const line = lines.find(({ id }) => id === chosen) ?? lines[0]
  const to = numberIn(state.dial.text) ?? ''
  const isName = /\p{L}/u.test(state.dial.text)
  const isInternal = /^\d{3,6}$/.test(to)
  // Explains why the button is disabled.
  const isNational = /^\d{7,}$/.test(to) && !mayDial(to)

  const call = async (number: string) => {
    setBusy(true)
    // The server decides whether a short number is an emergency number or an extension.
    const isOutside = number.startsWith('+') || isEmergencyAnywhere(number)
    const done = await act({ type: 'dial', to: number, ...(isOutside && line && { number_id: line.id }) })
    if (done) dispatch({ type: 'dialled' })
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (mayDial(to) && !isOffline(state)) void call(to)
  }
  const press = (digit: string) => {
    dispatch({ type: 'pressed', digit })
    input.current?.focus({ preventScroll: true })
  }
  return (
    <form onSubmit={submit} aria-label="Dial">
      <h1 className={css.unseen}>Keypad</h1>
      <Stack gap="sm">
        <TextInput
          ref={input}
          className={css.number ?? ''}
          variant="unstyled"
          aria-label="Number, extension or name"
          placeholder="Number or name"
          autoComplete="off"
          inputMode="tel"
          size="lg"
          value={state.dial.text}
          onChange={(event) => dispatch({ type: 'typed', text: event.currentTarget.value })}
          rightSection={
            state.dial.text !== '' && (
              <ActionIcon variant="subtle" color="gray" aria-label="Erase" onClick={() => dispatch({ type: 'erased' })}>
                <IconBackspace size={20} aria-hidden />
              </ActionIcon>
            )
          }
        />
        <NoEmergency typed={to} />
        {to.startsWith('+') && !isInternationalForm(state.dial.text) && (
          <Text size="sm" c="dimmed" ta="center" role="status">
            {displayNumber(to)}
          </Text>
        )}
        {isNational && (
          <Text size="sm" c="dimmed" ta="center" role="status">
            Not a number of your country. Enter it with + and the country code, for example{' '}
            {line?.digits.split(' ')[0] ?? '+1'}…
          </Text>
        )}
        <Suggestions text={state.dial.text} choose={(number) => dispatch({ type: 'prefilled', to: number })} />
        {lines.length > 0 ? (
          <NativeSelect
            label="Call from"
            value={line?.id}
            onChange={(event) => dispatch({ type: 'line', lineId: Number(event.currentTarget.value) })}
            data={lines.map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
          />
        ) : (
          me && (
            <Text size="sm" c="dimmed" ta="center">
              No number is assigned to you: you can call colleagues by extension only. Ask an admin to assign a number.
            </Text>
          )
        )}
        {!isName && <Pad press={press} withPlus />}
        <Group wrap="nowrap" gap="xs" w="100%" maw={300} mx="auto">
          <Button
            type="submit"
            {...green}
            size="lg"
            radius="xl"
            flex={1}
            loading={isBusy}
            disabled={!mayDial(to) || (!isInternal && !line) || isOffline(state)}
            title={isOffline(state) ? offlineHint(state) : undefined}
            leftSection={<IconPhone size={20} aria-hidden />}
          >
            Call
          </Button>
          <ActionIcon
            variant="default"
            size={50}
            radius="xl"
            aria-label="Message"
            disabled={!to.startsWith('+') || !mayDial(to) || !line}
            onClick={() => void openConversation(to, line?.id)}
          >
            <IconMessage size={20} aria-hidden />
          </ActionIcon>
        </Group>
      </Stack>
    </form>
  )
}

function Suggestions({ text, choose }: { text: string; choose: (number: string) => void }) {
  const [query] = useDebouncedValue(text.trim(), 150)
  const { data: contacts } = useQuery({
    queryKey: ['suggestions', query],
    enabled: query.length >= 2,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    queryFn: async () => (await api.get('/v1/contacts/suggestions', { query: { text: query } })).contacts,
  })
  if (text.trim().length < 2 || !contacts) return null
  const found = contacts.flatMap((contact) =>
    contact.phone_numbers.flatMap(({ id, label, value }) => {
      const number = numberIn(value)
      return number && number !== text ? [{ id, label, number, name: contactName(contact) }] : []
    }),
  )
  const isName = /\p{L}/u.test(text)
  // Below a number the keypad leaves room for two only.
  const maxContacts = isName ? 8 : 2
  if (found.length === 0) {
    return isName ? (
      <Text size="sm" c="dimmed" ta="center" role="status">
        No contacts found
      </Text>
    ) : null
  }
  return (
    <Stack gap={0} component="ul" aria-label="Contacts" m={0} p={0} style={{ listStyle: 'none' }}>
      {found.slice(0, maxContacts).map(({ id, label, number, name }) => (
        <li key={id}>
          <button type="button" className={css.row} onClick={() => choose(number)}>
            <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
              <Text size="sm" fw={550} truncate>
                {name}
              </Text>
              <Text size="sm" c="dimmed" flex="none">
                {label} {displayNumber(number)}
              </Text>
            </Group>
          </button>
        </li>
      ))}
    </Stack>
  )
}
