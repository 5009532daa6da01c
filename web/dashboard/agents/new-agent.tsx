import { Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { blankAgent, starter } from './agent.ts'
import { agentsKey } from './use-agents.ts'

/** Name and template; all other settings are edited in the builder. */
export function NewAgent({ opened, close }: { opened: boolean; close: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [from, setFrom] = useState<'starter' | 'blank'>('starter')
  const submit = async () => {
    const settings = from === 'starter' ? starter : blankAgent
    const made = await api.post('/v1/ai_voice_agents', { body: { ...settings, name: name.trim() } })
    await queries.invalidateQueries({ queryKey: agentsKey })
    await navigate(`/dashboard/agents/${made.ai_voice_agent.id}`)
  }
  return (
    <FormDrawer title="New AI agent" opened={opened} close={close} action="Create AI agent" submit={submit}>
      <TextInput
        label="Name"
        placeholder="Robin"
        required
        data-autofocus
        maxLength={64}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Radio.Group label="Template" value={from} onChange={(value) => setFrom(value as 'starter' | 'blank')}>
        <Stack gap={6} mt={6}>
          <Radio value="starter" label="Message taking" description="Asks for name, reason and callback number" />
          <Radio value="blank" label="Blank" />
        </Stack>
      </Radio.Group>
    </FormDrawer>
  )
}
