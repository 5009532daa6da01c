import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, type ResponseOf } from '../api.ts'
import { displayNumber } from '../phone-number.ts'
import { CheckedForm } from '../ui/checked-form.tsx'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { PhoneInput } from '../ui/phone-input.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { useSavedForm } from '../ui/saved-form.tsx'
import { notify } from '../ui/toast.tsx'

type Forwarding = ResponseOf<'/v1/users/{id}/call_forwarding', 'get'>['call_forwarding']

const choices: { value: Forwarding['mode']; label: string; hint: string }[] = [
  { value: 'off', label: 'Off', hint: 'Calls ring in the phone app and on devices only' },
  { value: 'offline', label: 'When offline', hint: 'While no phone app is open and no device is registered' },
  { value: 'always', label: 'Always', hint: 'Together with the phone app and devices' },
]

const keyOf = (userId: number) => ['users', 'forwarding', userId]

/** Forwarding of calls to a mobile number. */
export function UserForwarding({ userId, may }: { userId: number; may: boolean }) {
  const { data, error } = useQuery({
    queryKey: keyOf(userId),
    queryFn: async () => (await api.get('/v1/users/{id}/call_forwarding', { params: { id: userId } })).call_forwarding,
  })
  if (error && !data) return <ErrorAlert error={error} />
  if (!data) return null
  if (!may) {
    const said = choices.find(({ value }) => value === data.mode)?.label
    return <Text size="sm">{[said, displayNumber(data.phone ?? '')].filter(Boolean).join(', ')}</Text>
  }
  return <ForwardingForm userId={userId} saved={data} />
}

function ForwardingForm({ userId, saved }: { userId: number; saved: Forwarding }) {
  const queries = useQueryClient()
  const { mode: savedMode, phone: savedPhone } = saved
  const {
    form: { mode, phone },
    set,
    isChanged,
    isBusy,
    error,
    save,
  } = useSavedForm({ mode: savedMode, phone: savedPhone ?? '' }, async (now, loaded) => {
    const body = { mode: now.mode, phone: now.phone || null }
    const before = { mode: loaded.mode, phone: loaded.phone || null }
    await api.put('/v1/users/{id}/call_forwarding', { params: { id: userId }, body, loaded: before })
    await queries.invalidateQueries({ queryKey: ['users'] })
    notify('Forwarding saved')
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <CheckedForm onSubmit={submit}>
      <Stack gap="sm">
        <Radio.Group
          aria-label="Forward to a mobile number"
          value={mode}
          onChange={(value) => set({ mode: choices.find((choice) => choice.value === value)?.value ?? 'off' })}
        >
          <Stack gap="xs">
            {choices.map(({ value, label, hint }) => (
              <Radio key={value} value={value} label={label} description={hint} />
            ))}
          </Stack>
        </Radio.Group>
        {mode !== 'off' && (
          <PhoneInput
            label="Mobile number"
            name="phone"
            description="Press 1 to accept a call there. Outbound calling rules apply."
            required
            maxLength={30}
            value={phone}
            onChange={(next) => set({ phone: next })}
          />
        )}
        <SaveError error={error} retry={() => void save()} title="Forwarding not saved" />
        {isChanged && (
          <Group>
            <Button type="submit" size="xs" loading={isBusy}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </CheckedForm>
  )
}
