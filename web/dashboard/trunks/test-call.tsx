import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Trouble } from '../../kit/ui/trouble.tsx'
import type { Trunk } from './trunk.ts'

interface Result {
  outcome: 'answered' | 'busy' | 'no_answer' | 'rejected' | 'failed' | 'not_allowed'
  code: number | null
  seconds: number
  explanation: string
}

const looks: Record<Result['outcome'], { title: string; color: string }> = {
  answered: { title: 'Answered', color: 'green' },
  busy: { title: 'Busy', color: 'green' },
  no_answer: { title: 'No answer', color: 'green' },
  rejected: { title: 'Refused', color: 'red' },
  failed: { title: 'It did not work', color: 'red' },
  not_allowed: { title: 'Not allowed', color: 'orange' },
}

/** Calls somebody over one trunk, and says what came of it. */
export function TestCall({ trunk, close }: { trunk: Trunk; close: () => void }) {
  const { data: numbers } = useNumbers()
  const [chosen, setChosen] = useState<string | null>(null)
  const [to, setTo] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<unknown>()
  const from = chosen ?? (numbers?.[0] ? String(numbers[0].id) : null)
  const number = to.replace(/[\s().-]/g, '')
  const call = async () => {
    setBusy(true)
    setResult(undefined)
    setError(undefined)
    try {
      setResult(await api.post<Result>(`/v1/trunks/${trunk.id}/test_call`, { number_id: Number(from), to: number }))
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void call()
  }
  return (
    <Modal opened onClose={close} title={`Test ${trunk.name}`} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Somebody is really called: your mobile phone, for example. Whoever answers hears a melody.
          </Text>
          <Select
            label="Shown to whoever is called"
            allowDeselect={false}
            data={(numbers ?? []).map(({ id, name, digits }) => ({ value: String(id), label: `${name} (${digits})` }))}
            value={from}
            onChange={setChosen}
          />
          <TextInput
            label="Number to call"
            type="tel"
            placeholder="+14155550123"
            required
            data-autofocus
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <div role="status">
            {isBusy && <Text size="sm">Calling {number} … it rings for at most half a minute.</Text>}
            {result && <Outcome result={result} />}
          </div>
          {error !== undefined && <Trouble error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button type="submit" loading={isBusy} disabled={from === null || !/^\+[1-9]\d{6,14}$/.test(number)}>
              Call
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
        After {seconds.toLocaleString(undefined, { maximumFractionDigits: 1 })} s
        {code === null ? '' : `; the carrier answered ${code}`}
      </Text>
    </Alert>
  )
}
