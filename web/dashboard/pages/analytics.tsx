import { Route, Routes } from 'react-router'
import { Page } from '../../kit/ui/page.tsx'
import { AgentSheetPage } from '../analytics/agent-sheet.tsx'
import { Exports } from '../analytics/exports.tsx'
import { Overview } from '../analytics/overview.tsx'
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
  return (
    <Page title="Analytics" lead="Call volume, wait times, service level and missed calls.">
      <PlaceTabs
        base="/dashboard/analytics"
        label="Analytics"
        places={[
          { path: 'overview', label: 'Overview', element: <Overview /> },
          { path: 'exports', label: 'Exports', element: <Exports /> },
        ]}
      />
    </Page>
  )
}
