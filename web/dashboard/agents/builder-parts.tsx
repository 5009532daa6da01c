import { Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AgentIssues, AgentSettings } from './agent.ts'

export interface AgentEditing {
  agent: AgentSettings
  set: (part: Partial<AgentSettings>) => void
  /** Shown after the first attempt to save. */
  issues: AgentIssues
}

export function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}

/** An empty text is null: the server uses its default. */
export function Words({
  label,
  description,
  placeholder,
  value,
  set,
  error,
  rows = 2,
  maxLength = 2_000,
}: {
  label: string
  description?: string
  placeholder?: string
  value: string | null
  set: (text: string | null) => void
  error?: string | undefined
  rows?: number
  maxLength?: number
}) {
  return (
    <Textarea
      label={label}
      description={description}
      placeholder={placeholder}
      autosize
      minRows={rows}
      maxRows={12}
      maxLength={maxLength}
      error={error}
      value={value ?? ''}
      onChange={({ currentTarget }) => set(currentTarget.value === '' ? null : currentTarget.value)}
    />
  )
}
