import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

// Markup, SQL, a right-to-left override, a zero-width space and an emoji.
const hostile = '<img src=x onerror=hacked=1>\'"; drop table a;-- \u202E\u200B😀'

inBrowser('the input of forms of their own', () => {
  test('sign-in rejects blank, hostile and oversized input, and ignores spaces around the email address', async () => {
    const app = await testApp()
    const ines = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await page.goto('/dashboard')
    const [email, password] = [page.getByLabel('Email'), page.getByLabel(/^Password/)]
    const submit = page.getByRole('button', { name: 'Sign in', exact: true })
    const invalid = page.locator('input:invalid')

    await submit.click()
    const blank = await invalid.count()
    await email.fill('nobody')
    await password.fill('x')
    await submit.click()
    const malformed = await invalid.count()
    await email.fill(ines.email)
    for (const wrong of [hostile, 'W'.repeat(3_000)]) {
      await password.fill(wrong)
      await submit.click()
      await page.getByRole('alert').first().waitFor()
    }
    await picture(window, 'sign-in-refused')
    await email.fill(`  ${ines.email}  `)
    await password.fill(ines.password)
    await submit.click()
    await page.getByRole('link', { name: 'Home' }).waitFor()

    expect([blank, malformed]).toEqual([2, 1])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  })

  test('single sign-on keeps rejected input in the form, explains it, and stores nothing', async () => {
    const app = await testApp()
    const ines = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ines, '/dashboard/company/security')
    await page.getByRole('button', { name: 'Set up single sign-on' }).click()
    const drawer = page.getByRole('dialog', { name: 'Single sign-on' })
    const [issuer, client] = [drawer.getByLabel('Issuer URL'), drawer.getByLabel('Client ID')]
    const save = drawer.getByRole('button', { name: 'Save', exact: true })

    await save.click()
    expect(await drawer.locator('input:invalid').count()).toBe(2)
    await client.fill(hostile)
    for (const wrong of ['login', 'ftp://login.example.com', `https://${'a'.repeat(3_000)}.example.com`]) {
      await issuer.fill(wrong)
      await save.click()
      await drawer.getByRole('alert').or(drawer.locator('[aria-invalid="true"]')).first().waitFor()
      expect([await issuer.inputValue(), await client.inputValue()]).toEqual([wrong, hostile])
    }
    await picture(window, 'sso-rejected')

    expect((await app.a.own('GET', '/v1/company/sso')).json.configured).toBe(false)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(window.troubles).toEqual([])
  })

  test('retention accepts only whole days within its limits', async () => {
    const app = await testApp()
    const ines = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ines, '/dashboard/company/security')
    const section = page.getByRole('region', { name: 'Data retention' })
    const field = section.getByLabel('Messages')
    const typed = async (text: string) => {
      await field.fill('')
      await field.pressSequentially(text)
      await field.blur()
      return field.inputValue()
    }

    const shown = [await typed('abc'), await typed('0'), await typed('12.5'), await typed('99999'), await typed(' 60 ')]
    await section.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Shorten retention periods?' })
    await dialog.getByLabel('Type DELETE to confirm').fill('DELETE')
    await dialog.getByRole('button', { name: 'Shorten' }).click()
    await page.getByText('Retention periods saved').waitFor()

    expect(shown).toEqual(['', '1 days', '125 days', '3650 days', '60 days'])
    expect((await app.a.own('GET', '/v1/company/retention')).json.retention.messages).toBe(60)
    expect(window.troubles).toEqual([])
  })

  test('business hours that overlap or end before they start cannot be saved', async () => {
    const app = await testApp()
    const ines = await createTestUser(app, 'Ines', 'owner')
    const line = { digits: '+33199000812', name: 'Shop', time_zone: 'Europe/Paris', flow_editor_enabled: false }
    const { id } = (await app.a.own('POST', '/v1/numbers', line)).json.number
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ines, `/dashboard/numbers/${id}/hours`)
    await waitUntilLoaded(page)
    const [start, end] = [page.getByLabel('Monday, start').first(), page.getByLabel('Monday, end').first()]
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const stored = async () => (await app.a.own('GET', `/v1/numbers/${id}/opening_hours`)).json.hours.mon
    const before = await stored()

    await start.fill('18:00')
    await end.fill('09:00')
    await page.getByText('Monday: enter time ranges').waitFor()
    expect([await save.isDisabled(), await stored()]).toEqual([true, before])
    await picture(window, 'hours-rejected')
    await start.fill('09:00')
    await end.fill('12:30')
    await save.click()
    await page.getByText('Business hours saved').waitFor()

    expect((await stored())[0]).toEqual(['09:00', '12:30'])
    expect(window.troubles).toEqual([])
  })
})
