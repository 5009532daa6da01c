import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import type { ApiKey, NewApiKey } from './api-key-form.tsx'

const overlaps = [
  { value: '0', label: 'Reject it immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
]

/** Replaces the token of a key. */
export function RotateApiKey(props: { apiKey: ApiKey; leave: () => void; done: () => void; rotated: Rotated }) {
  const { apiKey, leave, done, rotated } = props
  const queries = useQueryClient()
  const [overlap, setOverlap] = useState('24')
  const rotate = useMutation({
    mutationFn: () =>
      api.post('/v1/api_keys/{id}/rotations', { params: { id: apiKey.id }, body: { overlap_hours: Number(overlap) } }),
    async onSuccess({ api_key: key }) {
      await queries.invalidateQueries({ queryKey: ['api_keys'] })
      done()
      rotated(key)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate()
  }
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <Text size="sm">
        {apiKey.name} gets a new token. Scopes, expiry and allowed addresses stay. Use the overlap to update the
        integration without an interruption.
      </Text>
      <NativeSelect
        label="Accept the previous token for"
        data={overlaps}
        value={overlap}
        data-autofocus
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
      {rotate.error && <SaveError error={rotate.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          Cancel
        </Button>
        <Button type="submit" loading={rotate.isPending}>
          Rotate
        </Button>
      </Group>
    </Stack>
  )
}

type Rotated = (key: NewApiKey) => void
