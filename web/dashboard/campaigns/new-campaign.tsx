import { Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { useAgents } from '../agents/use-agents.ts'
import { type CampaignForm, campaignBody, campaignsKey, checkForm, emptyCampaign } from './campaign.ts'
import { RecipientFields, useRecipientList } from './recipient-fields.tsx'
import { CallFromField, ScheduleFields } from './settings-fields.tsx'

/** Creates a draft: it is started on its page. */
export function NewCampaign({ close }: { close: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: agents = [] } = useAgents()
  const [agentId, setAgentId] = useState<string | null>(null)
  const [form, setForm] = useState(emptyCampaign)
  const list = useRecipientList(agentId, form.hours)
  const set = (part: Partial<CampaignForm>) => {
    setForm((before) => ({ ...before, ...part }))
    if (part.hours) list.unchecked()
  }
  const submit = async () => {
    checkForm(form, Date.now())
    const recipients = await list.valid()
    const made = await api.post('/v1/outbound-campaigns', {
      body: { ...campaignBody(form), agent_id: agentId ?? '', recipients },
    })
    await queries.invalidateQueries({ queryKey: campaignsKey })
    await navigate(`/dashboard/campaigns/${made.id}`)
  }
  return (
    <FormDrawer title="New campaign" opened close={close} action="Create campaign" submit={submit} size="lg">
      <TextInput
        label="Name"
        placeholder="Appointment reminders"
        required
        data-autofocus
        maxLength={128}
        value={form.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <Select
        label="AI agent"
        required
        data={agents.filter(({ active }) => active).map((agent) => ({ value: agent.id, label: agent.name }))}
        value={agentId}
        onChange={(id) => {
          setAgentId(id)
          list.unchecked()
        }}
      />
      <CallFromField form={form} set={set} />
      <RecipientFields list={list} isReady={agentId !== null} />
      <ScheduleFields form={form} set={set} />
    </FormDrawer>
  )
}
