import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

// Disabled trunks only: no packets are sent.

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

inBrowser('trunks in the dashboard', () => {
  test('a trunk is created, rejected, edited and deleted, and outbound rules are saved', async () => {
    const app = await testApp()
    const { a } = app
    const admin = await createTestUser(app, 'Ines', 'admin')
    const window = await openWindow(app)
    const { page, troubles } = window
    const trunks = async () => (await a.own('GET', '/v1/trunks')).json.trunks

    await enter(window, admin, '/dashboard/trunks')
    await page.getByText('A SIP trunk connects this server').waitFor()
    await button(page, 'Add SIP trunk').click()
    await page.getByRole('textbox', { name: /^Name/ }).fill('Main carrier')
    await page.getByRole('switch', { name: 'Enabled' }).click()
    await page.getByRole('textbox', { name: /^Host/ }).fill('sip:127.0.0.1')
    await page.getByRole('radio', { name: 'IP' }).click()
    await button(page, 'Create trunk').click()
    await page.getByText('must be a host name or IP address').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'trunk-refused')
    await page.getByRole('textbox', { name: /^Host/ }).fill('127.0.0.1')
    await button(page, 'Create trunk').click()
    await button(page, 'Edit Main carrier').waitFor()
    expect(await trunks()).toMatchObject([{ host: '127.0.0.1', enabled: false, registers: false, state: 'off' }])

    await button(page, 'Edit Main carrier').click()
    await page.getByRole('switch', { name: 'Emergency calls' }).click()
    await page.getByRole('textbox', { name: /^Port/ }).fill('5070')
    await page.keyboard.press('Enter')
    await page.getByText('127.0.0.1:5070').waitFor()
    expect(await trunks()).toMatchObject([{ port: 5070, emergency: true }])
    await picture(window, 'trunks')

    await follow(page, '/dashboard/trunks/limits')
    await page.getByLabel('Concurrent calls', { exact: true }).fill('7')
    await page.getByLabel('Daily spend limit for calls').fill('50')
    await page.getByText('the spend limit has no effect').waitFor()
    await page.getByRole('group', { name: 'Rates per minute' }).getByRole('button', { name: 'Add rate' }).click()
    await page.getByLabel('Prefix 1').fill('+33')
    await page.getByLabel('Price 1').fill('0.02')
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'dial-limits')
    await page.keyboard.press('Enter')
    await page.getByText('Outbound rules for calls saved').waitFor()
    const { dial_limits } = (await a.own('GET', '/v1/dial_limits')).json
    expect(dial_limits).toMatchObject({ concurrent: 7, daily_spend: 50, rates: [{ prefix: '33', per_minute: 0.02 }] })

    await page.getByLabel('Messages per day', { exact: true }).fill('300')
    const ofMessages = page.getByRole('region', { name: 'Outbound rules for messages' })
    await ofMessages.getByRole('radio', { name: 'Selected countries' }).click()
    await page.getByRole('combobox', { name: 'Countries for messages' }).fill('Somalia')
    await page.getByRole('option', { name: /Somalia/ }).click()
    await page.keyboard.press('Tab')
    await page.getByRole('option', { name: /Somalia/ }).waitFor({ state: 'detached' })
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'message-limits')
    await button(page, 'Save rules for messages').click()
    await page.getByText('Outbound rules for messages saved').waitFor()
    const { message_limits } = (await a.own('GET', '/v1/message_limits')).json
    expect(message_limits).toMatchObject({ per_day: 300, countries: ['SO'], per_minute: null })

    await follow(page, '/dashboard/trunks/lines')
    await button(page, 'Delete Main carrier').click()
    await button(page, 'Delete').click()
    await page.getByText('A SIP trunk connects this server').waitFor()

    expect(await trunks()).toEqual([])
    expect(troubles).toEqual([])
  })
})
