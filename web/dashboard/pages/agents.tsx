import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { type AgentItem, agentLanguages } from '../agents/agent.ts'
import { NewAgent } from '../agents/new-agent.tsx'
import { agentsKey, useAgents } from '../agents/use-agents.ts'
import { isForbidden } from '../conversation/data.ts'

export default function AgentsPage() {
  const may = isAdmin(useSession())
  const queries = useQueryClient()
  const { data, error, refetch } = useAgents()
  const { data: numbers = [] } = useNumbers()
  const [isNew, setNew] = useState(false)
  const [dialog, confirm] = useConfirm()
  const remove = ({ id, name }: AgentItem) =>
    confirm({
      title: `Delete ${name}?`,
      body: 'Flows that lead to it go on as if it were unavailable. What it did stays with its calls.',
      action: 'Delete',
      run: async () => {
        await api.delete(`/v1/ai_voice_agents/${id}`)
        await queries.invalidateQueries({ queryKey: agentsKey })
        say(`${name} is deleted`)
      },
    })
  const nameOf = (id: number) => numbers.find((number) => number.id === id)?.name ?? `Number ${id}`
  if (isForbidden(error)) {
    return (
      <Page title="AI agents">
        <Empty title="Your plan does not include them">AI voice agents are an add-on.</Empty>
      </Page>
    )
  }
  const begin = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      New agent
    </Button>
  )
  return (
    <Page
      title="AI agents"
      lead="They answer calls, or make them, without a person: ask, tell what they know, and hand over."
      actions={data && data.length > 0 && begin}
    >
      {dialog}
      <DataTable
        label="AI agents"
        columns={may ? [...columns(nameOf), actions(remove)] : columns(nameOf)}
        rows={data}
        keyOf={({ id }) => id}
        {...(may && { hrefOf: ({ id }: AgentItem) => `/dashboard/agents/${id}` })}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No agents yet" action={begin}>
            Begin with one that takes a message when you are closed, and talk to it before any caller does.
          </Empty>
        }
      />
      {isNew && <NewAgent opened close={() => setNew(false)} />}
    </Page>
  )
}

const columns = (nameOf: (id: number) => string): Column<AgentItem>[] => [
  {
    label: 'Name',
    cell: ({ name, first_message }) => (
      <div>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={1} maw={420}>
          {first_message}
        </Text>
      </div>
    ),
  },
  {
    label: 'Language',
    cell: ({ language }) => (
      <Text size="sm">{agentLanguages.find(({ value }) => value === language)?.label ?? language}</Text>
    ),
    from: 'md',
  },
  {
    label: 'Numbers',
    cell: ({ number_ids }) => <Text size="sm">{number_ids.map(nameOf).join(', ') || '–'}</Text>,
    from: 'sm',
  },
  {
    label: 'State',
    cell: ({ active }) => (
      <Badge variant="light" color={active ? 'green' : 'gray'} tt="none" miw="max-content">
        {active ? 'Takes calls' : 'Off'}
      </Badge>
    ),
  },
]

const actions = (remove: (agent: AgentItem) => void): Column<AgentItem> => ({
  label: 'Change',
  align: 'right',
  cell: (agent) => (
    <Group justify="flex-end">
      <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${agent.name}`} onClick={() => remove(agent)}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  ),
})
