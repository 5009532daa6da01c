import { Button, Code, Collapse, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type EngineKind, type EngineSettings, enginesKey, tasks } from './engines.ts'

export const engineTitles: Record<EngineKind, { title: string; example: string }> = {
  stt: { title: 'Speech-to-text', example: 'openai+https://speech.example.com/v1#whisper-large-v3' },
  llm: { title: 'LLM', example: 'openai+https://llm.example.com/v1#a-model' },
  tts: { title: 'Text-to-speech', example: 'openai+https://speech.example.com/v1#a-voice' },
}

/** Overrides the operator's engine for this company. */
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
  // As it was when the drawer opened.
  const [loaded] = useState({ engines: linesOf(settings), models: settings.models })
  const submit = async () => {
    const chosen = tasks.flatMap(({ task }) => (models[task]?.trim() ? [{ task, model: models[task].trim() }] : []))
    const body = {
      engines: { [kind]: { line: line.trim() || null, ...(key && { key }) } },
      ...(kind === 'llm' && { models: chosen }),
    }
    const answer = await api.put('/v1/intelligence/engines', { body, loaded })
    queries.setQueryData(enginesKey, answer.settings)
    notify('Engine saved. Use Test to check it')
  }
  return (
    <FormDrawer title={title} opened close={close} action="Save" submit={submit}>
      <TextInput
        label="Connection string"
        description="Leave blank for the operator’s default"
        placeholder={example}
        data-autofocus
        maxLength={1_000}
        value={line}
        onChange={({ currentTarget }) => setLine(currentTarget.value)}
      />
      <Text size="xs" c="dimmed">
        Format: protocol, URL and model. <Code>embedded</Code> uses the built-in engine, <Code>off</Code> disables it.
        Example: <Code>{example}</Code>
      </Text>
      <PasswordInput
        label="API key"
        description={
          before.has_key ? 'Stored encrypted. Leave blank to keep the current key' : 'If the provider requires one'
        }
        autoComplete="off"
        maxLength={4_096}
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
      {kind === 'llm' && (
        <div>
          <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Model per task
          </Button>
          <Collapse expanded={isOpen}>
            <Stack gap="xs" mt="xs">
              {tasks.map(({ task, label }) => (
                <TextInput
                  key={task}
                  size="xs"
                  label={label}
                  placeholder="Default model"
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

const linesOf = ({ engines: { stt, llm, tts } }: EngineSettings) => ({
  stt: { line: stt.line },
  llm: { line: llm.line },
  tts: { line: tts.line },
})
