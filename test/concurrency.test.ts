import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onBothDatabases, type TestApp } from './kit/app.ts'
import { seed, times } from './kit/depth.ts'
import {
  anyAction,
  newOffice,
  newWorld,
  type Office,
  type OfficeAction,
  observe,
  perform,
  sorted,
  step,
  type World,
} from './kit/office.ts'

// Sequential and concurrent requests return what a simple model of an office predicts.

/** One action for fast-check: done in the office and in the model, with the same answer. */
class Doing implements fc.AsyncCommand<{ world: World }, Office> {
  readonly action: OfficeAction
  constructor(action: OfficeAction) {
    this.action = action
  }
  check() {
    return true
  }
  async run(model: { world: World }, office: Office) {
    const expected = step(model.world, this.action)
    expect(await perform(office, this.action), this.toString()).toBe(expected.status)
    model.world = expected.world
  }
  toString() {
    return JSON.stringify(this.action)
  }
}

const orders = <T>(items: T[]): T[][] =>
  items.length < 2 ? [items] : items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

/** Some order of the actions, one after the other, gives these answers and this office. */
function isExplained(start: World, actions: OfficeAction[], answers: number[], seen: World): boolean {
  return orders(actions.map((action, i) => ({ action, answer: answers[i] }))).some((order) => {
    let world = start
    for (const { action, answer } of order) {
      const next = step(world, action)
      if (next.status !== answer) return false
      world = next.world
    }
    return JSON.stringify(comparable(sorted(world))) === JSON.stringify(comparable(seen))
  })
}

const byKey = (record: object) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
/** Events of different users have no order among each other. */
const comparable = ({ users, teams, campaigns, events }: World) => [
  byKey(users),
  byKey(teams),
  byKey(campaigns),
  events.toSorted(),
]

const staff: OfficeAction[] = [
  { kind: 'invite', who: 'ada', roles: ['owner'], status: 'available', wrapUp: 0 },
  { kind: 'invite', who: 'bea', roles: ['agent'], status: 'unavailable', wrapUp: 0 },
  { kind: 'found', team: 'Support' },
  { kind: 'join', team: 'Support', who: 'ada' },
  { kind: 'queue', who: 'bea', numbers: ['+33180000001'] },
]

const aboutAda: OfficeAction[] = [
  { kind: 'join', team: 'Support', who: 'ada' },
  { kind: 'leave', team: 'Support', who: 'ada' },
  { kind: 'dissolve', team: 'Support' },
  { kind: 'remove', who: 'ada' },
  { kind: 'change', who: 'ada', status: 'unavailable', reason: 'other' },
  { kind: 'change', who: 'ada', roles: ['agent'], wrapUp: 5 },
]

const [first, second] = ['+33180000001', '+33180000002']
const aboutACampaign: OfficeAction[] = [
  { kind: 'queue', who: 'bea', numbers: [first, second] },
  { kind: 'append', who: 'bea', numbers: [second] },
  { kind: 'abandon', who: 'bea' },
  { kind: 'dial', who: 'bea', number: first },
  { kind: 'remove', who: 'bea' },
]

/** Does the actions at once in a new office with the usual staff. */
async function allAtOnce(app: TestApp, actions: OfficeAction[]): Promise<void> {
  const office = await newOffice(app)
  let world = newWorld()
  for (const action of staff) {
    await perform(office, action)
    world = step(world, action).world
  }

  const answers = await Promise.all(actions.map((action) => perform(office, action)))

  const seen = await observe(app, office)
  if (!isExplained(world, actions, answers, seen)) expect({ actions, answers, seen }).toBe('explained by some order')
}

