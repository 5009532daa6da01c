import { readFileSync } from 'node:fs'
import { eventNames, serviceEventNames } from '../../domain/events.ts'
import { packageRoot } from '../../lib/package-root.ts'
import type { OpenApi } from '../openapi.ts'
import { eventCatalogue, type Samples } from './events.ts'
import { type Reference, referenceMarkdown, referenceOf } from './reference.ts'

/** A documentation page. */
export interface DocsPage {
  /** URL path without `.md`. */
  address: string
  title: string
  /** Summary for the home page and the page header. */
  about: string
  markdown: string
  /** Only on the reference page, which has its own layout. */
  reference?: { intro: string; content: Reference }
}

const pages = [
  { name: 'index', address: '/docs', title: 'Start here', about: 'From nothing to a first call in five minutes' },
  { name: 'reference', address: '/docs/reference', title: 'Reference', about: 'Every operation, with examples to try' },
  { name: 'conventions', address: '/docs/conventions', title: 'Conventions', about: 'What holds for every request' },
  { name: 'errors', address: '/docs/errors', title: 'Errors', about: 'What each status means, and which comes first' },
  { name: 'events', address: '/docs/events', title: 'Events', about: 'What a webhook can be told' },
  { name: 'webhooks', address: '/docs/webhooks', title: 'Webhooks', about: 'How events reach you, and how to be sure' },
  { name: 'oauth', address: '/docs/oauth', title: 'OAuth', about: 'For partners: one app, many companies' },
  {
    name: 'calls',
    address: '/docs/calls',
    title: 'Calls',
    about: 'Their life, their events, and why they went where they went',
  },
  { name: 'live', address: '/docs/live', title: 'Live socket', about: 'What a phone app is told, and may ask for' },
  {
    name: 'embed',
    address: '/docs/embed',
    title: 'Embedding and links',
    about: 'The phone app inside your page, and links that dial',
  },
  {
    name: 'sign-in',
    address: '/docs/sign-in',
    title: 'People and sign-in',
    about: 'Passwords, sessions, roles, and who did what',
  },
  {
    name: 'trunks',
    address: '/docs/trunks',
    title: 'Trunks and sound',
    about: 'Carriers, what may be dialled, microphones, listening',
  },
  { name: 'messages', address: '/docs/messages', title: 'Messages', about: 'SMS, MMS, WhatsApp, groups, callbacks' },
  {
    name: 'messaging-carriers',
    address: '/docs/messaging-carriers',
    title: 'Message carriers',
    about: 'SMS providers and WhatsApp, and what happens while they are away',
  },
  { name: 'inbox', address: '/docs/inbox', title: 'Inbox', about: 'Conversations with messages and calls' },
  { name: 'flows', address: '/docs/flows', title: 'Flows', about: 'How the calls of a Number are routed' },
  {
    name: 'ai-voice-agents',
    address: '/docs/ai-voice-agents',
    title: 'AI voice agents',
    about: 'Agents that answer and make calls by themselves',
  },
  { name: 'flow-tests', address: '/docs/flow-tests', title: 'Flow tests', about: 'Calls that must go the way you say' },
  { name: 'sandbox', address: '/docs/sandbox', title: 'Sandbox', about: 'Simulated calls, people, faults and time' },
  {
    name: 'intelligence',
    address: '/docs/intelligence',
    title: 'Conversation intelligence',
    about: 'Transcripts, moods, topics, summaries, evaluations',
  },
  { name: 'analytics', address: '/docs/analytics', title: 'Analytics', about: 'Reports, charts, bulk export' },
  { name: 'voice', address: '/docs/voice', title: 'Real voice', about: 'Trunks, ports, what may be dialled' },
  { name: 'operating', address: '/docs/operating', title: 'Operating', about: 'Settings, backup, going live' },
] as const

export const pageAddresses = pages.map(({ address }) => address)

export function docsPagesOf(document: OpenApi, samples: Samples): DocsPage[] {
  const facts: Record<string, string> = {
    base_url: document.servers[0]?.url ?? '',
    version: document.info.version,
    event_count: String(eventNames.length),
    service_event_count: String(serviceEventNames.length),
    events: eventCatalogue(samples),
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

/** docs/pages is part of the package. */
const readPage = (name: string) => readFileSync(new URL(`docs/pages/${name}.md`, packageRoot), 'utf8')
