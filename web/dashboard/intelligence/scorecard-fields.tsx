import { Group, SegmentedControl, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { Figure } from '../../kit/ui/figure.tsx'
import { hintFor, pointsOf, withKind, withMeasure } from './flaws.ts'
import type { Category, Measure, NewGuideOf, Question } from './guide.ts'
import { AddButton, type Editing } from './guide-fields.tsx'
import { ListItem, TakenOut, useItems } from './list-item.tsx'
import { replaced } from './order.ts'
import { Phrases } from './phrases.tsx'
import { emptyQuestion } from './starters.ts'

type Props = Editing<NewGuideOf<'scorecard'>>

export function ScorecardFields({ guide, change, flaws }: Props) {
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
        {pointsOf(guide)} points in all. Yes is all points of a question and no none; a rating counts in quarters; what
        is N/A does not count.
      </Text>
      <Stack gap="sm">
        {categories.map((category, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place
          <ListItem key={at} what={`Category ${at + 1}`} items={items} place={at}>
            <CategoryFields
              category={category}
              place={at}
              flaws={flaws}
              change={(changed) => setCategories(replaced(categories, at, changed))}
            />
          </ListItem>
        ))}
      </Stack>
      <TakenOut items={items} />
      <AddButton
        run={() => setCategories([...categories, { name: '', questions: [emptyQuestion()] }])}
        disabled={categories.length >= 20}
      >
        Add a category
      </AddButton>
    </>
  )
}

function CategoryFields({
  category,
  place,
  change,
  flaws,
}: {
  category: Category
  place: number
  change: (category: Category) => void
  flaws: Props['flaws']
}) {
  const { questions } = category
  const setQuestions = (changed: Question[]) => change({ ...category, questions: changed })
  const items = useItems(questions, setQuestions)
  return (
    <Stack gap="sm">
      <TextInput
        aria-label={`Name of category ${place + 1}`}
        placeholder="Opening"
        maxLength={255}
        error={flaws.get(`categories.${place}.name`)}
        value={category.name}
        onChange={({ currentTarget: { value: name } }) => change({ ...category, name })}
      />
      {questions.map((question, at) => (
        <ListItem
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place
          key={at}
          what={`Question ${place + 1}.${at + 1}`}
          items={items}
          place={at}
          plain
        >
          <QuestionFields
            question={question}
            number={`${place + 1}.${at + 1}`}
            flaw={flaws.get(`categories.${place}.questions.${at}.text`)}
            change={(changed) => setQuestions(replaced(questions, at, changed))}
          />
        </ListItem>
      ))}
      <TakenOut items={items} />
      <AddButton run={() => setQuestions([...questions, emptyQuestion()])} disabled={questions.length >= 50}>
        Add a question
      </AddButton>
    </Stack>
  )
}

const strictnesses = [
  { value: '0', label: 'Loose: three fifths of a phrase' },
  { value: '1', label: 'Normal: three quarters of a phrase' },
  { value: '2', label: 'Strict: the whole phrase' },
]

const byJudgement = 'judgement'
const measures: { value: Measure | typeof byJudgement; label: string }[] = [
  { value: byJudgement, label: 'Judged by a person or a language model' },
  { value: 'talk_ratio', label: 'Counted: how much our side talks' },
  { value: 'longest_monologue', label: 'Counted: the longest speech of our side' },
  { value: 'interruptions', label: 'Counted: how often our side cuts in' },
  { value: 'hold_time', label: 'Counted: time on hold' },
  { value: 'sentiment', label: 'Counted: the mood outside' },
]

function QuestionFields({
  question,
  number,
  flaw,
  change,
}: {
  question: Question
  number: string
  flaw: string | undefined
  change: (question: Question) => void
}) {
  const set = (part: Partial<Question>) => change({ ...question, ...part })
  const hint = hintFor(question)
  const isByPhrases = question.ai_enabled && question.type === 'BINARY'
  return (
    <Stack gap="xs">
      <TextInput
        aria-label={`Question ${number}`}
        placeholder="Did the agent greet the caller?"
        maxLength={500}
        error={flaw}
        value={question.text}
        onChange={({ currentTarget: { value: text } }) => set({ text })}
      />
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label={`Kind of question ${number}`}
          data={[
            { value: 'BINARY', label: 'Yes or no' },
            { value: 'RATING', label: 'Rating' },
          ]}
          value={question.type}
          onChange={(type) => change(withKind(question, type as Question['type']))}
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
          label="Answered by the engine first"
          checked={question.ai_enabled}
          onChange={({ currentTarget: { checked } }) => set({ ai_enabled: checked })}
        />
      </Group>
      {question.ai_enabled && question.type === 'RATING' && (
        <Select
          size="xs"
          aria-label={`What question ${number} is rated by`}
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
            description="Example phrases: how it sounds when the answer is yes"
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
            onChange={(strictness) => set({ strictness: Number(strictness) as Question['strictness'] })}
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
