import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type EngineName, type Engines, useEngines } from './engines.ts'

const titles: Record<EngineName, string> = { stt: 'Listens', llm: 'Reads', tts: 'Speaks' }

/** Who does what, and why somebody is missing. */
export function EnginesCard() {
  const { data } = useEngines()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Engines
      </Title>
      <Paper withBorder p="md">
        {data ? <List engines={data} /> : <NotTold />}
      </Paper>
    </Stack>
  )
}

const NotTold = () => (
  <Text size="sm" c="dimmed">
    The lines of simulated calls are read as they stand in their scripts, and the built-in rules make of them what rules
    can. Ratings, predicted CSAT and free summaries need a language model.
  </Text>
)

function List({ engines }: { engines: Engines }) {
  return (
    <Stack gap="sm">
      {(Object.keys(titles) as EngineName[]).map((name) => (
        <Group key={name} gap="sm" wrap="nowrap" align="flex-start">
          <Badge variant="light" color={engines[name].on ? 'green' : 'gray'} tt="none" w={54} flex="none">
            {engines[name].on ? 'On' : 'Off'}
          </Badge>
          <div>
            <Text size="sm" fw={550}>
              {titles[name]}
            </Text>
            <Text size="sm" c="dimmed">
              {engines[name].sentence}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  )
}
