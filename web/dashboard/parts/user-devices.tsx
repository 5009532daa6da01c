import { ActionIcon, Badge, Button, Checkbox, Group, Menu, Stack, Text, TextInput } from '@mantine/core'
import { IconDots, IconKey, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { when } from '../../kit/ui/format.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { DeviceSetup, type NewDevice } from './device-setup.tsx'

type Device = ResponseOf<'/v1/users/{id}/devices', 'get'>['devices'][number]

/** A device in the drawer; a new one has no id. */
type DeviceDraft = { id?: number; name: string; srtp: boolean; loaded?: object }

const keyOf = (userId: number) => ['users', 'devices', userId]

/** The desk phones and SIP apps of a user. */
export function UserDevices({ userId, may }: { userId: number; may: boolean }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState<DeviceDraft>()
  const [shown, setShown] = useState<NewDevice>()
  const { data, error } = useQuery({
    queryKey: keyOf(userId),
    refetchInterval: 5_000,
    queryFn: () => api.get('/v1/users/{id}/devices', { params: { id: userId } }),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: keyOf(userId) })
  const submit = async () => {
    if (!draft) return
    const { id, srtp, loaded } = draft
    const name = draft.name.trim()
    if (id === undefined) {
      const body = { name, srtp }
      setShown(await api.post('/v1/users/{id}/devices', { params: { id: userId }, body }))
    } else {
      await api.put('/v1/devices/{id}', { params: { id }, body: { name, srtp }, loaded })
      notify('Device saved')
    }
    await refresh()
  }
  if (error && !data) return <ErrorAlert error={error} />
  return (
    <Stack gap="sm">
      {data?.devices.length === 0 && (
        <Text size="sm" c="dimmed">
          No devices yet. A desk phone or SIP app rings together with the phone app.
        </Text>
      )}
      {data?.devices.map((device) => (
        <DeviceRow
          key={device.id}
          device={device}
          may={may}
          edit={() => setDraft({ id: device.id, name: device.name, srtp: device.srtp, loaded: device })}
          show={setShown}
          refresh={refresh}
        />
      ))}
      {may && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} />}
            onClick={() => setDraft({ name: '', srtp: false })}
          >
            Add device
          </Button>
        </Group>
      )}
      <FormDrawer
        title={draft?.id === undefined ? 'Add device' : 'Edit device'}
        opened={draft !== undefined}
        close={() => setDraft(undefined)}
        action={draft?.id === undefined ? 'Create' : 'Save'}
        submit={submit}
      >
        <TextInput
          label="Name"
          placeholder="Desk phone"
          required
          maxLength={100}
          value={draft?.name ?? ''}
          onChange={(event) => draft && setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Checkbox
          label="SRTP media encryption"
          description="The device must support it; use TLS as its transport."
          checked={draft?.srtp ?? false}
          onChange={(event) => draft && setDraft({ ...draft, srtp: event.currentTarget.checked })}
        />
      </FormDrawer>
      <DeviceSetup made={shown} close={() => setShown(undefined)} />
    </Stack>
  )
}

function DeviceRow({
  device,
  may,
  edit,
  show,
  refresh,
}: {
  device: Device
  may: boolean
  edit: () => void
  show: (made: NewDevice) => void
  refresh: () => Promise<void>
}) {
  const [dialog, confirm] = useConfirm()
  const [latest] = device.registrations
  const remove = () =>
    confirm({
      title: `Delete ${device.name}?`,
      body: 'The device can no longer register or place calls.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/devices/{id}', { params: { id: device.id } })
        await refresh()
        notify('Device deleted')
      },
    })
  const renew = () =>
    confirm({
      title: `Create a new password for ${device.name}?`,
      body: 'The device is disconnected until it has the new password.',
      action: 'Create password',
      run: async () => {
        show(await api.post('/v1/devices/{id}/password', { params: { id: device.id } }))
        await refresh()
      },
    })
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      {dialog}
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {device.name}
          </Text>
          <Badge variant="light" color={device.registered ? 'teal' : 'gray'} tt="none">
            {device.registered ? 'Registered' : 'Not registered'}
          </Badge>
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {latest
            ? [
                latest.user_agent,
                `${latest.transport.toUpperCase()} from ${latest.address}`,
                when(latest.registered_at),
              ]
                .filter(Boolean)
                .join(' · ')
            : `Username ${device.username}`}
        </Text>
      </div>
      {may && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${device.name}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
              Edit
            </Menu.Item>
            <Menu.Item leftSection={<IconKey size={16} />} onClick={renew}>
              New password
            </Menu.Item>
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  )
}
