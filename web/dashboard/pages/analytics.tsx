import { Button } from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import { useState } from 'react'
import { Route, Routes, useNavigate } from 'react-router'
import { useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { Page } from '../../kit/ui/page.tsx'
import { defaultSla } from '../analytics/activity.ts'
import { AgentSheetPage } from '../analytics/agent-sheet.tsx'
import { Exports } from '../analytics/exports.tsx'
import { Overview } from '../analytics/overview.tsx'
import { useReports } from '../analytics/scheduled/report.ts'
import { ReportDrawer, type ReportFilters } from '../analytics/scheduled/report-form.tsx'
import { ScheduledReports } from '../analytics/scheduled/report-list.tsx'
import { PlaceTabs } from '../parts/place-tabs.tsx'

export default function AnalyticsPage() {
  return (
    <Routes>
      <Route path="agents/:id" element={<AgentSheetPage />} />
      <Route path="*" element={<AnalyticsTabs />} />
    </Routes>
  )
}

function AnalyticsTabs() {
  const [isScheduling, setScheduling] = useState(false)
  const schedule = () => setScheduling(true)
  return (
    <Page
      title="Analytics"
      lead="Call volume, wait times, service level and missed calls."
      actions={
        <Button variant="default" leftSection={<IconCalendarTime size={16} aria-hidden />} onClick={schedule}>
          Schedule report
        </Button>
      }
    >
      <PlaceTabs
        base="/dashboard/analytics"
        label="Analytics"
        places={[
          { path: 'overview', label: 'Overview', element: <Overview /> },
          { path: 'exports', label: 'Exports', element: <Exports /> },
          { path: 'scheduled', label: 'Scheduled reports', element: <ScheduledReports create={schedule} /> },
        ]}
      />
      {isScheduling && <NewReport close={() => setScheduling(false)} />}
    </Page>
  )
}

/** With the filters of the page. */
function NewReport({ close }: { close: () => void }) {
  const { user } = useSession()
  const { data } = useReports()
  const navigate = useNavigate()
  const filters = reportFilters(useFilters())
  if (!data) return null
  const saved = () => void navigate('/dashboard/analytics/scheduled')
  return <ReportDrawer list={data} filters={filters} userId={user.id} close={close} saved={saved} />
}

const reportFilters = (filters: ReturnType<typeof useFilters>): ReportFilters => ({
  zone: filters.get('zone') ?? undefined,
  numbers: filters.all('number').map(Number),
  teams: filters.all('team').map(Number),
  users: filters.all('user').map(Number),
  sla: Number(filters.get('sla') ?? defaultSla),
})
