import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { isE164 } from '../../../src/domain/phone-number.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'

interface Result {
  outcome: string
  code: number | null
  seconds: number
  explanation: string
}

interface Trial {
  name: string
  run: (test: { number_id: number; to: string }) => Promise<Result>
  labels: { from: string; to: string; go: string }
  looks: Record<string, { title: string; color: string }>
  /** Status text while the test runs. */
  meanwhile?: (to: string) => string
  /** Label of the result code. */
  codeWords: string
  children: ReactNode
  close: () => void
}

/**
 * Places a real test call or message from a number of the company and shows the result. It closes without a question:
 * nothing in it is to be saved.
 */
export function TrialDialog({ name, run, labels, looks, meanwhile, codeWords, children, close }: Trial) {
  const { data: numbers } = useNumbers()
  const [chosen, setChosen] = useState<string | null>(null)
  const [to, setTo] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<unknown>()
  const from = chosen ?? (numbers?.[0] ? String(numbers[0].id) : null)
  const begin = async () => {
    setBusy(true)
    setResult(undefined)
    setError(undefined)
    try {
      setResult(await run({ number_id: Number(from), to }))
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void begin()
  }
  return (
    <Modal opened onClose={close} title={`Test ${name}`} centered>
      <CheckedForm onSubmit={submit}>
        <Stack>
          <Text size="sm">{children}</Text>
          <Select
            label={labels.from}
            allowDeselect={false}
            data={(numbers ?? []).map(({ id, name, digits }) => ({
              value: String(id),
              label: `${name} (${digits})`,
            }))}
            value={from}
            onChange={setChosen}
          />
          <PhoneInput label={labels.to} required data-autofocus value={to} onChange={setTo} />
          <div role="status">
            {isBusy && meanwhile && <Text size="sm">{meanwhile(to)}</Text>}
            {result && <Outcome {...result} {...(looks[result.outcome] ?? unnamed)} codeWords={codeWords} />}
          </div>
          {error !== undefined && <SaveError error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button type="submit" loading={isBusy} disabled={from === null || !isE164(to)}>
              {labels.go}
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Modal>
  )
}

const unnamed = { title: 'Done', color: 'gray' }

interface Shown extends Omit<Result, 'outcome'> {
  title: string
  color: string
  codeWords: string
}

function Outcome({ title, color, explanation, seconds, code, codeWords }: Shown) {
  return (
    <Alert variant="light" color={color} title={title}>
      <Text size="sm">{explanation}</Text>
      <Text size="xs" c="dimmed">
        Duration: {seconds.toLocaleString(undefined, { maximumFractionDigits: 1 })} s
        {code === null ? '' : `; ${codeWords} ${code}`}
      </Text>
    </Alert>
  )
}
