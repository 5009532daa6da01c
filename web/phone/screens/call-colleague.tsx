import { ActionIcon, Tooltip } from '@mantine/core'
import { IconPhone } from '@tabler/icons-react'
import { useState } from 'react'
import { type Availability, availabilityLooks } from '../../kit/ui/people.tsx'
import { usePhone } from '../context.ts'
import { whyNoNewCall } from '../selectors.ts'

interface Props {
  name: string
  extension: string
  presence: Availability
}

/** Calls an available colleague by extension; disabled with the reason as a hint. */
export function CallColleague({ name, extension, presence }: Props) {
  const { state, act } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const why = whyNoNewCall(state)
  const isAvailable = presence === 'available'
  const hint = why ?? (isAvailable ? `Call ${name}` : `${name}: ${availabilityLooks[presence].label}`)
  const call = async () => {
    setBusy(true)
    await act({ type: 'dial', to: extension })
    setBusy(false)
  }
  return (
    <Tooltip label={hint}>
      <ActionIcon
        variant="subtle"
        size="lg"
        color="green"
        aria-label={`Call ${name}`}
        loading={isBusy}
        disabled={why !== undefined || !isAvailable}
        onClick={() => void call()}
      >
        <IconPhone size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
