import { Anchor, Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
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
  const [speech, setSpeech] = useState('')
  const chosen = numbers.find(({ id }) => String(id) === to) ?? numbers[0]
  const call = useMutation({
    mutationFn: () =>
      api.post('/sandbox/v1/calls', {
        body: {
          from: from.trim(),
          to: chosen?.digits.replace(/[^\d+]/g, '') ?? '',
          ...(patience !== '' && { patience: Number(patience) }),
          ...((keys || speech.trim()) && { script: [...pressed(keys), ...spoken(speech)] }),
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
      <Textarea
        label="Caller says"
        description="One sentence per line, spoken after an agent has answered. Transcribed as it is."
        placeholder="Nothing"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={2_000}
        value={speech}
        onChange={({ currentTarget }) => setSpeech(currentTarget.value)}
      />
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

const pressed = (keys: string) => [...keys].flatMap((press) => [{ wait: 6 }, { press }])

/** About 2.6 words per second; the agent answers after each sentence. */
const spoken = (speech: string) =>
  speech
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .flatMap((say) => [{ hear: 4 }, { say, seconds: Math.max(2, Math.round(say.split(/\s+/).length / 2.6)) }])
