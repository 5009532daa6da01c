import { expect, test } from 'vitest'
import { day } from '../../src/lib/clock.ts'
import { monday, testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { jumpingClock } from '../kit/clocks.ts'
import { liveFlow } from '../kit/flows.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { recordedCall } from '../kit/sounds.ts'
import { addHook } from '../kit/webhooks.ts'
import { createTestUser } from './people.ts'

inBrowser('retention and tests of a draft', () => {
  test('a supervisor plays the caller through a flow; nothing is stored', async () => {
    const office = await openOffice(testApp)
    const sam = await createTestUser(office, 'Sam', 'supervisor')
    const line = await office.line({ ring: ringTo([toUser(office.ada)], { max_wait_seconds: 30 }), box: voicemail })
    const window = await openWindow(office, { width: 1440, height: 900 })
    const { page, troubles } = window
    await enter(window, sam, `/dashboard/numbers/${line.id}`)

    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByText('Do not answer').click()
    await page.getByRole('button', { name: 'Start test call' }).click()
    const trace = page.getByRole('list', { name: 'Call trace' }).or(page.getByLabel('Call trace'))
    await trace
      .getByText(/^Rings /)
      .first()
      .waitFor()
    await page.getByRole('group', { name: 'Caller' }).getByRole('button', { name: 'Press 1' }).waitFor()
    for (let waited = 0; waited < 60; waited += 10) await page.getByRole('button', { name: 'Wait 10 s' }).click()
    await trace.getByText(/No answer: continues at/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'draft-test')
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.getByText('Call ended', { exact: true }).first().waitFor()

    expect((await office.a.api('GET', '/v1/calls')).json.calls).toEqual([])
    expect(troubles).toEqual([])
  })

  test('webhooks are sent only if an admin asks for them, and are marked as tests', async () => {
    const office = await openOffice(testApp)
    const ines = await createTestUser(office, 'Ines', 'owner')
    const line = await office.line({ ring: ringTo([toUser(office.ada)], { max_wait_seconds: 30 }), box: voicemail })
    // A published flow is tested by a simulated call in a sandbox, a draft is not.
    const { start, nodes } = await liveFlow(office.a, line.id)
    const ring = { ...nodes.ring, max_wait_seconds: 45 }
    await office.a.own('PUT', `/v1/numbers/${line.id}/flow?draft=true`, { start, nodes: { ...nodes, ring } })
    const customer = await receiver()
    await addHook(office.a.api, customer)
    const window = await openWindow(office, { width: 1440, height: 900, scheme: 'dark' })
    const { page, troubles } = window
    await enter(window, ines, `/dashboard/numbers/${line.id}`)
    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByRole('button', { name: 'Start test call' }).click()
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.getByText('Call ended', { exact: true }).first().waitFor()
    await office.settle()
    expect(customer.got).toEqual([])

    await page.getByRole('switch', { name: 'Send webhooks of this test' }).check()
    await page.getByRole('button', { name: 'Call again' }).click()
    const sent = page.getByRole('region', { name: 'Webhooks of this test' })
    await sent.getByText('call.created').waitFor()
    await page.getByRole('button', { name: 'Wait 10 s' }).click()
    await sent.getByText('call.answered').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'draft-test-webhooks')
    await page.getByRole('button', { name: 'Hang up' }).click()
    await sent.getByText('call.ended').waitFor()

    await office.settle()
    expect(customer.got.map(({ body, headers }) => [body.event, headers['webhook-test']])).toEqual(
      ['created', 'ringing_on_agent', 'answered', 'hungup', 'ended'].map((name) => [`call.${name}`, 'true']),
    )
    expect((await office.a.api('GET', '/v1/calls')).json.calls).toEqual([])
    expect(troubles).toEqual([])
  })

  test('an owner shortens the retention of recordings after typing a confirmation', async () => {
    const clock = jumpingClock(monday)
    const app = await testApp({ clock })
    await recordedCall(app, app.a, { sounds: ['recording'] })
    clock.leap(40 * day)
    const ines = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app, { width: 390, height: 844, scheme: 'dark' })
    const { page, troubles } = window
    await enter(window, ines, '/dashboard/company/security')

    const section = page.getByRole('region', { name: 'Data retention' })
    const dialog = page.getByRole('dialog', { name: 'Shorten retention periods?' })
    await section.getByLabel('Messages').fill('60')
    await section.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('No stored data is older than the new periods.').waitFor()
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['0 messages older than 60 days'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await section.getByLabel('Recordings').fill('30')
    await section.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Within a day, the following is deleted').waitFor()
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      '1 recording older than 30 days, with the transcripts made of them',
      '0 messages older than 60 days',
    ])
    expect(await dialog.getByRole('button', { name: 'Shorten' }).isDisabled()).toBe(true)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'retention-confirm')
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE')
    await dialog.getByRole('button', { name: 'Shorten' }).click()
    await page.getByText('Retention periods saved').waitFor()
    await picture(window, 'retention')

    expect((await app.a.own('GET', '/v1/company/retention')).json.retention.recordings).toBe(30)
    expect(troubles).toEqual([])
  })
})
