import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { totpCode, totpStep } from '../../src/lib/totp.ts'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openFromMore,
  openWindow,
  picture,
  signInAs,
} from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('account security', () => {
  test('a user enables two-step verification, signs in with a code, and changes the password', async () => {
    const app = await testApp()
    const ada = await createTestUser(app, 'Ada', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ada, '/dashboard/account')

    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('This session').waitFor()
    await page.getByRole('button', { name: 'Set up two-step verification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill('a guess')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('This is not your current password').waitFor()
    await dialog.getByLabel('Current password').fill(ada.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByAltText('QR code for your authenticator app').waitFor()
    await picture(window, 'two-step-setup')
    const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    const codeNow = () => totpCode(secret, totpStep(app.clock.machineNow()))
    await dialog.getByLabel('Code').fill('12')
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByText('Enter the six digits of the app').waitFor()
    await dialog.getByLabel('Code').fill(codeNow())
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByText('Save your recovery codes').waitFor()
    // Only the button closes codes that are shown once.
    const triesToClose = async () => {
      expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.mouse.click(5, 5)
      await picture(window, 'recovery-codes')
      expect(await dialog.locator('code').count()).toBe(10)
    }
    await triesToClose()
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 of 10 recovery codes left').waitFor()
    await picture(window, 'account-security')

    await page.getByRole('button', { name: 'Create new recovery codes' }).click()
    await dialog.getByLabel('Current password').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create new recovery codes' }).click()
    await dialog.getByLabel('Current password').fill(ada.password)
    app.clock.shiftMachine(30_000)
    await dialog.getByLabel('Code').fill(codeNow())
    await dialog.getByRole('button', { name: 'Create codes' }).click()
    await dialog.getByText('Save your recovery codes').waitFor()
    await triesToClose()
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await dialog.waitFor({ state: 'detached' })

    const other = await openWindow(app, { width: 390, height: 844, scheme: 'dark' })
    await signInAs(other, ada)
    await other.page.getByRole('heading', { name: 'Two-step verification' }).waitFor()
    await picture(other, 'second-step')
    await other.page.getByLabel('Code').fill('000000x')
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByText('The code is incorrect').waitFor()
    app.clock.shiftMachine(30_000)
    await other.page.getByLabel('Code').fill(codeNow())
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByRole('button', { name: 'Account menu for Ada Test' }).waitFor()
    await other.page.goto('/dashboard/account')
    await other.page.getByText('recovery codes left').waitFor()
    await picture(other, 'account-security-narrow')

    await page.getByLabel('Current password').fill(ada.password)
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The new password must have at least 10 characters').waitFor()
    await page.getByLabel('New password').fill('purple elephant bicycle 9')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed. Your other sessions were signed out.').waitFor()
    await other.page.reload()
    await other.page.getByRole('button', { name: 'Sign in' }).waitFor()

    expect([...window.troubles, ...other.troubles]).toEqual([])
  })

  test('an agent of a company that requires it sets it up before the phone app opens', async () => {
    const app = await testApp()
    const dario = await createTestUser(app, 'Dario', 'agent')
    await app.db.updateTable('company').set({ two_step_required: 1 }).where('id', '=', app.a.id).execute()
    const window = await openWindow(app, { width: 390, height: 844 })
    const { page } = window

    await enter(window, dario, '/phone')
    await page.getByRole('heading', { name: 'Set up two-step verification' }).waitFor()
    await picture(window, 'two-step-required')
    await page.getByLabel('Current password').fill(dario.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
    await page.getByLabel('Code').fill(totpCode(secret, totpStep(app.clock.machineNow())))
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await openFromMore(page, 'Settings')
    await page.getByRole('button', { name: 'Account security' }).click()
    await page.getByText('10 of 10 recovery codes left').waitFor()
    await picture(window, 'phone-account-security')

    expect(window.troubles).toEqual([])
  })

  test('an owner blocks a caller, undoes it, and finds both in the audit log', async () => {
    const app = await testApp()
    const ada = await createTestUser(app, 'Ada', 'owner')
    const window = await openWindow(app)
    const { page } = window
    // National numbers are read in the country of the company's Numbers.
    await app.a.own('POST', '/v1/numbers', { digits: '+33180000031', name: 'Main', validated: true })
    await enter(window, ada, '/dashboard/company/blocked')

    await page.getByText('No blocked callers').waitFor()
    await page.getByRole('button', { name: 'Block caller' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Phone number').fill('spam')
    await form.getByRole('button', { name: 'Block', exact: true }).click()
    await form.getByText('Enter a phone number').waitFor()
    await form.getByLabel('Phone number').fill(' 01 99 55 44 33 ')
    await form.getByLabel('Note').fill('Calls every day')
    await form.getByRole('button', { name: 'Block', exact: true }).click()
    const table = page.getByRole('table', { name: 'Blocked callers' })
    await table.getByText('+33 1 99 55 44 33').waitFor()
    await picture(window, 'blocked-callers')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Unblock +33 1 99 55 44 33' }).click()
    await page.getByText('No blocked callers').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await table.getByText('Calls every day').waitFor()

    await page.goto('/dashboard/company/audit')
    const log = page.getByRole('table', { name: 'Audit log' })
    await log.getByText('Ada Test').first().waitFor()
    const blocked = log.getByRole('row').filter({ hasText: 'caller blocked' }).first()
    await blocked.getByRole('link', { name: '+33199554433' }).waitFor()
    await blocked.getByRole('link', { name: 'Ada Test' }).waitFor()
    await picture(window, 'audit-log')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const file = await (await download).path()
    expect(readFileSync(file, 'utf8')).toContain('Ada Test')
    await page.getByRole('combobox', { name: 'Date range' }).click()
    await page.getByRole('option', { name: 'Custom dates' }).click()
    await page.getByLabel('From date').fill('2030-01-01')
    await page.getByText('No results').waitFor()
    expect(window.troubles).toEqual([])
  })
})
