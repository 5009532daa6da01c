import { describe, expect, test } from 'vitest'
import { highRiskCountries, judgeRecipient, type MessageFacts } from './message-guard.ts'

const facts: MessageFacts = {
  to: '+33612345678',
  country: 'FR',
  kind: 'ordinary',
  isShort: false,
  callableCountries: ['FR'],
  ownCountries: ['FR'],
  anyCountry: false,
}

describe('a message is sent', () => {
  const cases: [title: string, countries: string[] | null, facts: Partial<MessageFacts>, outcome: string][] = [
    ['to the country of an own Number', null, {}, 'sent'],
    ['to no other country by default', null, { country: 'GB', to: '+447400123456' }, 'country'],
    ['to a country that may be called', null, { country: 'GB', callableCountries: ['FR', 'GB'] }, 'sent'],
    ['to no high-risk country because it may be called', null, { country: 'SO', callableCountries: ['SO'] }, 'country'],
    ['to a high-risk country where the company has a Number', null, { country: 'SO', ownCountries: ['SO'] }, 'sent'],
    ['to a high-risk country that is allowed by name', ['SO'], { country: 'SO' }, 'sent'],
    ['to no country that is missing from the list', ['SO'], {}, 'country'],
    ['in the sandbox to any country', null, { country: 'GB', anyCountry: true }, 'sent'],
    ['in the sandbox to no high-risk country', null, { country: 'SO', anyCountry: true }, 'country'],
    ['to no country that is unknown', null, { country: 'ZZ' }, 'country'],
    ['to no premium number', null, { kind: 'premium' }, 'premium'],
    ['to no shared-cost number, even in an allowed country', ['FR'], { kind: 'shared_cost' }, 'premium'],
    ['to no short number', ['FR'], { isShort: true }, 'short'],
    ['to no satellite', null, { to: '+870776123456', country: 'ZZ', anyCountry: true }, 'satellite'],
    ['to a satellite that is allowed', ['001'], { to: '+870776123456', country: 'ZZ' }, 'sent'],
  ]
  for (const [title, countries, more, outcome] of cases) {
    test(title, () => {
      const verdict = judgeRecipient({ countries }, { ...facts, ...more })

      expect(verdict.ok ? 'sent' : verdict.rule).toBe(outcome)
    })
  }

  test('with ISO codes in the list of high-risk countries', () => {
    for (const country of highRiskCountries) expect(country).toMatch(/^[A-Z]{2}$/)
  })
})
