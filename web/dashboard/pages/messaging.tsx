import { Tabs } from '@mantine/core'
import { Link, Navigate, Route, Routes, useLocation } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { CarrierList } from '../messaging/carrier-list.tsx'
import { LineTable } from '../messaging/line-table.tsx'
import { OptOuts } from '../messaging/opt-outs.tsx'

const tabs = [
  { path: 'carriers', label: 'Carriers', element: <CarrierList /> },
  { path: 'numbers', label: 'Numbers', element: <LineTable /> },
  { path: 'opt-outs', label: 'Opt-outs', element: <OptOuts /> },
]

export default function MessagingPage() {
  const session = useSession()
  const { pathname } = useLocation()
  if (!isAdmin(session)) {
    return (
      <Page title="Message carriers">
        <Empty title="This is for admins">Ask an owner or admin of {session.company.name}.</Empty>
      </Page>
    )
  }
  const open = tabs.find(({ path }) => pathname.startsWith(`/dashboard/messaging/${path}`)) ?? tabs[0]
  return (
    <Page title="Message carriers" lead="Who carries SMS, MMS and WhatsApp, for which Number, and who wants no texts.">
      <Tabs value={open?.path ?? null}>
        <Tabs.List aria-label="Message carriers">
          {tabs.map(({ path, label }) => (
            <Tabs.Tab
              key={path}
              value={path}
              renderRoot={(props) => <Link to={`/dashboard/messaging/${path}`} {...props} />}
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
            <Route path="*" element={<Navigate to="/dashboard/messaging/carriers" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
