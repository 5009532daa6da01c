import { readFileSync } from 'node:fs'
import { eventNames, serviceEventNames } from '../../domain/events.ts'
import { packageRoot } from '../../lib/package-root.ts'
import type { OpenApi } from '../openapi.ts'
import { type EventDocs, eventCatalogue } from './events.ts'
import { type Reference, referenceMarkdown, referenceOf } from './reference.ts'

/** A documentation page. */
export interface DocsPage {
  /** URL path without `.md`. */
  address: string
  title: string
  /** Summary for the home page and the page header. */
  about: string
  /** The readers the page is written for: its section in the menu. */
  group: string
  markdown: string
  /** Only on the reference page, which has its own layout. */
  reference?: { intro: string; content: Reference }
}

const groups = [
  {
    name: 'Introduction',
    pages: [
      {
        name: 'index',
        title: 'Getting started',
        about: 'Install a sandbox and make your first request in five minutes',
      },
      { name: 'glossary', title: 'Glossary', about: 'The terms used in the product and in this documentation' },
    ],
  },
  {
    name: 'Agents and supervisors',
    pages: [
      {
        name: 'phone-app',
        title: 'Phone app',
        about: 'Audio, keyboard shortcuts, and what happens when the connection is lost',
      },
      { name: 'inbox', title: 'Inbox', about: 'Shared conversations with messages and calls' },
      { name: 'dashboard', title: 'Dashboard', about: 'Home page, menu and command palette' },
      { name: 'supervision', title: 'Supervising calls', about: 'The Live page: listen, whisper and barge in' },
      { name: 'analytics', title: 'Analytics', about: 'Reports, exports and bulk export' },
      {
        name: 'intelligence',
        title: 'Conversation intelligence',
        about: 'Transcripts, sentiment, topics, summaries and evaluations',
      },
    ],
  },
  {
    name: 'Owners and admins',
    pages: [
      { name: 'sign-in', title: 'Users, roles and sign-in', about: 'Passwords, sessions, roles and the audit log' },
      {
        name: 'security-settings',
        title: 'Security settings',
        about: 'Password, sessions and two-step verification',
      },
      { name: 'flows', title: 'Call flows', about: 'How calls to a number are routed' },
      {
        name: 'devices',
        title: 'Desk phones and SIP apps',
        about: 'Devices of agents, and forwarding to a mobile number',
      },
      { name: 'trunks', title: 'SIP trunks', about: 'Connect a carrier and limit outbound calls' },
      {
        name: 'messaging-carriers',
        title: 'SMS and WhatsApp providers',
        about: 'Connect an SMPP, HTTP or WhatsApp provider',
      },
      { name: 'ai-voice-agents', title: 'AI agents', about: 'Voice agents that answer and place calls' },
    ],
  },
  {
    name: 'Operators',
    pages: [
      {
        name: 'operating',
        title: 'Installation and configuration',
        about: 'Settings, companies, commands, monitoring and the production checklist',
      },
      {
        name: 'voice',
        title: 'Voice network and capacity',
        about: 'Ports, firewalls, RTP, codecs, recordings and capacity',
      },
      { name: 'reverse-proxy', title: 'Reverse proxy', about: 'TLS termination and the headers a proxy must set' },
      { name: 'monitoring', title: 'Monitoring', about: 'Metrics, alerts, dashboards and call quality' },
      { name: 'high-availability', title: 'High availability', about: 'Several processes on PostgreSQL' },
      {
        name: 'capacity',
        title: 'Capacity planning',
        about: 'Measured costs of calls, and the calculation for 1,000 and 10,000 concurrent calls',
      },
      { name: 'backup', title: 'Backup and restore', about: 'Back up a running installation and restore it' },
      { name: 'upgrading', title: 'Upgrading', about: 'Schema migrations and how to go back' },
    ],
  },
  {
    name: 'Developers',
    pages: [
      { name: 'reference', title: 'API reference', about: 'Every operation, with examples to try' },
      { name: 'conventions', title: 'API conventions', about: 'Authentication, pagination, rate limits and formats' },
      { name: 'errors', title: 'Errors', about: 'Status codes, and the order of the checks' },
      { name: 'events', title: 'Events', about: 'The event catalogue and its payloads' },
      { name: 'webhooks', title: 'Webhooks', about: 'Delivery guarantees, signatures, retries and replays' },
      { name: 'oauth', title: 'OAuth', about: 'Connect an app to the companies of its customers' },
      { name: 'calls', title: 'Calls', about: 'Call states, events and routing details' },
      { name: 'messages', title: 'Messages', about: 'Send and receive SMS, MMS and WhatsApp messages' },
      { name: 'live', title: 'Live WebSocket', about: 'What a phone app receives and sends while a user works' },
      { name: 'embed', title: 'Embedding the phone app', about: 'The phone app in your page, and click-to-call links' },
      { name: 'sandbox', title: 'Sandbox', about: 'Simulated callers, users, faults and time' },
      { name: 'flow-tests', title: 'Flow tests', about: 'Automated tests for call flows' },
      {
        name: 'mcp',
        title: 'AI assistants (MCP)',
        about: 'Tools for assistants that speak the Model Context Protocol',
      },
    ],
  },
] as const

const addressOf = (name: string) => (name === 'index' ? '/docs' : `/docs/${name}`)

const pages = groups.flatMap((group) =>
  group.pages.map((page) => ({ ...page, address: addressOf(page.name), group: group.name })),
)

export const pageAddresses = pages.map(({ address }) => address)

export function docsPagesOf(document: OpenApi, events: EventDocs): DocsPage[] {
  const facts: Record<string, string> = {
    base_url: document.servers[0]?.url ?? '',
    version: document.info.version,
    event_count: String(eventNames.length),
    service_event_count: String(serviceEventNames.length),
    events: eventCatalogue(events),
  }
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => facts[name] ?? whole)
  return pages.map(({ name, ...page }) => {
    const markdown = fill(readPage(name))
    if (name !== 'reference') return { ...page, markdown }
    const content = referenceOf(document)
    return {
      ...page,
      markdown: `${markdown}\n${referenceMarkdown(content)}\n`,
      reference: { intro: markdown, content },
    }
  })
}

/** docs/ is part of the package. The glossary is also read in the repository, one level up. */
const readPage = (name: string) =>
  readFileSync(new URL(name === 'glossary' ? 'docs/glossary.md' : `docs/pages/${name}.md`, packageRoot), 'utf8')
