import { describe, expect, test } from 'vitest'
import {
  countsNothing,
  dialLimitsOf,
  dialRulesOf,
  messageLimitsOf,
  messageRulesOf,
  rateLinesOf,
  ratesOf,
} from './limits.ts'
import { codecChoiceOf, codecOptions, codecsOfChoice, type Trunk, trunkDraft, trunkRequest } from './trunk.ts'

const trunk: Trunk = {
  id: 3,
  name: 'Main carrier',
  enabled: true,
  host: 'sip.carrier.example',
  port: null,
  transport: 'tls',
  srtp: true,
  registers: true,
  username: 'office',
  has_password: true,
  domain: null,
  addresses: ['192.0.2.0/24'],
  prefixes: ['33'],
  number_form: 'plus',
  behind_nat: false,
  emergency: true,
  priority: 10,
  max_calls: 50,
  state: 'up',
  state_since: null,
  state_detail: null,
  inbound_username: null,
  has_inbound_password: false,
  inbound_digest: 'any',
  codecs: ['g722', 'pcmu', 'pcma'],
}

describe('a trunk in its form', () => {
  test('goes back as it came, and its password stays', () => {
    const { id: _id, state: _state, state_since: _since, state_detail: _detail, ...rest } = trunk
    const { has_password: _kept, has_inbound_password: _none, ...settings } = rest

    expect(trunkRequest(trunkDraft(trunk))).toEqual({ ...settings, inbound_password: null, prefixes: ['+33'] })
  })

  test('shows its codecs as one of the choices, and an order that was set by the API as it is', () => {
    expect(codecChoiceOf(trunk.codecs)).toBe('g722')
    expect(codecsOfChoice('opus')).toEqual(['opus', 'g722', 'pcmu', 'pcma'])
    expect(codecOptions(['pcma', 'opus']).at(-1)).toEqual({ value: 'custom', label: 'pcma, opus' })
    expect(codecsOfChoice('custom')).toBeUndefined()
  })

  test('keeps nothing that does not fit', () => {
    const draft = { ...trunkDraft(trunk), transport: 'udp', port: 5070, host: ' 192.0.2.7 ', password: 'new' } as const

    expect(trunkRequest(draft)).toMatchObject({ srtp: false, port: 5070, host: '192.0.2.7', password: 'new' })
  })
})

describe('the table of rates', () => {
  const line = (prefix: string, price: number | '') => ({ key: prefix, prefix, price })

  test('unchanged rules are sent back as the API returned them', () => {
    const shared = { countries: ['FR'], per_minute: 5, per_minute_per_user: null, daily_spend: 50 }
    const calls = { ...shared, concurrent: 3, concurrent_per_user: 1, max_seconds: 60 }
    const dial = { ...calls, rates: [{ prefix: '33', per_minute: 0.02 }] }
    const caps = { ...shared, per_day: 9, per_day_per_user: null, daily_spend_per_user: null }
    const messages = { ...caps, rates: [{ prefix: '1', per_part: 0 }] }

    expect(dialLimitsOf(dialRulesOf(dial))).toEqual(dial)
    expect(messageLimitsOf(messageRulesOf(messages))).toEqual(messages)
    const { rates } = dialRulesOf(dial)
    expect(ratesOf(rateLinesOf(rates), 'minute')).toEqual({ rates })
  })

  test('a prefix may contain a plus and spaces, and empty rows are ignored', () => {
    expect(ratesOf([line('+33 6', 0.1), line('', '')], 'minute')).toEqual({ rates: [{ prefix: '336', price: 0.1 }] })
  })

  test.each([
    ['a word', [line('France', 1)], /not a prefix/],
    ['no price', [line('+33', '')], /price per minute/],
    ['the same twice', [line('+33', 1), line('33', 2)], /twice/],
  ])('%s is reported', (_, lines, issue) => {
    expect(ratesOf(lines, 'minute')).toEqual({ issue: expect.stringMatching(issue) })
  })

  test('an amount without rates has no effect', () => {
    expect(countsNothing(50, [])).toBe(true)
    expect(countsNothing(50, [line('+33', 1)])).toBe(false)
    expect(countsNothing(null, [])).toBe(false)
  })
})
