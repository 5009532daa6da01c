import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { SandboxAgents } from './sandbox-agents.tsx'
import { SandboxCall } from './sandbox-call.tsx'
import { SandboxClock } from './sandbox-clock.tsx'
import { SandboxFaults } from './sandbox-faults.tsx'
import { SandboxReset } from './sandbox-reset.tsx'
import { SandboxScenarios } from './sandbox-scenarios.tsx'

/** Sandbox controls: clock, calls, agents, scenarios and faults. */
export function SandboxConsole() {
  return (
    <Stack>
      <Card title="Clock" hint="Controls all timing except signatures, network timeouts and the rate limit.">
        <SandboxClock />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="md">
        <Card title="Place a call" hint="A simulated caller calls one of your numbers.">
          <SandboxCall />
        </Card>
        <Card title="Agents" hint="Connected agents can be rung; with autopilot they answer automatically.">
          <SandboxAgents />
        </Card>
        <Card title="Scenarios" hint="Simulates a series of calls. The same seed repeats the same run.">
          <SandboxScenarios />
        </Card>
        <Card title="Faults" hint="Injects failures to test your integration.">
          <SandboxFaults />
        </Card>
      </SimpleGrid>
      <SandboxReset />
    </Stack>
  )
}

function Card({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {hint}
      </Text>
      {children}
    </Paper>
  )
}
