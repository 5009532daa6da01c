import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  follow,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { customer, openShop } from '../kit/messages.ts'
import { password } from '../kit/visitor.ts'
import { createTestUser } from './people.ts'

// An owner in Tokyo sets the company up: the pages show what the server has stored.

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** At common sizes and in both colour schemes; nothing is cut off. */
async function everyLook(window: Window, name: string): Promise<void> {
  const { page } = window
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: width === 390 ? 760 : 900 })
    await page.emulateMedia({ colorScheme })
    await picture(window, `${name}-${width}-${colorScheme}`)
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), { message: `${name} at ${width}` })
      .toBeLessThanOrEqual(width)
  }
}

inBrowser('an owner who sets the company up', () => {
  test('is offered the time zone of the browser, and reads what is missing for invitations, tags, trunks and transcripts', async () => {
    const shop = await openShop(testApp)
    const owner = await createTestUser(shop, 'Olga', 'owner')
    const window = await openWindow(shop, { width: 1440, height: 900, timeZone: 'Asia/Tokyo' })
    const { page } = window
    await enter(window, owner, '/dashboard/users')

    // Without a mail server an invitation is a link to copy.
    await button(page, 'Invite user').click()
    await page.getByLabel('First name').fill('Mira')
    await page.getByLabel('Last name').fill('Sato')
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('mira@example.test')
    await button(page, 'Create invitation').click()
    const dialog = page.getByRole('dialog', { name: 'Invitation for Mira Sato' })
    await dialog.getByText('No mail server is configured').waitFor()
    await everyLook(window, 'invitation')
    expect(await accessibilityViolations(page)).toEqual([])
    const link = await dialog.locator('code').innerText()
    await button(page, 'Done').click()
    const other = await openWindow(shop, { width: 390, height: 760, timeZone: 'Asia/Tokyo' })
    await other.page.goto(link)
    await other.page.getByLabel('Create password').fill(password)
    await button(other.page, 'Get started').click()
    await other.page.getByRole('button', { name: 'Status: Available' }).waitFor()
    const profiles = (await shop.a.own('GET', '/v1/profiles?per_page=50')).json.profiles
    expect(profiles.find(({ email }: { email: string }) => email === 'mira@example.test')).toMatchObject({
      confirmed: true,
      time_zone: 'Asia/Tokyo',
    })

    // A pasted list becomes one row per address, and every address has its own result.
    await follow(page, '/dashboard/users')
    await button(page, 'Invite user').click()
    await page.getByRole('textbox', { name: 'Email', exact: true }).focus()
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', 'Ken Ito <ken@example.test>, mira.sato@example.test; mira@example.test')
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }`)
    await page.getByLabel('Last name').nth(2).fill('Sato')
    await everyLook(window, 'invite-several')
    await button(page, 'Create 3 invitations').click()
    const several = page.getByRole('dialog', { name: 'Invitations' })
    await several.getByText('2 of 3 invitations created.').waitFor()
    await several.getByText('Email is already used in the company').waitFor()
    await button(page, 'Copy invitation link for ken@example.test').waitFor()
    await everyLook(window, 'invited-several')
    expect(await accessibilityViolations(page)).toEqual([])
    await button(page, 'Done').click()

    // A new number is in the time zone of the browser.
    await follow(page, '/dashboard/numbers')
    await page
      .getByRole('button', { name: /^(Add|Create)/ })
      .first()
      .click()
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo')
    await everyLook(window, 'new-number')
    await page.keyboard.press('Escape')
    await follow(page, '/dashboard/analytics')
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo')
    await follow(page, `/dashboard/users/${owner.id}`)
    await page.getByText('Your browser uses Asia/Tokyo').waitFor()
    await page.getByRole('button', { name: 'Use this time zone' }).click()
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo')
    await everyLook(window, 'time-zone')

    // Mandatory tags need a tag.
    await follow(page, '/dashboard/company')
    await page.getByRole('switch', { name: 'Mandatory tagging' }).click()
    await button(page, 'Save').click()
    await page.getByText('create a tag first').waitFor()
    await everyLook(window, 'mandatory-tags')

    // A trunk that is saved is not yet registered.
    await follow(page, '/dashboard/trunks')
    await page.getByRole('button', { name: 'Add SIP trunk' }).first().click()
    await page.getByLabel(/^Name/).fill('Main carrier')
    await page.getByLabel(/^Host/).fill('203.0.113.9')
    await page.getByRole('textbox', { name: 'Username', exact: true }).fill('us')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('sesame')
    await button(page, 'Create trunk').click()
    await page.getByText('Trunk saved. Registering…').waitFor()
    await everyLook(window, 'trunk-saved')

    // Without an engine the page shows why calls are not transcribed.
    await follow(page, '/dashboard/intelligence/settings')
    await page.getByText('Transcription is not available').waitFor()
    await everyLook(window, 'no-transcription')
    expect(await accessibilityViolations(page)).toEqual([])
    expect([...window.troubles, ...other.troubles]).toEqual([])
  })

  test('reads and answers messages on a small screen', async () => {
    const shop = await openShop(testApp)
    const owner = await createTestUser(shop, 'Olga', 'owner')
    await shop.writes(customer, 'Is my order ready? I would like to pick it up this afternoon, if that is possible.')
    const window = await openWindow(shop, { width: 390, height: 760 })
    const { page } = window
    await enter(window, owner, '/dashboard/messages')
    await waitUntilLoaded(page)
    const row = page.getByRole('list', { name: 'Conversations' }).getByRole('button').first()
    await row.waitFor()
    await everyLook(window, 'messages-list')
    await page.setViewportSize({ width: 390, height: 760 })

    // Everything that is needed is within the screen: no scrolling to the list, nor to the field, nor sideways.
    const isWithin = async (name: string, what: Locator) => {
      const end = async () => {
        const box = await what.boundingBox()
        return { right: (box?.x ?? 0) + (box?.width ?? 999), bottom: (box?.y ?? 0) + (box?.height ?? 999) }
      }
      await expect.poll(async () => (await end()).bottom, { message: name }).toBeLessThanOrEqual(760)
      await expect.poll(async () => (await end()).right, { message: name }).toBeLessThanOrEqual(390)
    }
    await isWithin('first conversation', row)
    await isWithin('search', page.getByRole('textbox', { name: 'Search conversations' }))
    for (const name of ['Status', 'Number', 'Assigned to'])
      await isWithin(name, page.getByRole('combobox', { name, exact: true }))
    await row.click()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.waitFor()
    await everyLook(window, 'messages-thread')
    await page.setViewportSize({ width: 390, height: 760 })
    await isWithin('message field', field)
    await isWithin('send', page.getByRole('button', { name: 'Send' }))
    await page.getByText('Is my order ready?').last().waitFor()
    await field.fill('It is.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('It is.').last().waitFor()
    await page.getByRole('button', { name: 'Back to conversations' }).click()
    await row.waitFor()

    expect(await accessibilityViolations(page)).toEqual([])
    expect(window.troubles).toEqual([])
  })
})
