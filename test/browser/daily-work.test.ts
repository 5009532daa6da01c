import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { spokenCall } from '../kit/conversations.ts'
import { mailSink } from '../kit/mail-sink.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser } from './people.ts'

const customer = '+33612345678'

/** Light and dark, wide and narrow: accessible and not wider than the window. */
async function inspect(window: Window, name: string) {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1024, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), { message: name })
      .toBeLessThanOrEqual(width)
    await picture(window, `${name}-${width}`)
  }
  expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark mode`).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

inBrowser('daily work in the dashboard', () => {
  test('a call is shared by link, by ID and by a link to its recording, and the caller is called back', async () => {
    const app = await testApp()
    const id = await spokenCall(app)
    const supervisor = await createTestUser(app, 'Sam', 'supervisor')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, supervisor, `/dashboard/calls/${id}`)
    await waitUntilLoaded(page)

    const dial = await page.getByRole('link', { name: 'Call back' }).getAttribute('href')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Share call' })
    await dialog.getByText('Links to audio work for 3 hours').waitFor()
    const shared = await dialog.locator('code').allTextContents()
    await inspect(window, 'share-call')
    const listened = await fetch(String(shared[2]))
    await listened.arrayBuffer()

    const { raw_digits } = (await app.a.api('GET', `/v1/calls/${id}`)).json.call
    expect(new URL(`${app.base}${dial}`).searchParams.get('dial')).toBe(raw_digits)
    expect(shared.slice(0, 2)).toEqual([`${new URL(page.url()).origin}/dashboard/calls/${id}`, String(id)])
    expect([listened.status, listened.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^audio\//)])
    expect([window.troubles, window.refused]).toEqual([[], []])
  })

  test('a contact shows calls, notes and its owner; a duplicate is merged into it, and the merge is undone', async () => {
    const office = await openOffice(testApp)
    const { a } = office
    const owner = await createTestUser(office, 'Ines', 'owner')
    const create = async (first_name: string, value: string) =>
      (
        await a.api('POST', '/v1/contacts', {
          first_name,
          last_name: 'Petit',
          phone_numbers: [{ label: 'Work', value }],
        })
      ).json.contact.id as number
    const kept = await create('Nora', customer)
    const duplicate = await create('Eleonora', '+33612345699')
    const line = await office.line()
    const call = await office.call(line, { from: customer, patience: 8 })
    await office.pass(12)
    await a.api('POST', `/v1/calls/${call}/comments`, { content: 'Wants an offer' })
    await office.settle()
    const window = await openWindow(office)
    const { page } = window
    await enter(window, owner, `/dashboard/contacts/${kept}`)

    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('Wants an offer').waitFor()
    await page.getByRole('combobox', { name: 'Owner' }).click()
    await page.getByRole('option', { name: /^Ines/ }).click()
    await page.getByText(/^Ines .*owns this contact$/).waitFor()
    await inspect(window, 'contact-page')
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Merge contacts' })
    await drawer.getByRole('combobox', { name: 'Other contact' }).fill('Eleon')
    await page.getByRole('option', { name: /Eleonora Petit/ }).click()
    await drawer.getByRole('radio', { name: 'Eleonora' }).check()
    await inspect(window, 'contact-merge')
    await drawer.getByRole('button', { name: 'Merge', exact: true }).click()
    await page.getByRole('heading', { name: 'Eleonora Petit', level: 1 }).waitFor()
    const merged = (await a.api('GET', `/v1/contacts/${kept}`)).json.contact
    const gone = (await a.api('GET', `/v1/contacts/${duplicate}`)).status
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Nora Petit', level: 1 }).waitFor()

    await page.reload()
    await expect.poll(() => page.getByRole('combobox', { name: 'Owner' }).inputValue()).toMatch(/^Ines/)
    expect([merged.first_name, merged.phone_numbers.length, gone]).toEqual(['Eleonora', 2, 404])
    // Under a new ID.
    const { contacts } = (await a.api('GET', '/v1/contacts')).json
    expect(contacts.map((one: { first_name: string }) => one.first_name).toSorted()).toEqual(['Eleonora', 'Nora'])
    expect((await a.api('GET', `/v1/contacts/${kept}`)).json.contact.phone_numbers).toHaveLength(1)
    expect([window.troubles, window.refused]).toEqual([[], []])
  })

  test('a collapsed group of the menu stays collapsed, and a supervisor sees no pages of administrators', async () => {
    const app = await testApp()
    const [owner, supervisor] = [
      await createTestUser(app, 'Ines', 'owner'),
      await createTestUser(app, 'Sam', 'supervisor'),
    ]
    const window = await openWindow(app)
    const { page } = window
    await enter(window, owner, '/dashboard')
    await waitUntilLoaded(page)
    const group = (expanded: boolean) =>
      page.getByRole('navigation').getByRole('button', { name: 'Developers', exact: true, expanded })

    await group(true).click()
    await group(false).waitFor()
    await page.reload()
    await group(false).waitFor()
    await inspect(window, 'menu-collapsed')
    const other = await openWindow(app)
    await enter(other, supervisor, '/dashboard')
    await waitUntilLoaded(other.page)

    const links = await other.page.getByRole('navigation').getByRole('link').allTextContents()
    expect(links).toContain('Calls')
    expect(links).not.toContain('API keys')
    expect(links).not.toContain('SIP trunks')
    expect([window.troubles, other.troubles]).toEqual([[], []])
  })

  test('a page that is still loading does not bring back a user who has left for another one', async () => {
    const office = await openOffice(testApp)
    const owner = await createTestUser(office, 'Ines', 'owner')
    const { id } = await office.line()
    const window = await openWindow(office)
    const { page } = window
    const held: Record<'number' | 'script', (() => void)[]> = { number: [], script: [] }
    const hold = (kind: keyof typeof held) => (route: Route) => void held[kind].push(() => void route.continue())
    await page.route(`**/v1/numbers/${id}`, hold('number'))
    await enter(window, owner, `/dashboard/numbers/${id}`)
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    await expect.poll(() => held.number.length).toBe(1)

    await page.route(/assets\/integrations-.*\.js$/, hold('script'))
    await page.getByRole('navigation').getByRole('link', { name: 'Integrations', exact: true }).click()
    await expect.poll(() => held.script.length).toBe(1)
    const answered = page.waitForResponse(`**/v1/numbers/${id}`)
    held.number[0]?.()
    await answered
    await page.getByRole('tab', { name: 'Flow' }).waitFor()
    held.script[0]?.()

    await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/integrations')
    expect(window.troubles).toEqual([])
  })

  test('a test email shows what the mail server replied', async () => {
    let refused = false
    const { received, env } = await mailSink(() => (refused ? 'relaying denied' : undefined))
    const app = await testApp({ env })
    const owner = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, owner, '/dashboard/company/mails')
    const button = page.getByRole('button', { name: 'Send test email' })

    await button.click()
    await page.getByRole('status').getByText(`The mail server accepted the email to ${owner.email}`).waitFor()
    refused = true
    await button.click()
    await page.getByRole('status').getByText('relaying denied').waitFor()
    await inspect(window, 'test-email')

    expect(received.flatMap(({ to }) => to)).toContain(owner.email)
    expect(window.troubles).toEqual([])
  })
})