onBothDatabases('an office', (open) => {
  test('after sequential requests, users, teams, campaigns and events match the model', async () => {
    const app = await open()
    const commands = fc.commands([anyAction.map((action) => new Doing(action))], { maxCommands: 10, size: 'max' })

    await fc.assert(
      fc.asyncProperty(commands, async (actions) => {
        const office = await newOffice(app)
        const model = { world: newWorld() }
        await fc.asyncModelRun(() => ({ model, real: office }), actions)
        expect(await observe(app, office)).toEqual(sorted(model.world))
      }),
      { seed, numRuns: times({ quick: 10, full: 100 }) },
    )
  })

  test('concurrent requests have the outcome of some sequential order', async () => {
    const app = await open()
    const atOnce = anyAction.filter((action) => !(action.kind === 'found' && action.team === 'Support'))

    await fc.assert(
      fc.asyncProperty(fc.array(atOnce, { minLength: 3, maxLength: 4, size: 'max' }), async (actions) => {
        // A team that is created concurrently has no id yet.
        await allAtOnce(
          app,
          actions.filter((action) => !('team' in action) || action.kind === 'found' || action.team === 'Support'),
        )
      }),
      { seed, numRuns: times({ quick: 2, full: 15 }) },
    )
  })

  test('any two actions about one person at once have the outcome of one after the other', async () => {
    const app = await open()

    for (const actions of [aboutAda, aboutACampaign]) {
      for (const [index, one] of actions.entries()) {
        for (const other of actions.slice(index)) {
          await allAtOnce(app, [one, other])
          await allAtOnce(app, [other, one])
        }
      }
    }
  })

  test('two owners who demote or delete each other at once leave one', async () => {
    const { a } = await open()
    const boss = (i: number) => ({ email: `b${i}@example.test`, first_name: 'B', last_name: 'B', role_ids: ['owner'] })

    for (let round = 0; round < 6; round++) {
      const { user } = (await a.api('POST', '/v2/users', boss(round))).json
      const oust = (id: number) =>
        round % 2 === 0 ? a.api('PUT', `/v2/users/${id}`, { role_ids: ['agent'] }) : a.api('DELETE', `/v1/users/${id}`)
      const answers = await Promise.all([
        a.api('PUT', `/v2/users/${a.ownerId}`, { role_ids: ['admin'] }),
        oust(user.id),
      ])

      expect(answers.map(({ status }) => status).filter((status) => status === 422)).toHaveLength(1)
      await a.api('PUT', `/v2/users/${a.ownerId}`, { role_ids: ['owner'] })
      await a.api('PUT', `/v2/users/${user.id}`, { role_ids: ['agent'] })
    }
  })

  test('a member who is deleted meanwhile does not join once more', async () => {
    const { a } = await open()
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Support' })).json

    for (let round = 0; round < 12; round++) {
      const ada = { email: `ada${round}@example.test`, first_name: 'Ada', last_name: 'L' }
      const { user } = (await a.api('POST', '/v2/users', ada)).json
      const membership = `/v1/teams/${team.id}/users/${user.id}`
      await a.api('POST', membership)
      const joinABitLater = async () => {
        for (let i = 0; i < round / 2; i++) await a.api('GET', '/v1/ping')
        return a.api('POST', membership)
      }
      const [deleted, joined] = await Promise.all([a.api('DELETE', `/v1/users/${user.id}`), joinABitLater()])

      expect(deleted.status).toBe(204)
      expect([404, 422]).toContain(joined.status)
    }
  })

  test('one address invited ten times at once is one user, one mail and one announcement', async () => {
    const { a, app, events } = await open()
    const ada = { email: 'ada@example.test', first_name: 'Ada', last_name: 'L' }

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        a.api('POST', `/v${1 + (i % 2)}/users`, { ...ada, email: odd(ada.email, i) }),
      ),
    )
    await app.settle()

    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)])
    expect((await a.api('GET', '/v2/users')).json.meta.total).toBe(2)
    expect((await a.own('GET', '/v1/mail_outbox')).json.meta.total).toBe(2)
    expect((await events(a)).map(({ name }) => name).filter((name) => name === 'user.created')).toHaveLength(2)
  })

  test('ten people invited at once get ten extensions', async () => {
    const { a } = await open()

    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        a.api('POST', '/v2/users', { email: `n${i}@example.test`, first_name: 'N', last_name: 'N' }),
      ),
    )

    const { users } = (await a.api('GET', '/v2/users')).json
    const extensions = users.map(({ extension }: { extension: string }) => extension).sort()
    expect(extensions).toEqual(Array.from({ length: 11 }, (_, i) => String(i + 1).padStart(3, '0')))
  })
})

/** The same address with some of its letters in upper case. */
const odd = (email: string, i: number) => email.slice(0, i % 4).toUpperCase() + email.slice(i % 4)
