import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { dateTime } from '../../kit/ui/format.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { useAgents } from '../agents/use-agents.ts'
import { type AgentCampaign, type CampaignForm, delayText, hoursText, isOpenCampaign } from './campaign.ts'
import { EditCampaign } from './edit-campaign.tsx'

/** What the campaign does, and the form that changes it until it has ended. */
export function CampaignSettings({ campaign, may }: { campaign: AgentCampaign; may: boolean }) {
  const [isEditing, setEditing] = useState(false)
  const { data: agents } = useAgents()
  const { data: numbers } = useNumbers()
  const agent = agents?.find(({ id }) => id === campaign.agent_id)
  const from = campaign.number_ids.map((id) => numbers?.find((number) => number.id === id)?.name ?? '…')
  const { no_answer, busy, voicemail } = campaign.retry_delays
  const retry = (seconds: number | null) => (seconds === null ? 'no retry' : `after ${delayText(seconds)}`)
  return (
    <Paper withBorder p="md" component="section" aria-label="Settings">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Settings
          </Title>
          {may && isOpenCampaign(campaign) && (
            <Button variant="default" size="xs" leftSection={<IconPencil size={14} />} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          <Setting label="AI agent">
            {agent ? (
              <Anchor component={Link} to={`/dashboard/agents/${agent.id}`} size="sm">
                {agent.name}
              </Anchor>
            ) : agents ? (
              'Deleted'
            ) : (
              '…'
            )}
          </Setting>
          <Setting label="Call from">{from.join(', ')}</Setting>
          <Setting label="Calling hours">{hoursText(campaign.calling_hours as CampaignForm['hours'])}</Setting>
          <Setting label="Retries">
            No answer: {retry(no_answer)}; busy: {retry(busy)}; voicemail: {retry(voicemail)}
          </Setting>
          <Setting label="Limits">
            {campaign.max_attempts === 1 ? '1 attempt' : `Up to ${campaign.max_attempts} attempts`} per recipient,{' '}
            {campaign.concurrency === 1 ? 'one call at a time' : `${campaign.concurrency} concurrent calls`}
          </Setting>
          <Setting label="Expires">{campaign.expires_at === null ? 'Never' : dateTime(campaign.expires_at)}</Setting>
        </SimpleGrid>
      </Stack>
      {isEditing && <EditCampaign campaign={campaign} close={() => setEditing(false)} />}
    </Paper>
  )
}

function Setting({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  )
}
