import { Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { count } from '../../kit/ui/format.ts'
import { notify } from '../../kit/ui/toast.tsx'
import {
  type AgentCampaign,
  type CampaignForm,
  campaignBody,
  campaignsKey,
  checkForm,
  formOfCampaign,
} from './campaign.ts'
import { RecipientFields, useRecipientList } from './recipient-fields.tsx'
import { CallFromField, ScheduleFields } from './settings-fields.tsx'

interface Props {
  campaign: AgentCampaign
  close: () => void
}

/** Settings of a campaign that has not ended. */
export function EditCampaign({ campaign, close }: Props) {
  const queries = useQueryClient()
  // The page refreshes the campaign while its calls are placed.
  const [loaded] = useState(() => formOfCampaign(campaign))
  const [form, setForm] = useState(loaded)
  const set = (part: Partial<CampaignForm>) => setForm((before) => ({ ...before, ...part }))
  const submit = async () => {
    checkForm(form, Date.now())
    const { id } = campaign
    const changed = await api.put('/v1/outbound-campaigns/{id}', {
      params: { id },
      body: campaignBody(form),
      loaded: campaignBody(loaded),
    })
    queries.setQueryData([...campaignsKey, id], changed)
    await queries.invalidateQueries({ queryKey: campaignsKey })
    notify('Campaign saved')
  }
  return (
    <FormDrawer title="Edit campaign" opened close={close} action="Save" submit={submit} size="lg">
      <Text size="sm" c="dimmed">
        Changes apply to later calls, including retries. Calls in progress are not affected.
      </Text>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={128}
        value={form.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <CallFromField form={form} set={set} required />
      <ScheduleFields form={form} set={set} />
    </FormDrawer>
  )
}

export function AddRecipients({ campaign, close }: Props) {
  const queries = useQueryClient()
  const list = useRecipientList(campaign.agent_id, campaign.calling_hours as CampaignForm['hours'])
  const submit = async () => {
    const { id, progress } = campaign
    const recipients = await list.valid()
    const changed = await api.post('/v1/outbound-campaigns/{id}/recipients', { params: { id }, body: { recipients } })
    queries.setQueryData([...campaignsKey, id], changed)
    await queries.invalidateQueries({ queryKey: campaignsKey })
    const added = changed.progress.total - progress.total
    const known = recipients.length - added
    notify(
      `${count(added, 'recipient')} added${known > 0 ? `. ${known} ${known === 1 ? 'was' : 'were'} already in the campaign` : ''}`,
    )
  }
  return (
    <FormDrawer title="Add recipients" opened close={close} action="Add recipients" submit={submit} size="lg">
      <Text size="sm" c="dimmed">
        {campaign.status === 'running'
          ? 'The campaign is running: they are called as soon as their calling hours allow it. Numbers that it has are skipped.'
          : 'They are called once the campaign runs. Numbers that it has are skipped.'}
      </Text>
      <RecipientFields list={list} isReady />
    </FormDrawer>
  )
}
