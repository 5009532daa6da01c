import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow } from '../kit/browser.ts'
import { customer, openShop } from '../kit/messages.ts'
import { createTestUser } from './people.ts'

/** The server executes the next request to this path, and its response does not arrive. */
async function loseResponse(page: Page, path: string): Promise<void> {
  await page.route(
    `**${path}`,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
}

inBrowser('a request whose response is lost', () => {
  test('is repeated without sending the message twice', async () => {
    const shop = await openShop(testApp)
    const { a, line } = shop
    const ada = await createTestUser(shop, 'Ada', 'agent')
    await shop.db.updateTable('user').set({ confirmed_at: shop.clock.now() }).where('company_id', '=', a.id).execute()
    await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [ada.id] })
    const window = await openWindow(shop, { width: 376, height: 720 })
    const { page } = window
    await enter(window, ada, '/phone')
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await shop.writes(customer, 'Is my order ready?')
    await page.getByRole('tab', { name: /Messages/ }).click()
    await page.getByRole('list', { name: 'Conversations' }).getByRole('button').first().click()

    await loseResponse(page, '/messages')
    await page.getByRole('textbox', { name: 'Message' }).fill('It is')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' })

    await shop.settle()
    const sent = await shop.db.selectFrom('message').select('body').where('body', '=', 'It is').execute()
    expect(sent).toHaveLength(1)
  })

  test('is repeated without creating a second API key or a team whose name is taken', async () => {
    const app = await testApp()
    const window = await openWindow(app)
    const { page } = window
    await enter(window, await createTestUser(app, 'Ines', 'owner'), '/dashboard/teams')
    await page.getByRole('button', { name: 'New team', exact: true }).first().click()
    const drawer = page.getByRole('dialog', { name: 'New team' })
    await drawer.getByLabel('Name').fill('Night shift')

    await loseResponse(page, '/app/v1/teams')
    await drawer.getByRole('button', { name: 'Create team' }).click()
    await drawer.getByRole('button', { name: 'Retry' }).click()
    await drawer.waitFor({ state: 'hidden' })
    expect((await app.a.api('GET', '/v1/teams')).json.teams).toMatchObject([{ name: 'Night shift' }])

    const before = (await app.a.own('GET', '/v1/api_keys')).json.api_keys.length
    await page.goto('/dashboard/developers/keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Shop')
    await loseResponse(page, '/app/v1/api_keys')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await dialog.getByText('Shop created').waitFor()
    expect((await app.a.own('GET', '/v1/api_keys')).json.api_keys).toHaveLength(before + 1)
  })
})
