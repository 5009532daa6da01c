import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function LiveSection({ title, extra, children }: { title: string; extra?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder component="section" aria-label={title}>
      <Group justify="space-between" px="md" py="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {extra}
      </Group>
      {children}
    </Paper>
  )
}
