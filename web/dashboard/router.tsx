import { lazy, Suspense } from 'react'
import { createBrowserRouter, Navigate } from 'react-router'
import { Lost } from './lost.tsx'
import { Shell } from './shell.tsx'

// One page, one file, loaded when it is first opened.
const Calls = lazy(() => import('./pages/calls.tsx'))
const Call = lazy(() => import('./pages/call.tsx'))
const Analytics = lazy(() => import('./pages/analytics.tsx'))
const Intelligence = lazy(() => import('./pages/intelligence.tsx'))
const Agents = lazy(() => import('./pages/agents.tsx'))
const AgentPage = lazy(() => import('./pages/agent.tsx'))
const LivePage = lazy(() => import('./pages/live.tsx'))
const Numbers = lazy(() => import('./pages/numbers.tsx'))
const NumberPage = lazy(() => import('./pages/number.tsx'))
const Trunks = lazy(() => import('./pages/trunks.tsx'))
const Messaging = lazy(() => import('./pages/messaging.tsx'))
const Users = lazy(() => import('./pages/users.tsx'))
const UserPage = lazy(() => import('./pages/user.tsx'))
const Teams = lazy(() => import('./pages/teams.tsx'))
const Contacts = lazy(() => import('./pages/contacts.tsx'))
const Messages = lazy(() => import('./pages/messages.tsx'))
const Tags = lazy(() => import('./pages/tags.tsx'))
const Integrations = lazy(() => import('./pages/integrations.tsx'))
const Webhooks = lazy(() => import('./pages/webhooks.tsx'))
const WebhookPage = lazy(() => import('./pages/webhook.tsx'))
const Developers = lazy(() => import('./pages/developers.tsx'))
const Company = lazy(() => import('./pages/company.tsx'))
const Consent = lazy(() => import('./consent.tsx'))

const pages = [
  { path: 'calls', element: <Calls /> },
  { path: 'calls/:id', element: <Call /> },
  { path: 'live', element: <LivePage /> },
  { path: 'analytics/*', element: <Analytics /> },
  { path: 'intelligence/*', element: <Intelligence /> },
  { path: 'agents', element: <Agents /> },
  { path: 'agents/:id', element: <AgentPage /> },
  { path: 'numbers', element: <Numbers /> },
  { path: 'numbers/:id/*', element: <NumberPage /> },
  { path: 'trunks/*', element: <Trunks /> },
  { path: 'messaging/*', element: <Messaging /> },
  { path: 'users', element: <Users /> },
  { path: 'users/:id', element: <UserPage /> },
  { path: 'teams', element: <Teams /> },
  { path: 'contacts', element: <Contacts /> },
  { path: 'messages/*', element: <Messages /> },
  { path: 'tags', element: <Tags /> },
  { path: 'integrations', element: <Integrations /> },
  { path: 'webhooks', element: <Webhooks /> },
  { path: 'webhooks/:id', element: <WebhookPage /> },
  { path: 'developers/*', element: <Developers /> },
  { path: 'company/*', element: <Company /> },
]

const home = { index: true, element: <Navigate to="/dashboard/calls" replace /> }

export const router = createBrowserRouter([
  {
    path: '/dashboard',
    element: <Shell />,
    errorElement: <Lost />,
    children: [home, ...pages, { path: '*', element: <Lost /> }],
  },
  {
    path: '/oauth/authorize',
    errorElement: <Lost />,
    element: (
      <Suspense>
        <Consent />
      </Suspense>
    ),
  },
  { path: '*', element: <Navigate to="/dashboard/calls" replace /> },
])
