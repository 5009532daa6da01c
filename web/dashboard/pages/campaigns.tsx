import { Badge, Button, Progress, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { type AgentCampaign, campaignStatuses, campaignsKey, doneIn } from '../campaigns/campaign.ts'
import { NewCampaign } from '../campaigns/new-campaign.tsx'
import { CallOptOuts } from '../campaigns/opt-outs.tsx'
import { isForbidden } from '../conversation/data.ts'

export default function CampaignsPage() {
  const may = isAdmin(useSession())
  const [page, setPage] = useState(1)
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [...campaignsKey, 'list', page],
    queryFn: () => api.get('/v1/outbound-campaigns', { query: { order: 'desc', page, per_page: 20 } }),
    refetchInterval: 10_000,
  })
  if (isForbidden(error)) {
    return (
      <Page title="Campaigns">
        <Empty title="Not included in your plan">AI agents are an add-on.</Empty>
      </Page>
    )
  }
  const begin = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      New campaign
    </Button>
  )
  return (
    <Page
      title="Campaigns"
      lead="AI agents call a list of numbers within the calling hours of each recipient."
      actions={data && data.meta.total > 0 && begin}
    >
      <DataTable
        label="Campaigns"
        columns={columns}
        rows={data?.outbound_campaigns}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/dashboard/campaigns/${id}`}
        error={error}
        retry={() => void refetch()}
        meta={data?.meta}
        onPage={setPage}
        empty={
          <Empty title="No campaigns yet" action={begin}>
            Create one to let an AI agent call a list of numbers, for example to remind customers of appointments.
          </Empty>
        }
      />
      <CallOptOuts may={may} />
      {isNew && <NewCampaign close={() => setNew(false)} />}
    </Page>
  )
}

const columns: Column<AgentCampaign>[] = [
  {
    label: 'Name',
    cell: ({ name }) => (
      <Text size="sm" fw={550}>
        {name}
      </Text>
    ),
  },
  {
    label: 'Status',
    cell: ({ status }) => (
      <Badge variant="light" color={campaignStatuses[status].color} tt="none" miw="max-content">
        {campaignStatuses[status].label}
      </Badge>
    ),
  },
  {
    label: 'Progress',
    cell: ({ progress }) => (
      <div>
        <Text size="sm">
          {doneIn(progress)} of {progress.total}
        </Text>
        <Progress
          value={progress.total === 0 ? 0 : (100 * doneIn(progress)) / progress.total}
          size="sm"
          aria-label="Progress"
        />
      </div>
    ),
    from: 'sm',
  },
  { label: 'Reached', cell: ({ progress }) => <Text size="sm">{progress.reached}</Text>, align: 'right' },
  { label: 'Created', cell: ({ created_at }) => <Text size="sm">{when(created_at)}</Text>, from: 'md' },
]
