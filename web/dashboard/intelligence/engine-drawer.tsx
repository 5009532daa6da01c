import { Button, Code, Collapse, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { type EngineKind, type EngineSettings, enginesKey, tasks } from './engines.ts'

export const engineTitles: Record<EngineKind, { title: string; example: string }> = {
  stt: { title: 'Listens: speech to text', example: 'openai+https://speech.example.com/v1#whisper-large-v3' },
  llm: { title: 'Reads: language model', example: 'openai+https://llm.example.com/v1#a-model' },
  tts: { title: 'Speaks: text to speech', example: 'openai+https://speech.example.com/v1#a-voice' },
  agent: { title: 'Talks: speech to speech, for AI voice agents', example: 'openai-realtime+wss://host/path#model' },
}

/** One engine of the company, instead of the operator's. */
export function EngineDrawer({
  kind,
  settings,
  close,
}: {
  kind: EngineKind
  settings: EngineSettings
  close: () => void
}) {
  const queries = useQueryClient()
  const before = settings.engines[kind]
  const [line, setLine] = useState(before.line ?? '')
  const [key, setKey] = useState('')
  const [models, setModels] = useState<Record<string, string>>(
    Object.fromEntries(settings.models.map(({ task, model }) => [task, model])),
  )
  const [isOpen, setOpen] = useState(settings.models.length > 0)
  const { title, example } = engineTitles[kind]
  const submit = async () => {
    const chosen = tasks.flatMap(({ task }) => (models[task]?.trim() ? [{ task, model: models[task].trim() }] : []))
    const body = {
      engines: { [kind]: { line: line.trim() || null, ...(key && { key }) } },
      ...(kind === 'llm' && { models: chosen }),
    }
    const answer = await api.put<{ settings: EngineSettings }>('/v1/intelligence/engines', body)
    queries.setQueryData(enginesKey, answer.settings)
    say('Saved; try it with Test')
  }
  return (
    <FormDrawer title={title} opened close={close} action="Save" submit={submit}>
      <TextInput
        label="Line"
        description="Empty: as the operator has set it"
        placeholder={example}
        data-autofocus
        maxLength={1_000}
        value={line}
        onChange={({ currentTarget }) => setLine(currentTarget.value)}
      />
      <Text size="xs" c="dimmed">
        One line says it all: kind, address, model. <Code>embedded</Code> is what this installation brings,{' '}
        <Code>off</Code> is nobody. For example <Code>{example}</Code>
      </Text>
      <PasswordInput
        label="Key"
        description={before.has_key ? 'One is kept. A new one takes its place.' : 'Where the server wants one'}
        autoComplete="off"
        maxLength={4_096}
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
      {kind === 'llm' && (
        <div>
          <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Another model for single tasks
          </Button>
          <Collapse expanded={isOpen}>
            <Stack gap="xs" mt="xs">
              {tasks.map(({ task, label }) => (
                <TextInput
                  key={task}
                  size="xs"
                  label={label}
                  placeholder="The one of the line"
                  maxLength={255}
                  value={models[task] ?? ''}
                  onChange={({ currentTarget: { value } }) => setModels((now) => ({ ...now, [task]: value }))}
                />
              ))}
            </Stack>
          </Collapse>
        </div>
      )}
    </FormDrawer>
  )
}
