import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { realProvider } from '../kit/real-provider.ts'
import { createTestUser } from './people.ts'

inBrowser('single sign-on', () => {
  test('an owner sets it up, users sign in at the provider with mapped roles, and passwords are then refused', async () => {
    const app = await testApp()
    const ada = await createTestUser(app, 'Ada', 'owner')
    const dario = await createTestUser(app, 'Dario', 'agent')
    const address = (email: string) => ({ email, email_verified: true })
    const { issuer } = await realProvider(`${app.base}/sso/callback`, {
      grace: { ...address('grace@example.test'), given_name: 'Grace', family_name: 'Hopper', groups: ['supervisors'] },
      mallory: { ...address('dario@example.test'), email_verified: false },
    })
    const window = await openWindow(app)
    const { page } = window

    await enter(window, ada, '/dashboard/company/security')
    await page.getByRole('button', { name: 'Set up single sign-on' }).click()
    const form = page.getByRole('dialog', { name: 'Single sign-on' })
    await form.getByLabel('Issuer URL').fill(`${issuer}/wrong`)
    await form.getByLabel('Client ID').fill('phone')
    await form.getByLabel('Client secret').fill('a secret of the client for tests')
    await form.getByLabel('Email domains').fill('example.test')
    await form.getByRole('switch', { name: 'Create users at their first sign-in' }).check()
    await form.getByLabel('Role claim').fill('groups')
    await form.getByRole('button', { name: 'Add value' }).click()
    await form.getByLabel('Value 1', { exact: true }).fill('supervisors')
    await form.getByRole('combobox', { name: 'Role for value 1' }).click()
    await page.getByRole('option', { name: 'Supervisor' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('did not return its configuration').waitFor()
    await form.getByLabel('Issuer URL').fill(issuer)
    await picture(window, 'sso-settings')
    expect(await accessibilityViolations(page)).toEqual([])
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('0 users signed in so far').waitFor()

    const grace = await openWindow(app, { width: 390, height: 844, scheme: 'dark' })
    await grace.page.goto('/dashboard/calls')
    await signInAtProvider(grace, 'grace')
    await grace.page.getByRole('button', { name: 'Account menu for Grace Hopper' }).waitFor()
    expect(new URL(grace.page.url()).pathname).toBe('/dashboard/calls')
    const { profiles } = (await app.a.own('GET', '/v1/profiles')).json
    expect(profiles.find(({ email }: { email: string }) => email === 'grace@example.test')).toMatchObject({
      roles: ['supervisor'],
      confirmed: true,
    })
    const mallory = await openWindow(app)
    await mallory.page.goto('/phone')
    await signInAtProvider(mallory, 'mallory')
    await mallory.page.getByText('has not verified your email address').waitFor()
    await picture(mallory, 'sso-refused')

    await page.reload()
    await page.getByRole('button', { name: 'Edit' }).click()
    await form.getByRole('switch', { name: 'Require single sign-on' }).check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Passwords are for owners only').waitFor()
    const other = await openWindow(app)
    await other.page.goto('/dashboard')
    await other.page.getByRole('button', { name: 'Sign in with SSO' }).waitFor()
    await picture(other, 'sign-in-sso')
    await other.page.getByLabel('Email').fill(dario.email)
    await other.page.getByLabel(/^Password/).fill(dario.password)
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.page.getByText('Your company requires single sign-on').waitFor()
    await other.page.getByLabel('Email').fill(ada.email)
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.page.getByRole('button', { name: 'Account menu for Ada Test' }).waitFor()
    expect(window.troubles).toEqual([])
  })
})

/** The forms of the provider: account, then consent. */
async function signInAtProvider({ page }: Window, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with SSO' }).click()
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}
