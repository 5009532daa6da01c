import { expect, test } from 'vitest'
import { onBothDatabases, type TestApp, testApp } from '../../test/kit/app.ts'
import { openVoiceOffice } from '../../test/kit/voice.ts'
import { transaction } from '../db/database.ts'
import { createTrunkStates } from './trunk-states.ts'

async function openTrunk(world: TestApp) {
  const { app, db, a } = world
  const carrier = { name: 'Carrier', host: '127.0.0.1', port: 5060, prefixes: [] }
  const { json } = await a.own('POST', '/v1/trunks', carrier)
  const id: number = json.trunk.id
  const read = () => db.selectFrom('trunk').select(['up', 'up_detail']).where('id', '=', id).executeTakeFirstOrThrow()
  return { id, read, states: createTrunkStates(app.services) }
}

function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

onBothDatabases('trunk states', (open) => {
  test('are saved in the order in which they were reported', async () => {
    const world = await open()
    const { id, read, states } = await openTrunk(world)

    for (let n = 1; n <= 20; n++) states.save(world.a.id, String(id), { up: n % 2 === 1, detail: `OPTIONS ${n}` })
    await states.idle()

    expect(await read()).toEqual({ up: 0, up_detail: 'OPTIONS 20' })
  })

  test('that are being saved keep a process from closing its database', async () => {
    const world = await open()
    const { id, read, states } = await openTrunk(world)
    const locked = signal()
    const release = signal()
    const order: string[] = []
    const holding = transaction(world.db, async (tx) => {
      await tx.updateTable('trunk').set({ up_detail: 'locked' }).where('id', '=', id).execute()
      locked.resolve()
      await release.promise
      order.push('released')
    })
    await locked.promise

    states.save(world.a.id, String(id), { up: true, detail: 'OPTIONS: 200 OK' })
    const idle = states.idle().then(() => order.push('saved'))
    await new Promise((resolve) => setImmediate(resolve))
    release.resolve()
    await Promise.all([holding, idle])

    expect(order).toEqual(['released', 'saved'])
    expect(await read()).toEqual({ up: 1, up_detail: 'OPTIONS: 200 OK' })
  })
})

test('a process that stops right after a carrier has responded saves the state of the trunk', async () => {
  const office = await openVoiceOffice(testApp)

  await office.app.stop()

  expect(office.app.logged()).not.toContain('trunk.state_not_saved')
})
