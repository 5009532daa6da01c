import { Button, Group, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { numberProblem } from '../../kit/phone-number.ts'
import { useSession } from '../../kit/session.tsx'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { PeoplePicker } from '../../kit/ui/people.tsx'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { timeZones, zoneOf } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'

/** Adds a number with a flow or with classic routing. */
export function AddNumber({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <FormModal opened={opened} close={close} title="Add number">
      {(form) => <Fields {...form} />}
    </FormModal>
  )
}

function Fields({ leave, done }: { leave: () => void; done: () => void }) {
  const { user } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [digits, setDigits] = useState('')
  const [name, setName] = useState('')
  const [zone, setZone] = useState(zoneOf(user))
  const [kind, setKind] = useState('flow')
  const [validated, setValidated] = useState(true)
  const [users, setUsers] = useState<number[]>([user.id])
  const add = useMutation({
    mutationFn: () =>
      api.post('/v1/numbers', {
        body: {
          digits,
          name: name.trim(),
          time_zone: zone,
          flow_editor_enabled: kind === 'flow',
          validated,
          user_ids: users,
        },
      }),
    onSuccess: async ({ number }) => {
      await queries.invalidateQueries({ queryKey: ['numbers'] })
      notify(`${number.name} added`)
      done()
      await navigate(`/dashboard/numbers/${number.id}`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  // A number that is not E.164, or not one of any country.
  const isAboutDigits = add.error instanceof ApiError && add.error.message.includes('`digits` must')
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <PhoneInput
        label="Phone number"
        description="As dialled in your country, or with + and the country code"
        required
        data-autofocus
        value={digits}
        error={isAboutDigits && numberProblem()}
        onChange={setDigits}
      />
      <TextInput
        label="Name"
        placeholder="Support line"
        required
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Select
        label="Time zone"
        searchable
        allowDeselect={false}
        limit={50}
        data={timeZones(zone)}
        value={zone}
        onChange={(value) => value && setZone(value)}
      />
      <Radio.Group label="Call routing" value={kind} onChange={setKind}>
        <Stack gap="xs" mt={6}>
          <Radio value="flow" label="Flow" description="Visual editor with IVR, queues and forwarding" />
          <Radio
            value="classic"
            label="Classic"
            description="Business hours, then simultaneous ringing, then voicemail"
          />
        </Stack>
      </Radio.Group>
      <PeoplePicker
        label="Users"
        description="Inbound calls ring these users. You can change this later in the flow."
        placeholder={users.length > 0 ? '' : 'No users: callers reach voicemail'}
        value={users}
        onChange={setUsers}
      />
      <Switch
        label="Verified"
        description="Only verified numbers can be used for outbound calls"
        checked={validated}
        onChange={({ currentTarget }) => setValidated(currentTarget.checked)}
      />
      {add.error && !isAboutDigits && <SaveError error={add.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          Cancel
        </Button>
        <Button type="submit" loading={add.isPending}>
          Add number
        </Button>
      </Group>
    </Stack>
  )
}
