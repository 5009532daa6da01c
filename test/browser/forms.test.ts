import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('forms', () => {
  test('a form asks before it discards input, keeps it in an outage, and reads national numbers', async () => {
    const app = await testApp()
    await app.a.own('PUT', '/v1/company/settings', { country: 'FR' })
    const ada = await createTestUser(app, 'Ada', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ada, '/dashboard/contacts')
    await page.getByRole('button', { name: 'New contact' }).click()
    const drawer = page.getByRole('dialog', { name: 'New contact' })
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    await drawer.getByLabel('First name').fill('Grace')
    await page.keyboard.press('Escape')
    await question.waitFor()
    await picture(window, 'forms-discard')
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await drawer.getByLabel('First name').inputValue()).toBe('Grace')

    await drawer.getByLabel('Phone number 1', { exact: true }).fill('01 99 55 44 33')
    await drawer.getByLabel('First name').focus()
    await expect.poll(() => drawer.getByLabel('Phone number 1', { exact: true }).inputValue()).toBe('+33 1 99 55 44 33')
    await page.route('**/app/v1/contacts', (request) => request.abort())
    await drawer.getByRole('button', { name: 'Create contact' }).click()
    const retry = drawer.getByRole('button', { name: 'Retry' })
    await retry.waitFor()
    await page.unroute('**/app/v1/contacts')
    await retry.click()
    await drawer.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Grace' }).click()
    await page.getByRole('link', { name: '+33 1 99 55 44 33' }).waitFor()
    await page.getByRole('button', { name: 'Copy +33 1 99 55 44 33' }).waitFor()
    const stored = (await app.a.api('GET', '/v1/contacts')).json.contacts
    expect(stored.map(({ phone_numbers: [phone] }: { phone_numbers: { value: string }[] }) => phone?.value)).toEqual([
      '+33199554433',
    ])

    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Another name')
    await page.goBack()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Another name')
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    expect(
      window.troubles.filter((trouble) => !/ERR_FAILED|\/app\/v1\/contacts/.test(JSON.stringify(trouble))),
    ).toEqual([])
  })
})
