import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useNumbers, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { dayWords, reasonWords } from '../analytics/activity.ts'
import type { Filters } from './table-tools.tsx'

// The calls behind a figure of Analytics: `zone` in the URL says that dates and hours are those of that time zone.

export const isBehindFigure = (filters: Filters) =>
  filters.get('zone') !== null && filters.get('from') !== null && filters.get('to') !== null

/** The query parameters of the page as API parameters. */
export const behindFigureOf = (filters: Filters) => ({
  timezone: filters.get('zone') ?? '',
  from: filters.get('from'),
  to: filters.get('to'),
  order: filters.get('order') === 'asc' ? 'asc' : 'desc',
  direction: filters.get('direction'),
  outcome: filters.get('outcome'),
  missed_reason: filters.get('reason'),
  hour: filters.get('hour'),
  wait_up_to: filters.get('wait'),
  sla: filters.get('sla'),
  sla_seconds: filters.get('sla_seconds'),
  number_id: filters.all('number'),
  team_id: filters.all('team'),
  user_id: filters.all('user'),
})

const outcomes: Record<string, string> = { answered: 'Answered', missed: 'Missed', not_answered: 'Not answered' }

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** The active filters, each of which can be removed. */
export function FigureFilters({ filters }: { filters: Filters }) {
  const named = {
    number: useNumbers().data,
    team: useTeams().data,
    user: useUsers().data,
  }
  const value = (name: string) => filters.get(name)
  const label = (name: string, words: (value: string) => string) => {
    const given = value(name)
    return given === null ? [] : [{ key: name, words: words(given), clear: { [name]: null } }]
  }
  const ids = (name: keyof typeof named, title: string) =>
    filters.all(name).map((id) => ({
      key: `${name} ${id}`,
      words: `${title}: ${named[name]?.find((one) => String(one.id) === id)?.name ?? `#${id}`}`,
      clear: { [name]: filters.all(name).filter((other) => other !== id) },
    }))
  const chips = [
    ...label('direction', (way) => (way === 'inbound' ? 'Inbound' : 'Outbound')),
    ...label('outcome', (outcome) => outcomes[outcome] ?? outcome),
    ...label('reason', reasonWords),
    ...label('hour', (hour) => `${hour}:00 to ${Number(hour) + 1}:00`),
    ...label('wait', (upTo) => (upTo === '0' ? 'Wait time: longest' : `Wait time: up to ${upTo} s`)),
    ...label('sla', (sla) => `${sla === 'within' ? 'Within' : 'Outside'} ${value('sla_seconds') ?? 20} s`),
    ...ids('number', 'Number'),
    ...ids('team', 'Team'),
    ...ids('user', 'Agent'),
  ]
  const [from, to] = [value('from') ?? '', value('to') ?? '']
  const dates = [...new Set([from, to])].map((date) => (isDate(date) ? dayWords(date, day) : date)).join(' to ')
  return (
    <Group gap="xs" role="search" aria-label="Calls">
      <Text size="sm">
        {dates}, {(value('zone') ?? '').replaceAll('_', ' ')}
      </Text>
      {chips.map(({ key, words, clear }) => (
        <Badge
          key={key}
          size="lg"
          variant="light"
          tt="none"
          rightSection={
            <ActionIcon
              size={18}
              variant="transparent"
              color="currentColor"
              aria-label={`Remove filter ${words}`}
              onClick={() => filters.set(clear)}
            >
              <IconX size={12} />
            </ActionIcon>
          }
        >
          {words}
        </Badge>
      ))}
      <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={filters.clear}>
        Clear filters
      </Button>
    </Group>
  )
}

const isDate = (text: string) => !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
