import { describe, expect, test } from 'vitest'
import type { Role, Session } from '../../kit/session.tsx'
import { matching, pageEntries, resultGroups, type SearchResults, tabEntries } from './entries.ts'

const session = (role: Role, rest: Partial<Session> = {}) =>
  ({ user: { id: 7, roles: [role] }, mode: 'production', tenancy: 'single', ...rest }) as Session

const found = (text: string, who = session('owner')) =>
  matching([...pageEntries(who), ...tabEntries(who)], text).map(({ to }) => to)

describe('the pages of the command palette', () => {
  test.each([
    ['blocked', '/dashboard/company/blocked'],
    ['block', '/dashboard/company/blocked'],
    ['spam', '/dashboard/company/blocked'],
    ['security', '/dashboard/company/security'],
    ['sso', '/dashboard/company/security'],
    ['saml', '/dashboard/company/security'],
    ['retention', '/dashboard/company/security'],
    ['two-step', '/dashboard/account'],
    ['2fa', '/dashboard/account'],
    ['passkey', '/dashboard/account'],
    ['password', '/dashboard/account'],
    ['recording', '/dashboard/company/recording'],
    ['consent', '/dashboard/company/recording'],
    ['audit', '/dashboard/company/audit'],
    ['email log', '/dashboard/company/mails'],
    ['migrate', '/dashboard/company/import'],
    ['scheduled', '/dashboard/analytics/scheduled'],
    ['exports', '/dashboard/analytics/exports'],
    ['wallboard', '/dashboard/wallboard'],
    ['import contacts', '/dashboard/contacts/import'],
    ['csv users', '/dashboard/users/import'],
    ['devices', '/dashboard/users/7'],
    ['opening hours', '/dashboard/numbers'],
    ['prompts', '/dashboard/numbers/prompts'],
    ['templates', '/dashboard/messages/templates'],
    ['opt-outs', '/dashboard/messaging/opt-outs'],
    ['spend limit', '/dashboard/trunks/limits'],
  ])('"%s" finds %s first', (text, to) => {
    expect(found(text)[0]).toBe(to)
  })

  test('"import" finds every import', () => {
    expect(found('import')).toEqual(
      expect.arrayContaining(['/dashboard/contacts/import', '/dashboard/users/import', '/dashboard/company/import']),
    )
  })

  test('only pages that the role opens are offered', () => {
    const supervisor = session('supervisor')
    for (const text of ['blocked', 'audit', 'sso', 'retention', 'import', 'opt-outs', 'spend'])
      expect(found(text, supervisor)).toEqual([])
    expect(found('passkey', supervisor)).toEqual(['/dashboard/account'])
    expect(found('migrate', session('admin'))).toEqual([])
    expect(found('plan')).not.toContain('/dashboard/company/plan')
    expect(found('plan', session('owner', { tenancy: 'multi' }))[0]).toBe('/dashboard/company/plan')
  })

  test('every entry has its own key', () => {
    const keys = [...pageEntries(session('owner')), ...tabEntries(session('owner'))].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('the results of the command palette', () => {
  const none: SearchResults = { calls: [], contacts: [], users: [], numbers: [], teams: [], tags: [], webhooks: [] }
  const tags = (n: number) => Array.from({ length: n }, (_, id) => ({ id, name: `VIP ${id}`, color: '#2F80ED' }))
  const contacts = Array.from({ length: 5 }, (_, id) => ({ id, name: `Ada ${id}`, phone_number: '+33199000207' }))
  const lastOf = (results: Partial<SearchResults>, text: string) =>
    resultGroups({ ...none, ...results }, text)[0]?.entries.at(-1)

  test('end with the whole list, filtered by the search, where there may be more of them', () => {
    expect(lastOf({ tags: tags(5) }, 'vip & co')).toMatchObject({
      label: 'Show all tags',
      to: '/dashboard/tags?q=vip%20%26%20co',
    })
    expect(lastOf({ tags: tags(4) }, 'vip')).toMatchObject({ label: 'VIP 3' })
  })

  test('do not lead to a list of contacts that would not find a part of a phone number', () => {
    expect(lastOf({ contacts }, 'ada')).toMatchObject({ to: '/dashboard/contacts?q=ada' })
    expect(lastOf({ contacts }, '99000')).toMatchObject({ label: 'Ada 4' })
  })
})
