import { expect, inject, onTestFinished, test } from 'vitest'
import { auditOffice } from '../calls/office-audit.ts'
import { testApp } from '../kit/app.ts'
import { wireTo } from '../kit/database-wire.ts'
import { addNumber, box, drawing } from '../kit/flows.ts'
import { startPostgres } from '../kit/postgres.ts'
import { answerWith, openBusyOffice, ringing, soundOf } from '../kit/voice.ts'
import { callsOf, countPackets, hearEachOther, type Talk } from './call-centre.ts'

const boxDigits = '+14155550151'

test.skipIf(inject('postgres') === null)(
  'the database is away during calls: audio goes on, commands are answered with 503, and what happened is saved afterwards',
  async () => {
    const postgres = await startPostgres()
    if (!postgres) throw new Error('PostgreSQL is not there')
    onTestFinished(() => postgres.stop())
    const wire = await wireTo(postgres.url)
    onTestFinished(() => wire.cut().catch(() => {}))
    const database = { DATABASE_URL: wire.url, DATABASE_POOL_SIZE: '4' }
    const office = await openBusyOffice(testApp, { takesReports: true }, database)
    const { app, carrier, line } = office
    const { a } = app
    const userId = await office.person('ada')
    await a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: true })
    await office.flow(ringing(userId), 'ring')
    await addNumber(a, { digits: boxDigits, validated: true }, drawing({ box: box() }))
    const phone = await office.phone(userId)
    const agent = await soundOf('agent')
    const call = await carrier.call(line.digits)
    await answerWith(phone, agent)
    await call.answered
    const message = await carrier.call(boxDigits)
    await message.answered
    const talk: Talk = { userId, caller: call.sound, agent, hangUp: async () => call.hangUp() }
    await hearEachOther([talk])
    const [{ id }] = (await callsOf(app)).filter(({ number }) => number.id === line.id)
    const pause = () => a.api('POST', `/v1/calls/${id}/pause_recording`)

    await wire.cut()
    message.hangUp()
    await hearEachOther([talk])
    const refused = await pause()
    await hearEachOther([talk])
    await wire.join()

    expect(refused).toMatchObject({ status: 503, json: { troubleshoot: expect.stringContaining('try again') } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await expect.poll(async () => (await pause()).status).toBeLessThan(300)
    const ended = async () => (await callsOf(app)).filter(({ status }) => status === 'done').length
    await expect.poll(ended).toBe(1)
    await hearEachOther([talk])
    await countPackets([talk])
    expect(call.byes).toEqual([])
    call.hangUp()
    await expect.poll(ended).toBe(2)
    const problems = async () => (await auditOffice(app.db, a.id, { compare: 'nothing' })).problems
    await expect.poll(problems).toEqual([])
  },
)
