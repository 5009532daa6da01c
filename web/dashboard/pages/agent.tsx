import { Anchor, Button, Grid, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { Activity } from '../agents/activity.tsx'
import { type Agent, type AgentSettings, flawsOf, hasMind, settingsOf } from '../agents/agent.ts'
import classes from '../agents/agents.module.css'
import { Basics, HandingOver, Intents, Limits, Questions, Thinking } from '../agents/builder-fields.tsx'
import { TestChat } from '../agents/test-chat.tsx'
import { agentsKey, isNotThere, useAgent } from '../agents/use-agents.ts'
import { Guard } from '../number-flow/guard.tsx'

const Way = () => (
  <Anchor component={Link} to="/dashboard/agents" size="sm">
    All agents
  </Anchor>
)

export default function AgentPage() {
  const { id = '' } = useParams()
  const may = isAdmin(useSession())
  const { data, error, refetch } = useAgent(id)
  if (!may) {
    return (
      <Page title="AI agent" lead={<Way />}>
        <Empty title="This is for admins">Ask an owner or admin to change an agent.</Empty>
      </Page>
    )
  }
  if (error) {
    return (
      <Page title="AI agent" lead={<Way />}>
        {isNotThere(error) ? (
          <Empty title="There is no such agent" />
        ) : (
          <Trouble error={error} retry={() => void refetch()} />
        )}
      </Page>
    )
  }
  if (!data) {
    return (
      <Page title="AI agent" lead={<Way />}>
        <Skeleton height={320} />
      </Page>
    )
  }
  return <Builder key={data.id} saved={data} />
}

/** What it is told on the left, a conversation with it on the right. */
function Builder({ saved }: { saved: Agent }) {
  const queries = useQueryClient()
  const before = settingsOf(saved)
  const [agent, setAgent] = useState<AgentSettings>(before)
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  // Not at every letter.
  const [settled] = useDebouncedValue(agent, 400)
  const found = flawsOf(agent)
  const isDirty = JSON.stringify(agent) !== JSON.stringify(before)
  const editing = {
    agent,
    set: (part: Partial<AgentSettings>) => setAgent((now) => ({ ...now, ...part })),
    flaws: isTried ? found : new Map<string, string>(),
  }
  const save = async () => {
    setTried(true)
    if (found.size > 0) {
      sayTrouble(new Error('Something is still missing; look at what is marked.'), 'Not saved yet')
      return
    }
    setBusy(true)
    try {
      const changed = await api.put<{ ai_voice_agent: Agent }>(`/v1/ai_voice_agents/${saved.id}`, agent)
      setAgent(settingsOf(changed.ai_voice_agent))
      queries.setQueryData([...agentsKey, saved.id], changed.ai_voice_agent)
      void queries.invalidateQueries({ queryKey: [...agentsKey, 'all'] })
      say('Saved; the next call hears it')
    } catch (error) {
      sayTrouble(error, 'Not saved')
    }
    setBusy(false)
  }
  return (
    <Page title={saved.name} lead={<Way />}>
      <Guard isDirty={isDirty}>Your changes to this agent are not saved.</Guard>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Basics {...editing} />
            <Thinking {...editing} />
            <Questions {...editing} />
            {!(hasMind(agent) && agent.brain === 'llm') && <Intents {...editing} />}
            <HandingOver {...editing} />
            <Limits {...editing} />
            {isDirty && (
              <Paper withBorder shadow="md" px="md" py="xs" className={classes.unsaved}>
                <Group justify="space-between">
                  <Text size="sm">Not saved yet; the chat knows it already.</Text>
                  <Group gap="xs">
                    <Button variant="default" size="xs" onClick={() => setAgent(before)}>
                      Take back
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
            <Activity agent={saved} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
