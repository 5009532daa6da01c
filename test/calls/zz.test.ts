import { test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

test('x', async () => {
  const office = await openOffice(testApp)
  await office.connect(office.ada, office.bea)
  const line = await office.line()
  await office.call(line)
  console.log(await office.does(office.bea, { kind: 'answer' }))
  console.log(
    office
      .logged()
      .split('\n')
      .filter((l) => /^(error|warn|debug)/.test(l))
      .join('\n'),
  )
})
