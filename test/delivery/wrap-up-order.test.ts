import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { type Office, openOffice, ringTo, toTeam, toUser, voicemail } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'

const wrapUpStarts = ['user.wut_start', 'user.wut_start.v2']
const subscribed = [...wrapUpStarts, 'user.wut_end', 'user.disconnected', 'call.answered', 'call.hungup', 'call.ended']

/** A receiver that answers the first requests of these events with 503 and records what it accepted. */
async function customer(failures: Record<string, number>) {
  const accepted: string[] = []
  const left = new Map(Object.entries(failures))
  const server = await receiver(({ body }, response) => {
    const fails = left.get(body.event) ?? 0
    left.set(body.event, fails - 1)
    if (fails <= 0) accepted.push(body.event)
    response.writeHead(fails > 0 ? 503 : 204).end()
  })
  return { ...server, accepted }
}

async function talk(office: Office, user: number, nodes: Parameters<Office['line']>[0]) {
  await office.a.api('PUT', `/v2/users/${user}`, { wrap_up_time: 20 })
  await office.connect(user)
  await office.call(await office.line(nodes))
  await office.does(user, { kind: 'answer' })
  await office.pass(10)
}

onBothDatabases('the order of user.wut_start and call.hungup', (open) => {
  test('a webhook that refuses user.wut_start receives call.hungup after it has accepted user.wut_start', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const webhook = await customer({ 'user.wut_start': 2, 'user.wut_start.v2': 1 })
    await addHook(a.api, webhook, subscribed)
    await talk(office, ada, { ring: ringTo([toUser(ada)]), box: voicemail })

    await office.does(ada, { kind: 'hang_up' })
    await office.pass(300)

    const [first, ...rest] = webhook.accepted
    expect([first, ...rest.slice(0, 2)]).toEqual(['call.answered', ...wrapUpStarts])
    // The end of wrap-up follows its start, and call events follow each other.
    expect(rest.slice(2).filter((event) => event.startsWith('call.'))).toEqual(['call.hungup', 'call.ended'])
    expect(rest.slice(2).filter((event) => event.startsWith('user.'))).toEqual(['user.wut_end'])
  })

  test('earlier events of the user that fail delay user.wut_start, and call.hungup with it', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const webhook = await customer({ 'user.disconnected': 2 })
    await addHook(a.api, webhook, subscribed)
    await talk(office, ada, { ring: ringTo([toUser(ada)]), box: voicemail })
    await office.opens(ada, 'second')

    await office.closes(ada, 'second')
    await office.does(ada, { kind: 'hang_up' })
    await office.pass(300)

    const order = ['call.answered', 'user.disconnected', ...wrapUpStarts, 'call.hungup', 'call.ended', 'user.wut_end']
    expect(webhook.accepted.toSorted()).toEqual(order.toSorted())
    const place = (event: string) => webhook.accepted.indexOf(event)
    expect(place('user.disconnected')).toBeLessThan(place('user.wut_start'))
    expect(place('user.wut_start.v2')).toBeLessThan(place('call.hungup'))
    expect(place('user.wut_start.v2')).toBeLessThan(place('user.wut_end'))
  })

  test('call.hungup is sent when user.wut_start has failed four times, and at once to webhooks without user.wut_start', async () => {
    const office = await openOffice(open)
    const { a, ada, team } = office
    const both = await customer({ 'user.wut_start': 20 })
    const callsOnly = await customer({})
    await addHook(a.api, both, ['user.wut_start', 'call.hungup'])
    await addHook(a.api, callsOnly, ['call.hungup'])
    await talk(office, ada, { ring: ringTo([toTeam(team)]), box: voicemail })

    await office.does(ada, { kind: 'hang_up' })
    await office.pass(0)
    expect([both.accepted, callsOnly.accepted]).toEqual([[], ['call.hungup']])
    await office.pass(300)

    expect(both.accepted).toEqual(['call.hungup'])
  })
})
