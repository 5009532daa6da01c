import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { agentsKey } from './use-agents.ts'

/** Adds the conversation of a call to the tests of the AI agent that took it. */
export function CreateTest({ agentId, callId, isOver }: { agentId: string; callId: number; isOver: boolean }) {
  const may = isAdmin(useSession())
  const navigate = useNavigate()
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () =>
      api.post('/v1/ai_voice_agents/{id}/tests/import', { params: { id: agentId }, body: { call_id: callId } }),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: [...agentsKey, agentId, 'tests'] })
      notify(`Test “${name}” created`)
      await navigate(`/dashboard/agents/${agentId}/tests`)
    },
    onError: (error) => notifyError(error, 'Test not created'),
  })
  if (!may || !isOver) return null
  return (
    <Button size="compact-xs" variant="subtle" loading={create.isPending} onClick={() => create.mutate()}>
      Create test
    </Button>
  )
}
