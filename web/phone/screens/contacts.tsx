import { Avatar, Box, Button, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch, IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { displayNumber } from '../../kit/phone-number.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { usePhone } from '../context.ts'
import { contactName } from '../data.ts'
import { numberIn } from '../links.ts'
import css from '../phone.module.css'
import { type ContactShown, useContacts } from '../work-data.ts'
import { ContactForm } from './contact-form.tsx'
import { MoreRows } from './more-rows.tsx'

/** The contacts of the company, last changed first. */
export default function Contacts() {
  const { dispatch } = usePhone()
  const [text, setText] = useState('')
  const [isNew, setNew] = useState(false)
  const [query] = useDebouncedValue(text.trim(), 250)
  const list = useContacts(query)
  const contacts = [
    ...new Map((list.data?.pages.flatMap((page) => page.contacts) ?? []).map((one) => [one.id, one] as const)).values(),
  ]
  const create = (
    <Button size="xs" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
      Create contact
    </Button>
  )
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Title order={1} size="h4">
          Contacts
        </Title>
        {create}
      </Group>
      <TextInput
        type="search"
        aria-label="Search contacts"
        placeholder="Name or company"
        maxLength={255}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {list.error && <ErrorAlert error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Text c="dimmed">Loading…</Text>}
      {list.data && contacts.length === 0 && (
        <Empty title={query ? 'No results' : 'No contacts yet'}>
          {query
            ? 'The search covers names and companies. Enter numbers on the keypad.'
            : 'Contacts of your company appear here, and their names wherever they call.'}
        </Empty>
      )}
      <ul className={css.plainList} aria-label="Contacts">
        {contacts.map((contact) => (
          <Row key={contact.id} contact={contact} />
        ))}
      </ul>
      <MoreRows list={list} />
      <Modal
        opened={isNew}
        onClose={() => setNew(false)}
        title="Create contact"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ContactForm
          contact={null}
          number=""
          close={() => setNew(false)}
          saved={(contact) => {
            const number = numberOf(contact)
            if (number) dispatch({ type: 'item', item: { kind: 'customer', number, callId: null } })
          }}
        />
      </Modal>
    </Stack>
  )
}

const numberOf = ({ phone_numbers }: ContactShown) =>
  phone_numbers.map(({ value }) => numberIn(value)).find((number) => number?.startsWith('+'))

function Row({ contact }: { contact: ContactShown }) {
  const { state, dispatch } = usePhone()
  const number = numberOf(contact)
  const name = contactName(contact)
  const isCurrent = state.item?.kind === 'customer' && state.item.number === number
  return (
    <li className={css.listItem}>
      <button
        type="button"
        className={css.row}
        aria-current={isCurrent}
        disabled={!number}
        onClick={() => number && dispatch({ type: 'item', item: { kind: 'customer', number, callId: null } })}
      >
        <Avatar name={name} color="initials" size={32} radius="xl" aria-hidden alt="" />
        <Box flex={1} miw={0}>
          <Text size="sm" fw={550} truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {[contact.company_name, displayNumber(contact.phone_numbers[0]?.value ?? '')].filter(Boolean).join(' · ')}
          </Text>
        </Box>
      </button>
    </li>
  )
}
