import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow } from '../kit/browser.ts'
import { caller } from '../kit/sip-peer.ts'
import { lineDigits, openVoiceOffice, ringing } from '../kit/voice.ts'
import { createTestUser, withPassword } from './people.ts'

inBrowser('The caller ID verification of the carrier', () => {
  test('is on the ringing phone, and on the page of the call', async () => {
    const office = await openVoiceOffice(testApp)
    const ada = await office.person('ada')
    const person = await withPassword(office.app, ada, 'ada@example.test')
    await office.flow(ringing(ada), 'ring')
    const window = await openWindow(office.app, { width: 1_200, height: 900 })
    const { page } = window
    await enter(window, person, '/phone')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })
    const verified = 'P-Asserted-Identity: <sip:+14155550199;verstat=TN-Validation-Passed-A@127.0.0.1;user=phone>'

    office.carrier.send(far.invite({ headers: [verified] }))
    await page.getByText('Caller ID verified by the carrier (A)').waitFor()
    office.carrier.send(far.ofInvite('CANCEL'))
    await office.carrier.next('SIP/2.0 487')
    office.carrier.send(far.ofInvite('ACK'))
    const [{ id }] = (await office.app.a.api('GET', '/v1/calls')).json.calls
    const other = await openWindow(office.app, { width: 1_200, height: 900 })
    await enter(other, await createTestUser(office.app, 'Sue', 'supervisor'), `/dashboard/calls/${id}`)

    await other.page.getByText('Caller ID verified by the carrier (A)').waitFor()
    expect([...window.troubles, ...other.troubles]).toEqual([])
  })
})
