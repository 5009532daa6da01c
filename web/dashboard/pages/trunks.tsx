import { Tabs } from '@mantine/core'
import { Link, Navigate, Route, Routes, useLocation } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { DialLimitsForm } from '../trunks/dial-limits.tsx'
import { TrunkList } from '../trunks/trunk-list.tsx'

const tabs = [
  { path: 'lines', label: 'Lines', element: <TrunkList /> },
  { path: 'limits', label: 'What may be dialled', element: <DialLimitsForm /> },
]

export default function TrunksPage() {
  const session = useSession()
  const { pathname } = useLocation()
  if (!isAdmin(session)) {
    return (
      <Page title="Trunks">
        <Empty title="This is for admins">Ask an owner or admin of {session.company.name}.</Empty>
      </Page>
    )
  }
  const open = tabs.find(({ path }) => pathname.startsWith(`/dashboard/trunks/${path}`)) ?? tabs[0]
  return (
    <Page title="Trunks" lead="The lines to the telephone network, and what may be dialled over them.">
      <Tabs value={open?.path ?? null}>
        <Tabs.List aria-label="Trunks">
          {tabs.map(({ path, label }) => (
            <Tabs.Tab
              key={path}
              value={path}
              renderRoot={(props) => <Link to={`/dashboard/trunks/${path}`} {...props} />}
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open?.path ?? ''} pt="lg">
          <Routes>
            {tabs.map(({ path, element }) => (
              <Route key={path} path={path} element={element} />
            ))}
            <Route path="*" element={<Navigate to="/dashboard/trunks/lines" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
