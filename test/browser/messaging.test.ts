import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setOptOut } from '../../src/features/messages/lines/store.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openShop } from '../kit/messages.ts'
import { smppPeer } from '../kit/smpp-peer.ts'
import { createTestUser } from './people.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: RegExp) => page.getByRole('textbox', { name })

inBrowser('messaging in the dashboard', () => {
  test('carriers are added and tested, a number gets one, and an opted-out recipient is opted back in', async () => {
    const app = await openShop(testApp)
    const { a, line } = app
    const peer = await smppPeer()
    await setOptOut(app.db, a.id, line.id, '+33612345678', app.clock.now())
    const admin = await createTestUser(app, 'Ines', 'admin')
    const window = await openWindow(app)
    const { page, troubles } = window

    /** Dark mode and small screens: nothing is unreadable or cut off. */
    const everyLook = async (name: string) => {
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark`).toEqual([])
      await picture(window, `${name}-dark`)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 376, height: 720 })
      const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
      await expect.poll(width).toBeLessThanOrEqual(376)
      await picture(window, `${name}-narrow`)
      await page.setViewportSize({ width: 1280, height: 800 })
    }

    await enter(window, admin, '/dashboard/messaging')
    await page.getByText('A carrier sends and receives your SMS').waitFor()
    await button(page, 'Add carrier').click()
    await field(page, /^Name/).fill('Main carrier')
    await field(page, /^Host/).fill('http://x')
    await field(page, /^Port/).fill(String(peer.port))
    await field(page, /^System ID/).fill('us')
    await page.getByLabel('Password', { exact: true }).fill('sesame')
    await button(page, 'Create carrier').click()
    await page.getByText('must be a host name or an IP address').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'carrier-smpp')
    await field(page, /^Host/).fill('127.0.0.1')
    await button(page, 'Create carrier').click()
    await button(page, 'Test Main carrier').waitFor()
    await peer.until(({ binds }) => binds === 1)

    await button(page, 'Test Main carrier').click()
    await field(page, /^To/).fill('+14155550123')
    await button(page, 'Send').click()
    await page.getByText('The carrier has accepted the message').waitFor()
    expect(peer.submissions).toMatchObject([{ text: 'This is a test of the line.' }])
    await button(page, 'Close').last().click()

    await button(page, 'Add carrier').click()
    await field(page, /^Name/).fill('Provider')
    await page.getByRole('radio', { name: 'HTTP' }).click()
    await field(page, /^Endpoint URL/).fill('https://sms.example.com/messages')
    await field(page, /^Secret headers/).fill('Authorization: Bearer hush')
    await button(page, 'Create carrier').click()
    await button(page, 'Edit Provider').click()
    await page.getByText('/carriers/').first().waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'carrier-http')
    await button(page, 'Save').click()
    await button(page, 'Add carrier').click()
    await field(page, /^Name/).fill('WhatsApp')
    await page.getByRole('radio', { name: 'WhatsApp' }).click()
    await page.getByRole('switch', { name: 'Enabled' }).click()
    await picture(window, 'carrier-whatsapp')
    await page.setViewportSize({ width: 376, height: 720 })
    await picture(window, 'carrier-narrow')
    await page.setViewportSize({ width: 1280, height: 800 })
    await button(page, 'Create carrier').click()
    await button(page, 'Edit WhatsApp').waitFor()
    await peer.goOffline()
    await page.getByRole('table', { name: 'Carriers' }).getByText('Unreachable', { exact: true }).waitFor()
    await page.getByText('Connection refused').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'carriers')
    await everyLook('carriers')

    await follow(page, '/dashboard/messaging/numbers')
    await button(page, 'Edit Shop').click()
    await page.getByRole('combobox', { name: 'Carrier', exact: true }).click()
    await page.getByRole('option', { name: 'Provider' }).click()
    await field(page, /^Messages per second/).fill('5')
    await picture(window, 'message-line')
    await button(page, 'Save').click()
    await page.getByText('max 5 per second').waitFor()
    await everyLook('message-lines')

    await follow(page, '/dashboard/messaging/opt-outs')
    await button(page, 'Opt back in +33 6 12 34 56 78').click()
    await button(page, 'Opt back in').last().click()
    await page.getByText('No opt-outs').waitFor()

    const { carriers } = (await a.own('GET', '/v1/carriers')).json
    expect(carriers).toMatchObject([
      { kind: 'smpp', smpp: { has_password: true } },
      { kind: 'http', http: { secret_headers: ['Authorization'], url: 'https://sms.example.com/messages' } },
      { kind: 'whatsapp', enabled: false },
    ])
    const [shop] = (await a.own('GET', '/v1/message_lines')).json.message_lines.slice(-1)
    expect(shop).toMatchObject({ carrier_id: carriers[1].id, per_second: 5 })
    expect(troubles).toEqual([])
  })
})
