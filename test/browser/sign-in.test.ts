import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { inBrowser, openWindow, picture, signInAs } from '../kit/browser.ts'
import { somebody } from './people.ts'

inBrowser('the front door', () => {
  test('a person is invited, chooses a password, and is in; signed out they come back with it', async () => {
    const app = await testApp()
    const { a, settle } = app
    const body = { email: 'ines@example.test', first_name: 'Ines', last_name: 'Test', role_ids: ['admin'] }
    await a.api('POST', '/v2/users', body)
    await settle()
    const { mails } = (await a.own('GET', '/v1/mail_outbox?order=desc')).json
    const link = new URL(/https?:\S+/.exec(mails[0].text)?.[0] ?? '')
    const window = await openWindow(app)
    const { page } = window

    await page.goto(link.pathname)
    await page.getByText('Welcome, Ines').waitFor()
    await picture(window, 'invitation')
    await page.getByLabel('Choose a password').fill('correct horse')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('button', { name: 'Account of Ines Test' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    // What is typed before the page has gone there by itself is typed into the one that goes.
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signInAs(window, { email: 'ines@example.test', password: 'correct horse' })
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(link.pathname)
    await page.context().clearCookies()
    await page.goto(link.pathname)
    await page.getByText('This link does not work any more').waitFor()

    expect(window.troubles).toEqual([])
  })

  test('a wrong password is told, and opens nothing', async () => {
    const app = await testApp()
    const ada = await somebody(app, 'Ada', 'admin')
    const window = await openWindow(app)
    const { page } = window

    await signInAs(window, { ...ada, password: 'a guess' })
    await page.getByText('The e-mail address or the password is wrong').waitFor()
    await picture(window, 'sign-in')

    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    expect(window.troubles).toEqual([])
  })

  test('an agent is shown the way to the phone app', async () => {
    const app = await testApp()
    const dario = await somebody(app, 'Dario', 'agent')
    const window = await openWindow(app)

    await signInAs(window, dario)
    await window.page.getByRole('link', { name: 'Open the phone app' }).waitFor()

    expect(window.troubles).toEqual([])
  })
})
