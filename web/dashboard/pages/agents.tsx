import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type AgentItem, agentLanguages } from '../agents/agent.ts'
import { NewAgent } from '../agents/new-agent.tsx'
import { agentsKey, useAgents } from '../agents/use-agents.ts'
import { isForbidden } from '../conversation/data.ts'
import { activationActions, activationFilter } from '../parts/activation.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, ShortList } from '../parts/short-list.tsx'

export default function AgentsPage() {
  const may = isAdmin(useSession())
  const queries = useQueryClient()
  const { data, error, refetch } = useAgents()
  const { data: numbers = [] } = useNumbers()
  const [isNew, setNew] = useState(false)
  const [dialog, confirm] = useConfirm()
  const refresh = () => queries.invalidateQueries({ queryKey: agentsKey })
  const remove = ({ id, name }: AgentItem) =>
    confirm({
      title: `Delete ${name}?`,
      body: 'Flows that use it follow the “Unavailable” branch. Its past conversations are kept with the calls.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/ai_voice_agents/{id}', { params: { id } })
        await refresh()
        notify(`${name} deleted`)
      },
    })
  const nameOf = (id: number) => numbers.find((number) => number.id === id)?.name ?? `Number ${id}`
  if (isForbidden(error)) {
    return (
      <Page title="AI agents">
        <Empty title="Not included in your plan">AI agents are an add-on.</Empty>
      </Page>
    )
  }
  const begin = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      New AI agent
    </Button>
  )
  return (
    <Page
      title="AI agents"
      lead="Answer and place calls automatically, collect information, and escalate to agents."
      actions={
        data &&
        data.length > 0 &&
        may && (
          <Group gap="xs">
            <Button component={Link} to="/dashboard/agents/performance" variant="default">
              Performance
            </Button>
            {begin}
          </Group>
        )
      }
    >
      {dialog}
      <ShortList
        page="agents"
        label="AI agents"
        word="AI agent"
        search="Name or greeting"
        textsOf={({ name, first_message }) => [name, first_message]}
        choices={[activationFilter]}
        columns={columns(nameOf)}
        actions={may && actions(remove)}
        bulk={may ? bulkActions : []}
        refresh={refresh}
        nameOf={({ name }) => name}
        rows={data}
        keyOf={({ id }) => id}
        {...(may && { hrefOf: ({ id }: AgentItem) => `/dashboard/agents/${id}` })}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No AI agents yet" action={begin}>
            Create one that takes messages after hours, and test it in the chat before callers reach it.
          </Empty>
        }
      />
      {isNew && <NewAgent opened close={() => setNew(false)} />}
    </Page>
  )
}

const languageName = (code: string) => agentLanguages.find(({ value }) => value === code)?.label ?? code

const activate = ({ id }: AgentItem, active: boolean) =>
  api.put('/v1/ai_voice_agents/{id}', { params: { id }, body: { active } })

const bulkActions: readonly ListAction<AgentItem>[] = [
  ...activationActions(activate),
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    body: 'Flows that use them follow the “Unavailable” branch. Their past conversations are kept with the calls. This cannot be undone.',
    typed: 'delete',
    run: ({ id }) => api.delete('/v1/ai_voice_agents/{id}', { params: { id } }),
  },
]

const columns = (nameOf: (id: number) => string): ListColumn<AgentItem>[] => [
  {
    label: 'Name',
    value: ({ name }) => name,
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
    value: ({ language }) => languageName(language),
    cell: ({ language }) => <Text size="sm">{languageName(language)}</Text>,
    from: 'md',
  },
  {
    label: 'Numbers',
    value: ({ number_ids }) => number_ids.map(nameOf).join(', '),
    cell: ({ number_ids }) => <Text size="sm">{number_ids.map(nameOf).join(', ') || '–'}</Text>,
    from: 'sm',
  },
  {
    label: 'Status',
    value: ({ active }) => (active ? 0 : 1),
    cell: ({ active }) => (
      <Badge variant="light" color={active ? 'green' : 'gray'} tt="none" miw="max-content">
        {active ? 'Active' : 'Inactive'}
      </Badge>
    ),
  },
]

const actions = (remove: (agent: AgentItem) => void): ListColumn<AgentItem> => ({
  label: 'Actions',
  align: 'right',
  cell: (agent) => (
    <Group justify="flex-end">
      <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${agent.name}`} onClick={() => remove(agent)}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  ),
})
