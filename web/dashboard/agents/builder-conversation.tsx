import { Checkbox, Group, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { AddButton } from '../intelligence/guide-fields.tsx'
import { ListItem, RemovedItem, useItems } from '../intelligence/list-item.tsx'
import { replaced } from '../intelligence/order.ts'
import { Phrases } from '../intelligence/phrases.tsx'
import { type IntakeQuestion, type Intent, type IntentEnd, keyFrom, type QuestionKind, questionKinds } from './agent.ts'
import { type AgentEditing, Section } from './builder-parts.tsx'

// What an AI agent asks, and what it replies.

export function Questions({ agent, set, issues }: AgentEditing) {
  const { questions } = agent
  const setQuestions = (changed: IntakeQuestion[]) => set({ questions: changed })
  const items = useItems(questions, setQuestions)
  const add = () => setQuestions([...questions, { key: '', ask: '', kind: 'text', options: [], confirm: false }])
  return (
    <Section title="Questions" about="Asked in order. Answers are stored with the call under their keys.">
      {questions.map((question, at) => {
        const change = (part: Partial<IntakeQuestion>) =>
          setQuestions(replaced(questions, at, { ...question, ...part }))
        const others = questions.filter((_, nth) => nth !== at).map(({ key }) => key)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          <ListItem key={at} what={`Question ${at + 1}`} items={items} place={at} mayBeEmpty>
            <Stack gap="xs">
              <TextInput
                aria-label={`Text of question ${at + 1}`}
                placeholder="What is your order number?"
                maxLength={2_000}
                error={issues.get(`questions.${at}.ask`)}
                value={question.ask}
                onChange={({ currentTarget }) => change({ ask: currentTarget.value })}
                // Suggests a key for the answer.
                onBlur={() => question.key === '' && question.ask && change({ key: keyFrom(question.ask, others) })}
              />
              <Group gap="xs" align="flex-start">
                <Select
                  aria-label={`Type of question ${at + 1}`}
                  w={170}
                  allowDeselect={false}
                  data={questionKinds}
                  value={question.kind}
                  onChange={(kind) => change({ kind: kind as QuestionKind })}
                />
                <TextInput
                  aria-label={`Key of answer ${at + 1}`}
                  placeholder="order_number"
                  w={200}
                  maxLength={64}
                  error={issues.get(`questions.${at}.key`)}
                  value={question.key}
                  onChange={({ currentTarget }) => change({ key: currentTarget.value })}
                />
                <Checkbox
                  label="Confirm"
                  mt={8}
                  checked={question.confirm}
                  onChange={({ currentTarget: { checked } }) => change({ confirm: checked })}
                />
              </Group>
              {question.kind === 'choice' && (
                <Phrases
                  aria-label={`Options of question ${at + 1}`}
                  description="Options; callers can also press 1, 2, 3…"
                  maxTags={12}
                  maxLength={100}
                  error={issues.get(`questions.${at}.options`)}
                  value={question.options}
                  onChange={(options) => change({ options })}
                />
              )}
            </Stack>
          </ListItem>
        )
      })}
      <RemovedItem items={items} />
      <AddButton run={add} disabled={questions.length >= 30}>
        Add question
      </AddButton>
    </Section>
  )
}

const ends: { value: IntentEnd; label: string }[] = [
  { value: 'go_on', label: 'Continue' },
  { value: 'escalate', label: 'Escalate' },
  { value: 'end', label: 'End call' },
]

export function Intents({ agent, set, issues }: AgentEditing) {
  const { intents } = agent
  const setIntents = (changed: Intent[]) => set({ intents: changed })
  const items = useItems(intents, setIntents)
  return (
    <Section title="Knowledge" about="Replies to what callers say.">
      {intents.map((intent, at) => {
        const change = (part: Partial<Intent>) => setIntents(replaced(intents, at, { ...intent, ...part }))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          <ListItem key={at} what={`Reply ${at + 1}`} items={items} place={at} mayBeEmpty>
            <Stack gap="xs">
              <TextInput
                aria-label={`Name of reply ${at + 1}`}
                placeholder="Opening hours"
                maxLength={64}
                error={issues.get(`intents.${at}.name`)}
                value={intent.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              />
              <Phrases
                aria-label={`Phrases of reply ${at + 1}`}
                description="Caller phrases"
                maxTags={50}
                maxLength={200}
                error={issues.get(`intents.${at}.phrases`)}
                value={intent.phrases}
                onChange={(phrases) => change({ phrases })}
              />
              <Group gap="xs" align="flex-start" wrap="wrap">
                <Textarea
                  aria-label={`Text of reply ${at + 1}`}
                  placeholder="We are open from nine to six."
                  flex="1 1 220px"
                  autosize
                  minRows={1}
                  maxRows={6}
                  maxLength={2_000}
                  error={issues.get(`intents.${at}.reply`)}
                  value={intent.reply ?? ''}
                  onChange={({ currentTarget: { value } }) => change({ reply: value === '' ? null : value })}
                />
                <Select
                  aria-label={`After reply ${at + 1}`}
                  w={180}
                  allowDeselect={false}
                  data={ends}
                  value={intent.next}
                  onChange={(next) => change({ next: next as IntentEnd })}
                />
              </Group>
            </Stack>
          </ListItem>
        )
      })}
      <RemovedItem items={items} />
      <AddButton
        run={() => setIntents([...intents, { name: '', phrases: [], reply: null, next: 'go_on' }])}
        disabled={intents.length >= 50}
      >
        Add reply
      </AddButton>
    </Section>
  )
}
