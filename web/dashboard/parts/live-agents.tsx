import { Box, Group, Text } from '@mantine/core'
import { IconUserX } from '@tabler/icons-react'
import { memo, useCallback } from 'react'
import { Link } from 'react-router'
import { type ConfirmRequest, useConfirm } from '../../kit/ui/confirm.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { type Availability, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { AgentMenu } from '../live/agent-menu.tsx'
import { Elapsed } from '../live/elapsed.tsx'
import { digitsOf } from './call.ts'
import { longSpan } from './call-story.tsx'
import classes from './live.module.css'
import type { LiveAgent, LiveCall } from './live.ts'
import { LiveSection } from './live-section.tsx'

const order: Availability[] = ['in_call', 'available', 'after_call_work', 'do_not_disturb', 'offline']

/** All agents, grouped by status. Rendered only when an agent or a call changes. */
export const LiveAgents = memo(function LiveAgents({ agents, calls }: { agents: LiveAgent[]; calls: LiveCall[] }) {
  const [dialog, ask] = useConfirm()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it only sets state
  const confirm = useCallback(ask, [])
  if (agents.length === 0)
    return (
      <LiveSection title="Agents">
        <Empty title="No agents yet">Invite agents under Users.</Empty>
      </LiveSection>
    )
  const talks = talksOf(calls)
  const groups = order.map((state) => ({ state, people: agents.filter(({ availability }) => availability === state) }))
  return (
    <LiveSection title="Agents">
      {dialog}
      <Bar groups={groups} total={agents.length} />
      {groups.map(
        ({ state, people }) =>
          people.length > 0 && <AgentGroup key={state} state={state} people={people} talks={talks} confirm={confirm} />,
      )}
    </LiveSection>
  )
})

/** Distribution of the statuses as a stacked bar. */
function Bar({ groups, total }: { groups: { state: Availability; people: LiveAgent[] }[]; total: number }) {
  const words = groups.map(({ state, people }) => `${availabilityLooks[state].label}: ${people.length}`).join(', ')
  return (
    <div className={classes.bar} role="img" aria-label={words}>
      {groups
        .filter(({ people }) => people.length > 0)
        .map(({ state, people }) => (
          <div
            key={state}
            style={{
              width: `${(people.length / total) * 100}%`,
              background: `var(--mantine-color-${availabilityLooks[state].color}-6)`,
            }}
          />
        ))}
    </div>
  )
}

function AgentGroup({
  state,
  people,
  talks,
  confirm,
}: {
  state: Availability
  people: LiveAgent[]
  talks: ReadonlyMap<number, string>
  confirm: (request: ConfirmRequest) => void
}) {
  const { label } = availabilityLooks[state]
  return (
    <div>
      <Group gap={6} px="md" pt="sm" pb={4} c="dimmed">
        {state === 'offline' && <IconUserX size={14} aria-hidden />}
        <Text size="xs" fw={600} component="h3" m={0}>
          {label} · {people.length}
        </Text>
      </Group>
      <ul className={classes.list}>
        {people.map((agent) => (
          <AgentLine
            key={agent.id}
            agent={agent}
            doing={talks.get(agent.id) ?? agent.teams.join(', ')}
            confirm={confirm}
          />
        ))}
      </ul>
    </div>
  )
}

interface AgentLineProps {
  agent: LiveAgent
  doing: string
  confirm: (request: ConfirmRequest) => void
}

const AgentLine = memo(function AgentLine({ agent, doing, confirm }: AgentLineProps) {
  return (
    <li className={classes.line}>
      <Box flex={1} miw={0}>
        <Link to={`/dashboard/users/${agent.id}`} className={classes.link}>
          <Person name={agent.name} detail={doing} availability={agent.availability} />
        </Link>
      </Box>
      <Text component="div" c="dimmed" flex="none">
        <Elapsed
          since={agent.since}
          className={classes.elapsed}
          {...(agent.availability === 'offline' && { format: longSpan })}
        />
      </Text>
      <AgentMenu agent={agent} confirm={confirm} />
    </li>
  )
})

/** The current calls of each agent. */
function talksOf(calls: LiveCall[]): Map<number, string> {
  const talks = new Map<number, string>()
  for (const { from, contact, state, users } of calls) {
    const isTalked = state === 'connected' || state === 'on_hold'
    const words = `${isTalked ? 'On a call with' : 'Ringing:'} ${contact ?? digitsOf(from)}`
    for (const { id } of users) talks.set(id, talks.has(id) ? `${talks.get(id)}, ${words}` : words)
  }
  return talks
}
