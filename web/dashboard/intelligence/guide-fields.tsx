import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Extractor, LanguageTag, NewGuideOf, SectionType } from './guide.ts'
import { ListItem, RemovedItem, useItems } from './list-item.tsx'
import { replaced } from './order.ts'
import { Phrases } from './phrases.tsx'
import { transcriptionLanguages } from './settings.ts'
import { type GuideIssues, templateHint } from './validate.ts'

export interface GuideEditing<G> {
  guide: G
  change: (guide: G) => void
  /** Shown after the first attempt to save. */
  issues: GuideIssues
}

export function TopicFields({ guide, change, issues }: GuideEditing<NewGuideOf<'topic'>>) {
  return (
    <Phrases
      label="Keywords"
      description="A call with one of these keywords gets this topic, in any language"
      withAsterisk
      maxTags={50}
      maxLength={255}
      error={issues.get('keywords')}
      value={guide.topic.keywords}
      onChange={(keywords) => change({ ...guide, topic: { keywords } })}
    />
  )
}

function Language({ value, set }: { value: LanguageTag; set: (language: LanguageTag) => void }) {
  return (
    <Select
      label="Language"
      allowDeselect={false}
      data={
        transcriptionLanguages.some((one) => one.value === value)
          ? transcriptionLanguages
          : [...transcriptionLanguages, { value, label: value }]
      }
      value={value}
      onChange={(language) => set((language ?? 'en') as LanguageTag)}
    />
  )
}

export function AddButton({
  children,
  run,
  disabled = false,
}: {
  children: string
  run: () => void
  disabled?: boolean
}) {
  return (
    <Group>
      <Button size="xs" variant="light" leftSection={<IconPlus size={14} />} onClick={run} disabled={disabled}>
        {children}
      </Button>
    </Group>
  )
}

export function PlaybookFields({ guide, change, issues }: GuideEditing<NewGuideOf<'playbook'>>) {
  const { playbook } = guide
  const { topics } = playbook
  const setTopics = (changed: typeof topics) => change({ ...guide, playbook: { ...playbook, topics: changed } })
  const items = useItems(topics, setTopics)
  return (
    <>
      <Language
        value={playbook.language}
        set={(language) => change({ ...guide, playbook: { ...playbook, language } })}
      />
      <Text size="sm" c="dimmed">
        Topics that agents should cover. A topic is covered when the agent says something similar to one of its example
        phrases.
      </Text>
      <Stack gap="xs">
        {topics.map((topic, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
          <ListItem key={at} what={`Topic ${at + 1}`} items={items} place={at}>
            <Stack gap="xs">
              <TextInput
                aria-label={`Name of topic ${at + 1}`}
                placeholder="Greeting"
                maxLength={255}
                error={issues.get(`topics.${at}.name`)}
                value={topic.name}
                onChange={({ currentTarget: { value: name } }) => setTopics(replaced(topics, at, { ...topic, name }))}
              />
              <Phrases
                aria-label={`Example phrases of topic ${at + 1}`}
                description="Example phrases"
                maxTags={20}
                maxLength={255}
                error={issues.get(`topics.${at}.phrases`)}
                value={topic.phrases}
                onChange={(phrases) => setTopics(replaced(topics, at, { ...topic, phrases }))}
              />
            </Stack>
          </ListItem>
        ))}
      </Stack>
      <RemovedItem items={items} />
      <AddButton run={() => setTopics([...topics, { name: '', phrases: [] }])} disabled={topics.length >= 50}>
        Add topic
      </AddButton>
    </>
  )
}

const sectionTypes: { value: SectionType; label: string }[] = [
  { value: 'PARAGRAPH', label: 'Paragraph' },
  { value: 'BULLET_POINTS', label: 'List' },
  { value: 'YES_NO', label: 'Yes/no' },
]
const model = 'model'
const fillers: { value: Extractor | typeof model; label: string }[] = [
  { value: 'reason', label: 'Reason for the call' },
  { value: 'next_steps', label: 'Next steps' },
  { value: 'topics', label: 'Topics' },
  { value: 'sentiment', label: 'Sentiment' },
  { value: model, label: 'LLM, based on the section name' },
]

export function TemplateFields({ guide, change, issues }: GuideEditing<NewGuideOf<'summary_template'>>) {
  const template = guide.summary_template
  const { sections } = template
  const setSections = (changed: typeof sections) =>
    change({ ...guide, summary_template: { ...template, sections: changed } })
  const items = useItems(sections, setSections)
  const hint = templateHint(guide)
  return (
    <>
      <Language
        value={template.language}
        set={(language) => change({ ...guide, summary_template: { ...template, language } })}
      />
      <Stack gap="xs">
        {sections.map((section, at) => {
          const set = (part: Partial<typeof section>) => setSections(replaced(sections, at, { ...section, ...part }))
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
            <ListItem key={at} what={`Section ${at + 1}`} items={items} place={at}>
              <Stack gap="xs">
                <TextInput
                  aria-label={`Name of section ${at + 1}`}
                  placeholder="Reason for the call"
                  maxLength={255}
                  error={issues.get(`sections.${at}.name`)}
                  value={section.name}
                  onChange={({ currentTarget: { value: name } }) => set({ name })}
                />
                <Group gap="xs" grow preventGrowOverflow={false}>
                  <Select
                    aria-label={`Format of section ${at + 1}`}
                    w={140}
                    allowDeselect={false}
                    data={sectionTypes}
                    value={section.type}
                    onChange={(type) => set({ type: type as SectionType })}
                  />
                  <Select
                    aria-label={`Content of section ${at + 1}`}
                    allowDeselect={false}
                    data={fillers}
                    value={section.extractor ?? model}
                    onChange={(by) => set({ extractor: by === model ? null : (by as Extractor) })}
                  />
                </Group>
              </Stack>
            </ListItem>
          )
        })}
      </Stack>
      <RemovedItem items={items} />
      <AddButton
        run={() => setSections([...sections, { name: '', type: 'PARAGRAPH', extractor: null }])}
        disabled={sections.length >= 20}
      >
        Add section
      </AddButton>
      {hint && (
        <Alert variant="light" color="yellow">
          {hint}
        </Alert>
      )}
    </>
  )
}
