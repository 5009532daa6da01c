import { readFileSync } from 'node:fs'
import { eventNames, serviceEventNames } from '../../domain/events.ts'
import { packageRoot } from '../../lib/package-root.ts'
import type { OpenApi } from '../openapi.ts'
import { type EventDocs, eventCatalogue } from './events.ts'
import { objectsAddress } from './fields.ts'
import { groupMarkdown, objectsMarkdown, type Reference, referenceMarkdown, referenceOf } from './reference.ts'
import type { DocsSection } from './search-index.ts'

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
  /** Only on the pages of the reference, which have their own layout. */
  reference?: ReferencePart
}

export type ReferencePart = { content: Reference; sections: DocsSection[] } & (
  | { part: 'overview'; intro: string }
  | { part: 'group'; group: Reference['groups'][number] }
  | { part: 'objects' }
)

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
      { name: 'scheduled-reports', title: 'Scheduled reports', about: 'Analytics by email, daily, weekly or monthly' },
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
      { name: 'commands', title: 'Commands', about: 'Every command with its options' },
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
      { name: 'configuration-as-code', title: 'Configuration as code', about: 'A company as one YAML file' },
      { name: 'import', title: 'Import', about: 'Bring a company over from another server of this API' },
      { name: 'upgrading', title: 'Upgrading', about: 'Schema migrations, rolling upgrades and how to go back' },
      { name: 'troubleshooting', title: 'Troubleshooting', about: 'Symptoms, their causes and what to do' },
      { name: 'compliance', title: 'Compliance', about: 'Consent, retention, erasure and the map of personal data' },
    ],
  },
  {
    name: 'Developers',
    pages: [
      {
        name: 'first-call',
        title: 'Your first call in five minutes',
        about: 'Make a call and receive its events in Node.js, Python or PHP, with a signature check',
      },
      { name: 'reference', title: 'API reference', about: 'Every operation, with examples to try' },
      { name: 'conventions', title: 'API conventions', about: 'Authentication, pagination, rate limits and formats' },
      { name: 'errors', title: 'Errors', about: 'Status codes, and the order of the checks' },
      { name: 'events', title: 'Events', about: 'The event catalogue and its payloads' },
      { name: 'webhooks', title: 'Webhooks', about: 'Delivery guarantees, signatures, retries and replays' },
      {
        name: 'client-packages',
        title: 'Client packages',
        about: 'The API from TypeScript and Python: methods, pages, retries and webhooks',
      },
      { name: 'oauth', title: 'OAuth', about: 'Connect an app to the companies of its customers' },
      { name: 'calls', title: 'Calls', about: 'Call states, events and routing details' },
      { name: 'messages', title: 'Messages', about: 'Send and receive SMS, MMS and WhatsApp messages' },
      { name: 'live', title: 'Live WebSocket', about: 'What a phone app receives and sends while a user works' },
      { name: 'embed', title: 'Embedding the phone app', about: 'The phone app in your page, and click-to-call links' },
      { name: 'sandbox', title: 'Sandbox', about: 'Simulated callers, users, faults and time' },
      { name: 'flow-tests', title: 'Flow tests', about: 'Automated tests for call flows' },
      { name: 'agent-tests', title: 'Agent tests', about: 'Automated tests for AI agents' },
      {
        name: 'mcp',
        title: 'AI assistants (MCP)',
        about: 'Tools for assistants that speak the Model Context Protocol',
      },
      { name: 'integrations', title: 'Automation tools', about: 'Workflows in n8n, Zapier and Make' },
    ],
  },
] as const

const addressOf = (name: string) => (name === 'index' ? '/docs' : `/docs/${name}`)

const pages = groups.flatMap((group) =>
  group.pages.map((page) => ({ ...page, address: addressOf(page.name), group: group.name })),
)

export function docsPagesOf(document: OpenApi, events: EventDocs): DocsPage[] {
  const facts: Record<string, string> = {
    base_url: document.servers[0]?.url ?? '',
    version: document.info.version,
    event_count: String(eventNames.length),
    service_event_count: String(serviceEventNames.length),
    events: eventCatalogue(events),
  }
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => facts[name] ?? whole)
  return pages.flatMap(({ name, ...page }) => {
    const markdown = fill(readPage(name))
    return name === 'reference' ? referencePages(page, markdown, referenceOf(document)) : [{ ...page, markdown }]
  })
}

/** An overview, a page for each group of operations, and one for the objects: as one page it would be 2 MB of HTML. */
function referencePages(page: Omit<DocsPage, 'markdown'>, intro: string, content: Reference): DocsPage[] {
  const markdown = `${intro}\n${referenceMarkdown(content)}\n`
  return [
    { ...page, markdown, reference: { part: 'overview', intro, content, sections: [] } },
    ...content.groups.map((group): DocsPage => {
      const sections = group.entries.map(({ id, method, path, summary, words }) => ({
        id,
        title: `${method} ${path}`,
        text: `${summary}. ${words}`,
      }))
      return {
        address: groupAddress(group.name),
        title: group.name,
        about: group.text,
        group: page.group,
        markdown: `#${groupMarkdown(group).slice(2)}\n`,
        reference: { part: 'group', group, content, sections },
      }
    }),
    {
      address: objectsAddress,
      title: 'Objects',
      about: 'The objects that responses are made of',
      group: page.group,
      markdown: `#${objectsMarkdown(content.objects).slice(2)}\n`,
      reference: {
        part: 'objects',
        content,
        sections: content.objects.map(({ id, title, words }) => ({ id, title, text: words })),
      },
    },
  ]
}

export const groupAddress = (name: string) =>
  `/docs/reference/${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}`

/** docs/ is part of the package. The glossary is also read in the repository, one level up. */
const readPage = (name: string) =>
  readFileSync(new URL(name === 'glossary' ? 'docs/glossary.md' : `docs/pages/${name}.md`, packageRoot), 'utf8')
