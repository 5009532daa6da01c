import { expect, test } from 'vitest'
import { addAgent } from '../ai-agents/agents.ts'
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
import { openOffice } from '../kit/phone.ts'
import { createTestUser } from './people.ts'

async function everyLook(window: Window, name: string) {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  await picture(window, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark`).toEqual([])
  await picture(window, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 1_200 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await picture(window, `${name}-narrow`)
  await page.setViewportSize({ width: 1_440, height: 1_200 })
}

inBrowser('outbound campaigns in the dashboard', () => {
  test('an admin creates a campaign from a pasted list, starts it and sees its results', async () => {
    const office = await openOffice(testApp)
    await office.a.own('PUT', '/v1/company/settings', { country: 'FR' })
    const line = await office.line()
    await addAgent(office, {
      name: 'Robin',
      first_message: 'Hello {{name}}',
      outbound_number_id: line.id,
      questions: [{ key: 'comes', ask: 'Will you be there?', kind: 'yes_no' }],
    })
    const [jo, bo, mo] = ['+33199007001', '+33199007002', '+33199007003']
    await office.callees({
      [jo]: { lines: [{ say: 'Yes, sure', seconds: 2 }] },
      [bo]: { busy: true },
      [mo]: { lines: [{ say: 'Take me off your list', seconds: 2 }] },
    })
    const admin = await createTestUser(office, 'Ines', 'admin')
    const window = await openWindow(office, { width: 1_440, height: 1_200 })
    const { page, troubles } = window

    await enter(window, admin, '/dashboard/campaigns')
    await page.getByText('No campaigns yet').waitFor()
    await page.getByText('No numbers have opted out.').waitFor()
    await everyLook(window, 'campaigns-empty')

    await page.getByRole('button', { name: 'New campaign' }).click()
    const form = page.getByRole('dialog', { name: 'New campaign' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Visits of June')
    await form.getByRole('combobox', { name: 'AI agent' }).click()
    await page.getByRole('option', { name: 'Robin' }).click()
    const list = form.getByRole('textbox', { name: 'Recipients' })
    await list.fill(`${jo}, Jo\n0612, Bo\n${mo}`)
    await form.getByRole('button', { name: 'Check recipients' }).click()
    await form.getByText('2 recipients cannot be called').waitFor()
    await form.getByText('Row 2 (0612): not a phone number').waitFor()
    await form.getByText(`Row 3 (${mo}): no value for “name”`).waitFor()
    await office.a.api('POST', '/v1/call_opt_outs', { phone_number: bo })
    await list.fill(`${jo}, Jo\n${bo}, Bo`)
    await form.getByRole('button', { name: 'Check recipients' }).click()
    await form.getByText('2 recipients, all valid, 1 opted out').waitFor()
    await form.getByText(`Row 2 (${bo}): has opted out of calls by AI agents`).waitFor()
    await everyLook(window, 'campaign-new')
    await office.a.api('DELETE', `/v1/call_opt_outs/${bo}`)
    // A number without a country code is one of the company's country.
    await list.fill(`01 99 00 70 01, Jo\n${bo}, Bo`)
    await form.getByRole('button', { name: 'Create campaign' }).click()

    await page.getByRole('heading', { name: 'Visits of June', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Add recipients' }).click()
    const more = page.getByRole('dialog', { name: 'Add recipients' })
    await more.getByRole('textbox', { name: 'Recipients' }).fill(`${mo}, Mo\n${bo}, Bo`)
    await everyLook(window, 'campaign-add')
    await more.getByRole('button', { name: 'Add recipients' }).click()
    await page.getByText('1 recipient added. 1 was already in the campaign').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit campaign' })
    await edit.getByRole('textbox', { name: 'Name' }).fill('Visits of July')
    await edit.getByRole('combobox', { name: 'Retry if busy' }).click()
    await page.getByRole('option', { name: 'After 2 days' }).click()
    await everyLook(window, 'campaign-edit')
    await edit.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Visits of July', level: 1 }).waitFor()
    await page.getByText('busy: after 2 days').waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Campaign started').waitFor()
    await office.pass(600)
    await page.reload()
    await page.getByText('2 of 3').waitFor()
    const results = page.getByRole('table', { name: 'Results' })
    await results.getByText('comes: true').waitFor()
    await results.getByText('Opted out').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'campaign-results')

    await page.getByRole('button', { name: 'Cancel campaign' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click()
    await page.getByText('Campaign cancelled').waitFor()
    await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
    await page.getByRole('table', { name: 'Campaigns' }).getByText('Cancelled').waitFor()
    await page.getByRole('region', { name: 'Opt-outs' }).getByText('on a call').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'campaigns')
    expect(troubles).toEqual([])
  })
})
