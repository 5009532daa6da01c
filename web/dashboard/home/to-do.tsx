import { Anchor, Group, Paper, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { when } from '../../kit/ui/format.ts'
import { type Call, externalPartyName, outcomeWords } from '../parts/call.ts'
import { narrowings } from '../parts/call-filters.tsx'
import { CallSign } from '../parts/call-sign.tsx'
import classes from './home.module.css'

const shown = 6

/** The newest unanswered calls that no colleague has handled yet. */
export function ToDoPreview({ home: { to_do: toDo } }: { home: ResponseOf<'/v1/home'> }) {
  const { data } = useQuery({
    queryKey: ['home', 'to-do', toDo.calls],
    queryFn: () =>
      api.get('/v1/calls/search', { query: { missed: true, order: 'desc', fetch_contact: true, per_page: 20 } }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  const keeps = narrowings.todo?.keeps ?? (() => false)
  const calls = toDo.calls > 0 ? (data?.calls.filter(keeps).slice(0, shown) ?? []) : []
  if (calls.length === 0) return null
  return (
    <section aria-labelledby="home-to-do">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="home-to-do">
          To do
        </Title>
        <Anchor component={Link} to="/dashboard/calls?only=todo" size="sm">
          Show all
        </Anchor>
      </Group>
      <Paper withBorder component="ul" className={classes.list}>
        {calls.map((call) => (
          <li key={call.id}>
            <Row call={call} />
          </li>
        ))}
      </Paper>
    </section>
  )
}

function Row({ call }: { call: Call }) {
  return (
    <Link to={`/dashboard/calls/${call.id}`} className={classes.row}>
      <CallSign call={call} />
      <div className={classes.party}>
        <Text size="sm" fw={550} truncate>
          {externalPartyName(call)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {outcomeWords(call)}
          {call.number && ` · ${call.number.name}`}
          {call.assigned_to && ` · Assigned to ${call.assigned_to.name}`}
        </Text>
      </div>
      <Text size="sm" c="dimmed" className={classes.time}>
        {when(call.started_at)}
      </Text>
    </Link>
  )
}
