import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { inBrowser, openWindow, picture, signInAs } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('sign-in', () => {
  test('an invited user creates a password, is signed in, and signs in again with it', async () => {
    const app = await testApp()
    const { a, settle } = app
    const body = { email: 'ines@example.test', first_name: 'Ines', last_name: 'Vanderbilt', role_ids: ['admin'] }
    await a.api('POST', '/v2/users', body)
    await settle()
    const { mails } = (await a.own('GET', '/v1/mail_outbox?order=desc')).json
    const link = new URL(/https?:\S+/.exec(mails[0].text)?.[0] ?? '')
    const window = await openWindow(app)
    const { page } = window

    await page.goto(link.pathname)
    await page.getByText('Welcome, Ines').waitFor()
    await picture(window, 'invitation')
    const field = page.getByLabel('Create password')
    await field.fill('Ines Test 1')
    await field.blur()
    await page.getByText('The new password is easy to guess').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await picture(window, 'weak-password')
    await field.fill('short')
    await page.getByText('The new password must have at least 10 characters').waitFor()
    // The browser does not know the last name; the server refuses the password, and the message stands at the field.
    await field.fill('Vanderbilt #Vanderbilt 7')
    await page.getByRole('button', { name: 'Get started' }).click()
    await page.getByText('The new password is easy to guess').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    // Only the server knows leaked passwords.
    await field.fill('Dr4g0nb4ll!12')
    await field.blur()
    expect(await field.getAttribute('aria-invalid')).toBe('false')
    await page.getByRole('button', { name: 'Get started' }).click()
    await page.getByText('The new password is easy to guess: replaced letters').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await picture(window, 'derived-password')
    await field.fill('correct horse')
    await page.getByText('The new password').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Get started' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('button', { name: 'Account menu for Ines Vanderbilt' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    // The page reloads after signing out; the form is ready when the button appears.
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signInAs(window, { email: 'ines@example.test', password: 'correct horse' })
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(link.pathname)
    await page.context().clearCookies()
    await page.goto(link.pathname)
    await page.getByText('This link is no longer valid').waitFor()

    expect(window.troubles).toEqual([])
  })

  test('a wrong password shows an error and does not sign in', async () => {
    const app = await testApp()
    const ada = await createTestUser(app, 'Ada', 'admin')
    const window = await openWindow(app)
    const { page } = window

    await signInAs(window, { ...ada, password: 'a guess' })
    await page.getByText('The email address or password is incorrect').waitFor()
    await picture(window, 'sign-in')

    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    expect(window.troubles).toEqual([])
  })

  test('an agent is directed to the phone app', async () => {
    const app = await testApp()
    const dario = await createTestUser(app, 'Dario', 'agent')
    const window = await openWindow(app)

    await signInAs(window, dario)
    await window.page.getByRole('link', { name: 'Open the phone app' }).waitFor()

    expect(window.troubles).toEqual([])
  })
})
