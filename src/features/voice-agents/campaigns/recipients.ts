import { type Static, Type } from 'typebox'
import { nextCallable, zonesOfCountry } from '../../../domain/ai-agent/campaign.ts'
import { type Context, missingVariable, problemOfContext } from '../../../domain/ai-agent/variables.ts'
import { type Hours, isTimeZone } from '../../../domain/opening-hours.ts'
import { isE164, isInternationalForm, isPhoneValue, normaliseForSearch } from '../../../domain/phone-number.ts'
import { nullable, text } from '../../../http/schemas.ts'
import { countryOfNumber, readNational, withoutTrunkZero } from '../../../lib/phone-format.ts'
import type { VoiceAgent } from '../agents/store.ts'
import { contextProblem } from '../outbound-calls/context.ts'
import type { NewRecipient } from './recipients-store.ts'

// Recipients as they are given, and their validation.

/** As many as a campaign may have. */
export const maxRecipients = 10_000

export const RecipientInput = Type.Object({
  phone_number: text(40, {
    description: 'E.164; spaces are ignored. A number without a country code is one of the country of the company',
    examples: ['+33123456789'],
  }),
  name: Type.Optional(nullable(text(128, { description: 'The value of `{{ name }}` unless `context` has one' }))),
  time_zone: Type.Optional(
    nullable(
      text(64, {
        description: 'IANA name. Null: derived from the country of the number',
        examples: ['Europe/Paris'],
      }),
    ),
  ),
  context: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'object',
      'x-any': true,
      description: 'A value for each `{{ variable }}` of the first message, as for a single outbound call',
      examples: [{ visit: '2026-06-15T12:00:00Z' }],
    }),
  ),
})

interface CheckedCampaign {
  agent: VoiceAgent
  hours: Hours
  /** Of the company: for numbers without a country code. */
  country: string | null
  at: number
}

const invalidBecause = [
  'phone_number',
  'listed_twice',
  'time_zone',
  'unknown_country',
  'no_common_hours',
  'context',
  'missing_variable',
] as const

/** Recipients who have opted out are valid: they may opt in before the campaign starts. */
export const recipientIssues = [...invalidBecause, 'opted_out'] as const

interface InvalidRecipient {
  issue: (typeof invalidBecause)[number]
  /** In the words of the API. */
  problem: string
  /** Set if it is missing. */
  variable?: string
}

type CheckedRecipient = { recipient: NewRecipient } | InvalidRecipient

const rowsPerTurn = 200

/** Recipients in their order, each with what is wrong with it. */
export async function checkRecipients(
  { agent, hours, country, at }: CheckedCampaign,
  inputs: readonly Static<typeof RecipientInput>[],
): Promise<CheckedRecipient[]> {
  const seen = new Set<string>()
  const zonesByCountry = new Map<string, string[]>()
  const callable = new Map<string, boolean>()
  const checked: CheckedRecipient[] = []
  for (const [index, input] of inputs.entries()) {
    checked.push(await check(input))
    // Thousands of rows must not delay calls and requests.
    if (index % rowsPerTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return checked

  async function check(input: Static<typeof RecipientInput>): Promise<CheckedRecipient> {
    const phone = await phoneIn(input.phone_number, country)
    if (phone === undefined) {
      return { issue: 'phone_number', problem: '`phone_number` must be a phone number, such as +33123456789' }
    }
    if (seen.has(phone)) return { issue: 'listed_twice', problem: '`phone_number` is listed twice' }
    seen.add(phone)
    const { name = null, time_zone: timeZone = null, context: given = {} } = input
    if (timeZone !== null && !isTimeZone(timeZone))
      return { issue: 'time_zone', problem: '`time_zone` must be an IANA time zone' }
    const zones = timeZone === null ? await zonesOf(phone) : [timeZone]
    if (zones.length === 0) {
      const problem = 'The country of the number is unknown: `time_zone` must be given'
      return { issue: 'unknown_country', problem }
    }
    if (!isCallableIn(zones)) {
      const problem = 'The time zones of the country have no common calling hours: `time_zone` must be given'
      return { issue: 'no_common_hours', problem }
    }
    const invalid = contextProblem(given)
    if (invalid !== undefined) return { issue: 'context', problem: invalid }
    const context = given as Context
    const complete = { ...(name !== null && { name }), timezone: zones[0] ?? 'UTC', ...context }
    // The values of other variables may come from the context request.
    const message = agent.contextRequest ? '' : (agent.firstMessage ?? '')
    const problem = problemOfContext(message, complete)
    if (problem !== undefined) {
      const variable = missingVariable(message, complete)
      return variable === undefined ? { issue: 'context', problem } : { issue: 'missing_variable', problem, variable }
    }
    return { recipient: { phone, name, timeZone, zones, context } }
  }

  async function zonesOf(phone: string): Promise<string[]> {
    const of = await countryOfNumber(phone)
    const zones = zonesByCountry.get(of) ?? zonesOfCountry(of, at)
    zonesByCountry.set(of, zones)
    return zones
  }

  function isCallableIn(zones: readonly string[]): boolean {
    const key = zones.join()
    const known = callable.get(key) ?? nextCallable(hours, zones, at) !== undefined
    callable.set(key, known)
    return known
  }
}

/** E.164; a number without a country code is one of the company's country. */
async function phoneIn(text: string, country: string | null): Promise<string | undefined> {
  if (!isPhoneValue(text)) return undefined
  const digits = isInternationalForm(text)
    ? normaliseForSearch(text)
    : country && (await readNational(text.trim(), country))
  const phone = `+${digits ?? ''}`
  return isE164(phone) ? withoutTrunkZero(phone) : undefined
}
