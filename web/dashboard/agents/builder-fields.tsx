import { Alert, Anchor, Group, Radio, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { Link } from 'react-router'
import { Figure } from '../../kit/ui/figure.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { useEngines } from '../intelligence/engines.ts'
import { AddButton } from '../intelligence/guide-fields.tsx'
import { ListItem, RemovedItem, useItems } from '../intelligence/list-item.tsx'
import { replaced } from '../intelligence/order.ts'
import { Phrases } from '../intelligence/phrases.tsx'
import { type AgentSettings, agentLanguages, hasLlm, type LlmSettings, liveTranscriptionProblem } from './agent.ts'
import { type AgentEditing, Section, Words } from './builder-parts.tsx'
import { TargetPicker } from './target-picker.tsx'

export function Basics({ agent, set, issues }: AgentEditing) {
  return (
    <Section title="General">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <TextInput
          label="Name"
          withAsterisk
          maxLength={64}
          error={issues.get('name')}
          value={agent.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <Select
          label="Language"
          allowDeselect={false}
          data={agentLanguages}
          value={agent.language}
          onChange={(language) => set({ language: (language ?? 'en') as AgentSettings['language'] })}
        />
        <TextInput
          label="Voice"
          placeholder="Default"
          maxLength={64}
          value={agent.voice ?? ''}
          onChange={({ currentTarget: { value } }) => set({ voice: value === '' ? null : value })}
        />
      </SimpleGrid>
      <WithoutLiveTranscription language={agent.language} />
      <Switch
        label="Active"
        description="When inactive, calls follow the “Unavailable” branch of the flow"
        checked={agent.active}
        onChange={({ currentTarget: { checked } }) => set({ active: checked })}
      />
      <Words
        label="Greeting"
        placeholder="Hello, how can I help you?"
        value={agent.first_message}
        set={(first_message) => set({ first_message })}
      />
      <Words
        label="Closing message"
        placeholder="Thank you for your call. Goodbye."
        value={agent.goodbye_message}
        set={(goodbye_message) => set({ goodbye_message })}
        rows={1}
      />
    </Section>
  )
}

/** Nothing while it is not known. */
function WithoutLiveTranscription({ language }: Pick<AgentSettings, 'language'>) {
  const { data } = useEngines()
  const problem = data ? liveTranscriptionProblem(language, data) : undefined
  if (problem === undefined) return null
  return (
    <Alert variant="light" color="orange" title={problem.title}>
      {problem.text} Until then, calls over SIP trunks take the branch “Unavailable”; simulated calls work. Change it in{' '}
      <Anchor component={Link} to="/dashboard/intelligence/settings" inherit c="inherit" underline="always">
        Conversation intelligence &gt; Settings
      </Anchor>
      .
    </Alert>
  )
}

/** Only on servers with an LLM. */
export function ModeFields({ agent, set, issues }: AgentEditing) {
  if (!hasLlm(agent)) return null
  return (
    <Section title="Mode">
      <Radio.Group
        aria-label="Mode"
        value={agent.brain}
        onChange={(brain) => set({ brain: brain as LlmSettings['brain'] })}
      >
        <Stack gap={6}>
          <Radio
            value="flow"
            label="Scripted"
            description="Asks the questions in order and answers only from the knowledge you enter."
          />
          <Radio
            value="llm"
            label="LLM"
            description="Free conversation within your instructions. Requires an LLM; see Conversation intelligence > Settings."
          />
        </Stack>
      </Radio.Group>
      {agent.brain === 'llm' && (
        <>
          <WithoutLlm />
          <Words
            label="Instructions"
            placeholder="You are friendly and brief. You never promise a date."
            value={agent.prompt}
            set={(prompt) => set({ prompt })}
            rows={3}
            maxLength={8_000}
          />
          <Words
            label="Knowledge"
            description="Separate topics with an empty line"
            value={agent.knowledge}
            set={(knowledge) => set({ knowledge })}
            rows={4}
            maxLength={50_000}
          />
          <TransferTargets agent={agent} set={set} issues={issues} />
        </>
      )}
    </Section>
  )
}

/** Nothing while it is not known. */
function WithoutLlm() {
  const { data: engines } = useEngines()
  if (!engines || engines.engines.llm.on) return null
  return (
    <Alert variant="light" color="orange" title="No LLM is configured">
      You can save these settings, but calls take the branch “Unavailable” until an LLM is set up in{' '}
      <Anchor component={Link} to="/dashboard/intelligence/settings" inherit c="inherit" underline="always">
        Conversation intelligence &gt; Settings
      </Anchor>
      .
    </Alert>
  )
}

function TransferTargets({ agent, set, issues }: AgentEditing & { agent: AgentSettings & LlmSettings }) {
  const targets = agent.transfer_targets
  const setTargets = (transfer_targets: typeof targets) => set({ transfer_targets })
  const items = useItems(targets, setTargets)
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550}>
        Transfer destinations
      </Text>
      {targets.map((target, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <ListItem key={at} what={`Destination ${at + 1}`} items={items} place={at} mayBeEmpty>
          <TextInput
            label="Name"
            placeholder="Accounting"
            maxLength={64}
            error={issues.get(`transfer_targets.${at}.name`)}
            value={target.name}
            onChange={({ currentTarget: { value: name } }) => setTargets(replaced(targets, at, { ...target, name }))}
          />
          <TargetPicker
            label="Transfer to"
            error={issues.get(`transfer_targets.${at}.target`)}
            value={target}
            onChange={({ type, ...chosen }) =>
              type !== 'branch' && setTargets(replaced(targets, at, { name: target.name, type, ...chosen }))
            }
          />
        </ListItem>
      ))}
      <RemovedItem items={items} />
      <AddButton run={() => setTargets([...targets, { name: '', type: 'team' }])} disabled={targets.length >= 20}>
        Add destination
      </AddButton>
    </Stack>
  )
}

