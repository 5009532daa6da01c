import { Anchor, Badge, Button, Chip, Group, Progress, Stack, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import {
  binaryAnswers,
  ratingAnswers,
  type ScorecardAnswer,
  scoreOf,
} from '../../../src/domain/intelligence/scorecard.ts'
import { api } from '../../kit/api.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { GuideOf, ScorecardQuestion } from '../intelligence/guide.ts'
import classes from './conversation.module.css'
import type { Playback } from './conversation.tsx'
import { resultKey } from './data.ts'
import {
  answered,
  answerWords,
  type Evaluated,
  type EvaluationDraft,
  evaluationDraft,
  evaluationRequest,
  scoreColor,
  scoresOf,
  scoreWords,
} from './evaluation.ts'
import { Quote } from './quote.tsx'

/** Form for a scorecard with a live score. */
export function EvaluationForm({
  callId,
  card,
  before,
  playback,
  close,
}: {
  callId: number
  card: GuideOf<'scorecard'>
  before: Evaluated | undefined
  playback: Playback
  close: () => void
}) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => evaluationDraft(card, before))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const scores = scoresOf(card, draft)
  const answer = (place: number, change: Partial<EvaluationDraft['answers'][number]>) =>
    setDraft((now) => ({
      ...now,
      answers: now.answers.map((one, at) => (at === place ? { ...one, ...change } : one)),
    }))
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const body = { scorecard_id: card.id, ...evaluationRequest(draft) }
      const saved = await api.put('/v1/calls/{call_id}/evaluations', { params: { call_id: callId }, body })
      queries.setQueryData(resultKey(callId, 'evaluations'), saved)
      notify('Evaluation saved')
      close()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isBusy) void save()
    if (event.key === 'Escape') close()
  }
  let place = 0
  return (
    <Stack gap="md" role="form" aria-label={`Evaluation with ${card.name}`} onKeyDown={keys}>
      <div>
        <Group justify="space-between" gap="xs">
          <Text fw={600}>{card.name}</Text>
          <Badge variant="light" color={scoreColor(scores.whole)} size="lg" tt="none" role="status">
            {scoreWords(scores.whole)}
          </Badge>
        </Group>
        {card.scorecard.description && (
          <Text size="sm" c="dimmed">
            {card.scorecard.description}
          </Text>
        )}
        <Progress
          mt={6}
          size="sm"
          value={scores.whole.normalized_score}
          color={scoreColor(scores.whole)}
          aria-label="Score"
        />
      </div>
      {card.scorecard.categories.map((category, nth) => (
        <div key={category.name}>
          <Group justify="space-between">
            <Text size="sm" fw={650}>
              {category.name}
            </Text>
            <Text size="xs" c="dimmed">
              {scoreWords(scores.categories[nth] ?? scores.whole)}
            </Text>
          </Group>
          {category.questions.map((question) => {
            const at = place++
            const given = draft.answers[at]
            return (
              given && (
                <Asked
                  key={at}
                  question={question}
                  given={given}
                  playback={playback}
                  evidence={before && evaluationDraft(card, before).answers[at]}
                  isByRules={before?.reviewer_user_id === null}
                  change={(change) => answer(at, change)}
                />
              )
            )
          })}
        </div>
      ))}
      <Textarea
        label="Feedback"
        description="For the agent"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={10_000}
        value={draft.feedback}
        onChange={(event) => setDraft({ ...draft, feedback: event.currentTarget.value })}
      />
      {error !== undefined && <SaveError error={error} />}
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          N/A is not counted. Ctrl + Enter saves.
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button loading={isBusy} onClick={() => void save()}>
            Save evaluation
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

const colorOf: Partial<Record<ScorecardAnswer, string>> = {
  YES: 'green',
  NO: 'red',
  EXCELLENT: 'green',
  GOOD: 'teal',
  FAIR: 'yellow',
  POOR: 'orange',
  VERY_POOR: 'red',
}

function Asked({
  question,
  given,
  evidence,
  isByRules,
  playback,
  change,
}: {
  question: ScorecardQuestion
  given: EvaluationDraft['answers'][number]
  /** The previous answer. */
  evidence: EvaluationDraft['answers'][number] | undefined
  isByRules: boolean
  playback: Playback
  change: (change: Partial<EvaluationDraft['answers'][number]>) => void
}) {
  const [isNoting, setNoting] = useState(false)
  // A shared name groups the radio buttons for the arrow keys.
  const name = useId()
  const answers = question.type === 'BINARY' ? binaryAnswers : ratingAnswers
  const { points, total } = scoreOf(question, given.answer)
  const isSame = evidence?.feedback === given.feedback
  return (
    <fieldset className={classes.question} aria-label={question.text}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Text size="sm">{question.text}</Text>
        <Text size="xs" c="dimmed" flex="none" ff="monospace">
          {given.answer === 'N/A' ? `– / ${question.points}` : `${points} / ${total}`}
        </Text>
      </Group>
      <Chip.Group
        value={given.answer}
        onChange={(value) => change(answered(given, value as ScorecardAnswer, isByRules ? evidence : undefined))}
      >
        <Group gap={6} mt={6}>
          {answers.map((one) => (
            <Chip key={one} name={name} value={one} size="xs" variant="light" color={colorOf[one] ?? 'gray'}>
              {answerWords[one]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {evidence?.feedback && (isSame || isByRules) && !isNoting && (
        <div style={{ marginTop: 6 }}>
          {isByRules && (
            <Text size="xs" c="dimmed">
              AI answer: {answerWords[evidence.answer]}
            </Text>
          )}
          <Quote text={evidence.feedback} playback={playback} />
        </div>
      )}
      {isNoting || (given.feedback !== '' && !isSame) ? (
        <Textarea
          mt={6}
          size="xs"
          autosize
          minRows={1}
          maxRows={6}
          maxLength={2_000}
          aria-label={`Note on: ${question.text}`}
          placeholder="Reason"
          value={given.feedback}
          onChange={(event) => change({ feedback: event.currentTarget.value })}
        />
      ) : (
        <Anchor component="button" type="button" size="xs" mt={4} onClick={() => setNoting(true)}>
          {given.feedback && !isByRules ? 'Edit note' : 'Add note'}
        </Anchor>
      )}
    </fieldset>
  )
}
