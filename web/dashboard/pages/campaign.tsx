import {
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { isNotThere } from '../agents/use-agents.ts'
import {
  type AgentCampaign,
  campaignStatuses,
  campaignsKey,
  doneIn,
  isOpenCampaign,
  outcomeLabels,
  type Recipient,
  recipientStatuses,
} from '../campaigns/campaign.ts'
import { CampaignActions } from '../campaigns/campaign-actions.tsx'
import { CampaignSettings } from '../campaigns/campaign-settings.tsx'
import { AddRecipients } from '../campaigns/edit-campaign.tsx'
import { OutcomeChart } from '../campaigns/outcome-chart.tsx'

const back = (
  <Anchor component={Link} to="/dashboard/campaigns" size="sm">
    Campaigns
  </Anchor>
)

export default function CampaignPage() {
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: [...campaignsKey, id],
    queryFn: () => api.get('/v1/outbound-campaigns/{id}', { params: { id } }),
    refetchInterval: 5_000,
  })
  if (data) return <Details campaign={data} />
  return (
    <Page title="Campaign" lead={back}>
      {!error && <Skeleton height={240} />}
      {error && isNotThere(error) && <Empty title="Campaign not found" />}
      {error && !isNotThere(error) && <ErrorAlert error={error} retry={() => void refetch()} />}
    </Page>
  )
}

function Details({ campaign }: { campaign: AgentCampaign }) {
  const { name, status, paused_reason: reason, progress } = campaign
  const may = isAdmin(useSession())
  return (
    <Page title={name} lead={back} actions={may && <CampaignActions campaign={campaign} />}>
      <Stack>
        {reason && (
          <Alert color="orange" title="Paused by the service">
            {reason === 'agent_unavailable'
              ? 'The AI agent is inactive, was deleted, or has no greeting. Correct it, then resume the campaign.'
              : 'None of the numbers to call from can be used. Verify one, then resume the campaign.'}
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Paper withBorder p="md" component="section" aria-label="Progress">
            <Stack gap="xs">
              <Group justify="space-between">
                <Title order={2} size="h4">
                  Progress
                </Title>
                <Badge variant="light" color={campaignStatuses[status].color} tt="none">
                  {campaignStatuses[status].label}
                </Badge>
              </Group>
              <Text size="xl" fw={600}>
                {doneIn(progress)} of {progress.total}
              </Text>
              <Text size="sm" c="dimmed">
                {progress.reached} reached, {progress.not_reached} not reached, {progress.calling} calling,{' '}
                {progress.pending} pending, {progress.opted_out} opted out
              </Text>
              <Text size="sm" c="dimmed">
                {campaign.started_at === null ? 'Not started' : `Started ${when(campaign.started_at)}`}
                {campaign.ended_at === null ? '' : `, ended ${when(campaign.ended_at)}`}
              </Text>
            </Stack>
          </Paper>
          <OutcomeChart outcomes={campaign.outcomes} />
        </SimpleGrid>
        <CampaignSettings campaign={campaign} may={may} />
        <Results campaign={campaign} may={may} />
      </Stack>
    </Page>
  )
}

function Results({ campaign, may }: { campaign: AgentCampaign; may: boolean }) {
  const { id } = campaign
  const [page, setPage] = useState(1)
  const [isAdding, setAdding] = useState(false)
  const [outcome, setOutcome] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: [...campaignsKey, id, 'recipients', page, outcome],
    queryFn: () =>
      api.get('/v1/outbound-campaigns/{id}/recipients', {
        params: { id },
        query: { page, per_page: 20, ...(outcome !== null && { outcome: outcome as keyof AgentCampaign['outcomes'] }) },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
  return (
    <section aria-label="Results">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Results
        </Title>
        <Group gap="xs">
          <Select
            aria-label="Outcome"
            placeholder="All outcomes"
            clearable
            data={Object.entries(outcomeLabels).map(([value, label]) => ({ value, label }))}
            value={outcome}
            onChange={(value) => {
              setOutcome(value)
              setPage(1)
            }}
          />
          {may && isOpenCampaign(campaign) && (
            <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              Add recipients
            </Button>
          )}
        </Group>
      </Group>
      <DataTable
        label="Results"
        columns={columns}
        rows={data?.recipients}
        keyOf={(recipient) => recipient.id}
        error={error}
        retry={() => void refetch()}
        meta={data?.meta}
        onPage={setPage}
        empty={<Empty title={outcome === null ? 'No recipients yet' : 'No recipients with this outcome'} />}
      />
      {isAdding && <AddRecipients campaign={campaign} close={() => setAdding(false)} />}
    </section>
  )
}

/** With a link to the last call. */
function Outcome({ outcome, callId }: { outcome: Recipient['last_outcome']; callId: number | null }) {
  if (outcome === null) return <Text size="sm">–</Text>
  if (callId === null) return <Text size="sm">{outcomeLabels[outcome]}</Text>
  return (
    <Anchor component={Link} to={`/dashboard/calls/${callId}`} size="sm">
      {outcomeLabels[outcome]}
    </Anchor>
  )
}

const columns: Column<Recipient>[] = [
  {
    label: 'Recipient',
    isWide: true,
    cell: ({ phone_number, name, last_outcome, call_id }) => (
      <div>
        <Text size="sm" fw={550}>
          {name ?? displayNumber(phone_number)}
        </Text>
        {name !== null && (
          <Text size="xs" c="dimmed">
            {displayNumber(phone_number)}
          </Text>
        )}
        <Box hiddenFrom="sm">
          <Outcome outcome={last_outcome} callId={call_id} />
        </Box>
      </div>
    ),
  },
  {
    label: 'Status',
    cell: ({ status }) => (
      <Badge variant="light" color={recipientStatuses[status].color} tt="none" miw="max-content">
        {recipientStatuses[status].label}
      </Badge>
    ),
  },
  {
    label: 'Last outcome',
    cell: ({ last_outcome, call_id }) => <Outcome outcome={last_outcome} callId={call_id} />,
    from: 'sm',
  },
  { label: 'Attempts', cell: ({ attempts }) => <Text size="sm">{attempts}</Text>, align: 'right', from: 'sm' },
  {
    label: 'Answers',
    cell: ({ answers }) => (
      <Text size="sm" lineClamp={2}>
        {Object.entries(answers)
          .map(([key, value]) => `${key}: ${String(value)}`)
          .join(', ') || '–'}
      </Text>
    ),
    from: 'md',
  },
  {
    label: 'Next attempt',
    cell: ({ next_attempt_at }) => <Text size="sm">{next_attempt_at === null ? '–' : when(next_attempt_at)}</Text>,
    from: 'md',
  },
]
