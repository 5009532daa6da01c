import {
  Checkbox,
  Group,
  Paper,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { Figure } from '../../kit/ui/figure.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { AddButton } from '../intelligence/guide-fields.tsx'
import { ListItem, TakenOut, useItems } from '../intelligence/list-item.tsx'
import { replaced } from '../intelligence/order.ts'
import { Phrases } from '../intelligence/phrases.tsx'
import {
  type AgentSettings,
  agentLanguages,
  type Flaws,
  hasMind,
  type Intent,
  type IntentEnd,
  keyFrom,
  type Mind,
  type Question,
  type QuestionKind,
  questionKinds,
} from './agent.ts'
import { TargetPicker } from './target-picker.tsx'

export interface Editing {
  agent: AgentSettings
  set: (part: Partial<AgentSettings>) => void
  /** Shown once somebody has tried to save. */
  flaws: Flaws
}

function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
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

/** Empty is null: the server knows words of its own then. */
function Words({
  label,
  description,
  placeholder,
  value,
  set,
  error,
  rows = 2,
  most = 2_000,
}: {
  label: string
  description?: string
  placeholder?: string
  value: string | null
  set: (text: string | null) => void
  error?: string | undefined
  rows?: number
  most?: number
}) {
  return (
    <Textarea
      label={label}
      description={description}
      placeholder={placeholder}
      autosize
      minRows={rows}
      maxRows={12}
      maxLength={most}
      error={error}
      value={value ?? ''}
      onChange={({ currentTarget }) => set(currentTarget.value === '' ? null : currentTarget.value)}
    />
  )
}

export function Basics({ agent, set, flaws }: Editing) {
  return (
    <Section title="The agent">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <TextInput
          label="Name"
          withAsterisk
          maxLength={64}
          error={flaws.get('name')}
          value={agent.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <Select
          label="Language"
          allowDeselect={false}
          data={agentLanguages}
          value={agent.language}
          onChange={(language) => set({ language: language ?? 'en' })}
        />
        <TextInput
          label="Voice"
          placeholder="The usual one"
          maxLength={64}
          value={agent.voice ?? ''}
          onChange={({ currentTarget: { value } }) => set({ voice: value === '' ? null : value })}
        />
      </SimpleGrid>
      <Switch
        label="Takes calls"
        description="Switched off, callers go the way “Unavailable” of the flow"
        checked={agent.active}
        onChange={({ currentTarget: { checked } }) => set({ active: checked })}
      />
      <Words
        label="It says first"
        placeholder="Hello, how can I help you?"
        value={agent.first_message}
        set={(first_message) => set({ first_message })}
      />
      <Words
        label="It says last"
        placeholder="Thank you for your call. Goodbye."
        value={agent.goodbye_message}
        set={(goodbye_message) => set({ goodbye_message })}
        rows={1}
      />
    </Section>
  )
}

/** Only where the server knows language models. */
export function Thinking({ agent, set, flaws }: Editing) {
  if (!hasMind(agent)) return null
  return (
    <Section title="How it thinks">
      <Radio.Group
        aria-label="How it thinks"
        value={agent.brain}
        onChange={(brain) => set({ brain: brain as Mind['brain'] })}
      >
        <Stack gap={6}>
          <Radio
            value="flow"
            label="By its questions"
            description="Asks one after the other, and knows the answers you give it. Says nothing else, ever."
          />
          <Radio
            value="llm"
            label="With a language model"
            description="Talks freely within what you tell it. Needs a language model; see Intelligence, Settings."
          />
        </Stack>
      </Radio.Group>
      {agent.brain === 'llm' && (
        <>
          <Words
            label="How it should behave"
            placeholder="You are friendly and brief. You never promise a date."
            value={agent.prompt}
            set={(prompt) => set({ prompt })}
            rows={3}
            most={8_000}
          />
          <Words
            label="What it may tell"
            description="An empty line between two subjects"
            value={agent.knowledge}
            set={(knowledge) => set({ knowledge })}
            rows={4}
            most={50_000}
          />
          <TransferTargets agent={agent} set={set} flaws={flaws} />
        </>
      )}
    </Section>
  )
}

function TransferTargets({ agent, set, flaws }: Editing & { agent: AgentSettings & Mind }) {
  const targets = agent.transfer_targets
  const setTargets = (transfer_targets: typeof targets) => set({ transfer_targets })
  const items = useItems(targets, setTargets)
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550}>
        Whom it may pass callers on to
      </Text>
      {targets.map((target, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place
        <ListItem key={at} what={`Place ${at + 1}`} items={items} place={at} mayBeEmpty>
          <TextInput
            label="What it is called"
            placeholder="Accounting"
            maxLength={64}
            error={flaws.get(`transfer_targets.${at}.name`)}
            value={target.name}
            onChange={({ currentTarget: { value: name } }) => setTargets(replaced(targets, at, { ...target, name }))}
          />
          <TargetPicker
            label="Goes to"
            error={flaws.get(`transfer_targets.${at}.target`)}
            value={target}
            onChange={(chosen) => setTargets(replaced(targets, at, { name: target.name, ...chosen }))}
          />
        </ListItem>
      ))}
      <TakenOut items={items} />
      <AddButton run={() => setTargets([...targets, { name: '', type: 'team' }])} disabled={targets.length >= 20}>
        Add a place
      </AddButton>
    </Stack>
  )
}

