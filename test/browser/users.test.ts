import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

const names = ['Bea', 'Carl', 'Dora', 'Emil', 'Fay', 'Gus', 'Hans', 'Ida', 'Jan', 'Kim', 'Leo', 'Mia']

async function setUp() {
  const app = await testApp()
  const ada = await createTestUser(app, 'Ada', 'owner')
  const ids: number[] = []
  for (const name of names) ids.push((await createTestUser(app, name, 'agent')).id)
  // Mia has not accepted the invitation.
  await app.db
    .updateTable('user')
    .set({ confirmed_at: 1 })
    .where('id', 'in', [ada.id, ...ids.slice(0, -1)])
    .execute()
  const team = (await app.a.api('POST', '/v1/teams', { name: 'Support' })).json.team.id
  await app.a.api('POST', `/v1/teams/${team}/users/${ids[0]}`)
  return { app, ada, ids, team }
}

const table = ({ page }: Window) => page.getByRole('table', { name: 'Users' })
const rowOf = (window: Window, name: string) =>
  table(window)
    .getByRole('row')
    .filter({ hasText: `${name} Test` })
const bar = ({ page }: Window) => page.getByRole('toolbar', { name: 'Actions for selected users' })
const select = (window: Window, name: string) =>
  window.page.getByRole('checkbox', { name: `Select ${name} Test` }).check()

inBrowser('the list of users', () => {
  test('an owner sorts, filters, selects and changes several users, and undoes it', async () => {
    const { app, ada, ids, team } = await setUp()
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ada, '/dashboard/users?size=10')

    await table(window).getByRole('button', { name: 'Name' }).click()
    await table(window).locator('[aria-sort="ascending"]').waitFor()
    await table(window).getByRole('button', { name: 'Name' }).click()
    await rowOf(window, 'Mia').waitFor()
    expect(await table(window).getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending')

    await select(window, 'Mia')
    await select(window, 'Leo')
    await bar(window).getByText('2 users selected').waitFor()
    await picture(window, 'users-selected')
    await bar(window).getByRole('button', { name: 'Teams' }).click()
    await page.getByRole('menuitem', { name: 'Add to Support' }).click()
    await page.getByText('2 users added to Support').waitFor()
    await rowOf(window, 'Leo').getByText('Support').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone for 2 users').waitFor()
    const members = (await app.a.api('GET', `/v1/teams/${team}`)).json.team.users
    expect(members.map(({ id }: { id: number }) => id)).toEqual([ids[0]])

    // An invited user cannot be deactivated: the result names the user and the reason.
    await select(window, 'Mia')
    await select(window, 'Leo')
    await bar(window).getByRole('button', { name: 'Deactivate', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('1 user deactivated').waitFor()
    await page.getByText('1 user could not be changed').waitFor()
    await page.getByText(/Mia Test: .*not accepted the invitation/).waitFor()
    await picture(window, 'users-one-refused')
    expect(await accessibilityViolations(page)).toEqual([])
    expect(window.troubles.filter((trouble) => !trouble.includes('422'))).toEqual([])
  })

  test('columns, page size and a saved filter are remembered; the selection is exported', async () => {
    const { app, ada } = await setUp()
    const window = await openWindow(app, { width: 1024, height: 800, scheme: 'dark' })
    const { page } = window
    await enter(window, ada, '/dashboard/users')

    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Extension' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Rows per page' }).click()
    await page.getByRole('option', { name: '10 per page' }).click()
    await page.getByText('1–10 of').waitFor()
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Invited' }).click()
    await rowOf(window, 'Mia').waitFor()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('textbox', { name: 'Name of the filter' }).fill('Waiting')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Filter saved').waitFor()

    await page.goto(`${window.base}/dashboard/users`)
    await rowOf(window, 'Bea').waitFor()
    expect(await table(window).getByRole('columnheader', { name: 'Extension' }).count()).toBe(0)
    await page.getByText('1–10 of').waitFor()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Waiting' }).click()
    await rowOf(window, 'Bea').waitFor({ state: 'detached' })
    await picture(window, 'users-1024-dark')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar(window).getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    expect(text).toContain('Email,First name,Last name,Roles')
    expect(text).toContain('mia@example.test,Mia,Test,Agent')
    expect(window.troubles).toEqual([])
  })

  test('with the keyboard alone, on a phone: select all, and delete after typing the word', async () => {
    const { app, ada } = await setUp()
    const window = await openWindow(app, { width: 390, height: 844 })
    const { page } = window
    await enter(window, ada, '/dashboard/users?state=invited&q=mia')

    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).focus()
    await page.keyboard.press('Space')
    await bar(window).getByText('1 user selected').waitFor()
    await bar(window).getByRole('button', { name: 'Delete' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type “delete” to confirm').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await picture(window, 'users-delete-390')
    await page.keyboard.type('delete')
    await dialog.getByRole('button', { name: 'Delete' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('1 user deleted').waitFor()
    await page.getByText('No results').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    expect((await app.a.api('GET', '/v1/users/mia@example.test')).status).toBe(404)
    expect(window.troubles).toEqual([])
  })

  test('a CSV file is checked row by row, imported with links to pass on, and undone', async () => {
    const { app, ada, team } = await setUp()
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ada, '/dashboard/users/import')
    const file = [
      '\uFEFFE-Mail;Vorname;Nachname;Rolle;Teams;Nebenstelle',
      'nia@example.test;Nia;"Test; the first";Agent;support;301',
      'otto@example.test;Otto;<b>Test</b>;;;',
      'bea@example.test;Bea;Test;Agent;;',
      'not an address;Pia;Test;Agent;Unknown;1',
    ].join('\r\n')

    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
    await page.getByRole('button', { name: 'Check 4 rows' }).click()
    await page.getByText('2 new users · 1 duplicate · 1 row with errors').waitFor()
    await page.getByText(/Row 4: .*not an email address.*no team.*3 to 6 digits/).waitFor()
    await picture(window, 'users-import-check')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Import 2 users, leave out 1 row' }).click()
    while ((await page.getByRole('heading', { name: '2 users imported' }).count()) === 0) await app.settle()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download invitation links' }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toMatch(/nia@example\.test,.*\/invitation\//)
    const members = (await app.a.api('GET', `/v1/teams/${team}`)).json.team.users
    expect(members.map(({ email }: { email: string }) => email)).toContain('nia@example.test')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(window, 'users-imported-390-dark')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Undo import' }).click()
    while ((await page.getByRole('heading', { name: 'Import undone' }).count()) === 0) await app.settle()
    expect((await app.a.api('GET', '/v1/users/nia@example.test')).status).toBe(404)
    expect(window.troubles).toEqual([])
  })
})
