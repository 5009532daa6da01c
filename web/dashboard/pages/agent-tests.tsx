import { Anchor, Button, Grid, Group, Paper, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import classes from '../agents/agents.module.css'
import { TestResults } from '../agents/test-results.tsx'
import { agentsKey, isNotThere, useAgent } from '../agents/use-agents.ts'

type TestSet = ResponseOf<'/v1/ai_voice_agents/{id}/tests'>['ai_voice_agent_tests']

export default function AgentTestsPage() {
  const { id = '' } = useParams()
  const may = isAdmin(useSession())
  const { data: agent, error: agentError } = useAgent(id)
  const { data, error, refetch } = useQuery({
    queryKey: [...agentsKey, id, 'tests'],
    queryFn: async () => (await api.get('/v1/ai_voice_agents/{id}/tests', { params: { id } })).ai_voice_agent_tests,
    enabled: may,
  })
  const back = (
    <Anchor component={Link} to={`/dashboard/agents/${id}`} size="sm">
      {agent?.name ?? 'AI agent'}
    </Anchor>
  )
  if (!may) {
    return (
      <Page title="AI agent tests" lead={back}>
        <Empty title="Admin access required">Contact an owner or admin to test AI agents.</Empty>
      </Page>
    )
  }
  const failure = error ?? agentError
  if (failure) {
    return (
      <Page title="AI agent tests" lead={back}>
        {isNotThere(failure) ? (
          <Empty title="AI agent not found" />
        ) : (
          <ErrorAlert error={failure} retry={() => void refetch()} />
        )}
      </Page>
    )
  }
  if (!data || !agent) {
    return (
      <Page title="AI agent tests" lead={back}>
        <Skeleton height={320} />
      </Page>
    )
  }
  return <Tests id={id} name={agent.name} firstKey={agent.questions[0]?.key} saved={data} back={back} />
}

function Tests({
  id,
  name,
  firstKey,
  saved,
  back,
}: {
  id: string
  name: string
  firstKey: string | undefined
  saved: TestSet
  back: React.ReactNode
}) {
  const queries = useQueryClient()
  const key = [...agentsKey, id, 'tests']
  const form = useSavedForm({ source: saved.source }, async ({ source: text }, loaded) => {
    // The API refuses blank texts.
    const body = { source: text.trim() === '' ? null : text }
    const changed = await api.put('/v1/ai_voice_agents/{id}/tests', { params: { id }, body, loaded })
    queries.setQueryData(key, changed.ai_voice_agent_tests)
    notify('Tests saved')
  })
  const run = useMutation({
    mutationFn: () => api.post('/v1/ai_voice_agents/{id}/tests/run', { params: { id }, body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
    onError: (error) => notifyError(error, 'Tests not run'),
  })
  const { source } = form.form
  const isEmpty = source.trim() === ''
  return (
    <Page
      title="AI agent tests"
      lead={back}
      actions={
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={run.isPending}
          disabled={saved.tests.length === 0 || form.isChanged}
          onClick={() => run.mutate()}
        >
          Run tests
        </Button>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="sm" component="section" aria-label="Tests">
            <Summary saved={saved} />
            {saved.tests.length === 0 ? (
              <Paper withBorder>
                <Empty
                  title="No tests yet"
                  action={
                    isEmpty && (
                      <Button variant="default" onClick={() => form.set({ source: starter(name, firstKey) })}>
                        Add example test
                      </Button>
                    )
                  }
                >
                  Tests are conversations with a simulated caller and the answers and the outcome you expect. They run
                  in milliseconds, without a call. On the page of a call that an AI agent took, “Create test” adds that
                  conversation.
                </Empty>
              </Paper>
            ) : (
              <TestResults tests={saved.tests} run={saved.last_run ?? undefined} />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md" component="section" aria-label="Source">
            <Stack gap="sm">
              <Title order={2} size="h4">
                Source
              </Title>
              <Textarea
                label="Tests as YAML"
                description={
                  <>
                    The format is described in <a href="/docs/agent-tests">Agent tests</a>.{' '}
                    <code>hookswitch test-agents</code> runs the same files.
                  </>
                }
                name="source"
                autosize
                minRows={12}
                maxRows={32}
                spellCheck={false}
                classNames={{ input: classes.source ?? '' }}
                value={source}
                onChange={({ currentTarget }) => form.set({ source: currentTarget.value })}
              />
              <SaveError error={form.error} retry={() => void form.save()} title="Tests not saved" />
              <Group gap="xs" justify="flex-end">
                <Button variant="default" disabled={!form.isChanged} onClick={form.discard}>
                  Discard changes
                </Button>
                <Button disabled={!form.isChanged} loading={form.isBusy} onClick={() => void form.save()}>
                  Save
                </Button>
              </Group>
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function Summary({ saved: { tests, last_run: run } }: { saved: TestSet }) {
  if (tests.length === 0) return null
  if (!run) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {tests.length} {tests.length === 1 ? 'test' : 'tests'}, not run since the last change.
      </Text>
    )
  }
  return (
    <Text size="sm" role="status">
      <Text span fw={600} c={run.failed === 0 ? 'green' : 'red'}>
        {run.failed === 0 ? `${run.passed} passed` : `${run.failed} failed, ${run.passed} passed`}
      </Text>{' '}
      <Text span c="dimmed">
        {when(run.run_at)}
      </Text>
    </Text>
  )
}

const starter = (name: string, firstKey: string | undefined) => `agent: ${JSON.stringify(name)}
tests:
  - name: A caller who asks for a human is transferred
    caller:
      lines:
        - I would like to speak to a person
    expect:
      outcome: escalated${firstKey === undefined ? '' : `\n      answers:\n        ${firstKey}: null`}
`