export function Questions({ agent, set, flaws }: Editing) {
  const { questions } = agent
  const setQuestions = (changed: Question[]) => set({ questions: changed })
  const items = useItems(questions, setQuestions)
  const add = () => setQuestions([...questions, { key: '', ask: '', kind: 'text', options: [], confirm: false }])
  return (
    <Section title="What it asks" about="One question after the other. The answers come with the call, by their names.">
      {questions.map((question, at) => {
        const change = (part: Partial<Question>) => setQuestions(replaced(questions, at, { ...question, ...part }))
        const others = questions.filter((_, nth) => nth !== at).map(({ key }) => key)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place
          <ListItem key={at} what={`Question ${at + 1}`} items={items} place={at} mayBeEmpty>
            <Stack gap="xs">
              <TextInput
                aria-label={`Words of question ${at + 1}`}
                placeholder="What is your order number?"
                maxLength={2_000}
                error={flaws.get(`questions.${at}.ask`)}
                value={question.ask}
                onChange={({ currentTarget }) => change({ ask: currentTarget.value })}
                // A name for the answer, unless somebody gave one.
                onBlur={() => question.key === '' && question.ask && change({ key: keyFrom(question.ask, others) })}
              />
              <Group gap="xs" align="flex-start">
                <Select
                  aria-label={`Kind of question ${at + 1}`}
                  w={170}
                  allowDeselect={false}
                  data={questionKinds}
                  value={question.kind}
                  onChange={(kind) => change({ kind: kind as QuestionKind })}
                />
                <TextInput
                  aria-label={`Name of answer ${at + 1}`}
                  placeholder="order_number"
                  w={200}
                  maxLength={64}
                  error={flaws.get(`questions.${at}.key`)}
                  value={question.key}
                  onChange={({ currentTarget }) => change({ key: currentTarget.value })}
                />
                <Checkbox
                  label="Read back"
                  mt={8}
                  checked={question.confirm}
                  onChange={({ currentTarget: { checked } }) => change({ confirm: checked })}
                />
              </Group>
              {question.kind === 'choice' && (
                <Phrases
                  aria-label={`Options of question ${at + 1}`}
                  description="Options; by keys they are 1, 2, 3 …"
                  maxTags={12}
                  maxLength={100}
                  error={flaws.get(`questions.${at}.options`)}
                  value={question.options}
                  onChange={(options) => change({ options })}
                />
              )}
            </Stack>
          </ListItem>
        )
      })}
      <TakenOut items={items} />
      <AddButton run={add} disabled={questions.length >= 30}>
        Add a question
      </AddButton>
    </Section>
  )
}

const ends: { value: IntentEnd; label: string }[] = [
  { value: 'go_on', label: 'then goes on' },
  { value: 'escalate', label: 'then hands over' },
  { value: 'end', label: 'then says goodbye' },
]

