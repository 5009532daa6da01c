import { useMemo } from 'react'
import { useNumbers, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { useAgents } from '../agents/use-agents.ts'
import type { FlowNames } from './catalogue.ts'
import { soundName, useSounds } from './sounds.ts'

/** Display names of users, teams, numbers, AI agents and audio. */
export function useFlowNames(): FlowNames {
  const { data: users } = useUsers()
  const { data: teams } = useTeams()
  const { data: numbers } = useNumbers()
  const { data: agents } = useAgents()
  const { data: sounds } = useSounds()
  return useMemo(() => {
    const found = (list: { id: number; name: string }[] | undefined, id: number, what: string) =>
      list?.find((one) => one.id === id)?.name ?? `${what} ${id}`
    return {
      target: ({ type, id }) => (type === 'user' ? found(users, id, 'User') : found(teams, id, 'Team')),
      number: (id) => found(numbers, id, 'Number'),
      agent: (id) => (agents ? (agents.find((agent) => agent.id === id)?.name ?? 'Deleted AI agent') : 'AI agent'),
      sound: (url) => soundName(sounds, url),
    }
  }, [users, teams, numbers, agents, sounds])
}
