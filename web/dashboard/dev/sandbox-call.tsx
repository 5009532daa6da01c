import { Anchor, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'

/** Places a simulated inbound call. */
export function SandboxCall() {
  const { data: numbers = [] } = useNumbers()
  const [from, setFrom] = useState('+33199000777')
  const [to, setTo] = useState<string | null>(null)
  const [patience, setPatience] = useState<number | string>('')
  const [keys, setKeys] = useState('')
  const chosen = numbers.find(({ id }) => String(id) === to) ?? numbers[0]
  const call = useMutation({
    mutationFn: () =>
      api.post('/sandbox/v1/calls', {
        body: {
          from: from.trim(),
          to: chosen?.digits.replace(/[^\d+]/g, '') ?? '',
          ...(patience !== '' && { patience: Number(patience) }),
          ...(keys && { script: [...keys].flatMap((press) => [{ wait: 6 }, { press }]) }),
        },
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    call.mutate()
  }
  return (
    <Stack gap="sm" component={CheckedForm} onSubmit={submit}>
      <Select
        label="To"
        allowDeselect={false}
        searchable
        data={numbers.map(({ id, name, digits }) => ({ value: String(id), label: `${name} · ${digits}` }))}
        value={chosen ? String(chosen.id) : null}
        onChange={setTo}
      />
      <PhoneInput
        label="From"
        type="text"
        description="A number, or anonymous"
        required
        value={from}
        onChange={setFrom}
      />
      <Group grow>
        <NumberInput
          label="Hang up after"
          placeholder="Never"
          suffix=" s"
          min={0}
          max={86_400}
          value={patience}
          onChange={setPatience}
        />
        <TextInput
          label="Keys to press"
          placeholder="None"
          pattern="[0-9*#]*"
          title="Keys 0–9, * and #; one every 6 seconds"
          value={keys}
          onChange={({ currentTarget }) => setKeys(currentTarget.value)}
        />
      </Group>
      {call.error && <SaveError error={call.error} />}
      <Group justify="space-between">
        <Text size="sm" role="status">
          {call.data && (
            <>
              Ringing:{' '}
              <Anchor inherit underline="always" component={Link} to={`/dashboard/calls/${call.data.call_id}`}>
                call {call.data.call_id}
              </Anchor>
            </>
          )}
        </Text>
        <Button type="submit" loading={call.isPending} disabled={!chosen}>
          Call
        </Button>
      </Group>
    </Stack>
  )
}
