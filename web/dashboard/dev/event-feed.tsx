import { Accordion, Badge, Button, Group, Loader, MultiSelect, Paper, Select, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { instantOf } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { matches } from '../parts/list-table.ts'
import { SearchBox } from '../parts/search-box.tsx'
import { SavedFilters } from '../parts/table-tools.tsx'
import { Json } from './copy.tsx'
import { everyEvent } from './events.ts'

type LoggedEvent = ResponseOf<'/v1/events'>['events'][number]

const spans = { '900': 'Last 15 minutes', '3600': 'Last hour', '86400': 'Last 24 hours' }
const maxEvents = 300
const everyMs = 2_000

/** Live log of all events of the company. */
export function EventFeed() {
  const filters = useFilters()
  const names = filters.all('event')
  const seconds = filters.get('span') ?? '3600'
  const [isPaused, setPaused] = useState(false)
  const words = filters.get('q') ?? ''
  const { events: all, error, isLoading } = useFeed(names.join(','), Number(seconds), isPaused)
  const events = words ? all.filter((event) => matches(words, [event.event, JSON.stringify(event.data)])) : all
  return (
    <Stack>
      <Group gap="xs">
        <SearchBox label="Text in the event" value={words} onChange={(q) => filters.set({ q })} />
        <MultiSelect
          aria-label="Events"
          placeholder={names.length === 0 ? 'All events' : ''}
          searchable
          clearable
          flex={1}
          miw={260}
          maw={560}
          data={[...everyPrefix, ...everyEvent]}
          value={names}
          onChange={(event) => filters.set({ event })}
        />
        <Select
          aria-label="Time range"
          w={170}
          allowDeselect={false}
          data={Object.entries(spans).map(([value, label]) => ({ value, label }))}
          value={seconds}
          onChange={(span) => filters.set({ span: span === '3600' ? null : span })}
        />
        <Button
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Badge variant="dot" color={isPaused ? 'gray' : 'green'} tt="none">
          {isPaused ? 'Paused' : 'Live'}
        </Badge>
        <SavedFilters page="events" filters={filters} />
      </Group>
      {error !== undefined && <ErrorAlert error={error} title="Event log interrupted. Retrying…" />}
      {isLoading && <Loader role="status" aria-label="Loading" />}
      {!isLoading && events.length === 0 && error === undefined && (
        <Paper withBorder>
          {words ? (
            <Empty title="No results">New events with this text appear here automatically.</Empty>
          ) : (
            <Empty title="No events in this time range">
              New events appear here automatically. In a sandbox, place a test call on the Sandbox tab.
            </Empty>
          )}
        </Paper>
      )}
      <Accordion variant="contained" chevronPosition="left" role="group" aria-label="Events, newest first">
        {events.map((event) => (
          <Accordion.Item key={event.position} value={String(event.position)}>
            <Accordion.Control>
              <Group gap="sm" wrap="nowrap">
                <Text size="xs" c="dimmed" flex="none" style={{ fontVariantNumeric: 'tabular-nums' }}>
                  {time.format(instantOf(event.timestamp))}
                </Text>
                <Text size="sm" fw={600} flex="none">
                  {event.event}
                </Text>
                <Text size="sm" c="dimmed" truncate>
                  {gistOf(event)}
                </Text>
                {event.test && (
                  <Badge size="sm" variant="outline" color="gray" tt="none">
                    Test
                  </Badge>
                )}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Json value={event} label={`${event.event} at position ${event.position}`} height={420} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {all.length === maxEvents && (
        <Text size="sm" c="dimmed">
          Only the latest {maxEvents} events are {words ? 'searched' : 'shown'}.
        </Text>
      )}
    </Stack>
  )
}

const everyPrefix = [...new Set(everyEvent.map((name) => `${name.split('.')[0]}.*`))]
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** One-line summary of the payload. */
function gistOf({ resource, data }: LoggedEvent): string {
  if (typeof data !== 'object' || data === null) return resource
  const known = data as Record<string, unknown>
  const facts = [known.id, known.name, known.direction, known.raw_digits, known.status]
  return [resource, ...facts.filter((fact) => typeof fact === 'string' || typeof fact === 'number')].join(' ')
}

/** Polls from the last position every two seconds. */
function useFeed(names: string, seconds: number, isPaused: boolean) {
  const [events, setEvents] = useState<LoggedEvent[]>([])
  const [error, setError] = useState<unknown>()
  const [isLoading, setLoading] = useState(true)
  const [after, setAfter] = useState<number>()

  // A changed filter restarts the log.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two are the filter
  useEffect(() => {
    setEvents([])
    setAfter(undefined)
    setLoading(true)
  }, [names, seconds])

  useEffect(() => {
    if (isPaused) return
    let isOver = false
    const read = async () => {
      try {
        const from = after === undefined ? { last_seconds: seconds } : { after }
        const { events: found } = await api.get('/v1/events', {
          query: {
            ...from,
            events: names,
            per_page: 50,
          },
        })
        if (isOver) return
        setError(undefined)
        setLoading(false)
        if (found.length > 0) setEvents((before) => [...found.toReversed(), ...before].slice(0, maxEvents))
        const last = found.at(-1)?.position
        // A full page means there is more: read the next page immediately.
        if (last !== undefined) setAfter(last)
        if (found.length < 50) timer = window.setTimeout(() => void read(), everyMs)
      } catch (failure) {
        if (isOver) return
        setError(failure)
        setLoading(false)
        timer = window.setTimeout(() => void read(), everyMs * 2)
      }
    }
    let timer = window.setTimeout(() => void read(), 0)
    return () => {
      isOver = true
      window.clearTimeout(timer)
    }
  }, [names, seconds, isPaused, after])
  return { events, error, isLoading }
}
