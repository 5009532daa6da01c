import { test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { busyDay } from './busy-day.ts'
import { auditOffice } from './office-audit.ts'
onBothDatabases('d', (open) => {
for (let seed = 1; seed <= 12; seed++) test('x' + seed, async () => {
  const office = await openOffice(open)
  try {
    await busyDay(office, 80, seed)
    const { flaws } = await auditOffice(office.db, office.a.id)
    console.log(seed, flaws)
  } finally {
    console.log(office.logged().split('\n').filter((l) => /^(error|warn)/.test(l)).map((l) => l.slice(0, 1500)).slice(0,5).join('\n'))
  }
})
})
