import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'
import { addUser, box, drawing, liveFlow, versionsOf } from '../../../../test/kit/flows.ts'

const add = (company: TestCompany, more: object) =>
  company.own('POST', '/v1/numbers', { digits: '+33180000001', name: 'Line', ...more })

const link = (company: TestCompany, id: number, ...users: { id: number }[]) =>
  company.own('PUT', `/v1/numbers/${id}/users`, { user_ids: users.map((one) => one.id) })

const rung = async (company: TestCompany, id: number) => {
  const { ring } = (await liveFlow(company, id)).nodes
  return ring?.targets.map((target: { id: number }) => target.id)
}

onAnyDatabase('the default flow of a new Number', (open) => {
  test('rings the selected users, then takes a message', async () => {
    const { a } = await open()
    const [ada, bob] = [await addUser(a, 'Ada'), await addUser(a, 'Bob')]

    const { number } = (await add(a, { user_ids: [bob.id, ada.id, bob.id] })).json

    expect(number.users.map(({ id }: { id: number }) => id)).toEqual([ada.id, bob.id])
    expect(await rung(a, number.id)).toEqual([ada.id, bob.id])
    expect((await liveFlow(a, number.id)).nodes.ring.branches).toEqual({ no_answer: 'voicemail' })
  })

  test('follows the linked users until the flow is edited', async () => {
    const { a } = await open()
    const [ada, bob] = [await addUser(a, 'Ada'), await addUser(a, 'Bob')]
    const { number } = (await add(a, {})).json

    const seen = [await rung(a, number.id)]
    await link(a, number.id, ada)
    seen.push(await rung(a, number.id))
    await link(a, number.id, ada, bob)
    seen.push(await rung(a, number.id))
    await link(a, number.id)
    seen.push(await rung(a, number.id))
    await a.own('PUT', `/v1/numbers/${number.id}/flow`, drawing({ box: box() }))
    const versions = (await versionsOf(a, number.id)).length
    await link(a, number.id, ada)

    expect(seen).toEqual([undefined, [ada.id], [ada.id, bob.id], undefined])
    expect(await versionsOf(a, number.id)).toHaveLength(versions)
  })

  test('a classic number rings the selected users as well, and a user of another company is refused', async () => {
    const { a, b } = await open()
    const ada = await addUser(a, 'Ada')

    const foreign = await add(a, { user_ids: [b.ownerId] })
    const { number } = (await add(a, { user_ids: [ada.id], flow_editor_enabled: false })).json

    expect([foreign.status, foreign.json.troubleshoot]).toEqual([400, expect.stringContaining('user_ids')])
    expect(await rung(a, number.id)).toEqual([ada.id])
  })
})
