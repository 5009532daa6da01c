import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

async function partner() {
  const app = await testApp()
  const redirect = 'http://127.0.0.1:9/back'
  const body = {
    name: 'Acme CRM',
    install_uri: redirect,
    redirect_uri: redirect,
    description: 'Calls beside customers',
  }
  const made = await app.a.own('POST', '/v1/oauth_apps', body)
  const { client_id } = made.json.oauth_app
  const asked = { client_id, redirect_uri: redirect, response_type: 'code', scope: 'public_api', state: 'a&code=x' }
  return { app, redirect, address: `/oauth/authorize?${new URLSearchParams(asked)}` }
}

/** Navigations of the page; a redirect to the partner is an intended request to another site. */
const besides = ({ troubles }: Window, url: string) =>
  troubles.filter((trouble) => !trouble.startsWith(`request to ${new URL(url).origin}`))

inBrowser('consent', () => {
  test('an admin allows an app, which gets a code and its state unchanged', async () => {
    const { app, redirect, address } = await partner()
    const ines = await createTestUser(app, 'Ines', 'admin')
    const window = await openWindow(app)
    const { page } = window

    // The partner's own page, which does not exist.
    await page.context().route(`${redirect}?**`, (route) => route.fulfill({ body: 'Welcome' }))
    await enter(window, ines, address)
    await page.getByText('Acme CRM').first().waitFor()
    await picture(window, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((url) => url.href.startsWith(redirect))

    const { searchParams } = new URL(page.url())
    expect(searchParams.get('state')).toBe('a&code=x')
    expect(searchParams.getAll('code')).toEqual([expect.stringMatching(/\w{20,}/)])
    expect(besides(window, redirect)).toEqual([])
  })

  test('an agent is redirected to the download page', async () => {
    const { app, redirect, address } = await partner()
    const dario = await createTestUser(app, 'Dario', 'agent')
    const window = await openWindow(app)
    const { page } = window

    await enter(window, dario, address)

    expect(new URL(page.url()).pathname).toBe('/download')
    expect(besides(window, redirect)).toEqual([])
  })

  test('the page behind a connected app needs no sign-in', async () => {
    const { app } = await partner()
    const window = await openWindow(app)
    const { page } = window

    const shown = await page.goto(`${app.base}/oauth/success?state=x`)

    expect(shown?.status()).toBe(200)
    await page.getByRole('heading', { name: 'App connected' }).waitFor()
  })
})
