import { Button, Group } from '@mantine/core'
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconTrash, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { type AgentCampaign, campaignsKey } from './campaign.ts'

type Action = 'start' | 'pause' | 'resume' | 'cancel'

const done: Record<Action, string> = {
  start: 'Campaign started',
  pause: 'Campaign paused',
  resume: 'Campaign resumed',
  cancel: 'Campaign cancelled',
}

/** Starts, pauses, exports and ends a campaign. */
export function CampaignActions({ campaign: { id, name, status, ended_at } }: { campaign: AgentCampaign }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, confirm] = useConfirm()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: Action) => {
    const changed = await api.post(`/v1/outbound-campaigns/{id}/${action}`, { params: { id } })
    queries.setQueryData([...campaignsKey, id], changed)
    await queries.invalidateQueries({ queryKey: campaignsKey })
    notify(done[action])
  }
  const perform = async (action: Action) => {
    setBusy(true)
    await run(action).catch(notifyError)
    setBusy(false)
  }
  const cancel = () =>
    confirm({
      title: `Cancel ${name}?`,
      body: 'Calls in progress continue. Recipients who have not been reached are not called.',
      action: 'Cancel campaign',
      run: () => run('cancel'),
    })
  const remove = () =>
    confirm({
      title: `Delete ${name}?`,
      body: 'Its recipients and results are deleted. Its calls are kept.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/outbound-campaigns/{id}', { params: { id } })
        await queries.invalidateQueries({ queryKey: campaignsKey })
        notify(`${name} deleted`)
        await navigate('/dashboard/campaigns')
      },
    })
  return (
    <Group gap="xs">
      {dialog}
      {status === 'draft' && (
        <Button leftSection={<IconPlayerPlay size={16} />} loading={isBusy} onClick={() => void perform('start')}>
          Start
        </Button>
      )}
      {status === 'running' && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          loading={isBusy}
          onClick={() => void perform('pause')}
        >
          Pause
        </Button>
      )}
      {status === 'paused' && (
        <Button leftSection={<IconPlayerPlay size={16} />} loading={isBusy} onClick={() => void perform('resume')}>
          Resume
        </Button>
      )}
      {(status === 'running' || status === 'paused') && (
        <Button variant="default" leftSection={<IconX size={16} />} onClick={cancel}>
          Cancel campaign
        </Button>
      )}
      <Button
        variant="default"
        component="a"
        href={`/app/v1/outbound-campaigns/${id}/export`}
        download="campaign.csv"
        leftSection={<IconDownload size={16} />}
      >
        Export
      </Button>
      {(status === 'draft' || ended_at !== null) && (
        <Button variant="default" color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
          Delete
        </Button>
      )}
    </Group>
  )
}
