import { Button, Stack } from '@mantine/core'
import { IconUserCircle } from '@tabler/icons-react'
import type { CallShown } from '../../../src/live/protocol.ts'
import { usePhone } from '../context.ts'
import { useLayout } from '../layout.ts'
import { ContactCard } from './customer.tsx'
import { CustomerThread } from './customer-thread.tsx'

/** The other party of a call: below it in a column, beside it on a desktop. */
export default function CallCustomer({ call: { external, call_id: callId } }: { call: CallShown }) {
  const { state, dispatch } = usePhone()
  const isColumn = useLayout() === 'column'
  if (!external?.startsWith('+')) return null
  if (isColumn) {
    return (
      <Stack gap="md">
        <ContactCard number={external} />
        <CustomerThread number={external} without={callId} />
      </Stack>
    )
  }
  const isShown = state.item?.kind === 'customer' && state.item.number === external
  return (
    !isShown && (
      <Button
        variant="light"
        leftSection={<IconUserCircle size={18} aria-hidden />}
        onClick={() => dispatch({ type: 'item', item: { kind: 'customer', number: external, callId } })}
      >
        Show customer
      </Button>
    )
  )
}
