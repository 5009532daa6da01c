import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { addTemplate, customer, friend, openShop, type Shop } from '../kit/messages.ts'
import { createTestUser, type Person } from './people.ts'

// The inbox of the agent Ada in the phone app, and that of an admin in the dashboard, over the simulated network.

const minute = 60_000
const hostile = '<img src=x onerror=alert(1)> {{7*7}} https://evil.example/"><script>alert(1)</script>'

interface Desk {
  shop: Shop
  ada: Person
  bea: Person
}

async function desk(): Promise<Desk> {
  const shop = await openShop(testApp)
  const { a, line } = shop
  const ada = await createTestUser(shop, 'Ada', 'agent')
  const bea = await createTestUser(shop, 'Bea', 'agent')
  await shop.db.updateTable('user').set({ confirmed_at: shop.clock.now() }).where('company_id', '=', a.id).execute()
  await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [ada.id, bea.id] })
  await a.api('POST', '/v1/contacts', {
    first_name: 'Ines',
    last_name: 'Bond',
    phone_numbers: [{ label: 'Work', value: customer }],
  })
  return { shop, ada, bea }
}

const tab = (page: Page, name: RegExp | string) => page.getByRole('tab', { name })
const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: new RegExp(name) })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function write(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

async function phone(shop: Shop, person: Person, scheme: 'light' | 'dark' = 'light'): Promise<Window> {
  const window = await openWindow(shop, { width: 376, height: 720, scheme })
  await enter(window, person, '/phone')
  await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await shop.settle()
  return window
}

inBrowser('the inbox', () => {
  test('a message of a customer appears at once, and the reply is delivered, through reloads', async () => {
    const { shop, ada, bea } = await desk()
    const { clock, line, app } = shop
    const window = await phone(shop, ada)
    const { page } = window

    await shop.writes(customer, 'Is my order ready?')
    await tab(page, /Messages.*1 unread/).click()
    await row(page, 'Ines Bond').waitFor()
    await picture(window, 'inbox-list')
    expect(await accessibilityViolations(page)).toEqual([])
    await row(page, 'Ines Bond').click()
    await page.getByRole('log').getByText('Is my order ready?').waitFor()
    await tab(page, /^Messages$/).waitFor()

    await page.getByRole('textbox', { name: 'Message' }).fill('First line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('Tomorrow €')
    await page.getByText('21 characters · 1 SMS · GSM-7 · 138 left').waitFor()
    await page.reload()
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/First line\s+Tomorrow €/).waitFor()
    await clock.advance(minute)
    await page.getByText('Delivered').waitFor()

    await app.services.sandbox?.network.call({ from: customer, to: line.digits, script: [], patienceSeconds: 5 })
    await clock.advance(minute)
    await shop.writes(customer, hostile)
    await page.getByText('Missed call').waitFor()
    await page.getByRole('log').getByText(hostile).waitFor()
    expect(await page.getByRole('log').getByRole('link').count()).toBe(0)

    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
      'base64',
    )
    await page.getByTestId('files').setInputFiles({ name: 'shop.png', mimeType: 'image/png', buffer: png })
    await page.getByRole('button', { name: 'Remove shop.png' }).waitFor()
    await write(page, 'Our shop')
    await page.getByRole('img', { name: 'shop.png' }).waitFor()
    await clock.advance(minute)
    await page.getByText('Delivered').nth(1).waitFor()
    await picture(window, 'inbox-thread')
    expect(await accessibilityViolations(page)).toEqual([])

    await page.getByLabel('Assigned to').selectOption({ label: 'Bea Test' })
    await expect.poll(async () => (await assignee(shop))?.id).toBe(bea.id)
    await page.reload()
    await page.getByText('Our shop').waitFor()
    expect(await page.getByLabel('Assigned to').inputValue()).toBe(String(bea.id))

    await shop.writes(customer, 'STOP')
    await page.getByText('Ines Bond has opted out').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    await shop.writes(customer, 'START')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await shop.settle()

    expect(window.troubles).toEqual([])
  })

  test('outside the 24-hour window a template is sent; a rejected message shows the reason and can be retried', async () => {
    const { shop, ada } = await desk()
    const { clock } = shop
    await addTemplate(shop)
    await shop.a.own('POST', '/v1/sms/templates', { name: 'Hours', body: 'We are open from 9 to 18.' })
    await shop.writes(customer, 'Hello', { channel: 'whatsapp' })
    await clock.advance(25 * 60 * minute)
    const window = await phone(shop, ada, 'dark')
    const { page } = window

    await tab(page, /Messages/).click()
    await row(page, 'Ines Bond').click()
    await page.getByText('only an approved template can be sent').waitFor()
    await button(page, 'Choose template').click()
    await page.getByRole('button', { name: /order_confirmation/ }).click()
    await page.getByLabel('Header {{1}}').fill('77')
    await page.getByLabel('Body {{1}}').fill('Ines')
    await page.getByLabel('Body {{2}}').fill('77')
    await page.getByLabel('URL suffix').fill('77')
    await picture(window, 'inbox-template-dark')
    await page.keyboard.press('Enter')
    await page.getByText('Hello Ines, your order 77 is on its way.').waitFor()
    await clock.advance(minute)
    await page.getByText(/^(Delivered|Read)$/).waitFor()

    await page.getByText('SMS', { exact: true }).click()
    await button(page, 'Templates').click()
    await page.getByRole('button', { name: /Hours/ }).click()
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('We are open from 9 to 18.')
    const posts = '**/app/v1/conversations/*/messages'
    await page.route(posts, (route) => route.fulfill({ status: 400, json: { troubleshoot: 'The line is busy' } }))
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByText('The line is busy').waitFor()
    await picture(window, 'inbox-refused-dark')
    await page.reload()
    await page.getByText('The line is busy').waitFor()
    await page.unroute(posts)
    await button(page, 'Retry').click()
    await page.getByText('The line is busy').waitFor({ state: 'detached' })
    await clock.advance(minute)
    await page.getByText('Delivered').first().waitFor()
    expect(await accessibilityViolations(page)).toEqual([])

    await button(page, 'Back to conversations').click()
    await button(page, 'New message').click()
    await page.getByLabel('To', { exact: true }).fill('bon')
    await page.getByRole('button', { name: /Ines Bond Work/ }).click()
    await page.getByLabel('Add recipient').fill(friend)
    await button(page, 'Start group').click()
    await write(page, 'Dinner at eight')
    await page.getByText('Group of 2').waitFor()
    await page.getByText('Dinner at eight').waitFor()
    await tab(page, 'Keypad').click()
    await page.getByRole('textbox', { name: 'Number, extension or name' }).fill(friend)
    await button(page, 'Message').click()
    await page.getByText('No messages yet').waitFor()
    await shop.settle()

    expect(window.troubles.filter((trouble) => !trouble.includes('400'))).toEqual([])
  })

  test('an admin reads, answers and searches in the dashboard, and writes templates', async () => {
    const { shop, bea } = await desk()
    const { clock } = shop
    const root = await createTestUser(shop, 'Root', 'admin')
    await shop.writes(customer, 'Where are you?')
    await shop.writes(friend, hostile)
    const window = await openWindow(shop)
    const { page } = window

    await enter(window, root, '/dashboard/messages')
    await row(page, 'Ines Bond').click()
    await page.getByRole('log').getByText('Where are you?').waitFor()
    await shop.writes(customer, 'Hello?')
    await page.getByRole('log').getByText('Hello?').waitFor()
    await write(page, 'Around the corner')
    await clock.advance(minute)
    await page.getByText('Delivered').waitFor()
    await page.getByRole('region', { name: 'Conversations found' }).getByText('You: Around the corner').waitFor()
    const front = page.getByRole('region', { name: 'Conversation', exact: true })
    await front.getByLabel('Assigned to').selectOption({ label: 'Bea Test' })
    await expect.poll(async () => (await assignee(shop))?.id).toBe(bea.id)
    await picture(window, 'dashboard-inbox')
    expect(await accessibilityViolations(page)).toEqual([])

    await page.setViewportSize({ width: 376, height: 720 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(window, 'dashboard-inbox-narrow-dark')
    expect(await accessibilityViolations(page, { contrastOnly: true })).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    await picture(window, 'dashboard-inbox-dark')

    await page.getByRole('textbox', { name: 'Search conversations' }).fill('bond')
    await expect.poll(() => page.getByRole('list', { name: 'Conversations' }).getByRole('button').count()).toBe(1)
    await page.reload()
    await page.getByRole('log').getByText('Around the corner').waitFor()
    expect(await page.getByRole('textbox', { name: 'Search conversations' }).inputValue()).toBe('bond')

    await follow(page, '/dashboard/messages/templates')
    await button(page, 'New template').click()
    await page.getByLabel('Name').fill(hostile)
    await page.getByRole('textbox', { name: /^Text/ }).fill('We are open from 9 to 18.')
    await button(page, 'Create template').click()
    await page.getByRole('table', { name: 'SMS templates' }).getByText('We are open').waitFor()
    await picture(window, 'dashboard-templates')
    expect(await accessibilityViolations(page)).toEqual([])
    await shop.settle()

    expect(window.troubles).toEqual([])
  })
})

/** Of the first conversation. */
async function assignee({ a }: Shop): Promise<{ id: number } | null> {
  const { json } = await a.own('GET', `/v1/conversations?search=bond`)
  return json.conversations[0].assigned_to
}
