import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

onBothDatabases('an inbound call', (open) => {
  test('rings everybody who is free, is answered by the first and ends with either side', async () => {
    const office = await openOffice(open)
    const { ada, bea, clock } = office
    await office.connect(ada, bea)
    const line = await office.line()

    const id = await office.call(line)
    await clock.advance(5_000)
    expect(await office.does(bea, { kind: 'answer' })).toEqual({ ok: true })
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await clock.advance(60_000)
    await office.does(bea, { kind: 'hang_up' })
    await clock.advance(29_000)
    const early = await office.told(id)
    await clock.advance(2_000)

    expect(early).toEqual(['created', 'ringing_on_agent', 'ringing_on_agent', 'answered', 'hungup'])
    expect(await office.told(id)).toEqual([...early, 'ended'])
    expect(await office.show(id)).toMatchObject({
      status: 'done',
      duration: 65,
      user: { id: bea },
      missed_call_reason: null,
    })
  })
})