export function Escalation({ agent, set, issues }: AgentEditing) {
  const { escalation } = agent
  const change = (part: Partial<typeof escalation>) => set({ escalation: { ...escalation, ...part } })
  return (
    <Section
      title="Escalation"
      about="Transfers the call when the caller asks for a human agent or is repeatedly not understood."
    >
      <TargetPicker
        label="Transfer to"
        withBranch
        error={issues.get('target')}
        value={escalation.target}
        onChange={(target) => change({ target })}
      />
      <Figure
        label="Misunderstandings"
        suffix={escalation.after_misunderstandings === 1 ? ' time' : ' times'}
        maw={160}
        min={1}
        max={5}
        value={escalation.after_misunderstandings}
        onChange={(after_misunderstandings) => change({ after_misunderstandings })}
      />
      <Phrases
        label="Additional phrases"
        description="In addition to the built-in phrases for requesting a human agent"
        maxTags={50}
        maxLength={200}
        value={escalation.phrases}
        onChange={(phrases) => change({ phrases })}
      />
      {hasLlm(agent) && (
        <Words
          label="Error message"
          placeholder="I am sorry, something went wrong. I will transfer you."
          value={agent.error_message}
          set={(error_message) => set({ error_message })}
          rows={1}
        />
      )}
    </Section>
  )
}

const voicemailActions = [
  { value: 'hang_up', label: 'Hang up' },
  { value: 'leave_message', label: 'Leave a message' },
]

export function Limits({ agent, set }: AgentEditing) {
  const { data: numbers = [] } = useNumbers()
  return (
    <Section title="Limits">
      <Group align="flex-start">
        <Figure
          label="Max duration"
          suffix=" s"
          w={180}
          min={30}
          max={3_600}
          value={agent.max_seconds}
          onChange={(max_seconds) => set({ max_seconds })}
        />
        {hasLlm(agent) && (
          <>
            <Figure
              label="Silence timeout"
              suffix=" s"
              w={150}
              min={3}
              max={60}
              value={agent.idle.seconds}
              onChange={(seconds) => set({ idle: { ...agent.idle, seconds } })}
            />
            <Figure
              label="Reprompts"
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
          label="Outbound caller ID"
          placeholder="No outbound calls"
          clearable
          w={220}
          data={numbers.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={agent.outbound_number_id === null ? null : String(agent.outbound_number_id)}
          onChange={(id) => set({ outbound_number_id: id === null ? null : Number(id) })}
        />
        {agent.outbound_number_id !== null && (
          <Select
            label="If a voicemail answers"
            allowDeselect={false}
            w={220}
            data={voicemailActions}
            value={agent.voicemail.action}
            onChange={(action) =>
              set({ voicemail: { ...agent.voicemail, action: action === 'leave_message' ? action : 'hang_up' } })
            }
          />
        )}
      </Group>
      {agent.voicemail.action === 'leave_message' && (
        <Words
          label="Voicemail message"
          placeholder="The greeting"
          value={agent.voicemail.message}
          set={(message) => set({ voicemail: { ...agent.voicemail, message } })}
          rows={1}
        />
      )}
    </Section>
  )
}
