import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePhone } from '../context.ts'
import { serviceTime } from '../selectors.ts'

interface OutOfOfficeProps {
  close: () => void
  /** UNIX seconds. */
  choose: (until: number) => void
}

/** Asks for the day and time of the return; calls do not ring until then. */
export function OutOfOffice({ close, choose }: OutOfOfficeProps) {
  const { state } = usePhone()
  const now = serviceTime(state, Date.now())
  const [day, setDay] = useState(() => dayOf(now + 24 * 3_600_000))
  const [time, setTime] = useState('08:00')
  const until = new Date(`${day}T${time}`).getTime()
  const isPast = Number.isNaN(until) || until <= now
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPast) return
    choose(Math.floor(until / 1_000))
    close()
  }
  return (
    <Modal opened onClose={close} title="Out of office" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} aria-label="Out of office">
        <Stack gap="sm">
          <Text size="sm">
            Calls go to your colleagues or to the next step of the flow. You become available again automatically,
            whether or not the app is open.
          </Text>
          <Group grow align="flex-start">
            <TextInput
              type="date"
              label="Back on"
              required
              min={dayOf(now)}
              value={day}
              error={isPast ? 'Select a time in the future' : undefined}
              onChange={(event) => setDay(event.currentTarget.value)}
            />
            <TextInput
              type="time"
              label="At"
              required
              value={time}
              onChange={(event) => setTime(event.currentTarget.value)}
            />
          </Group>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={isPast}>
              Set out of office
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** The value of a date input, in the time zone of the browser. */
function dayOf(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
