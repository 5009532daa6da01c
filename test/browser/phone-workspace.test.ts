import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { type Line, type Office, openOffice } from '../kit/phone.ts'
import { withPassword } from './people.ts'

// Ada works at a desktop: lists, the thread with a customer and the call beside each other.

async function openDesk(size: {
  width: number
  height: number
}): Promise<{ office: Office; line: Line; window: Window; page: Page }> {
  const office = await openOffice(testApp)
  const person = await withPassword(office, office.ada, 'ada@example.test')
  await office.a.api('PUT', `/v2/users/${office.ada}`, { wrap_up_time: 0 })
  const line = await office.line()
  const window = await openWindow(office, size)
  await enter(window, person, '/phone')
  await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await office.settle()
  return { office, line, window, page: window.page }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** A caller who hangs up before an agent answers. */
async function miss(office: Office, line: Line): Promise<number> {
  const id = await office.call(line, { patience: 8 })
  await office.pass(12)
  return id
}

inBrowser('the workspace', () => {
  test('a missed call appears in To do, is read, called back, and archived, also by keyboard', async () => {
    const { office, line, window, page } = await openDesk({ width: 1440, height: 900 })

    const id = await miss(office, line)
    await page.getByRole('tab', { name: /^To do.*1 unread/ }).waitFor()
    const list = page.getByRole('list', { name: 'To do' })
    await page.getByRole('tab', { name: /^To do/ }).click()
    await list.getByRole('button').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Selected call' }).waitFor()
    await page.getByRole('tab', { name: 'To do', exact: true }).waitFor()
    await picture(window, 'phone-workspace-to-do')
    expect(await accessibilityViolations(page)).toEqual([])
    await list.getByRole('button', { name: /^Call back/ }).click()
    await button(page, 'Hang up').click()
    await list.getByRole('button', { name: /^Archive/ }).click()
    await page.getByText('Nothing to do').waitFor()
    expect((await office.show(id)).archived).toBe(true)
    await button(page, 'Undo').click()
    await list.getByRole('button', { name: /^Archive/ }).waitFor()

    expect((await office.show(id)).archived).toBe(false)
    expect(window.troubles).toEqual([])
  })

  test('a call that a colleague answers leaves the customer on the screen, without what only the colleague may read', async () => {
    const { office, line, window, page } = await openDesk({ width: 1440, height: 900 })
    await office.connect(office.bea)

    await office.call(line)
    await button(page, 'Accept').waitFor()
    await page.getByRole('region', { name: 'Earlier calls and messages' }).waitFor()
    await office.does(office.bea, { kind: 'answer' })
    await page.getByText('Answered by a colleague').waitFor()
    await office.settle()
    await page.getByRole('heading', { level: 1, name: '+33 6 12 34 56 78' }).waitFor()

    expect(await page.getByRole('region', { name: 'Selected call' }).count()).toBe(0)
    expect([window.troubles, window.refused]).toEqual([[], []])
  })

  test('a call shows the customer beside it, a stranger becomes a contact, and every list stays in reach', async () => {
    const { office, line, window, page } = await openDesk({ width: 1440, height: 900 })
    const earlier = await miss(office, line)
    await office.a.api('POST', `/v1/calls/${earlier}/comments`, { content: 'Wants an offer' })

    const id = await office.call(line)
    await button(page, 'Accept').click()
    await button(page, 'Hang up').waitFor()
    const thread = page.getByRole('region', { name: 'Earlier calls and messages' })
    await thread.getByText('Wants an offer').waitFor()
    await button(page, 'Create contact').click()
    const form = page.getByRole('form', { name: 'Create contact' })
    await form.getByRole('button', { name: 'Create contact' }).click()
    await form.getByText('Enter a name or a company').waitFor()
    await form.getByLabel('First name').fill(' Ines ')
    await form.getByLabel('Last name').fill('Bond')
    await form.getByRole('button', { name: 'Create contact' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ines Bond' }).first().waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'phone-workspace-call')
    await page.getByRole('tab', { name: 'Team' }).click()
    await page.getByRole('list', { name: 'Colleagues' }).getByText('bea Agent').waitFor()
    await button(page, 'Hang up').waitFor()
    await button(page, 'Show customer').click()
    await thread.getByText('Wants an offer').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await accessibilityViolations(page, { contrastOnly: true })).toEqual([])
    await picture(window, 'phone-workspace-call-dark')
    await page.keyboard.type('he wants a refund')

    expect((await office.show(id)).ended_at).toBe(null)
    expect(window.troubles).toEqual([])
  })

  test('calls are searched by a part of a number, at 390 and 1024 pixels nothing is wider than the window', async () => {
    const { office, line, window, page } = await openDesk({ width: 1024, height: 768 })
    await office.call(line)
    await button(page, 'Accept').click()
    await button(page, 'Hang up').click()

    await page.getByRole('tab', { name: 'Calls' }).click()
    const list = page.getByRole('list', { name: 'Your calls' })
    await page.getByRole('searchbox', { name: 'Search calls' }).fill('000000')
    await page.getByText('No results').waitFor()
    await page.getByRole('searchbox', { name: 'Search calls' }).fill('612')
    await list.getByRole('button').first().waitFor()
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 780 })
      await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      await picture(window, `phone-workspace-${width}`)
    }

    expect(window.troubles).toEqual([])
  })
})
