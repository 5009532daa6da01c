import { Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { type Agent, blankAgent, starter } from './agent.ts'
import { agentsKey } from './use-agents.ts'

/** A name and where to begin; everything else is set in the builder. */
export function NewAgent({ opened, close }: { opened: boolean; close: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [from, setFrom] = useState<'starter' | 'blank'>('starter')
  const submit = async () => {
    const settings = from === 'starter' ? starter : blankAgent
    const made = await api.post<{ ai_voice_agent: Agent }>('/v1/ai_voice_agents', { ...settings, name })
    await queries.invalidateQueries({ queryKey: agentsKey })
    await navigate(`/dashboard/agents/${made.ai_voice_agent.id}`)
  }
  return (
    <FormDrawer
      title="New AI voice agent"
      opened={opened}
      close={close}
      action="Make the agent"
      submit={submit}
      disabled={name.trim() === ''}
    >
      <TextInput
        label="Name"
        placeholder="Robin"
        required
        data-autofocus
        maxLength={64}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Radio.Group label="Begin" value={from} onChange={(value) => setFrom(value as 'starter' | 'blank')}>
        <Stack gap={6} mt={6}>
          <Radio
            value="starter"
            label="As one that takes a message"
            description="Asks for a name, a reason and a number to call back"
          />
          <Radio value="blank" label="With nothing" />
        </Stack>
      </Radio.Group>
    </FormDrawer>
  )
}
