import { ActionIcon, Menu } from '@mantine/core'
import { IconCheck, IconDots, IconLogout, IconMoonOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api, type RequestOf } from '../../kit/api.ts'
import type { ConfirmRequest } from '../../kit/ui/confirm.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import type { LiveAgent } from '../parts/live.ts'

type Status = RequestOf<'/v1/users/{id}/status', 'put'>

const away: { label: string; status: Status }[] = [
  { label: 'For 30 minutes', status: { availability_status: 'unavailable', duration: '30_minutes' } },
  { label: 'For 1 hour', status: { availability_status: 'unavailable', duration: '1_hour' } },
  { label: 'In training', status: { availability_status: 'unavailable', substatus: 'in_training' } },
  { label: 'Back office', status: { availability_status: 'unavailable', substatus: 'doing_back_office' } },
  { label: 'Until it is changed', status: { availability_status: 'unavailable' } },
]

/** Sets the status of an agent, or signs the agent out. */
export function AgentMenu({ agent, confirm }: { agent: LiveAgent; confirm: (request: ConfirmRequest) => void }) {
  const queries = useQueryClient()
  const params = { id: agent.id }
  const refresh = () => queries.invalidateQueries({ queryKey: ['live'] })
  const set = async (body: Status) => {
    try {
      await api.put('/v1/users/{id}/status', { params, body })
      notify(`${agent.name}: ${body.availability_status === 'unavailable' ? 'unavailable' : 'available'}`)
      await refresh()
    } catch (error) {
      notifyError(error, 'Status not changed')
    }
  }
  const signOut = async () => {
    await api.post('/v1/users/{id}/sign_out', { params })
    notify(`${agent.name} signed out`)
    await refresh()
  }
  const askSignOut = () =>
    confirm({
      title: `Sign out ${agent.name}?`,
      body: 'The phone app closes in all browsers of this user, and calls no longer ring there. A call in progress continues; desk phones stay registered.',
      action: 'Sign out',
      run: signOut,
    })
  return (
    <Menu position="bottom-end" width={210} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" flex="none" aria-label={`Actions for ${agent.name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCheck size={16} />} onClick={() => void set({ availability_status: 'available' })}>
          Set available
        </Menu.Item>
        <Menu.Label>Set unavailable</Menu.Label>
        {away.map(({ label, status }) => (
          <Menu.Item key={label} leftSection={<IconMoonOff size={16} />} onClick={() => void set(status)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconLogout size={16} />} onClick={askSignOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
