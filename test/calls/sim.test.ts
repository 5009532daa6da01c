import { expect, onTestFailed, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { seed, times } from '../kit/depth.ts'
import { openOffice } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'
import { busyDay } from './busy-day.ts'
import { auditOffice, problemsOfDelivery } from './office-audit.ts'

// The whole engine on the simulated network. At the end of a busy day all calls have ended, every event was published
// once and in order, and no agent was rung by two calls at once.

onAnyDatabase('a busy day', (open) => {
  test('leaves nothing behind', async () => {
    const office = await openOffice(open)
    const { a, db } = office
    // The shorter run is on the slower store.
    const callers = times(office.app.database.shared ? { quick: 15, full: 40 } : { quick: 40, full: 120 })
    const troubles = () =>
      office
        .logged()
        .split('\n')
        .filter((line) => /^(error|warn)/.test(line))
    onTestFailed(() => console.log(`engine simulation: FAIL, seed ${seed}`, troubles()))
    const post = await receiver()
    await addHook(a.api, post)

    const day = await busyDay(office, callers, seed)
    const { problems, ...counts } = await auditOffice(db, a.id)
    const disorder = await problemsOfDelivery(db, a.id, post.got)

    console.log(`engine simulation: seed ${seed}`, { ...day, ...counts, delivered: post.got.length })
    expect(problems).toEqual([])
    expect(disorder).toEqual([])
    expect(troubles()).toEqual([])
    expect(counts.calls).toBeGreaterThanOrEqual(callers)
    expect(counts.answered).toBeGreaterThan(callers / 5)
  })
})
