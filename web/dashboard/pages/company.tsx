import { Tabs } from '@mantine/core'
import { Link, Navigate, Route, Routes, useLocation } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { AuditLog } from '../parts/audit-log.tsx'
import { CompanyPlan } from '../parts/company-plan.tsx'
import { CompanySettings } from '../parts/company-settings.tsx'
import { MailOutbox } from '../parts/mail-outbox.tsx'

const tabs = [
  { path: 'settings', label: 'Settings', element: <CompanySettings /> },
  { path: 'plan', label: 'Plan', element: <CompanyPlan /> },
  { path: 'mails', label: 'Mail outbox', element: <MailOutbox /> },
  { path: 'audit', label: 'Audit log', element: <AuditLog /> },
]

export default function CompanyPage() {
  const session = useSession()
  const { pathname } = useLocation()
  if (!isAdmin(session)) {
    return (
      <Page title="Company">
        <Empty title="This is for admins">Ask an owner or admin of {session.company.name}.</Empty>
      </Page>
    )
  }
  const open = tabs.find(({ path }) => pathname.startsWith(`/dashboard/company/${path}`))
  return (
    <Page title="Company" lead={session.company.name}>
      <Tabs value={open?.path ?? 'settings'}>
        <Tabs.List aria-label="Company">
          {tabs.map(({ path, label }) => (
            <Tabs.Tab
              key={path}
              value={path}
              renderRoot={(props) => <Link to={`/dashboard/company/${path}`} {...props} />}
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open?.path ?? 'settings'} pt="lg">
          <Routes>
            {tabs.map(({ path, element }) => (
              <Route key={path} path={path} element={element} />
            ))}
            <Route path="*" element={<Navigate to="/dashboard/company/settings" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
