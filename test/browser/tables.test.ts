import { expect, test } from 'vitest'
import { ensurePasswords } from '../../src/sandbox/passwords.ts'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook } from '../kit/webhooks.ts'
import { openDemo } from '../sandbox/demo.ts'
import { createTestUser } from './people.ts'

/** Tables with sorting, filters, saved filters and columns; the column that is sorted by, and whether rows can be selected. */
const tables: [place: string, label: string, column: string, isSelectable: boolean][] = [
  ['developers/keys', 'API keys', 'API key', true],
  ['developers/apps', 'OAuth apps', 'App', true],
  ['trunks/lines', 'SIP trunks', 'Name', true],
  ['agents', 'AI agents', 'Name', true],
  ['company/audit', 'Audit log', 'Time', false],
  ['company/mails', 'Emails', 'Created', false],
  ['messaging/carriers', 'Carriers', 'Name', true],
  ['messaging/opt-outs', 'Opt-outs', 'Phone number', true],
  ['intelligence/scorecards', 'Scorecards', 'Name', true],
  ['intelligence/topics', 'Topics', 'Name', true],
  ['analytics/exports', 'Exports', 'Report', true],
  ['messages/templates', 'SMS templates', 'Name', true],
  ['webhooks', 'Webhooks', 'Webhook', true],
  ['numbers', 'Numbers', 'Number', true],
  ['teams', 'Teams', 'Name', true],
  ['tags', 'Tags', 'Name', true],
]

const looks = [
  [390, 'dark'],
  [1440, 'light'],
  [1024, 'dark'],
] as const

