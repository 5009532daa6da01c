import { asked, base, type Seeding } from './seed.ts'

/** A request of a list, a search or a tile. `app`: asked by our own pages, with a session. */
export interface Question {
  what: string
  path: string
  app?: true
}

/** Every list, every pair of filters and every search, for a company with so many rows. */
export function questions({ now, rows }: Seeding): Question[] {
  const e = encodeURIComponent
  const seconds = (daysAgo: number) => Math.floor(now / 1_000) - daysAgo * 86_400
  const list = (what: string, path: string) => ({ what, path: `${path}${path.includes('?') ? '&' : '?'}per_page=20` })
  const inApp = (what: string, path: string) => ({ ...list(what, `/app${path}`), app: true as const })
  const callFilters: Record<string, string> = {
    user: `user_id=${base.user + 7}`,
    phone: `phone_number=${e(asked.stranger)}`,
    'own number': `phone_number=${e('+33198010003')}`,
    tag: `tags=${base.tag + 5}`,
    direction: 'direction=inbound',
    from: `from=${seconds(75)}`,
    'from and to': `from=${seconds(75)}&to=${seconds(40)}`,
  }
  const two = Object.entries(callFilters).flatMap(([a, first], i, all) =>
    all
      .slice(i + 1)
      .filter(([b]) => !(a.endsWith('phone') && b === 'own number') && !(a === 'from' && b === 'from and to'))
      .map(([b, second]) => list(`calls/search by ${a} and ${b}`, `/v1/calls/search?${first}&${second}`)),
  )
  const hook = '/v1/webhooks/00000000-0000-4000-8000-000000010001'
  const deliveryFilters: Record<string, string> = {
    state: 'state=exhausted',
    event: 'event=call.ended',
    resource: `resource_id=${base.call + 9}`,
    status: 'status=500',
    from: `from=${seconds(75)}`,
  }
  const deliveryPairs = Object.entries(deliveryFilters).flatMap(([a, first], i, all) =>
    all.slice(i + 1).map(([b, second]) => list(`deliveries by ${a} and ${b}`, `${hook}/deliveries?${first}&${second}`)),
  )
  return [
    list('calls', '/v1/calls'),
    list('calls, the last page within reach', '/v1/calls?page=400&order=desc'),
    ...Object.entries(callFilters).map(([name, filter]) =>
      list(`calls/search by ${name}`, `/v1/calls/search?${filter}`),
    ),
    list('calls/search by two tags', `/v1/calls/search?tags=${base.tag + 5}&tags=${base.tag + 6}`),
    ...two,
    inApp('missed calls', '/v1/calls/search?missed=true&order=desc'),
    inApp('own calls', '/v1/me/calls?order=desc'),
    list('contacts', '/v1/contacts'),
    list('contacts, newest change first', '/v1/contacts?order_by=updated_at&order=desc'),
    list('contacts from', `/v1/contacts?from=${asked.from(now, rows)}`),
    list('contacts from and to', `/v1/contacts?from=${asked.from(now, rows)}&to=${seconds(100)}`),
    list('contacts by change, from', `/v1/contacts?order_by=updated_at&from=${asked.from(now, rows)}`),
    list('contacts/search by phone', `/v1/contacts/search?phone_number=${e(asked.contactPhone(rows))}`),
    list('contacts/search by e-mail', `/v1/contacts/search?email=${e(asked.contactEmail(rows))}`),
    list(
      'contacts/search by phone and e-mail',
      `/v1/contacts/search?phone_number=${e(asked.contactPhone(rows))}&email=${e(asked.contactEmail(rows))}`,
    ),
    list(
      'contacts/search by phone and from',
      `/v1/contacts/search?phone_number=${e(asked.contactPhone(rows))}&from=${asked.from(now, rows)}`,
    ),
    { what: 'contact suggestions', path: '/app/v1/contacts/suggestions?text=last123', app: true },
    { what: 'contacts by name', path: '/app/v1/contacts/named?text=last123&order=desc', app: true },
    list('users', '/v1/users'),
    list('users, version 2', '/v2/users'),
    list('numbers', '/v1/numbers'),
    list('teams', '/v1/teams'),
    list('tags', '/v1/tags'),
    list('webhooks', '/v1/webhooks'),
    list('events', `/v1/events?after=${base.event + Math.floor(rows / 2)}`),
    list('events by name', `/v1/events?after=${base.event + Math.floor(rows / 2)}&events=contact.updated`),
    list('events of a call', `/v1/events?call_id=${base.call + 9}`),
    list('deliveries', `${hook}/deliveries`),
    ...Object.entries(deliveryFilters).map(([name, filter]) =>
      list(`deliveries by ${name}`, `${hook}/deliveries?${filter}`),
    ),
    ...deliveryPairs,
    { what: 'webhook health', path: `${hook}/health` },
    { what: 'conversations', path: '/app/v1/conversations?limit=20', app: true },
    {
      what: 'conversations of a number',
      path: `/app/v1/conversations?limit=20&number_id=${base.number + 3}`,
      app: true,
    },
    { what: 'conversations, unread', path: '/app/v1/conversations?limit=20&unread=true', app: true },
    { what: 'conversations, archived', path: '/app/v1/conversations?limit=20&archived=true', app: true },
    {
      what: 'conversations, unread of a number',
      path: `/app/v1/conversations?limit=20&unread=true&number_id=${base.number + 3}`,
      app: true,
    },
    { what: 'conversations, search', path: '/app/v1/conversations?limit=20&search=until%20', app: true },
    { what: 'unread count', path: '/app/v1/conversations/unread', app: true },
    {
      what: 'conversation timeline',
      path: '/app/v1/conversations/00000000-0000-4000-8000-100000000003/timeline',
      app: true,
    },
    inApp('mails', '/v1/mail_outbox'),
    inApp('audit log', '/v1/audit_log'),
    { what: 'live view', path: '/app/v1/live', app: true },
    {
      what: 'analytics tiles, today',
      path: '/app/v1/analytics/activity?timezone=Europe/Paris&last_days=1',
      app: true,
    },
    {
      what: 'analytics tiles, a week',
      path: '/app/v1/analytics/activity?timezone=Europe/Paris&last_days=7',
      app: true,
    },
  ]
}
