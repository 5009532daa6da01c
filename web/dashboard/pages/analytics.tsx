import { Tabs } from '@mantine/core'
import { Link, Navigate, Route, Routes, useLocation } from 'react-router'
import { Page } from '../../kit/ui/page.tsx'
import { Exports } from '../analytics/exports.tsx'
import { Overview } from '../analytics/overview.tsx'

const tabs = [
  { path: 'overview', label: 'Overview', element: <Overview /> },
  { path: 'exports', label: 'Exports', element: <Exports /> },
]

export default function AnalyticsPage() {
  const { pathname } = useLocation()
  const open = tabs.find(({ path }) => pathname.startsWith(`/dashboard/analytics/${path}`))?.path ?? 'overview'
  return (
    <Page title="Analytics" lead="Call volume, wait times, service level and missed calls.">
      <Tabs value={open}>
        <Tabs.List aria-label="Analytics">
          {tabs.map(({ path, label }) => (
            <Tabs.Tab
              key={path}
              value={path}
              renderRoot={(props) => <Link to={`/dashboard/analytics/${path}`} {...props} />}
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open} pt="lg">
          <Routes>
            {tabs.map(({ path, element }) => (
              <Route key={path} path={path} element={element} />
            ))}
            <Route path="*" element={<Navigate to="/dashboard/analytics/overview" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
