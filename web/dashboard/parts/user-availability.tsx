import { Radio, Select, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api, type RequestOf } from '../../kit/api.ts'
import type { UserItem } from '../../kit/ui/lists.ts'
import { notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'

const choices: { value: UserItem['availability_status']; label: string; hint: string }[] = [
  {
    value: 'available',
    label: 'Available',
    hint: 'Receives calls while the phone app is open or a device is registered',
  },
  { value: 'custom', label: 'By working hours', hint: 'Receives calls during working hours' },
  { value: 'unavailable', label: 'Unavailable', hint: 'Receives no calls until the status changes' },
]

type Reason = NonNullable<RequestOf<'/v2/users/{id}', 'put'>['substatus']>
const reasons: Record<Reason, string> = {
  out_for_lunch: 'Out for lunch',
  on_a_break: 'On a break',
  in_training: 'In training',
  doing_back_office: 'Back office',
  other: 'Other',
}

type Status = UserItem['availability_status']

/** Availability of a user; changes apply immediately and can be undone. */
export function UserAvailability({ user, may }: { user: UserItem; may: boolean }) {
  const queries = useQueryClient()
  const reason = user.substatus in reasons ? (user.substatus as Reason) : null
  const put = async (status: Status, substatus: Reason | null) => {
    await api.put('/v2/users/{id}', {
      params: { id: user.id },
      body: { availability_status: status, ...(substatus && { substatus }) },
    })
    await queries.invalidateQueries({ queryKey: ['users'] })
  }
  const change = async (status: Status, substatus: Reason | null) => {
    const key = ['users', 'one', String(user.id)]
    queries.setQueryData<UserItem>(
      key,
      (before) => before && { ...before, availability_status: status, substatus: substatus ?? '' },
    )
    try {
      await put(status, substatus)
      notifyWithUndo('Availability changed', () => put(user.availability_status, reason))
    } catch (error) {
      notifyError(error)
      await queries.invalidateQueries({ queryKey: key })
    }
  }
  if (!may) {
    const said = choices.find(({ value }) => value === user.availability_status)?.label
    return <Text size="sm">{[said, reason && reasons[reason]].filter(Boolean).join(', ')}</Text>
  }
  return (
    <Stack gap="sm">
      <Radio.Group
        aria-label="Availability"
        value={user.availability_status}
        onChange={(value) => {
          const status = choices.find((choice) => choice.value === value)?.value
          if (status) void change(status, null)
        }}
      >
        <Stack gap="xs">
          {choices.map(({ value, label, hint }) => (
            <Radio key={value} value={value} label={label} description={hint} />
          ))}
        </Stack>
      </Radio.Group>
      {user.availability_status === 'unavailable' && (
        <Select
          label="Reason"
          placeholder="No reason given"
          clearable
          data={Object.entries(reasons).map(([value, label]) => ({ value, label }))}
          value={reason}
          onChange={(value) => void change('unavailable', value as Reason | null)}
        />
      )}
    </Stack>
  )
}
