import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Trouble } from '../../kit/ui/trouble.tsx'
import type { Carrier } from './carrier.ts'

interface Result {
  outcome: 'taken' | 'refused' | 'later' | 'unknown'
  code: number | null
  seconds: number
  explanation: string
}

const looks: Record<Result['outcome'], { title: string; color: string }> = {
  taken: { title: 'Taken', color: 'green' },
  refused: { title: 'Refused', color: 'red' },
  later: { title: 'Not now', color: 'orange' },
  unknown: { title: 'Nobody knows', color: 'orange' },
}

/** Writes to somebody over one carrier, and says what came of it. */
export function TestMessage({ carrier, close }: { carrier: Carrier; close: () => void }) {
  const { data: numbers } = useNumbers()
  const [chosen, setChosen] = useState<string | null>(null)
  const [to, setTo] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<unknown>()
  const from = chosen ?? (numbers?.[0] ? String(numbers[0].id) : null)
  const number = to.replace(/[\s().-]/g, '')
  const write = async () => {
    setBusy(true)
    setResult(undefined)
    setError(undefined)
    try {
      const wish = { number_id: Number(from), to: number }
      setResult(await api.post<Result>(`/v1/carriers/${carrier.id}/test_message`, wish))
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void write()
  }
  return (
    <Modal opened onClose={close} title={`Test ${carrier.name}`} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Somebody really gets a text: your mobile phone, for example.
            {carrier.kind === 'whatsapp' && ' By WhatsApp only who has written to you within the last day.'}
          </Text>
          <Select
            label="From"
            allowDeselect={false}
            data={(numbers ?? []).map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
            value={from}
            onChange={setChosen}
          />
          <TextInput
            label="To"
            type="tel"
            placeholder="+14155550123"
            required
            data-autofocus
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <div role="status">{result && <Outcome result={result} />}</div>
          {error !== undefined && <Trouble error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button type="submit" loading={isBusy} disabled={from === null || !/^\+[1-9]\d{6,14}$/.test(number)}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Outcome({ result: { outcome, code, seconds, explanation } }: { result: Result }) {
  const { title, color } = looks[outcome]
  return (
    <Alert variant="light" color={color} title={title}>
      <Text size="sm">{explanation}</Text>
      <Text size="xs" c="dimmed">
        After {seconds.toLocaleString(undefined, { maximumFractionDigits: 1 })} s{code === null ? '' : `; code ${code}`}
      </Text>
    </Alert>
  )
}