async function look(window: Window, name: string): Promise<void> {
  const { page } = window
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await picture(window, `${name}-${width}-${colorScheme}`)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
    expect(await accessibilityViolations(page), name).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

inBrowser('tables', () => {
  test('every list is sorted, searched, selected and reduced to chosen columns', async () => {
    const demo = await openDemo(testApp)
    const password = await ensurePasswords(demo.app.services, [demo.seeded.main, demo.seeded.second], undefined)
    await demo.settle()
    const window = await openWindow(demo, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, { email: 'ada.lindqvist@demo.test', password }, '/dashboard')

    for (const [place, label, column, isSelectable] of tables) {
      await page.goto(`/dashboard/${place}`)
      await waitUntilLoaded(page)
      const table = page.getByRole('table', { name: label })
      const head = table.getByRole('columnheader', { name: column, exact: true })
      const firstCells = () => table.locator('tbody tr').allInnerTexts()
      await head.getByRole('button').click()
      await expect.poll(() => head.getAttribute('aria-sort'), { message: place }).toMatch(/ascending|descending/)
      const ascending = await firstCells()
      const direction = await head.getAttribute('aria-sort')
      await head.getByRole('button').press('Enter')
      await expect.poll(() => head.getAttribute('aria-sort'), { message: place }).not.toBe(direction)
      expect(new URL(page.url()).searchParams.get('order'), place).not.toBe('')
      if (ascending.length > 1 && !['Audit log', 'Emails'].includes(label))
        await expect.poll(firstCells, { message: place }).toEqual(ascending.toReversed())
      await page.getByRole('button', { name: 'Saved filters' }).waitFor()
      if (isSelectable) {
        await table.getByRole('checkbox', { name: 'Select all rows of this page' }).press('Space')
        await page.getByRole('toolbar', { name: /^Actions for selected/ }).waitFor()
      }
      await look(window, `table-${place.replaceAll('/', '-')}`)
      const columns = await table.getByRole('columnheader').count()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('group', { name: 'Columns' }).getByRole('checkbox').first().click()
      await expect.poll(() => table.getByRole('columnheader').count(), { message: place }).toBe(columns - 1)
      await page.getByRole('group', { name: 'Columns' }).getByRole('checkbox').first().click()
      await page.keyboard.press('Escape')
    }
    expect(window.troubles).toEqual([])
  })

  test('selected API keys are revoked, after the word was typed', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Olga', 'owner')
    for (const name of ['CRM', 'Reports', 'Old script']) await app.a.own('POST', '/v1/api_keys', { name })
    const window = await openWindow(app, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, owner, '/dashboard/developers/keys')

    await page.getByRole('searchbox', { name: 'Name or api_id' }).fill('script')
    await page.getByRole('row', { name: /CRM/ }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Name or api_id' }).fill('')
    await page.getByRole('checkbox', { name: 'Select CRM' }).click()
    await page.getByRole('checkbox', { name: 'Select Reports' }).click()
    const toolbar = page.getByRole('toolbar', { name: 'Actions for selected API keys' })
    await toolbar.getByText('2 API keys selected').waitFor()
    await toolbar.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke 2 API keys?' })
    await expect.poll(() => dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type “revoke” to confirm').fill('revoke')
    await dialog.getByRole('button', { name: 'Revoke' }).click()

    await page.getByText('2 API keys revoked').waitFor()
    await toolbar.waitFor({ state: 'detached' })
    const { api_keys: left } = (await app.a.own('GET', '/v1/api_keys')).json
    expect(left.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Old script']))
    expect(left).toHaveLength(2)
    expect(window.troubles).toEqual([])
  })

  test('selected AI agents are deactivated and the change is undone; a filter is saved and used again', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Olga', 'owner')
    for (const name of ['Robin', 'Alex', 'Kim'])
      await app.a.own('POST', '/v1/ai_voice_agents', { name, first_message: 'Hello', active: true })
    const agents = async () =>
      (await app.a.api('GET', '/v1/ai_voice_agents')).json.ai_voice_agents
        .filter(({ active }: { active: boolean }) => active)
        .map(({ name }: { name: string }) => name)
        .toSorted()
    const window = await openWindow(app, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, owner, '/dashboard/agents')

    await page.getByRole('checkbox', { name: 'Select Robin' }).press('Space')
    await page.getByRole('checkbox', { name: 'Select Kim' }).press('Space')
    await page.getByRole('button', { name: 'Deactivate' }).press('Enter')
    await page.getByText('2 AI agents deactivated').waitFor()
    expect(await agents()).toEqual(['Alex'])

    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Inactive' }).click()
    await page.getByRole('row', { name: /Alex/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByLabel('Name of the filter').fill('Switched off')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Switched off' }).waitFor()
    await page.goto('/dashboard/agents')
    await page.getByRole('row', { name: /Alex/ }).waitFor()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Switched off' }).click()
    await page.getByRole('row', { name: /Alex/ }).waitFor({ state: 'detached' })

    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText('2 AI agents activated').waitFor()
    await page.getByText('No results').waitFor()
    expect(await agents()).toEqual(['Alex', 'Kim', 'Robin'])
    await page
      .getByRole('alert')
      .filter({ hasText: '2 AI agents activated' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await page.getByText('Undone for 2 AI agents').waitFor()
    expect(await agents()).toEqual(['Alex'])
    expect(window.troubles).toEqual([])
  })

  test('selected deliveries of a webhook are redelivered, and the log is sorted by the server', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Olga', 'owner')
    const target = await receiver()
    const hook = await addHook(app.a.api, target, ['contact.created'])
    for (let n = 1; n <= 12; n++) {
      await addContact(app.a.api, `Contact ${n}`)
      await app.clock.advance(1_000)
    }
    await app.app.settle()
    const window = await openWindow(app, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, owner, `/dashboard/webhooks/${hook.id}`)
    const table = page.getByRole('table', { name: 'Deliveries' })
    const first = table.locator('tbody tr').first()
    await waitUntilLoaded(page)
    const newest = await first.innerText()

    await table.getByRole('columnheader', { name: 'Created' }).getByRole('button').press('Enter')
    await expect.poll(() => first.innerText()).not.toBe(newest)
    await page.getByRole('combobox', { name: 'Rows per page' }).click()
    await page.getByRole('option', { name: '10 per page' }).click()
    await expect.poll(() => table.locator('tbody tr').count()).toBe(10)
    await table.getByRole('checkbox').nth(1).click()
    await table.getByRole('checkbox').nth(2).click()
    const before = target.got.length
    await look(window, 'table-deliveries')
    await page
      .getByRole('toolbar', { name: 'Actions for selected deliveries' })
      .getByRole('button', { name: 'Redeliver' })
      .click()
    await page.getByText('Redelivery of 2 deliveries queued').waitFor()
    await app.app.settle()
    await expect.poll(() => target.got.length).toBe(before + 2)
    await page.getByRole('combobox', { name: 'Date range' }).click()
    await page.getByRole('option', { name: 'Custom dates' }).click()
    await page.getByLabel('From date').fill('2030-01-01')
    await page.getByText('No results').waitFor()
    expect(window.troubles).toEqual([])
  })
})
