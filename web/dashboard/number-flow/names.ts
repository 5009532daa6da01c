import { useMemo } from 'react'
import { useNumbers, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { useAgents } from '../agents/use-agents.ts'
import type { FlowNames } from './catalogue.ts'

/** Display names of users, teams, numbers and AI agents. */
export function useFlowNames(): FlowNames {
  const { data: users } = useUsers()
  const { data: teams } = useTeams()
  const { data: numbers } = useNumbers()
  const { data: agents } = useAgents()
  return useMemo(() => {
    const found = (list: { id: number; name: string }[] | undefined, id: number, what: string) =>
      list?.find((one) => one.id === id)?.name ?? `${what} ${id}`
    return {
      target: ({ type, id }) => (type === 'user' ? found(users, id, 'User') : found(teams, id, 'Team')),
      number: (id) => found(numbers, id, 'Number'),
      agent: (id) => (agents ? (agents.find((agent) => agent.id === id)?.name ?? 'Deleted AI agent') : 'AI agent'),
    }
  }, [users, teams, numbers, agents])
}
