import { Anchor, Button, Grid, Group, Paper, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { AgentActivity } from '../agents/activity.tsx'
import { type AgentSettings, type AiAgent, agentIssues, hasLlm, settingsOf } from '../agents/agent.ts'
import classes from '../agents/agents.module.css'
import { DataBeforeCall } from '../agents/builder-context.tsx'
import { Intents, Questions } from '../agents/builder-conversation.tsx'
import { DataToExtract } from '../agents/builder-data.tsx'
import { Documents } from '../agents/builder-documents.tsx'
import { Basics, Escalation, Limits, ModeFields } from '../agents/builder-fields.tsx'
import { Tools } from '../agents/builder-tools.tsx'
import { TestChat } from '../agents/test-chat.tsx'
import { agentsKey, isNotThere, useAgent } from '../agents/use-agents.ts'
import { AgentVersions } from '../agents/versions.tsx'

const BackLink = () => (
  <Anchor component={Link} to="/dashboard/agents" size="sm">
    All AI agents
  </Anchor>
)

export default function AgentPage() {
  const { id = '' } = useParams()
  const may = isAdmin(useSession())
  const { data, error, refetch } = useAgent(id)
  const queries = useQueryClient()
  // A restored version replaces the form.
  const [restores, setRestores] = useState(0)
  if (!may) {
    return (
      <Page title="AI agent" lead={<BackLink />}>
        <Empty title="Admin access required">Contact an owner or admin to edit AI agents.</Empty>
      </Page>
    )
  }
  if (error) {
    return (
      <Page title="AI agent" lead={<BackLink />}>
        {isNotThere(error) ? (
          <Empty title="AI agent not found" />
        ) : (
          <ErrorAlert error={error} retry={() => void refetch()} />
        )}
      </Page>
    )
  }
  if (!data) {
    return (
      <Page title="AI agent" lead={<BackLink />}>
        <Skeleton height={320} />
      </Page>
    )
  }
  return (
    <Builder
      key={`${data.id} ${restores}`}
      saved={data}
      restored={(agent) => {
        queries.setQueryData([...agentsKey, id], agent)
        setRestores(restores + 1)
      }}
    />
  )
}

/** Settings on the left, test chat on the right. */
function Builder({ saved, restored }: { saved: AiAgent; restored: (agent: AiAgent) => void }) {
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const [showsVersions, setShowsVersions] = useState(false)
  const form = useSavedForm<AgentSettings>(settingsOf(saved), async (body, loaded) => {
    const changed = await api.put('/v1/ai_voice_agents/{id}', {
      params: { id: saved.id },
      body: { ...body, version_note: note.trim() === '' ? null : note.trim() },
      loaded,
    })
    setNote('')
    queries.setQueryData([...agentsKey, saved.id], changed.ai_voice_agent)
    void queries.invalidateQueries({ queryKey: [...agentsKey, 'all'] })
    void queries.invalidateQueries({ queryKey: [...agentsKey, saved.id, 'versions'], exact: true })
    notify('AI agent saved. Changes apply to the next call')
  })
  const { form: agent, set, isChanged, isBusy } = form
  const [isTried, setTried] = useState(false)
  // Debounced while typing.
  const [settled] = useDebouncedValue(agent, 400)
  const found = agentIssues(agent)
  const editing = {
    agent,
    set,
    issues: isTried ? found : new Map<string, string>(),
  }
  const save = async () => {
    setTried(true)
    if (found.size > 0) {
      notifyError(new Error('Fix the highlighted fields and save again.'), 'AI agent not saved')
      return
    }
    await form.save()
  }
  return (
    <Page
      title={saved.name}
      lead={<BackLink />}
      actions={
        <Group gap="xs">
          <Button component={Link} to={`/dashboard/agents/performance?agent=${saved.id}`} variant="default">
            Performance
          </Button>
          <Button variant="default" onClick={() => setShowsVersions(true)}>
            Versions
          </Button>
          <Button component={Link} to={`/dashboard/agents/${saved.id}/tests`} variant="default">
            Tests
          </Button>
        </Group>
      }
    >
      {showsVersions && <AgentVersions agent={saved} close={() => setShowsVersions(false)} restored={restored} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Basics {...editing} />
            <ModeFields {...editing} />
            {hasLlm(agent) && agent.brain === 'llm' && <Tools {...editing} id={saved.id} agent={agent} />}
            {hasLlm(agent) && agent.brain === 'llm' && <Documents id={saved.id} />}
            <DataBeforeCall {...editing} id={saved.id} />
            <Questions {...editing} />
            {!(hasLlm(agent) && agent.brain === 'llm') && <Intents {...editing} />}
            <DataToExtract {...editing} />
            <Escalation {...editing} />
            <Limits {...editing} />
            <SaveError error={form.error} retry={() => void save()} title="AI agent not saved" />
            {isChanged && (
              <Paper withBorder shadow="md" px="md" py="xs" className={classes.unsaved}>
                <Group justify="space-between">
                  <Text size="sm">Unsaved changes. The test chat already uses them.</Text>
                  <Group gap="xs">
                    <TextInput
                      size="xs"
                      aria-label="Version note"
                      placeholder="What changed (optional)"
                      maxLength={500}
                      value={note}
                      onChange={({ currentTarget }) => setNote(currentTarget.value)}
                    />
                    <Button variant="default" size="xs" onClick={form.discard}>
                      Discard changes
                    </Button>
                    <Button size="xs" loading={isBusy} onClick={() => void save()}>
                      Save
                    </Button>
                  </Group>
                </Group>
              </Paper>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg" className={classes.beside}>
            <TestChat id={saved.id} agent={settled} />
            <AgentActivity agent={saved} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
