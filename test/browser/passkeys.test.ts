import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openRelay } from '../kit/relay.ts'
import { createTestUser } from './people.ts'

inBrowser('passkeys', () => {
  test('a user adds and renames a passkey, signs in with it where two steps are required, and removes it', async () => {
    // A passkey belongs to a host name: the test app listens on an IP address.
    const relay = await openRelay()
    const base = relay.base.replace('127.0.0.1', 'localhost')
    const app = await testApp({ env: { DASHBOARD_URL: base } })
    relay.to(app.base)
    const ada = await createTestUser(app, 'Ada', 'owner')
    const window = await openWindow({ base })
    const { page, context } = window
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })

    await enter(window, ada, '/dashboard/account')
    const section = page.getByRole('region', { name: 'Passkeys' })
    await section.getByText('No passkeys yet').waitFor()
    await section.getByRole('button', { name: 'Add passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill('a guess')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('This is not your current password').waitFor()
    await dialog.getByLabel('Current password').fill(ada.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await section.getByRole('button', { name: /^Rename / }).click()
    await dialog.getByLabel('Name').fill('Work laptop')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await section.getByText('Work laptop').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await picture(window, 'passkeys')
    expect(await accessibilityViolations(page)).toEqual([])

    await app.db.updateTable('company').set({ two_step_required: 1 }).where('id', '=', app.a.id).execute()
    await context.clearCookies()
    await page.goto('/dashboard/account')
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await picture(window, 'sign-in-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await section.getByText('last used').waitFor()
    await section.getByRole('button', { name: 'Remove Work laptop' }).click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await section.getByText('No passkeys yet').waitFor()

    await context.clearCookies()
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey is not known here').waitFor()
    expect(window.troubles).toEqual([])
  })
})
