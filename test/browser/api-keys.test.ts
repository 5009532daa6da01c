import { expect, test } from 'vitest'
import { basic, testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('API keys', () => {
  test('an owner creates a key with scopes, limits it, rotates it and revokes it', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Olga', 'owner')
    const window = await openWindow(app, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, owner, '/dashboard/developers/keys')
    const dialog = page.getByRole('dialog')
    const looks = async (name: string) => {
      for (const [width, colorScheme] of [
        [390, 'dark'],
        [1440, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        await picture(window, `${name}-${width}-${colorScheme}`)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect(await accessibilityViolations(page)).toEqual([])
      }
    }

    await page.getByRole('button', { name: 'New API key' }).click()
    await dialog.getByLabel('Name').fill('CRM sync')
    const permissions = dialog.getByLabel('Permissions')
    await permissions.getByText('read and change all data').waitFor()
    await dialog.getByLabel('Custom').click()
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    await dialog.getByText('Select at least one scope', { exact: true }).waitFor()
    await dialog.getByLabel('contacts:write').click()
    await permissions.getByText('create, update and delete contacts. It cannot read data.').waitFor()
    await dialog.getByLabel('read', { exact: true }).click()
    await permissions.getByText('This key can: read all data; create, update and delete contacts.').waitFor()
    await dialog.getByLabel('Expires').selectOption('90 days')
    await dialog.getByLabel('Allowed IP addresses').fill('127.0.0.0/8\nnonsense')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    await dialog.getByText('not nonsense').waitFor()
    await looks('api-key-form')
    await dialog.getByLabel('Allowed IP addresses').fill('127.0.0.0/8')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    await dialog.getByText('CRM sync created').waitFor()
    const [id = '', token = ''] = await dialog.locator('code').allInnerTexts()
    const crm = app.as(basic(id, token))
    expect((await crm('GET', '/v1/users')).status).toBe(200)
    expect((await crm('POST', '/v1/tags', { name: 'No', color: '#00B388' })).status).toBe(403)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()

    await page.getByRole('cell', { name: 'read, contacts:write', exact: true }).waitFor()
    await looks('api-keys')
    await page.getByRole('button', { name: 'Rotate CRM sync' }).click()
    await dialog.getByLabel('Accept the previous token for').selectOption('7 days')
    await looks('api-key-rotation')
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog.getByText('CRM sync has a new token').waitFor()
    const [, fresh = ''] = await dialog.locator('code').allInnerTexts()
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('Previous token until').waitFor()
    expect((await app.as(basic(id, fresh))('GET', '/v1/users')).status).toBe(200)
    expect((await crm('GET', '/v1/users')).status).toBe(200)

    await page.getByRole('button', { name: 'Edit CRM sync' }).click()
    await dialog.getByLabel('Read only').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Read only', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Revoke CRM sync' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('CRM sync revoked').waitFor()
    expect((await crm('GET', '/v1/users')).status).toBe(403)
    expect(window.troubles).toEqual([])
  })
})
