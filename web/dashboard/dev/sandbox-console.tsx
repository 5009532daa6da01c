import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { SandboxAgents } from './sandbox-agents.tsx'
import { SandboxCall } from './sandbox-call.tsx'
import { SandboxClock } from './sandbox-clock.tsx'
import { SandboxFaults } from './sandbox-faults.tsx'
import { SandboxReset } from './sandbox-reset.tsx'
import { SandboxScenarios } from './sandbox-scenarios.tsx'

/** The simulated world: who calls, who answers, what time it is, what goes wrong. */
export function SandboxConsole() {
  return (
    <Stack>
      <Card title="Clock" about="Everything but signatures, time-outs and the rate limit follows it.">
        <SandboxClock />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="md">
        <Card title="Make a call" about="A synthetic person calls one of your Numbers.">
          <SandboxCall />
        </Card>
        <Card title="People" about="Who is connected can be rung; with an autopilot they answer by themselves.">
          <SandboxAgents />
        </Card>
        <Card title="Scenarios" about="A whole morning of calls. The same seed gives the same run.">
          <SandboxScenarios />
        </Card>
        <Card title="Faults" about="A bad day for your software, on purpose.">
          <SandboxFaults />
        </Card>
      </SimpleGrid>
      <SandboxReset />
    </Stack>
  )
}

function Card({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {about}
      </Text>
      {children}
    </Paper>
  )
}
