import { describe, expect, test } from 'vitest'
import { type DialFacts, type DialUse, isEmergency, judgeNumber, judgeUse, ratePer, type TollRules } from './toll.ts'

const open: TollRules = {
  countries: null,
  anyCountry: false,
  concurrent: null,
  concurrentPerUser: null,
  perMinute: null,
  perMinutePerUser: null,
  dailySpend: null,
  rates: {},
  maxSeconds: 14_400,
}
const facts: DialFacts = {
  origin: 'app',
  to: '+14155550123',
  country: 'US',
  kind: 'ordinary',
  fromCountry: 'US',
  fromIsOwn: true,
  ownCountries: ['US'],
}
const nothing: DialUse = { concurrent: 0, concurrentOfUser: 0, inMinute: 0, inMinuteOfUser: 0, spentToday: 0 }

const ruleOf = (rules: Partial<TollRules>, change: Partial<DialFacts>) => {
  const verdict = judgeNumber({ ...open, ...rules }, { ...facts, ...change })
  return verdict.ok ? (verdict.emergency ? 'emergency' : 'dialled') : verdict.rule
}

describe('what may be dialled', () => {
  test.each<[string, Partial<TollRules>, Partial<DialFacts>, string]>([
    ['the own country', {}, {}, 'dialled'],
    ['another country', {}, { to: '+33123456789', country: 'FR' }, 'country'],
    ['a country that was allowed', { countries: ['FR'] }, { to: '+33123456789', country: 'FR' }, 'dialled'],
    ['the own country, once others were named', { countries: ['FR'] }, {}, 'country'],
    ['any country of a sandbox', { anyCountry: true }, { to: '+33123456789', country: 'FR' }, 'dialled'],
    ['a number of no country', {}, { to: '+9991234567', country: null }, 'country'],
    ['a premium number, allowed country or not', { anyCountry: true }, { kind: 'premium' }, 'premium'],
    ['a number of shared cost', {}, { kind: 'shared_cost' }, 'premium'],
    ['a number that no plan knows', {}, { kind: 'unknown' }, 'dialled'],
    ['a satellite, even where all countries are allowed', { anyCountry: true }, { to: '+881612345678' }, 'satellite'],
    ['a satellite that was allowed', { countries: ['001'] }, { to: '+881612345678', country: '001' }, 'dialled'],
    ['from a number that is not ours', {}, { fromIsOwn: false }, 'line'],
    ['with an extension', {}, { to: 'tel:+14155550123;ext=5' }, 'form'],
    ['with pauses', {}, { to: '+14155550123,,,900' }, 'form'],
    ['in full-width digits', {}, { to: '+１４１５５５５０１２３' }, 'form'],
    ['with a blank at its end', {}, { to: '+14155550123 ' }, 'form'],
    ['too long', {}, { to: '+1234567890123456' }, 'form'],
  ])('%s', (_what, rules, change, expected) => {
    expect(ruleOf(rules, change)).toBe(expected)
  })
})

describe('emergency numbers', () => {
  const none = { countries: [] as string[] }

  test('pass whatever is forbidden', () => {
    expect(ruleOf(none, { to: '911', country: null, kind: 'unknown', fromIsOwn: false })).toBe('emergency')
    expect(ruleOf(none, { to: '17', fromCountry: 'FR' })).toBe('emergency')
  })

  test('are those of the calling line’s country, as a whole', () => {
    expect(isEmergency('911', 'US')).toBe(true)
    expect(isEmergency('911', 'FR')).toBe(false)
    expect(isEmergency('9111', 'US')).toBe(false)
    expect(isEmergency('+1911', 'US')).toBe(false)
    expect(isEmergency('112', 'ZZ')).toBe(true)
  })

  test.each([
    'dialer',
    'ai_agent',
    'callback',
    'forward',
    'test_call',
  ] as const)('are not dialled by the %s', (origin) => {
    expect(ruleOf({}, { to: '911', origin })).toBe('emergency_by_machine')
  })
})

describe('how much may be dialled', () => {
  test.each<[keyof DialUse, Partial<TollRules>, string]>([
    ['concurrent', { concurrent: 3 }, 'concurrent'],
    ['concurrentOfUser', { concurrentPerUser: 3 }, 'concurrent_user'],
    ['inMinute', { perMinute: 3 }, 'per_minute'],
    ['inMinuteOfUser', { perMinutePerUser: 3 }, 'per_minute_user'],
  ])('%s up to the cap, and not beyond', (what, rules, rule) => {
    expect(judgeUse({ ...open, ...rules }, { ...nothing, [what]: 2 }, 0)).toMatchObject({ ok: true })
    expect(judgeUse({ ...open, ...rules }, { ...nothing, [what]: 3 }, 0)).toMatchObject({ ok: false, rule })
    expect(judgeUse(open, { ...nothing, [what]: 1_000 }, 0)).toMatchObject({ ok: true })
  })

  test('a call that would cost more than is left is not started', () => {
    const rules = { ...open, dailySpend: 10 }
    expect(judgeUse(rules, { ...nothing, spentToday: 8 }, 2)).toMatchObject({ ok: true })
    expect(judgeUse(rules, { ...nothing, spentToday: 8 }, 2.01)).toMatchObject({ ok: false, rule: 'spend' })
  })

  test('the longest prefix counts, and what none covers costs as much as the dearest', () => {
    const rates = { '1': 0.01, '1415': 0.02, '44': 0.5 }
    expect(ratePer(rates, '+14155550123')).toBe(0.02)
    expect(ratePer(rates, '+12125550123')).toBe(0.01)
    expect(ratePer(rates, '+33123456789')).toBe(0.5)
    expect(ratePer({}, '+33123456789')).toBe(0)
  })
})
