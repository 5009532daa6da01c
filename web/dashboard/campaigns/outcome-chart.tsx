import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { type AgentCampaign, outcomeLabels } from './campaign.ts'

const colors: Record<keyof AgentCampaign['outcomes'], string> = {
  answered: 'green',
  voicemail: 'blue',
  no_answer: 'gray',
  busy: 'orange',
  failed: 'red',
  refused: 'red',
  expired: 'gray',
}

/** Recipients by the outcome of their last call. */
export function OutcomeChart({ outcomes }: { outcomes: AgentCampaign['outcomes'] }) {
  const entries = Object.entries(outcomes) as [keyof AgentCampaign['outcomes'], number][]
  const total = entries.reduce((all, [, n]) => all + n, 0)
  return (
    <Paper withBorder p="md" component="section" aria-label="Outcomes">
      <Stack gap={6}>
        <Title order={2} size="h4">
          Outcomes
        </Title>
        {total === 0 && (
          <Text size="sm" c="dimmed">
            No calls yet.
          </Text>
        )}
        {entries
          .filter(([, n]) => n > 0)
          .map(([outcome, n]) => (
            <div key={outcome}>
              <Group justify="space-between">
                <Text size="sm">{outcomeLabels[outcome]}</Text>
                <Text size="sm">{n}</Text>
              </Group>
              <Progress value={(100 * n) / total} color={colors[outcome]} aria-label={outcomeLabels[outcome]} />
            </div>
          ))}
      </Stack>
    </Paper>
  )
}
