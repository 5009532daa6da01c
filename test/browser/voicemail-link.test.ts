import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { withPassword } from './people.ts'

inBrowser('the link in an email about a voicemail', () => {
  test('opens the voicemail on a phone, also when it is archived', async () => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    const id = await office.call(line, { from: '+33612345678', script: [{ voicemail: 12 }] })
    await office.pass(240)
    await office.settle()
    const person = await withPassword(office, ada, 'ada@example.test')
    const window = await openWindow(office, { width: 390, height: 844 })
    const { page } = window
    await enter(window, person, `/phone?call=${id}`)
    await page.getByRole('heading', { name: 'Voicemail', exact: true }).waitFor()
    const row = page.getByRole('button', { name: /12 34 56 78/, expanded: true })
    await row.waitFor()
    await page.getByRole('button', { name: 'Play voicemail' }).waitFor()
    await row.getByText('New').waitFor()
    await picture(window, 'voicemail-link-390')
    await page.getByRole('button', { name: 'Play voicemail' }).click()
    await row.getByText('New').waitFor({ state: 'detached' })

    await a.api('PUT', `/v1/calls/${id}/archive`)
    await page.goto(`/phone?call=${id}`)
    await page.getByRole('list', { name: 'Linked call' }).waitFor()
    await row.waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    expect(window.troubles).toEqual([])
  })

  test('marks it as read when it is played on a desktop', async () => {
    const office = await openOffice(testApp)
    const { ada } = office
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    const id = await office.call(line, { from: '+33612345678', script: [{ voicemail: 12 }] })
    await office.pass(240)
    await office.settle()
    const person = await withPassword(office, ada, 'ada@example.test')
    const window = await openWindow(office, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, person, `/phone?call=${id}`)
    const unread = async () => (await (await window.context.request.get('/app/v1/me/to_do/count')).json()).unread
    const player = page.getByRole('region', { name: 'Selected call' }).getByRole('button', { name: 'Play voicemail' })
    await player.waitFor()
    expect(await unread()).toBe(1)
    await player.click()
    await expect.poll(unread).toBe(0)
    expect(window.troubles).toEqual([])
  })
})