export function Intents({ agent, set, flaws }: Editing) {
  const { intents } = agent
  const setIntents = (changed: Intent[]) => set({ intents: changed })
  const items = useItems(intents, setIntents)
  return (
    <Section title="What it knows" about="When a caller says something like this, the agent has an answer.">
      {intents.map((intent, at) => {
        const change = (part: Partial<Intent>) => setIntents(replaced(intents, at, { ...intent, ...part }))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place
          <ListItem key={at} what={`Answer ${at + 1}`} items={items} place={at} mayBeEmpty>
            <Stack gap="xs">
              <TextInput
                aria-label={`Name of answer to a caller ${at + 1}`}
                placeholder="Opening hours"
                maxLength={64}
                error={flaws.get(`intents.${at}.name`)}
                value={intent.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              />
              <Phrases
                aria-label={`Phrases of answer ${at + 1}`}
                description="What callers say"
                maxTags={50}
                maxLength={200}
                error={flaws.get(`intents.${at}.phrases`)}
                value={intent.phrases}
                onChange={(phrases) => change({ phrases })}
              />
              <Group gap="xs" align="flex-start" wrap="wrap">
                <Textarea
                  aria-label={`Reply of answer ${at + 1}`}
                  placeholder="We are open from nine to six."
                  flex="1 1 220px"
                  autosize
                  minRows={1}
                  maxRows={6}
                  maxLength={2_000}
                  error={flaws.get(`intents.${at}.reply`)}
                  value={intent.reply ?? ''}
                  onChange={({ currentTarget: { value } }) => change({ reply: value === '' ? null : value })}
                />
                <Select
                  aria-label={`After answer ${at + 1}`}
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
      <TakenOut items={items} />
      <AddButton
        run={() => setIntents([...intents, { name: '', phrases: [], reply: null, next: 'go_on' }])}
        disabled={intents.length >= 50}
      >
        Add an answer
      </AddButton>
    </Section>
  )
}

export function HandingOver({ agent, set, flaws }: Editing) {
  const { escalation } = agent
  const change = (part: Partial<typeof escalation>) => set({ escalation: { ...escalation, ...part } })
  return (
    <Section
      title="Handing over"
      about="When somebody asks for a person, or was not understood too often, the call goes on elsewhere."
    >
      <TargetPicker
        label="Goes to"
        withBranch
        error={flaws.get('target')}
        value={escalation.target}
        onChange={(target) => change({ target })}
      />
      <Figure
        label="Not understood"
        suffix={escalation.after_misunderstandings === 1 ? ' time' : ' times'}
        maw={160}
        min={1}
        max={5}
        value={escalation.after_misunderstandings}
        onChange={(after_misunderstandings) => change({ after_misunderstandings })}
      />
      <Phrases
        label="Also when callers say"
        description="Every agent knows how people ask for a person; these come in addition"
        maxTags={50}
        maxLength={200}
        value={escalation.phrases}
        onChange={(phrases) => change({ phrases })}
      />
      {hasMind(agent) && (
        <Words
          label="It says when something fails"
          placeholder="I am sorry, I cannot go on. I put you through."
          value={agent.error_message}
          set={(error_message) => set({ error_message })}
          rows={1}
        />
      )}
    </Section>
  )
}

export function Limits({ agent, set }: Editing) {
  const { data: numbers = [] } = useNumbers()
  return (
    <Section title="Limits">
      <Group align="flex-start">
        <Figure
          label="Longest conversation"
          suffix=" s"
          w={180}
          min={30}
          max={3_600}
          value={agent.max_seconds}
          onChange={(max_seconds) => set({ max_seconds })}
        />
        {hasMind(agent) && (
          <>
            <Figure
              label="Silence"
              suffix=" s"
              w={120}
              min={3}
              max={60}
              value={agent.idle.seconds}
              onChange={(seconds) => set({ idle: { ...agent.idle, seconds } })}
            />
            <Figure
              label="Asks again"
              suffix={agent.idle.prompts === 1 ? ' time' : ' times'}
              w={130}
              min={0}
              max={5}
              value={agent.idle.prompts}
              onChange={(prompts) => set({ idle: { ...agent.idle, prompts } })}
            />
          </>
        )}
        <Select
          label="Calls out from"
          placeholder="Makes no calls"
          clearable
          w={220}
          data={numbers.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={agent.outbound_number_id === null ? null : String(agent.outbound_number_id)}
          onChange={(id) => set({ outbound_number_id: id === null ? null : Number(id) })}
        />
      </Group>
    </Section>
  )
}
