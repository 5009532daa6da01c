import { Anchor, Group, MultiSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { EditDiscarded } from '../../kit/edits.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useTeams } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { useAgents } from '../agents/use-agents.ts'

type Sources = ResponseOf<'/v1/intelligence/suggestions'>['sources']

const sourcesKey = ['intelligence', 'suggestions']
const maxSources = 5

const bodyOf = (sources: Sources) => ({
  sources: sources.map(({ ai_voice_agent_id, team_ids }) => ({ ai_voice_agent_id, team_ids })),
})

const isNotIncluded = (error: unknown) => error instanceof ApiError && error.status === 403

/** Whose documents are suggested to human agents during calls. */
export function SuggestionsCard() {
  const queries = useQueryClient()
  const sources = useQuery({
    queryKey: sourcesKey,
    queryFn: async () => (await api.get('/v1/intelligence/suggestions')).sources,
  })
  const agents = useAgents()
  const save = async (after: Sources) => {
    const before = sources.data
    queries.setQueryData(sourcesKey, after)
    try {
      const saved = await api.put('/v1/intelligence/suggestions', {
        body: bodyOf(after),
        ...(before && { loaded: bodyOf(before) }),
      })
      queries.setQueryData(sourcesKey, saved.sources)
      notify('Suggestions saved')
    } catch (error) {
      queries.setQueryData(sourcesKey, before)
      if (!(error instanceof EditDiscarded)) notifyError(error, 'Suggestions not saved')
    }
  }
  const error = sources.error ?? agents.error
  return (
    <Paper withBorder p="md" component="section" aria-label="Suggestions during calls">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Suggestions during calls
        </Title>
        <Text size="sm" c="dimmed">
          While a call is transcribed in real time, passages of documents that are about what the customer says appear
          in the phone app of the agent.
        </Text>
        {isNotIncluded(error) ? (
          <Empty title="Not included in your plan">Suggestions need the package Assist Pro and AI agents.</Empty>
        ) : error ? (
          <ErrorAlert
            error={error}
            retry={() => {
              void sources.refetch()
              void agents.refetch()
            }}
          />
        ) : (
          sources.data && agents.data && <Choice sources={sources.data} agents={agents.data} save={save} />
        )}
      </Stack>
    </Paper>
  )
}

function Choice({
  sources,
  agents,
  save,
}: {
  sources: Sources
  agents: readonly { id: string; name: string }[]
  save: (sources: Sources) => Promise<void>
}) {
  if (agents.length === 0) {
    return (
      <Empty title="No documents yet">
        Suggestions come from the documents of AI agents. Create an AI agent and add documents to it; it can stay
        inactive.{' '}
        <Anchor component={Link} to="/dashboard/agents" size="sm" underline="always">
          View AI agents
        </Anchor>
      </Empty>
    )
  }
  const choose = (ids: string[]) =>
    save(
      ids.map((id) => {
        const known = sources.find(({ ai_voice_agent_id }) => ai_voice_agent_id === id)
        const name = agents.find((agent) => agent.id === id)?.name ?? ''
        return known ?? { ai_voice_agent_id: id, team_ids: null, name, documents: 0 }
      }),
    )
  return (
    <>
      <MultiSelect
        label="Documents of"
        description={`At most ${maxSources} AI agents, also inactive ones.`}
        placeholder={sources.length === 0 ? 'Off: select an AI agent' : undefined}
        data={agents.map(({ id, name }) => ({ value: id, label: name }))}
        value={sources.map(({ ai_voice_agent_id }) => ai_voice_agent_id)}
        onChange={(ids) => void choose(ids)}
        maxValues={maxSources}
        maw={620}
      />
      {sources.map((source) => (
        <Source
          key={source.ai_voice_agent_id}
          source={source}
          change={(team_ids) =>
            void save(
              sources.map((one) => (one.ai_voice_agent_id === source.ai_voice_agent_id ? { ...one, team_ids } : one)),
            )
          }
        />
      ))}
    </>
  )
}

function Source({
  source: { ai_voice_agent_id: id, name, documents, team_ids: teamIds },
  change,
}: {
  source: Sources[number]
  change: (teamIds: number[] | null) => void
}) {
  const { data: teams } = useTeams()
  return (
    <Paper withBorder p="sm" maw={620} component="section" aria-label={`Documents of ${name}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Anchor component={Link} to={`/dashboard/agents/${id}`} size="sm" underline="always">
            {documents === 0 ? 'Add documents' : documents === 1 ? '1 document' : `${documents} documents`}
          </Anchor>
        </Group>
        <MultiSelect
          label="Teams"
          aria-label={`Teams for ${name}`}
          description={
            teamIds?.length === 0
              ? 'Its teams were deleted, so no agent receives these suggestions.'
              : 'Leave blank for all agents.'
          }
          placeholder={teamIds === null ? 'All agents' : undefined}
          data={(teams ?? []).map((team) => ({ value: String(team.id), label: team.name }))}
          value={(teamIds ?? []).map(String)}
          onChange={(ids) => change(ids.length === 0 ? null : ids.map(Number))}
          clearable
        />
      </Stack>
    </Paper>
  )
}
