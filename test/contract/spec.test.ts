import { describe, expect, test } from 'vitest'
import { events, serviceEvents } from '../../src/domain/events.ts'
import { routes } from '../../src/features/index.ts'
import { payloads } from '../../src/features/integrations/catalogue/catalogue.ts'
import { type Answer, testApp } from '../kit/app.ts'
import { additions, type Endpoint, endpoints, type Group, nameOf, stillToCome } from './endpoints.ts'
import { eventNames, isDeprecated, serviceEventNames } from './events.ts'
import { stories } from './stories.ts'

const registered = routes.filter(({ access }) => access !== 'app').map(nameOf)

describe('the route table and the contract', () => {
  test('every endpoint of the contract is served, or listed as planned', () => {
    const missing = endpoints.map(nameOf).filter((name) => !registered.includes(name) && !stillToCome.has(name))

    expect(missing).toEqual([])
  })

  test('no served endpoint is still listed as planned', () => {
    expect(registered.filter((name) => stillToCome.has(name))).toEqual([])
  })

  test('every served endpoint is in the contract', () => {
    const known = new Set([...endpoints.map(nameOf), ...Object.keys(additions)])

    expect(registered.filter((name) => !known.has(name))).toEqual([])
  })

  test('the inventory names each endpoint once, and routes promise its success code', () => {
    const declared = routes
      .filter(({ access }) => access !== 'app')
      .map((route) => `${nameOf(route)} ${route.document.reply.status}`)
    const promised = endpoints
      .filter((endpoint) => registered.includes(nameOf(endpoint)))
      .map((endpoint) => `${nameOf(endpoint)} ${endpoint.success}`)
      .concat(Object.entries(additions).map(([name, status]) => `${name} ${status}`))

    expect(new Set(endpoints.map(nameOf)).size).toBe(endpoints.length)
    expect(declared.sort()).toEqual(promised.sort())
  })
})

describe('the events and the contract', () => {
  test('there are 67 events and 6 that are subscribed to by name', () => {
    expect(eventNames).toHaveLength(67)
    expect(Object.keys(events).sort()).toEqual([...eventNames].sort())
    expect(Object.keys(serviceEvents).sort()).toEqual([...serviceEventNames].sort())
  })

  test('version and deprecation follow from the name', () => {
    for (const [name, kind] of Object.entries({ ...events, ...serviceEvents })) {
      expect([name, kind.version], name).toEqual([name, name.endsWith('.v2') ? 2 : 1])
      expect('deprecated' in kind, name).toBe(isDeprecated(name))
    }
  })
})

describe('event payloads', () => {
  test('every event has a payload', () => {
    expect(Object.keys(payloads).sort()).toEqual([...eventNames, ...serviceEventNames].sort())
  })
})

describe('one real call to each endpoint', () => {
  const served = endpoints.filter((endpoint) => registered.includes(nameOf(endpoint)))
  const groups = [...new Set(served.map(({ group }) => group))]

  test.each(groups)('%s answer with the code and the root of the contract', async (group) => {
    const app = await testApp()
    const mine = served.filter((endpoint) => endpoint.group === group)
    const called = new Set<string>()

    await storyOf(group)(app, async (name, parameters, body) => {
      const endpoint = mine.find((one) => nameOf(one) === name)
      if (!endpoint) throw new Error(`${name} is not among the served ${group}`)
      called.add(name)
      const path = endpoint.path.replace(/:(\w+)/g, (_match, key: string) => String(parameters[key]))
      const answer = await app.a.api(endpoint.method, path, body)
      expectAsPromised(endpoint, answer)
      return answer.json
    })

    expect([...called].sort()).toEqual(mine.map(nameOf).sort())
  })
})

function storyOf(group: Group) {
  const story = stories[group]
  if (!story) throw new Error(`${group} has routes but no story in stories.ts`)
  return story
}

function expectAsPromised(endpoint: Endpoint, { status, json, text }: Answer): void {
  const { success, root } = endpoint
  expect(status, `${nameOf(endpoint)}: ${text}`).toBe(success)
  if (root === null) {
    expect(text, nameOf(endpoint)).toBe('')
    return
  }
  const keys = Object.keys(json)
  if (Array.isArray(root)) expect(keys, nameOf(endpoint)).toEqual(expect.arrayContaining(root))
  else
    expect(
      keys.filter((key) => key !== 'meta'),
      nameOf(endpoint),
    ).toEqual([root])
}
