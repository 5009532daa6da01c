import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { seed } from '../../../../test/kit/depth.ts'
import { codeFor, registerPartner } from '../../../../test/kit/partner-app.ts'

// Random exchanges of authorization codes, sequential and concurrent: the replies and the tokens that are left are
// those of a model of five lines, in some order of what came at once.

interface Code {
  used: boolean
  revoked: boolean
}

/** A try with the right redirect_uri, or with another. */
interface Try {
  code: number
  right: boolean
}

function step(codes: readonly Code[], { code, right }: Try): { codes: Code[]; status: number } {
  const before = codes[code] as Code
  // The clock stands still: a repeat of the same exchange is always within its minute.
  if (before.used && right && !before.revoked) return { codes: [...codes], status: 200 }
  if (before.used) return { codes: codes.with(code, { used: true, revoked: true }), status: 400 }
  return right
    ? { codes: codes.with(code, { used: true, revoked: false }), status: 200 }
    : { codes: [...codes], status: 400 }
}

const orders = <T>(items: T[]): T[][] =>
  items.length < 2 ? [items] : items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

/** What the codes may be like after these tries got these answers; nothing when no order explains them. */
function explanations(codes: Code[], tries: Try[], answers: number[]): Code[][] {
  return orders(tries.map((one, i) => ({ one, answer: answers[i] }))).flatMap((order) => {
    let now = codes
    for (const { one, answer } of order) {
      const next = step(now, one)
      if (next.status !== answer) return []
      now = next.codes
    }
    return [now]
  })
}

const codesPerRun = 3
const anyTry = fc.record({ code: fc.nat(codesPerRun - 1), right: fc.boolean() })
const anyRun = fc.array(fc.array(anyTry, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
const runs = 20

onAnyDatabase('codes', (open) => {
  test('give one token each, and are revoked by a use that is no repeat, whatever comes at once', async () => {
    const app = await open()
    const partner = await registerPartner(app, app.a)
    let tries = 0

    for (const rounds of fc.sample(anyRun, { seed, numRuns: runs })) {
      const codes = await Promise.all(Array.from({ length: codesPerRun }, () => codeFor(app.a, partner)))
      const tokens = new Map<number, string>()
      let possible: Code[][] = [codes.map(() => ({ used: false, revoked: false }))]
      for (const round of rounds) {
        const answers = await Promise.all(
          round.map(({ code, right }) =>
            partner.exchange(codes[code] ?? '', right ? {} : { redirect_uri: 'https://partner.example.com/other' }),
          ),
        )
        for (const [i, { status, json }] of answers.entries())
          if (status === 200) tokens.set(round[i]?.code ?? -1, json.access_token)
        const statuses = answers.map(({ status }) => status)
        possible = possible.flatMap((world) => explanations(world, round, statuses))
        const isValid = await Promise.all(
          codes.map(async (_code, i) => {
            const token = tokens.get(i)
            return token !== undefined && (await app.as(`Bearer ${token}`)('GET', '/v1/ping')).status === 200
          }),
        )
        possible = possible.filter((world) => world.every(({ used, revoked }, i) => isValid[i] === (used && !revoked)))
        expect(possible.length, JSON.stringify({ seed, rounds, statuses, isValid })).toBeGreaterThan(0)
        tries += round.length
      }
    }

    console.log(`seed ${seed}, ${runs} runs, ${tries} tries`)
    expect(tries).toBeGreaterThan(runs)
  })
})
