import { Alert, Badge, Button, Group, Menu, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconChevronDown, IconClipboardCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import type { GuideOf } from '../intelligence/guide.ts'
import { useGuides } from '../intelligence/use-guides.ts'
import type { Call } from '../parts/call.ts'
import { useTraceNames } from '../parts/call-story.tsx'
import type { Playback } from './conversation.tsx'
import { isForbidden, useResult } from './data.ts'
import { answerWords, type Evaluated, type Evaluation, scoreColor, scoreWords } from './evaluation.ts'
import { EvaluationForm } from './evaluation-form.tsx'
import { Quote } from './quote.tsx'

type Scorecard = GuideOf<'scorecard'>

/** Evaluations of a call by scorecard, from AI and reviewers. */
export function Evaluations({ call, playback }: { call: Call; playback: Playback }) {
  const session = useSession()
  const evaluation = useResult(call.id, 'evaluations')
  const guides = useGuides()
  /** Id of the scorecard being edited. */
  const [open, setOpen] = useState<number>()
  if (isForbidden(guides.error) || isForbidden(evaluation.error) || call.user === null) return null
  const cards = (guides.data ?? []).filter((guide): guide is Scorecard => guide.kind === 'scorecard')
  const done = evaluation.data?.evaluations ?? []
  const cardOf = ({ scorecard }: Evaluated) => cards.find(({ name }) => name === scorecard.name)
  const left = cards.filter(({ name, active }) => active && !done.some(({ scorecard }) => scorecard.name === name))
  const chosen = cards.find(({ id }) => id === open)
  const before = chosen && done.find(({ scorecard }) => scorecard.name === chosen.name)
  return (
    <Paper withBorder p="md" component="section" aria-label="Evaluation">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Evaluation
          </Title>
          {!chosen && left.length > 0 && <Choose cards={left} choose={setOpen} />}
        </Group>
        {evaluation.isPending || guides.isPending ? (
          <Skeleton height={60} />
        ) : chosen ? (
          <EvaluationForm
            key={chosen.id}
            callId={call.id}
            card={chosen}
            before={before}
            playback={playback}
            close={() => setOpen(undefined)}
          />
        ) : (
          <>
            {done.length === 0 && (
              <Text size="sm" c="dimmed">
                {cards.length > 0 ? (
                  `This call of ${call.user.name} has not been evaluated yet.`
                ) : isAdmin(session) ? (
                  <>
                    No scorecards yet. <Link to="/dashboard/intelligence/scorecards">Create a scorecard</Link> to
                    evaluate calls.
                  </>
                ) : (
                  'No scorecards yet. An admin can create one.'
                )}
              </Text>
            )}
            {evaluation.data &&
              done.map((one) => {
                const card = cardOf(one)
                return (
                  <Done
                    key={one.scorecard.name}
                    evaluation={evaluation.data as Evaluation}
                    one={one}
                    playback={playback}
                    review={card && (() => setOpen(card.id))}
                  />
                )
              })}
          </>
        )}
      </Stack>
    </Paper>
  )
}

function Choose({ cards, choose }: { cards: Scorecard[]; choose: (id: number) => void }) {
  const [only] = cards
  if (only && cards.length === 1) {
    return (
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconClipboardCheck size={14} />}
        onClick={() => choose(only.id)}
      >
        Evaluate with {only.name}
      </Button>
    )
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="light" rightSection={<IconChevronDown size={14} />}>
          Evaluate with
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {cards.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => choose(id)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** A completed scorecard. */
function Done({
  evaluation,
  one,
  playback,
  review,
}: {
  evaluation: Evaluation
  one: Evaluated
  playback: Playback
  /** Undefined when the scorecard no longer exists. */
  review: (() => void) | undefined
}) {
  const byRules = one.reviewer_user_id === null
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text fw={600}>{one.scorecard.name}</Text>
          <Badge variant="light" color={scoreColor(one.score)} tt="none" size="lg">
            {scoreWords(one.score)}
          </Badge>
          {byRules && (
            <Badge variant="light" color="gray" tt="none">
              Not reviewed
            </Badge>
          )}
        </Group>
        {review && (
          <Button size="compact-sm" variant="light" onClick={review}>
            {byRules ? 'Review' : 'Edit'}
          </Button>
        )}
      </Group>
      <History evaluation={evaluation} one={one} />
      {one.feedback && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {one.feedback}
        </Text>
      )}
      {one.categories.map((category) => (
        <div key={category.order}>
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              {category.name}
            </Text>
            <Text size="xs" c="dimmed">
              {scoreWords(category.score)}
            </Text>
          </Group>
          {category.questions.map((question) => (
            <Group key={question.order} gap="sm" wrap="nowrap" align="flex-start" mt={6}>
              <Badge
                variant="light"
                color={question.answer === 'N/A' ? 'gray' : scoreColor(question.score)}
                tt="none"
                miw={76}
                flex="none"
              >
                {answerWords[question.answer]}
              </Badge>
              <div style={{ minWidth: 0 }}>
                <Text size="sm">{question.text}</Text>
                {question.feedback && <Quote text={question.feedback} playback={playback} />}
              </div>
            </Group>
          ))}
        </div>
      ))}
      {!review && (
        <Alert color="gray" variant="light" py="xs">
          The scorecard was renamed or deleted. This evaluation can no longer be edited.
        </Alert>
      )}
    </Stack>
  )
}

/** Author and reviewer. */
function History({ evaluation, one }: { evaluation: Evaluation; one: Evaluated }) {
  const names = useTraceNames()
  const who = (id: number | null) => (id === null ? 'AI' : names.user(id))
  const lines = [
    `Created by ${who(evaluation.created_by)}, ${dateTime(evaluation.created_at)}`,
    one.reviewer_user_id !== null &&
      evaluation.reviewed_at !== null &&
      `reviewed by ${who(one.reviewer_user_id)}, ${dateTime(evaluation.reviewed_at)}`,
  ].filter(Boolean)
  return (
    <Text size="xs" c="dimmed">
      Agent: {names.user(one.reviewee_user_id)}. {lines.join('; ')}.
    </Text>
  )
}
