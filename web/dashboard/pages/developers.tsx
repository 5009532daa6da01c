import { Anchor, Tabs } from '@mantine/core'
import { IconApps, IconFlask, IconKey, IconRss } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { ApiKeys } from '../dev/api-keys.tsx'
import { EventFeed } from '../dev/event-feed.tsx'
import { OauthApps } from '../dev/oauth-apps.tsx'
import { SandboxConsole } from '../dev/sandbox-console.tsx'

const places = [
  { path: 'keys', label: 'API keys', icon: IconKey, element: <ApiKeys /> },
  { path: 'apps', label: 'OAuth apps', icon: IconApps, element: <OauthApps /> },
  { path: 'events', label: 'Event log', icon: IconRss, element: <EventFeed /> },
  { path: 'sandbox', label: 'Sandbox', icon: IconFlask, element: <SandboxConsole />, sandboxOnly: true },
]

export default function Developers() {
  const session = useSession()
  const { '*': path = '' } = useParams()
  const navigate = useNavigate()
  if (!isAdmin(session))
    return (
      <Page title="Developers">
        <Empty title="Admin access required">Owners and admins manage API keys, OAuth apps and the event log.</Empty>
      </Page>
    )
  const shown = places.filter(({ sandboxOnly }) => !sandboxOnly || session.mode === 'sandbox')
  const place = shown.some((one) => one.path === path) ? path : 'keys'
  return (
    <Page
      title="Developers"
      lead={
        <>
          API keys, OAuth apps and events for your integrations. See the{' '}
          <Anchor href="/docs" inherit underline="always">
            documentation
          </Anchor>
          .
        </>
      }
    >
      <Tabs value={place} onChange={(next) => void navigate(`/dashboard/developers/${next}`)} keepMounted={false}>
        <Tabs.List mb="lg">
          {shown.map(({ path, label, icon: Icon }) => (
            <Tabs.Tab key={path} value={path} leftSection={<Icon size={16} />}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(({ path, element }) => (
          <Tabs.Panel key={path} value={path}>
            {element}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
