import { Group, Paper, Progress, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { minCallsForShare } from '../../../src/domain/live-alerts.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { count, span } from '../../kit/ui/format.ts'
import { OtherTimeZone } from '../../kit/ui/other-time-zone.tsx'
import { LiveSection } from '../parts/live-section.tsx'

export type Today = ResponseOf<'/v1/live/today'>

export const useToday = () =>
  useQuery({
    queryKey: ['live', 'today'],
    queryFn: () => api.get('/v1/live/today'),
    refetchInterval: 5_000,
    retry: false,
  })

export interface TodayFigure {
  label: string
  value: string
  /** The calls of which the value is a share. */
  of?: string
  target?: string
  /** Whether the target is met; undefined without a target, or with too few calls for a share. */
  isMet?: boolean | undefined
  /** 0 to 100, for a bar. */
  share?: number | null
}

// A percent sign is never on a line of its own.
const withSign = (share: number) => `${share}\u00a0%`
const percent = (share: number | null) => (share === null ? '–' : withSign(share))

/** The figures of today with their targets. */
export function todayFigures({ today, targets }: Today): TodayFigure[] {
  const { service_level: level, abandoned_share: abandoned, offered } = today
  const isMet = (share: number | null, isReached: (share: number) => boolean) =>
    share === null || offered < minCallsForShare ? undefined : isReached(share)
  const ofCalls = (part: number) => `${part.toLocaleString()} of ${count(offered, 'call')}`
  return [
    { label: 'Inbound answered', value: `${today.answered} of ${today.offered}`, share: today.answered_share },
    {
      label: `Answered within ${targets.answer_seconds} s`,
      value: percent(level),
      of: ofCalls(today.answered_within),
      target: `Target ${withSign(targets.service_level)} or more`,
      isMet: isMet(level, (share) => share >= targets.service_level),
      share: level,
    },
    {
      label: 'Abandoned',
      value: percent(abandoned),
      of: ofCalls(today.abandoned),
      target: `Target ${withSign(targets.abandoned)} or less`,
      isMet: isMet(abandoned, (share) => share <= targets.abandoned),
      share: abandoned,
    },
    {
      label: 'Avg. wait time',
      value: today.average_wait_seconds === null ? '–' : span(today.average_wait_seconds),
    },
  ]
}

export const verdict = (isMet: boolean | undefined) =>
  isMet === undefined ? undefined : isMet ? 'On target' : 'Off target'

export function LiveToday() {
  const { data } = useToday()
  if (!data) return null
  return (
    <LiveSection title="Today" extra={<OtherTimeZone name={data.time_zone} />}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" px="md" pb="md">
        {todayFigures(data).map((figure) => (
          <Figure key={figure.label} {...figure} />
        ))}
      </SimpleGrid>
    </LiveSection>
  )
}

function Figure({ label, value, of, target, isMet, share }: TodayFigure) {
  const color = isMet === undefined ? 'blue' : isMet ? 'green' : 'red'
  return (
    <Paper withBorder p="sm" role="group" aria-label={label}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={650} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      {of && (
        <Text size="xs" c="dimmed">
          {of}
        </Text>
      )}
      {share !== undefined && <Progress value={share ?? 0} color={color} size="sm" my={6} aria-hidden />}
      {target && (
        <Group gap={6}>
          <Text size="xs" c="dimmed">
            {target}
          </Text>
          {isMet !== undefined && (
            <Text size="xs" fw={600}>
              {verdict(isMet)}
            </Text>
          )}
        </Group>
      )}
    </Paper>
  )
}
