import { expect, test } from 'vitest'
import { day } from '../../src/lib/clock.ts'
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
import { type Demo, openDemo } from '../sandbox/demo.ts'
import { createTestUser, type Person } from './people.ts'

const place = '/dashboard/analytics/scheduled'

async function userOfDemo(role: string): Promise<{ demo: Demo; person: Person }> {
  const demo = await openDemo(testApp)
  const company = { ...demo.a, id: demo.seeded.main.companyId, api: demo.main }
  return { demo, person: await createTestUser({ ...demo, a: company }, 'Sue', role) }
}

/** Newest first: the e-mails of reports. */
async function reportMails({ db, app }: Demo) {
  const rows = await db
    .selectFrom('mail')
    .selectAll()
    .where('report_run_id', 'is not', null)
    .orderBy('id', 'desc')
    .execute()
  return rows.map((mail) => ({
    to: mail.recipient,
    text: app.services.vault.open(mail.text_sealed),
    html: JSON.parse(app.services.vault.open(mail.parts_sealed ?? '')).html as string,
  }))
}

async function settledDown({ page }: Window) {
  await waitUntilLoaded(page)
  await page.mouse.move(5, 5)
}

inBrowser('scheduled reports', () => {
  test('a supervisor schedules a report with the filters of the page, tests, pauses and deletes it', async () => {
    const { demo, person } = await userOfDemo('supervisor')
    const window = await openWindow(demo, { width: 1440, height: 1000, timeZone: 'Europe/Paris' })
    const { page, troubles } = window
    const [number] = demo.seeded.main.numberIds
    await enter(window, person, `/dashboard/analytics/overview?number=${number}`)
    await waitUntilLoaded(page)

    await page.getByRole('button', { name: 'Schedule report' }).click()
    const drawer = page.getByRole('dialog', { name: 'Schedule report' })
    await drawer.getByLabel('Name').fill('Monthly main line')
    await drawer.getByRole('combobox', { name: 'Frequency' }).click()
    await page.getByRole('option', { name: 'Monthly' }).click()
    await drawer.getByLabel('Day of the month').fill('31')
    await drawer.getByLabel('Time', { exact: false }).first().fill('07:30')
    await drawer.getByText(/On the last day of the month at 7:30\sAM/).waitFor()
    await picture(window, 'report-form')
    const hardForm = await accessibilityViolations(page)
    await drawer.getByRole('button', { name: 'Schedule report' }).click()
    const row = page.getByRole('row', { name: /Monthly main line/ })
    await row.waitFor()
    await settledDown(window)
    await picture(window, 'scheduled-reports')
    const hardList = await accessibilityViolations(page)
    await row.getByRole('button', { name: 'Actions for Monthly main line' }).click()
    await page.getByRole('menuitem', { name: 'Send test to me' }).click()
    await demo.settle()
    await row.getByText('In the email log').last().waitFor()
    const [mail] = await reportMails(demo)
    await row.getByRole('button', { name: 'Actions for Monthly main line' }).click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await row.getByText('Paused', { exact: true }).last().waitFor()
    await row.getByRole('button', { name: 'Actions for Monthly main line' }).click()
    await page.getByRole('menuitem', { name: 'Run history' }).click()
    await page
      .getByRole('table', { name: 'Runs' })
      .getByText(/^Test, /)
      .waitFor()
    await picture(window, 'report-runs')
    const hardRuns = await accessibilityViolations(page)
    await page
      .getByRole('dialog', { name: /^Run history/ })
      .getByRole('button', { name: 'Close' })
      .click()
    await row.getByRole('button', { name: 'Actions for Monthly main line' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })

    expect([...hardForm, ...hardList, ...hardRuns]).toEqual([])
    expect(mail?.to).toBe(person.email)
    expect(mail?.text).toContain(`&number=${number}&`)
    expect(troubles).toEqual([])
  })

  test('the e-mail is readable in light and dark, and its link unsubscribes without signing in', async () => {
    const { demo } = await userOfDemo('admin')
    await demo.clock.advance(8 * day)
    await demo.settle()
    const [mail] = await reportMails(demo)
    const html = mail?.html ?? ''
    const link = /https?:\/\/[^"\s]*(\/unsubscribe\/[^"\s]+)/.exec(mail?.text ?? '')?.[1] ?? ''
    const hard: string[] = []
    for (const [width, scheme] of [
      [1024, 'light'],
      [390, 'dark'],
    ] as const) {
      const window = await openWindow(demo, { width, height: 1100, scheme })
      await window.page.setContent(html)
      await picture(window, `report-email-${scheme}-${width}`)
      hard.push(...(await accessibilityViolations(window.page)))
      const isTooWide = await window.page.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect(isTooWide, `${width}`).toBe(false)
    }
    const window = await openWindow(demo, { width: 390, height: 844, scheme: 'dark' })
    const { page, troubles } = window

    await page.goto(link)
    await page.getByRole('heading', { name: 'Unsubscribe' }).waitFor()
    await page.getByText('Weekly call report').waitFor()
    await picture(window, 'unsubscribe-dark-390')
    hard.push(...(await accessibilityViolations(page)))
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor()
    await page.getByRole('button', { name: 'Subscribe again' }).waitFor()
    await picture(window, 'unsubscribed-dark-390')
    await page.goto(`${link.slice(0, -3)}000`)
    await page.getByRole('heading', { name: 'Link not valid' }).waitFor()

    expect(hard).toEqual([])
    expect(troubles).toEqual([])
  })

  test('an admin allows external recipients; the list fits narrow and dark windows', async () => {
    const { demo, person } = await userOfDemo('admin')
    const window = await openWindow(demo, { width: 1024, height: 900, scheme: 'dark' })
    const { page, troubles } = window
    await enter(window, person, place)
    await page.getByRole('row', { name: /Weekly call report/ }).waitFor()

    await page.getByLabel('Allow recipients outside of the company').click({ force: true })
    await page.getByText('External recipients allowed').waitFor()
    await page.getByRole('button', { name: 'Actions for Weekly call report' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const drawer = page.getByRole('dialog', { name: 'Edit scheduled report' })
    await drawer.getByLabel('External email addresses').fill('board')
    await page.keyboard.press('Enter')
    await drawer.getByText('board is not a valid email address').waitFor()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByRole('alert').filter({ hasText: '“board” is not an email address' }).waitFor()
    await drawer.getByLabel('External email addresses').press('Backspace')
    await drawer.getByLabel('External email addresses').fill('board@example.test')
    await page.keyboard.press('Enter')
    await picture(window, 'report-form-dark-1024')
    const hardForm = await accessibilityViolations(page)
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /board@example.test/ }).waitFor()
    await settledDown(window)
    await picture(window, 'scheduled-reports-dark-1024')
    const hardList = await accessibilityViolations(page)
    const narrow = await openWindow(demo, { width: 390, height: 844, scheme: 'dark' })
    await enter(narrow, person, place)
    await narrow.page.getByRole('row', { name: /Weekly call report/ }).waitFor()
    await settledDown(narrow)
    await narrow.page.getByRole('button', { name: 'Actions for Weekly call report' }).click({ trial: true })
    await picture(narrow, 'scheduled-reports-dark-390')
    const isTooWide = await narrow.page.evaluate('document.documentElement.scrollWidth > innerWidth')
    const hardNarrow = await accessibilityViolations(narrow.page)

    expect(isTooWide).toBe(false)
    expect([...hardForm, ...hardList, ...hardNarrow]).toEqual([])
    expect([...troubles, ...narrow.troubles]).toEqual([])
  })
})
