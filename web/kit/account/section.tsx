import { Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of the security settings. */
export function SecuritySection({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb={lead ? 4 : 'md'}>
        {title}
      </Title>
      {lead && (
        <Text size="sm" c="dimmed" mb="md">
          {lead}
        </Text>
      )}
      {children}
    </Paper>
  )
}
