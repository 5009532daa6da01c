import { Anchor, Badge, Group, List, Paper, Progress, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconCheck, IconMoodHappy, IconMoodNeutral, IconMoodSad, IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { type Facts, type Output, type Reason, whyAbsent } from './absent.ts'
import type { CustomSummary, Mood, PlaybookResult } from './data.ts'

export function Card({ title, extra, children }: { title: string; extra?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          {extra}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}

/** Why a result is missing, with a link to the settings. */
export function Absent({ reason: { text, link } }: { reason: Reason }) {
  const session = useSession()
  return (
    <Text size="sm" c="dimmed">
      {text}
      {link && isAdmin(session) && (
        <>
          {' '}
          <Anchor component={Link} to={link.to} size="sm" underline="always">
            {link.label}
          </Anchor>
        </>
      )}
    </Text>
  )
}

/** A result, the reason for its absence, or a placeholder while loading. */
export function ResultOrReason<T>({
  value,
  output,
  facts,
  children,
}: {
  value: T | null | undefined
  output: Output
  facts: Facts | undefined
  children: (value: T) => ReactNode
}) {
  if (value) return children(value)
  if (value === undefined || !facts) return <Skeleton height={20} />
  return <Absent reason={whyAbsent(output, facts)} />
}

const moods: Record<Mood, { label: string; color: string; icon: typeof IconMoodSad }> = {
  POSITIVE: { label: 'Positive', color: 'green', icon: IconMoodHappy },
  NEUTRAL: { label: 'Neutral', color: 'gray', icon: IconMoodNeutral },
  NEGATIVE: { label: 'Negative', color: 'red', icon: IconMoodSad },
}

export function SentimentBadge({ mood, who }: { mood: Mood; who: string }) {
  const { label, color, icon: Icon } = moods[mood]
  return (
    <Badge variant="light" color={color} size="lg" tt="none" fw={550} leftSection={<Icon size={16} />}>
      {who}: {label.toLowerCase()}
    </Badge>
  )
}

export function Topics({ topics }: { topics: string[] }) {
  return (
    <Group gap={6}>
      {topics.map((topic) => (
        <Badge key={topic} variant="light" tt="none" fw={550}>
          {topic}
        </Badge>
      ))}
    </Group>
  )
}

export function Template({
  result,
  correct,
}: {
  result: CustomSummary
  correct: (name: string, content: string) => Promise<void>
}) {
  return (
    <Stack gap="sm">
      {result.summary_template_results.map((section) => (
        <Section key={section.name} section={section} correct={(content) => correct(section.name, content)} />
      ))}
    </Stack>
  )
}

function Section({
  section: { name, content, ai_generated },
  correct,
}: {
  section: CustomSummary['summary_template_results'][number]
  correct: (content: string) => Promise<void>
}) {
  const [draft, setDraft] = useState<string>()
  const save = async () => {
    if (draft?.trim() && draft !== content) await correct(draft.trim())
    setDraft(undefined)
  }
  return (
    <div>
      <Group gap={6} justify="space-between">
        <Group gap={6}>
          <Text size="xs" c="dimmed" fw={600}>
            {name}
          </Text>
          {!ai_generated && (
            <Badge size="xs" variant="light" color="gray" tt="none">
              Edited
            </Badge>
          )}
        </Group>
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-label={draft === undefined ? `Edit ${name}` : `Save ${name}`}
          onClick={() => (draft === undefined ? setDraft(content) : void save())}
        >
          {draft === undefined ? 'Edit' : 'Save'}
        </Anchor>
      </Group>
      {draft === undefined ? (
        <Lines text={content} />
      ) : (
        <Textarea
          size="sm"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={10_000}
          autoFocus
          aria-label={name}
          value={draft}
          onChange={({ currentTarget }) => setDraft(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setDraft(undefined)
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
          }}
        />
      )}
    </div>
  )
}

/** Lines that all start with "- " are a list. */
function Lines({ text }: { text: string }) {
  const lines = text.split('\n')
  if (!lines.every((line) => line.startsWith('- '))) {
    return (
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    )
  }
  return (
    <List size="sm" withPadding>
      {lines.map((line) => (
        <List.Item key={line}>{line.slice(2)}</List.Item>
      ))}
    </List>
  )
}

export function Playbook({
  result,
  correct,
}: {
  result: PlaybookResult
  /** Undefined for read-only users. */
  correct: ((name: string, isCovered: boolean) => void) | undefined
}) {
  const topics = result.playbook_result_topics
  const covered = topics.filter((topic) => topic.result).length
  return (
    <Stack gap={6}>
      <Text size="sm">
        {covered} of {topics.length} topics covered
      </Text>
      <Progress value={result.adherence_score * 100} color="teal" size="sm" aria-label="Topics covered" />
      <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {topics.map((topic) => (
          <Group key={topic.name} component="li" gap="xs" wrap="nowrap" justify="space-between">
            <Group gap={6} wrap="nowrap" miw={0}>
              {topic.result ? (
                <IconCheck size={16} color="var(--mantine-color-green-light-color)" role="img" aria-label="Covered" />
              ) : (
                <IconX size={16} color="var(--mantine-color-dimmed)" role="img" aria-label="Not covered" />
              )}
              <Text size="sm" {...(!topic.result && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }}>
                {topic.name}
              </Text>
            </Group>
            {correct && (
              <Anchor
                component="button"
                type="button"
                size="xs"
                flex="none"
                aria-label={`Mark as ${topic.result ? 'not ' : ''}covered: ${topic.name}`}
                onClick={() => correct(topic.name, !topic.result)}
              >
                {topic.result ? 'Mark as not covered' : 'Mark as covered'}
              </Anchor>
            )}
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

export function Csat({ csat }: { csat: { score: number; drivers: { polarity: Mood; label: string }[] } }) {
  const color = csat.score >= 70 ? 'green' : csat.score >= 40 ? 'yellow' : 'red'
  return (
    <Stack gap={6}>
      <Group gap="sm" wrap="nowrap">
        <Text fw={650} size="lg">
          {csat.score}
        </Text>
        <Progress flex={1} value={csat.score} color={color} size="sm" aria-label="Predicted CSAT out of 100" />
      </Group>
      <Group gap={6}>
        {csat.drivers.map(({ polarity, label }) => (
          <Badge key={label} variant="light" color={moods[polarity].color} tt="none" fw={550}>
            {label}
          </Badge>
        ))}
      </Group>
    </Stack>
  )
}
