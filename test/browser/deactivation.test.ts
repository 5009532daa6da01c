import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, signInAs } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('deactivated users', () => {
  test('an owner deactivates a user who is signed in, undoes it, and does it again on the page of the user', async () => {
    const app = await testApp()
    const ada = await createTestUser(app, 'Ada', 'owner')
    const dario = await createTestUser(app, 'Dario', 'agent', 'supervisor')
    await app.db.updateTable('user').set({ confirmed_at: 1 }).where('id', 'in', [ada.id, dario.id]).execute()
    const [window, other] = [await openWindow(app), await openWindow(app, { width: 390, height: 844, scheme: 'dark' })]
    const { page } = window
    await enter(other, dario, '/dashboard/calls')
    await enter(window, ada, '/dashboard/users')

    const table = page.getByRole('table', { name: 'Users' })
    const row = table.getByRole('row').filter({ hasText: 'dario@example.test' })
    await row.getByRole('button', { name: 'Deactivate Dario Test' }).click()
    expect(await table.getByRole('button', { name: 'Deactivate Ada Test' }).count()).toBe(0)
    await picture(window, 'deactivate-user')
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click()
    await row.getByText('Deactivated').waitFor()
    await other.page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signInAs(other, dario)
    await other.page.getByText('Your account is deactivated').waitFor()
    await picture(other, 'sign-in-deactivated')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: 'Deactivate Dario Test' }).waitFor()
    await signInAs(other, dario)
    await other.page.getByRole('button', { name: 'Account menu for Dario Test' }).waitFor()

    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'Dario Test' }).waitFor()
    await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click()
    await page.getByText('This user is deactivated').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await picture(window, 'deactivated-user')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Reactivate' }).click()
    await page.getByText('Dario Test reactivated').waitFor()
    await page.getByRole('button', { name: 'Deactivate', exact: true }).waitFor()
    expect(window.troubles).toEqual([])
  })
})
