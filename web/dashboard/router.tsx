import { Suspense } from 'react'
import { createBrowserRouter, matchRoutes, Navigate } from 'react-router'
import { lazyPart } from '../kit/load.ts'
import { Lost } from './lost.tsx'
import { Shell } from './shell.tsx'

// One file per page, loaded on first visit.
const Home = lazyPart(() => import('./pages/home.tsx'))
const Calls = lazyPart(() => import('./pages/calls.tsx'))
const Call = lazyPart(() => import('./pages/call.tsx'))
const Analytics = lazyPart(() => import('./pages/analytics.tsx'))
const Intelligence = lazyPart(() => import('./pages/intelligence.tsx'))
const AgentsPerformance = lazyPart(() => import('./pages/agents-performance.tsx'))
const AgentTestsPage = lazyPart(() => import('./pages/agent-tests.tsx'))
const CampaignPage = lazyPart(() => import('./pages/campaign.tsx'))
const Campaigns = lazyPart(() => import('./pages/campaigns.tsx'))
const Agents = lazyPart(() => import('./pages/agents.tsx'))
const AgentPage = lazyPart(() => import('./pages/agent.tsx'))
const Wallboard = lazyPart(() => import('./live/wallboard.tsx'))
const LivePage = lazyPart(() => import('./pages/live.tsx'))
const Numbers = lazyPart(() => import('./pages/numbers.tsx'))
const NumberPage = lazyPart(() => import('./pages/number.tsx'))
const Prompts = lazyPart(() => import('./pages/prompts.tsx'))
const Trunks = lazyPart(() => import('./pages/trunks.tsx'))
const Messaging = lazyPart(() => import('./pages/messaging.tsx'))
const UserImport = lazyPart(() => import('./pages/user-import.tsx'))
const Users = lazyPart(() => import('./pages/users.tsx'))
const UserPage = lazyPart(() => import('./pages/user.tsx'))
const Teams = lazyPart(() => import('./pages/teams.tsx'))
const ContactImport = lazyPart(() => import('./pages/contact-import.tsx'))
const ContactPage = lazyPart(() => import('./pages/contact.tsx'))
const Contacts = lazyPart(() => import('./pages/contacts.tsx'))
const Messages = lazyPart(() => import('./pages/messages.tsx'))
const Tags = lazyPart(() => import('./pages/tags.tsx'))
const Integrations = lazyPart(() => import('./pages/integrations.tsx'))
const Webhooks = lazyPart(() => import('./pages/webhooks.tsx'))
const WebhookPage = lazyPart(() => import('./pages/webhook.tsx'))
const Developers = lazyPart(() => import('./pages/developers.tsx'))
const Account = lazyPart(() => import('./pages/account.tsx'))
const Company = lazyPart(() => import('./pages/company.tsx'))
const Consent = lazyPart(() => import('./consent.tsx'))

const pages = [
  { path: 'calls', element: <Calls /> },
  { path: 'calls/:id', element: <Call /> },
  { path: 'live', element: <LivePage /> },
  { path: 'analytics/*', element: <Analytics /> },
  { path: 'intelligence/*', element: <Intelligence /> },
  { path: 'agents', element: <Agents /> },
  { path: 'campaigns', element: <Campaigns /> },
  { path: 'campaigns/:id', element: <CampaignPage /> },
  { path: 'agents/performance', element: <AgentsPerformance /> },
  { path: 'agents/:id', element: <AgentPage /> },
  { path: 'agents/:id/tests', element: <AgentTestsPage /> },
  { path: 'numbers', element: <Numbers /> },
  { path: 'numbers/prompts', element: <Prompts /> },
  { path: 'numbers/:id/*', element: <NumberPage /> },
  { path: 'trunks/*', element: <Trunks /> },
  { path: 'messaging/*', element: <Messaging /> },
  { path: 'users', element: <Users /> },
  { path: 'users/import', element: <UserImport /> },
  { path: 'users/:id', element: <UserPage /> },
  { path: 'teams', element: <Teams /> },
  { path: 'contacts', element: <Contacts /> },
  { path: 'contacts/import', element: <ContactImport /> },
  { path: 'contacts/:id', element: <ContactPage /> },
  { path: 'messages/*', element: <Messages /> },
  { path: 'tags', element: <Tags /> },
  { path: 'integrations', element: <Integrations /> },
  { path: 'webhooks', element: <Webhooks /> },
  { path: 'webhooks/:id', element: <WebhookPage /> },
  { path: 'developers/*', element: <Developers /> },
  { path: 'account', element: <Account /> },
  { path: 'company/*', element: <Company /> },
]

const home = { index: true, element: <Home /> }

// The page of the address is loaded while the session is read.
matchRoutes([home, ...pages], window.location, '/dashboard')
  ?.at(-1)
  ?.route.element.type.preload()

export const router = createBrowserRouter([
  {
    path: '/dashboard',
    element: <Shell />,
    errorElement: <Lost />,
    children: [home, ...pages, { path: '*', element: <Lost /> }],
  },
  {
    path: '/dashboard/wallboard',
    errorElement: <Lost />,
    element: (
      <Suspense>
        <Wallboard />
      </Suspense>
    ),
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
  { path: '*', element: <Navigate to="/dashboard" replace /> },
])
