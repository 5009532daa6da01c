import { Group, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { contextIn } from '../../../src/domain/ai-agent/context-request.ts'
import { Figure } from '../../kit/ui/figure.tsx'
import type { AgentSettings } from './agent.ts'
import { type AgentEditing, Section } from './builder-parts.tsx'
import { HeaderFields, SigningSecret } from './builder-tools.tsx'

type ContextRequest = NonNullable<AgentSettings['context_request']>

const newRequest: ContextRequest = { method: 'POST', url: '', headers: [], timeout_seconds: 3, mock: null }

/** Data about the caller, requested when the call reaches the agent. */
export function DataBeforeCall({ id, agent, set, issues }: AgentEditing & { id: string }) {
  const request = agent.context_request
  // Kept while the switch is off, so that turning it on again restores the fields.
  const [kept, setKept] = useState(request ?? newRequest)
  const change = (part: Partial<ContextRequest>) => {
    const changed = { ...(request ?? kept), ...part }
    setKept(changed)
    set({ context_request: changed })
  }
  return (
    <Section
      title="Data before the call"
      about="A request to your server with the number and the contact of the caller, made before the greeting. Fields of its JSON response are variables of the greeting and known to the LLM, as data."
    >
      <Switch
        label="Request data about the caller"
        checked={request !== null}
        onChange={({ currentTarget: { checked } }) => set({ context_request: checked ? kept : null })}
      />
      {request && <RequestFields request={request} change={change} issues={issues} />}
      {request && <SigningSecret id={id} />}
    </Section>
  )
}

interface RequestEditing {
  request: ContextRequest
  change: (part: Partial<ContextRequest>) => void
  issues: AgentEditing['issues']
}

function RequestFields({ request, change, issues }: RequestEditing) {
  const names = variableNames(request.mock)
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start">
        <Select
          label="Method"
          aria-label="Method of the request"
          w={100}
          allowDeselect={false}
          data={['GET', 'POST']}
          value={request.method}
          onChange={(method) => change({ method: method === 'GET' ? 'GET' : 'POST' })}
        />
        <TextInput
          label="URL"
          aria-label="URL of the request"
          flex={1}
          miw={180}
          placeholder="https://example.com/callers"
          maxLength={2_000}
          error={issues.get('context_request.url')}
          value={request.url}
          onChange={({ currentTarget: { value } }) => change({ url: value })}
        />
        <Figure
          label="Timeout"
          suffix=" s"
          w={100}
          min={1}
          max={5}
          value={request.timeout_seconds}
          onChange={(timeout_seconds) => change({ timeout_seconds })}
        />
      </Group>
      <HeaderFields
        headers={request.headers}
        of="the request"
        set={(headers) => change({ headers })}
        error={(nth) => issues.get(`context_request.headers.${nth}`)}
      />
      <Textarea
        label="Mock response"
        aria-label="Mock response of the request"
        description="Used by the test chat, which sends no requests"
        placeholder={'{"name": "Jo March", "open_orders": 2}'}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={8_000}
        value={request.mock ?? ''}
        onChange={({ currentTarget: { value } }) => change({ mock: value === '' ? null : value })}
      />
      {names.length > 0 && (
        <Text size="xs" c="dimmed">
          Variables of the greeting: {names.map((name) => `{{ ${name} }}`).join(', ')}
        </Text>
      )}
    </Stack>
  )
}

const variableNames = (mock: string | null) => Object.keys(contextIn(mock ?? ''))
