import { describe, expect, test } from 'vitest'
import type { Role, Session } from '../../kit/session.tsx'
import { matching, pageEntries, tabEntries } from './entries.ts'

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
