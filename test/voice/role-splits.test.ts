import { expect, test } from 'vitest'
import { auditOffice } from '../calls/office-audit.ts'
import { type OpenApp, onBothDatabases, type TestApp } from '../kit/app.ts'
import { addUser } from '../kit/flows.ts'
import { answerWith, openBusyOffice, ringing, soundOf } from '../kit/voice.ts'
import { openPhone } from '../live/phone-app.ts'
import { callsOf, hearEachOther } from './call-centre.ts'

// Every split of ROLES over the processes of an installation, with calls on a real line: phone apps are connected to the last
// process that serves the API, requests go to the first.

const splits = [
  ['api,calls,worker'],
  ['api,calls,worker', 'api,calls,worker'],
  ['api,worker', 'calls'],
  ['api', 'api', 'calls', 'worker'],
]

onBothDatabases('calls on a real line', (open) => {
  for (const roles of splits) {
    test(`work with processes ${roles.map((role) => `{${role}}`).join(' ')}`, async ({ skip }) => {
      const split = await openSplitOffice(open, roles)
      if (!split) skip('the embedded store has one process')
      else {
        await inbound(split)
        await outbound(split)
        const { app, a } = split
        await expect.poll(async () => (await callsOf(app)).map(({ status }) => status)).toEqual(['done', 'done'])
        await expect.poll(async () => (await auditOffice(app.db, a.id, { compare: 'nothing' })).problems).toEqual([])
      }
    })
  }
})

type SplitOffice = Exclude<Awaited<ReturnType<typeof openSplitOffice>>, undefined>

async function openSplitOffice(open: OpenApp, roles: readonly string[]) {
  const office = await openBusyOffice(open)
  if (roles.length > 1 && !office.app.databaseUrl) return undefined
  const { a, db } = office.app
  const ada = await office.person('ada')
  const { id: bea } = await addUser(a, 'Bea')
  await db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', bea).execute()
  await a.own('PUT', `/v1/numbers/${office.line.id}/users`, { user_ids: [ada, bea] })
  await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
  await office.flow(ringing(ada), 'ring')
  const [first = '', ...others] = roles
  const app = await office.app.restart(0, { ROLES: first })
  const apps: TestApp[] = [app]
  for (const role of others) apps.push(await app.beside({ ROLES: role }))
  // The process with the role `calls` has opened the line.
  await app.settle()
  await office.carrier.settle()
  const serving = apps.filter((_, n) => roles[n]?.includes('api'))
  return { office, app, a: app.a, ada, bea, last: serving.at(-1) ?? app }
}

/** Answered in a phone app, recorded with a pause, transferred, ended by the colleague. */
async function inbound({ office, app, a, ada, bea, last }: SplitOffice): Promise<void> {
  const [phone, colleague] = [await openPhone(last, { userId: ada }), await openPhone(app, { userId: bea })]
  const [agent, other] = [await soundOf('agent'), await soundOf('supervisor')]
  const call = await office.carrier.call(office.line.digits)
  await answerWith(phone, agent)
  await call.answered
  await hearEachOther([{ userId: ada, caller: call.sound, agent, hangUp: async () => {} }])
  const [{ id }] = await callsOf(app)
  for (const command of ['pause_recording', 'resume_recording']) {
    const { status, text } = await a.api('POST', `/v1/calls/${id}/${command}`)
    expect(status, text).toBeLessThan(300)
  }
  expect(await phone.ask({ type: 'transfer', to: { user_id: bea } })).toMatchObject({ ok: true })
  await answerWith(colleague, other)
  await Promise.all([other.received.onlyTone('caller'), call.sound.received.onlyTone('supervisor')])
  expect(await colleague.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  await call.over
  await expect.poll(async () => (await callsOf(app))[0]).toMatchObject({ status: 'done', user: { id: bea } })
}

async function outbound({ office, app, ada, last }: SplitOffice): Promise<void> {
  const phone = await openPhone(last, { userId: ada })
  const agent = await soundOf('agent')
  const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  await agent.received.onlyTone('caller')
  expect(await phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  await expect.poll(async () => (await callsOf(app))[0]).toMatchObject({ status: 'done', direction: 'outbound' })
}
