import { Button, CopyButton, Group, JsonInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { AddButton } from '../intelligence/guide-fields.tsx'
import { ListItem, RemovedItem, useItems } from '../intelligence/list-item.tsx'
import { replaced } from '../intelligence/order.ts'
import { type AgentSettings, type AgentTool, type LlmSettings, newTool } from './agent.ts'
import { type AgentEditing, Section } from './builder-parts.tsx'

/** HTTP requests that the LLM may make. */
export function Tools({ id, agent, set, issues }: AgentEditing & { id: string; agent: AgentSettings & LlmSettings }) {
  const { tools } = agent
  const setTools = (changed: AgentTool[]) => set({ tools: changed })
  const items = useItems(tools, setTools)
  return (
    <Section
      title="HTTP tools"
      about="Requests to your server that the AI agent may make during a call. Its responses are given to the LLM as data, not as instructions."
    >
      {tools.map((tool, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <ListItem key={at} what={`Tool ${at + 1}`} items={items} place={at} mayBeEmpty>
          <ToolFields
            tool={tool}
            at={at}
            issues={issues}
            change={(part) => setTools(replaced(tools, at, { ...tool, ...part }))}
          />
        </ListItem>
      ))}
      <RemovedItem items={items} />
      <Group>
        <AddButton run={() => setTools([...tools, newTool])} disabled={tools.length >= 10}>
          Add tool
        </AddButton>
        {tools.length > 0 && <SigningSecret id={id} />}
      </Group>
    </Section>
  )
}

interface ToolEditing {
  tool: AgentTool
  at: number
  change: (part: Partial<AgentTool>) => void
  issues: AgentEditing['issues']
}

function ToolFields({ tool, at, change, issues }: ToolEditing) {
  const nullable = (value: string) => (value === '' ? null : value)
  return (
    <Stack gap="xs">
      <TextInput
        label="Name"
        aria-label={`Name of tool ${at + 1}`}
        placeholder="order_status"
        maxLength={64}
        error={issues.get(`tools.${at}.name`)}
        value={tool.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
      <Textarea
        label="Description"
        aria-label={`Description of tool ${at + 1}`}
        description="When the AI agent should use it"
        placeholder="Returns the delivery status of an order"
        autosize
        minRows={1}
        maxLength={500}
        error={issues.get(`tools.${at}.description`)}
        value={tool.description}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Select
          label="Method"
          aria-label={`Method of tool ${at + 1}`}
          w={100}
          allowDeselect={false}
          data={['GET', 'POST']}
          value={tool.method}
          onChange={(method) => change({ method: method === 'GET' ? 'GET' : 'POST' })}
        />
        <TextInput
          label="URL"
          aria-label={`URL of tool ${at + 1}`}
          flex={1}
          placeholder="https://example.com/orders"
          maxLength={2_000}
          error={issues.get(`tools.${at}.url`)}
          value={tool.url}
          onChange={({ currentTarget: { value } }) => change({ url: value })}
        />
      </Group>
      <Parameters tool={tool} at={at} change={change} issues={issues} />
      <HeaderFields
        headers={tool.headers}
        of={`tool ${at + 1}`}
        set={(headers) => change({ headers })}
        error={(nth) => issues.get(`tools.${at}.headers.${nth}`)}
      />
      <Group gap="xs" align="flex-start">
        <Figure
          label="Timeout"
          suffix=" s"
          w={100}
          min={1}
          max={10}
          value={tool.timeout_seconds}
          onChange={(timeout_seconds) => change({ timeout_seconds })}
        />
        <TextInput
          label="Spoken while it runs"
          aria-label={`Filler of tool ${at + 1}`}
          flex={1}
          miw={180}
          placeholder="One moment, please."
          maxLength={200}
          value={tool.filler ?? ''}
          onChange={({ currentTarget: { value } }) => change({ filler: nullable(value) })}
        />
      </Group>
      <Textarea
        label="Mock response"
        aria-label={`Mock response of tool ${at + 1}`}
        description="Used by the test chat, which sends no requests"
        placeholder={'{"status": "shipped"}'}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={8_000}
        value={tool.mock ?? ''}
        onChange={({ currentTarget: { value } }) => change({ mock: nullable(value) })}
      />
    </Stack>
  )
}

/** Invalid JSON stays in the field; the form then has no schema and cannot be saved. */
function Parameters({ tool, at, change, issues }: ToolEditing) {
  const [text, setText] = useState(() => JSON.stringify(tool.parameters, null, 2))
  return (
    <JsonInput
      label="Parameters"
      aria-label={`Parameters of tool ${at + 1}`}
      description="JSON Schema of the arguments"
      autosize
      minRows={3}
      maxRows={14}
      maxLength={8_000}
      formatOnBlur
      error={issues.get(`tools.${at}.parameters`)}
      value={text}
      onChange={(value) => {
        setText(value)
        change({ parameters: parsed(value) })
      }}
    />
  )
}

function parsed(text: string): AgentTool['parameters'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as AgentTool['parameters']) : {}
  } catch {
    return {}
  }
}

type RequestHeaders = AgentTool['headers']

interface HeaderEditing {
  headers: RequestHeaders
  /** What has the headers: "tool 1". */
  of: string
  set: (headers: RequestHeaders) => void
  error: (nth: number) => string | undefined
}

/** Headers of a request, whose values are not shown again. */
export function HeaderFields({ headers, of, set: setHeaders, error }: HeaderEditing) {
  const items = useItems(headers, setHeaders)
  return (
    <Stack gap={6}>
      {headers.map((header, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <Group key={nth} gap="xs" align="flex-start">
          <TextInput
            aria-label={`Header ${nth + 1} of ${of}`}
            placeholder="Authorization"
            flex={1}
            miw={140}
            maxLength={100}
            error={error(nth)}
            value={header.name}
            onChange={({ currentTarget: { value: name } }) => setHeaders(replaced(headers, nth, { ...header, name }))}
          />
          <TextInput
            aria-label={`Value of header ${nth + 1} of ${of}`}
            placeholder="Leave blank to keep stored value"
            flex={2}
            miw={160}
            type="password"
            autoComplete="off"
            maxLength={2_000}
            value={header.value ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setHeaders(replaced(headers, nth, { ...header, value: value === '' ? null : value }))
            }
          />
          <Button variant="default" onClick={() => items.remove(nth, `Header ${nth + 1}`)}>
            Remove
          </Button>
        </Group>
      ))}
      <RemovedItem items={items} />
      <AddButton run={() => setHeaders([...headers, { name: '', value: null }])} disabled={headers.length >= 10}>
        Add header
      </AddButton>
    </Stack>
  )
}

/** Fetched on request: it is a secret. */
export function SigningSecret({ id }: { id: string }) {
  const [isShown, setShown] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['ai-agents', id, 'signing-secret'],
    queryFn: () => api.get('/v1/ai_voice_agents/{id}/tool_signing_secret', { params: { id } }),
    enabled: isShown,
    gcTime: 0,
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!isShown || !data) {
    return (
      <Button variant="subtle" loading={isShown} onClick={() => setShown(true)}>
        Show signing secret
      </Button>
    )
  }
  return (
    <Group gap="xs">
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {data.signing_secret}
      </Text>
      <CopyButton value={data.signing_secret}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
