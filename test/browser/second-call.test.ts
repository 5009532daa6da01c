import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { hangUp, type Line, type Office, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { withPassword } from './people.ts'

// Ada is on a call and takes or places another one.

const mobile = '+33699887766'
const third = '+33699887755'
const sizes = [
  [1440, 900],
  [390, 780],
] as const

async function onCall(
  width: number,
  height: number,
): Promise<{ office: Office; line: Line; window: Window; page: Page; id: number }> {
  const office = await openOffice(testApp)
  const person = await withPassword(office, office.ada, 'ada@example.test')
  await office.a.api('PUT', `/v2/users/${office.ada}`, { wrap_up_time: 0 })
  const line = await office.line({ ring: ringTo([toUser(office.ada)]), box: hangUp })
  const window = await openWindow(office, { width, height })
  await enter(window, person, '/phone')
  const { page } = window
  await page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await office.settle()
  const id = await office.call(line)
  await button(page, 'Accept').click()
  await button(page, 'Hang up').waitFor()
  await office.settle()
  return { office, line, window, page, id }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const current = (page: Page) => page.getByRole('region', { name: 'Call', exact: true })
const other = (page: Page, title: string) => page.getByRole('region', { name: `Other call: ${title}` })

async function chooseTag(page: Page) {
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Order' }).click()
}

inBrowser('a second call', () => {
  test.each(sizes)('is dialled, swapped, and merged into a conference (%i px)', async (width, height) => {
    const { office, window, page, id } = await onCall(width, height)

    await button(page, 'New call').click()
    const panel = page.getByRole('region', { name: 'New call' })
    await panel.getByLabel('Number, extension or name').fill(mobile)
    await panel.getByRole('button', { name: 'Call', exact: true }).click()
    await current(page).getByRole('heading', { name: '+33 6 99 88 77 66' }).waitFor()
    await other(page, '+33 6 12 34 56 78').getByText('On hold').waitFor()
    await office.pass(4)
    const merge = button(page, 'Merge calls')
    await expect.poll(() => merge.isEnabled()).toBe(true)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, `second-call-${width}`)

    await button(page, 'Swap').click()
    await current(page).getByRole('heading', { name: '+33 6 12 34 56 78' }).waitFor()
    await other(page, '+33 6 99 88 77 66').getByText('On hold').waitFor()
    await office.settle()
    expect(await office.eventNames(id)).toContain('unhold')

    await merge.click()
    await current(page).getByText('with +33 6 99 88 77 66').waitFor()
    await expect.poll(() => other(page, '+33 6 99 88 77 66').count()).toBe(0)
    await expect.poll(() => current(page).getByText('On hold').count()).toBe(0)
    await picture(window, `second-call-merged-${width}`)
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await button(page, 'Hang up').click()
    await expect.poll(async () => (await office.show(id)).status).toBe('done')

    expect(window.troubles).toEqual([])
  })

  test('is started from To do', async () => {
    const { office, line, window, page } = await onCall(1440, 900)
    await office.call(line, { from: third })
    await office.pass(4)

    await page.getByRole('tab', { name: /^To do/ }).click()
    await button(page, 'Call back +33 6 99 88 77 55').click()
    await current(page).getByRole('heading', { name: '+33 6 99 88 77 55' }).waitFor()
    await other(page, '+33 6 12 34 56 78').getByText('On hold').waitFor()
    await office.pass(4)
    expect(await button(page, 'Call back +33 6 99 88 77 55').isDisabled()).toBe(true)

    expect(window.troubles).toEqual([])
  })

  test('rings during a call once call waiting is on; the first call waits on hold', async () => {
    const { office, line, window, page, id } = await onCall(1440, 900)

    await page.getByRole('tab', { name: 'Settings' }).click()
    const waiting = page.getByRole('switch', { name: 'Call waiting' })
    await waiting.click()
    await expect.poll(async () => (await waiting.isEnabled()) && (await waiting.isChecked())).toBe(true)
    const second = await office.call(line, { from: third })
    await button(page, 'Hold and accept').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'second-call-waiting')
    await button(page, 'Hold and accept').click()
    await current(page).getByRole('heading', { name: '+33 6 99 88 77 55' }).waitFor()
    await other(page, '+33 6 12 34 56 78').getByText('On hold').waitFor()
    await button(page, 'Hang up').click()
    await current(page).getByRole('heading', { name: '+33 6 12 34 56 78' }).waitFor()
    await button(page, 'Resume').click()
    await button(page, 'Hold').waitFor()

    await expect.poll(async () => (await office.show(second)).status).toBe('done')
    expect((await office.show(id)).status).toBe('answered')
    expect(window.troubles).toEqual([])
  })

  test('is wrapped up before the first one, which ended during it, each with its own tag', async () => {
    const { office, window, page, id } = await onCall(390, 780)
    const { a } = office
    // The tag is created while the app has an empty list.
    await page.getByRole('combobox', { name: 'Tags' }).click()
    await page.getByText('No results').waitFor()
    await page.keyboard.press('Escape')
    await a.api('POST', '/v1/tags', { name: 'Order', color: '#00B388' })
    await a.own('PUT', '/v1/company/settings', { mandatory_tagging: true })
    await a.api('PUT', `/v2/users/${office.ada}`, { wrap_up_time: 60 })
    await button(page, 'New call').click()
    const panel = page.getByRole('region', { name: 'New call' })
    await panel.getByLabel('Number, extension or name').fill(mobile)
    await panel.getByRole('button', { name: 'Call', exact: true }).click()
    await current(page).getByRole('heading', { name: '+33 6 99 88 77 66' }).waitFor()
    await office.pass(4)
    await button(page, 'Swap').click()
    await current(page).getByRole('heading', { name: '+33 6 12 34 56 78' }).waitFor()
    await office.settle()
    await button(page, 'Hang up').click()
    await current(page).getByRole('heading', { name: '+33 6 99 88 77 66' }).waitFor()
    await office.settle()
    await button(page, 'Hang up').click()

    const heading = (title: string) => page.getByRole('heading', { name: title })
    await heading('+33 6 99 88 77 66').waitFor()
    await page.getByText('1 more call to wrap up').waitFor()
    const next = button(page, 'Next wrap-up')
    expect(await next.isDisabled()).toBe(true)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'second-call-wrap-up')
    await chooseTag(page)
    await next.click()
    await heading('+33 6 12 34 56 78').waitFor()
    const finish = button(page, 'Finish wrap-up')
    expect(await finish.isDisabled()).toBe(true)
    await chooseTag(page)
    await finish.click()
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()

    const calls = (await a.api('GET', '/v1/calls')).json.calls
    expect(calls.map(({ tags }: { tags: { name: string }[] }) => tags.map(({ name }) => name))).toEqual([
      ['Order'],
      ['Order'],
    ])
    expect(calls.map((call: { id: number }) => call.id)).toContain(id)
    expect(window.troubles).toEqual([])
  })
})
