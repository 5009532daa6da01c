import { Group, SegmentedControl, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { Figure } from '../../kit/ui/figure.tsx'
import type { Category, Measure, NewGuideOf, ScorecardQuestion } from './guide.ts'
import { AddButton, type GuideEditing } from './guide-fields.tsx'
import { ListItem, RemovedItem, useItems } from './list-item.tsx'
import { replaced } from './order.ts'
import { Phrases } from './phrases.tsx'
import { emptyQuestion } from './starters.ts'
import { hintFor, pointsOf, withKind, withMeasure } from './validate.ts'

type Props = GuideEditing<NewGuideOf<'scorecard'>>

export function ScorecardFields({ guide, change, issues }: Props) {
  const { scorecard } = guide
  const { categories } = scorecard
  const setCategories = (changed: Category[]) => change({ ...guide, scorecard: { ...scorecard, categories: changed } })
  const items = useItems(categories, setCategories)
  return (
    <>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        maxRows={5}
        maxLength={2_000}
        value={scorecard.description ?? ''}
        onChange={({ currentTarget: { value: description } }) =>
          change({ ...guide, scorecard: { ...scorecard, description } })
        }
      />
      <Text size="sm" c="dimmed" role="status">
        {pointsOf(guide)} points in total. Yes scores all points, No scores none. Ratings score in quarters. N/A is not
        counted.
      </Text>
      <Stack gap="sm">
        {categories.map((category, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          <ListItem key={at} what={`Category ${at + 1}`} items={items} place={at}>
            <CategoryFields
              category={category}
              place={at}
              issues={issues}
              change={(changed) => setCategories(replaced(categories, at, changed))}
            />
          </ListItem>
        ))}
      </Stack>
      <RemovedItem items={items} />
      <AddButton
        run={() => setCategories([...categories, { name: '', questions: [emptyQuestion()] }])}
        disabled={categories.length >= 20}
      >
        Add category
      </AddButton>
    </>
  )
}

function CategoryFields({
  category,
  place,
  change,
  issues,
}: {
  category: Category
  place: number
  change: (category: Category) => void
  issues: Props['issues']
}) {
  const { questions } = category
  const setQuestions = (changed: ScorecardQuestion[]) => change({ ...category, questions: changed })
  const items = useItems(questions, setQuestions)
  return (
    <Stack gap="sm">
      <TextInput
        aria-label={`Name of category ${place + 1}`}
        placeholder="Opening"
        maxLength={255}
        error={issues.get(`categories.${place}.name`)}
        value={category.name}
        onChange={({ currentTarget: { value: name } }) => change({ ...category, name })}
      />
      {questions.map((question, at) => (
        <ListItem
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          key={at}
          what={`Question ${place + 1}.${at + 1}`}
          items={items}
          place={at}
          plain
        >
          <QuestionFields
            question={question}
            number={`${place + 1}.${at + 1}`}
            issue={issues.get(`categories.${place}.questions.${at}.text`)}
            change={(changed) => setQuestions(replaced(questions, at, changed))}
          />
        </ListItem>
      ))}
      <RemovedItem items={items} />
      <AddButton run={() => setQuestions([...questions, emptyQuestion()])} disabled={questions.length >= 50}>
        Add question
      </AddButton>
    </Stack>
  )
}

const strictnesses = [
  { value: '0', label: 'Loose: 60 % of a phrase' },
  { value: '1', label: 'Normal: 75 % of a phrase' },
  { value: '2', label: 'Strict: the entire phrase' },
]

const byJudgement = 'judgement'
const measures: { value: Measure | typeof byJudgement; label: string }[] = [
  { value: byJudgement, label: 'Rated by a reviewer or an LLM' },
  { value: 'talk_ratio', label: 'Measured: talk ratio of the agent' },
  { value: 'longest_monologue', label: 'Measured: longest monologue of the agent' },
  { value: 'interruptions', label: 'Measured: interruptions by the agent' },
  { value: 'hold_time', label: 'Measured: hold time' },
  { value: 'sentiment', label: 'Measured: customer sentiment' },
]

function QuestionFields({
  question,
  number,
  issue,
  change,
}: {
  question: ScorecardQuestion
  number: string
  issue: string | undefined
  change: (question: ScorecardQuestion) => void
}) {
  const set = (part: Partial<ScorecardQuestion>) => change({ ...question, ...part })
  const hint = hintFor(question)
  const isByPhrases = question.ai_enabled && question.type === 'BINARY'
  return (
    <Stack gap="xs">
      <TextInput
        aria-label={`Question ${number}`}
        placeholder="Did the agent greet the caller?"
        maxLength={500}
        error={issue}
        value={question.text}
        onChange={({ currentTarget: { value: text } }) => set({ text })}
      />
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label={`Type of question ${number}`}
          data={[
            { value: 'BINARY', label: 'Yes/no' },
            { value: 'RATING', label: 'Rating' },
          ]}
          value={question.type}
          onChange={(type) => change(withKind(question, type as ScorecardQuestion['type']))}
        />
        <Figure
          size="xs"
          w={100}
          aria-label={`Points of question ${number}`}
          suffix=" points"
          min={0}
          max={1_000}
          value={question.points}
          onChange={(points) => set({ points })}
        />
        <Switch
          size="xs"
          label="AI evaluation"
          checked={question.ai_enabled}
          onChange={({ currentTarget: { checked } }) => set({ ai_enabled: checked })}
        />
      </Group>
      {question.ai_enabled && question.type === 'RATING' && (
        <Select
          size="xs"
          aria-label={`Rating method of question ${number}`}
          allowDeselect={false}
          data={measures}
          value={question.measure ?? byJudgement}
          onChange={(measure) =>
            change(withMeasure(question, measure === byJudgement ? undefined : (measure as Measure)))
          }
        />
      )}
      {isByPhrases && (
        <>
          <Phrases
            aria-label={`Example phrases of question ${number}`}
            description="Example phrases that indicate a yes"
            size="xs"
            maxTags={20}
            maxLength={255}
            value={question.phrases}
            onChange={(phrases) => set({ phrases })}
          />
          <Select
            size="xs"
            aria-label={`Strictness of question ${number}`}
            allowDeselect={false}
            data={strictnesses}
            value={String(question.strictness)}
            onChange={(strictness) => set({ strictness: Number(strictness) as ScorecardQuestion['strictness'] })}
          />
        </>
      )}
      {hint && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  )
}
