import { Box, Group, Text } from '@mantine/core'
import { IconUserX } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type ConfirmRequest, useConfirm } from '../../kit/ui/confirm.tsx'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Availability, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { AgentMenu } from '../live/agent-menu.tsx'
import { digitsOf } from './call.ts'
import { longSpan } from './call-story.tsx'
import classes from './live.module.css'
import type { LiveAgent, LiveCall } from './live.ts'
import { LiveSection } from './live-section.tsx'

const order: Availability[] = ['in_call', 'available', 'after_call_work', 'do_not_disturb', 'offline']

/** All agents, grouped by status. */
export function LiveAgents({ agents, calls, now }: { agents: LiveAgent[]; calls: LiveCall[]; now: number }) {
  const [dialog, confirm] = useConfirm()
  if (agents.length === 0)
    return (
      <LiveSection title="Agents">
        <Empty title="No agents yet">Invite agents under Users.</Empty>
      </LiveSection>
    )
  const groups = order.map((state) => ({ state, people: agents.filter(({ availability }) => availability === state) }))
  return (
    <LiveSection title="Agents">
      {dialog}
      <Bar groups={groups} total={agents.length} />
      {groups.map(
        ({ state, people }) =>
          people.length > 0 && (
            <AgentGroup key={state} state={state} people={people} calls={calls} now={now} confirm={confirm} />
          ),
      )}
    </LiveSection>
  )
}

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
  calls,
  now,
  confirm,
}: {
  state: Availability
  people: LiveAgent[]
  calls: LiveCall[]
  now: number
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
          <li key={agent.id} className={classes.line}>
            <Box flex={1} miw={0}>
              <Link to={`/dashboard/users/${agent.id}`} className={classes.link}>
                <Person name={agent.name} detail={doing(agent, calls)} availability={agent.availability} />
              </Link>
            </Box>
            <Text ff="monospace" size="sm" c="dimmed" flex="none">
              {state === 'offline' ? longSpan(now - agent.since) : span(now - agent.since)}
            </Text>
            <AgentMenu agent={agent} confirm={confirm} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The current calls of the agent, otherwise the teams. */
function doing({ id, teams }: LiveAgent, calls: LiveCall[]): string {
  const talks = calls
    .filter(({ users }) => users.some((user) => user.id === id))
    .map(
      ({ from, state }) =>
        `${state === 'connected' || state === 'on_hold' ? 'On a call with' : 'Ringing:'} ${digitsOf(from)}`,
    )
  return talks.length > 0 ? talks.join(', ') : teams.join(', ')
}
