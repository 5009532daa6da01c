import { Badge, Group, Paper, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { type Call, externalPartyName } from './call.ts'
import { useTraceNames } from './call-story.tsx'
import classes from './quality.module.css'
import {
  chartPointsOf,
  directionWords,
  type Grade,
  gradeOfMos,
  type LegQuality,
  measures,
  type QualityMeasure,
  written,
} from './quality.ts'
import { QualityChart } from './quality-chart.tsx'

const everyMs = 30_000
const shownMeasures: QualityMeasure[] = ['mos', 'loss_percent', 'jitter_ms', 'round_trip_ms']
const gradeColors: Record<Grade, string> = { Good: 'teal', Fair: 'yellow', Poor: 'orange', Bad: 'red' }

/** Audio quality of each leg over time; nothing for calls without measurements, such as simulated ones. */
export function CallQuality({ call }: { call: Call }) {
  const isOver = call.status === 'done'
  const names = useTraceNames()
  const [measure, setMeasure] = useState<QualityMeasure>('mos')
  const { data: legs = [] } = useQuery({
    queryKey: ['call', String(call.id), 'quality', isOver],
    queryFn: async () => (await api.get('/v1/calls/{id}/quality', { params: { id: call.id } })).legs as LegQuality[],
    refetchInterval: isOver ? false : everyMs,
  })
  if (legs.length === 0) return null
  const nameOf = ({ party, user_id }: LegQuality) => {
    if (party === 'customer') return externalPartyName(call)
    return user_id === null ? 'External party' : names.user(user_id)
  }
  return (
    <Paper withBorder p="md" component="section" aria-label="Audio quality">
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h4">
            Audio quality
          </Title>
          <SegmentedControl
            size="xs"
            aria-label="Measure"
            value={measure}
            onChange={(value) => setMeasure(value as QualityMeasure)}
            data={shownMeasures.map((value) => ({ value, label: measures[value].label }))}
          />
        </Group>
        {legs.map((leg) => (
          <Leg key={`${leg.party}${leg.user_id}${leg.started_at}`} leg={leg} name={nameOf(leg)} measure={measure} />
        ))}
        <Text size="xs" c="dimmed">
          Received is the audio from the party, sent the audio to the party. MOS is an estimate from packet loss, jitter
          and delay: 4 and above is good, below 3.1 is bad.
        </Text>
      </Stack>
    </Paper>
  )
}

function Leg({ leg, name, measure }: { leg: LegQuality; name: string; measure: QualityMeasure }) {
  const lowest = Math.min(...[leg.received, leg.sent].flatMap((one) => (one ? [one.mos] : [])))
  const grade = Number.isFinite(lowest) ? gradeOfMos(lowest) : null
  const min = Math.min(...[leg.received, leg.sent].flatMap((one) => (one ? [one.min_mos] : [])))
  const title = `${measures[measure].label}, ${name}${leg.party === 'supervisor' ? ' (supervisor)' : ''}`
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        {leg.party === 'supervisor' && (
          <Badge variant="light" color="gray">
            Supervisor
          </Badge>
        )}
        {grade && (
          <Badge variant="light" color={gradeColors[grade]}>
            {grade}
          </Badge>
        )}
        {grade && gradeOfMos(min) !== grade && (
          <Text size="xs" c="dimmed">
            Lowest MOS {written('mos', min)}
          </Text>
        )}
      </Group>
      <QualityChart title={title} measure={measure} points={chartPointsOf(leg, measure)} />
      <Table.ScrollContainer minWidth={300}>
        <Table className={classes.table} verticalSpacing={4} fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Average</Table.Th>
              {shownMeasures.map((one) => (
                <Table.Th key={one} ta="right">
                  {measures[one].label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(['received', 'sent'] as const).map((direction) => (
              <Table.Tr key={direction}>
                <Table.Td>
                  <span className={classes.key}>
                    <span className={`${classes.swatch} ${classes[direction]}`} />
                    {directionWords[direction]}
                  </span>
                </Table.Td>
                {shownMeasures.map((one) => (
                  <Table.Td key={one} ta="right">
                    {written(one, leg[direction]?.[one])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}
