import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

onAnyDatabase('a process that is stopping', (open) => {
  test('ends its calls and accepts no others, so that the next start finds none to clean up', async () => {
    const office = await openOffice(open)
    const { ada, bea, app, db } = office
    await office.connect(ada, bea)
    const line = await office.line()
    await office.call(line)
    const calls = app.services.calls as typeof app.services.calls & { stop(): Promise<void> }

    // Callbacks, dialers and callers continue until the rest of the process has stopped.
    await calls.stop()
    const dialled = await calls.start(office.a.id, { userId: bea, numberId: line.id, to: '+33612348888' })
    const second = await office.call(line).catch(() => undefined)

    expect(dialled).toMatchObject({ ok: false, why: expect.stringContaining('stopping') })
    expect(second).toBeUndefined()
    expect(await db.selectFrom('live_call').select('call_id').execute()).toEqual([])
    const { calls: shown } = (await office.a.api('GET', '/v1/calls')).json
    expect(shown.map(({ status }: { status: string }) => status)).toEqual(['done'])
  })
})
