import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openFromMore,
  openWindow,
  picture,
  type Window,
} from '../kit/browser.ts'
import { addCall, addSound } from '../kit/calls.ts'
import { type Office, openOffice, ringTo, toTeam, voicemail } from '../kit/phone.ts'
import { withPassword } from './people.ts'

// Ada uses the phone app in a real browser, with callers on the simulated network and a manual clock.

const narrow = { width: 376, height: 720 }

interface Desk {
  office: Office
  window: Window
  page: Page
  tag: { id: number }
}

async function desk(options: { wrapUpTime?: number; mandatoryTagging?: boolean } = {}): Promise<Desk> {
  const office = await openOffice(testApp)
  const { a, ada } = office
  const person = await withPassword(office, ada, 'ada@example.test')
  await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: options.wrapUpTime ?? 0 })
  const { tag } = (await a.api('POST', '/v1/tags', { name: 'Invoice', color: '#ff0000' })).json
  await a.own('PUT', '/v1/company/settings', { mandatory_tagging: options.mandatoryTagging ?? false })
  const window = await openWindow(office, narrow)
  await enter(window, person, '/phone')
  await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await office.settle()
  return { office, window, page: window.page, tag }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const placeholderColour = (field: Locator) =>
  field.evaluate("(input) => getComputedStyle(input, '::placeholder').color")

inBrowser('the phone app', () => {
  test('a call with an insight card is answered, held, warm-transferred, tagged and wrapped up, through reloads', async () => {
    const { office, window, page, tag } = await desk({ wrapUpTime: 60, mandatoryTagging: true })
    const { a, bea } = office
    const line = await office.line(undefined, { recording: true })

    const id = await office.call(line)
    await button(page, 'Accept').waitFor()
    const contents = [
      { type: 'title', text: 'Ines Bond', link: 'https://crm.example/7' },
      { type: 'shortText', label: 'Plan', text: '<img src=x onerror=alert(1)>', link: 'crm://7' },
    ]
    await a.api('POST', `/v1/calls/${id}/insight_cards`, { contents })
    await page.getByRole('link', { name: 'Ines Bond' }).waitFor()
    expect(await page.getByRole('link').count()).toBe(1)
    expect(await page.getByRole('link').getAttribute('rel')).toBe('noopener noreferrer')
    await picture(window, 'phone-ring')

    await page.reload()
    await button(page, 'Accept').click()
    await button(page, 'Hold').click()
    await button(page, 'Mute').click()
    await button(page, 'Unmute').waitFor()
    await page.getByLabel('Note').fill('Wants an offer')
    await page.reload()
    await page.getByText('On hold').waitFor()
    await button(page, 'Unmute').waitFor()
    await page.getByRole('link', { name: 'Ines Bond' }).waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('Wants an offer')
    await picture(window, 'phone-call')
    await button(page, 'Resume').click()

    await office.connect(bea)
    await button(page, 'Transfer').click()
    await page.getByText('Talk first').click()
    await page.getByRole('textbox', { name: 'Name, team or number' }).fill('bea')
    await page.keyboard.press('Enter')
    await page.getByText('Calling bea Agent').waitFor()
    await office.settle()
    await office.does(bea, { kind: 'answer' })
    await button(page, 'Complete transfer').click()

    await page.getByText('Add a tag to finish wrap-up').waitFor()
    await page.reload()
    await page.getByText('Add a tag to finish wrap-up').waitFor()
    expect(await button(page, 'Finish wrap-up').isDisabled()).toBe(true)
    // A red placeholder would look like a rejected value.
    expect(await placeholderColour(page.getByRole('combobox', { name: 'Tags' }))).toBe(
      await placeholderColour(page.getByLabel('Note')),
    )
    await picture(window, 'phone-wrap-up')
    await page.getByRole('combobox', { name: 'Tags' }).click()
    await page.getByRole('option', { name: 'Invoice' }).click()
    await button(page, 'Finish wrap-up').click()
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()

    const call = await office.show(id)
    expect(call).toMatchObject({ user: { id: bea }, tags: [{ id: tag.id }], comments: [{ content: 'Wants an offer' }] })
    expect(window.troubles).toEqual([])
  })

  test('all actions have keyboard shortcuts, and no single letter ends, holds or transfers the call', async () => {
    const { office, window, page } = await desk()
    const line = await office.line()

    await page.keyboard.press('Tab')
    await office.call(line)
    await button(page, 'Accept').waitFor()
    await page.keyboard.press('a')
    await button(page, 'Hang up').waitFor()
    for (const letter of 'abcdeghlnopqstuvwxyz') await page.keyboard.press(letter)
    await page.keyboard.press('m')
    await button(page, 'Unmute').waitFor()
    expect(await page.getByText('On hold').count()).toBe(0)
    expect(await page.getByRole('textbox', { name: 'Name, team or number' }).count()).toBe(0)
    await page.keyboard.press('Control+Shift+H')
    await page.getByText('On hold').waitFor()
    await page.keyboard.press('Control+Shift+H')
    await button(page, 'Hold').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Note').fill('ends here')
    await page.keyboard.press('Control+Shift+E')
    await page.getByRole('textbox', { name: 'Number, extension or name' }).waitFor()

    expect(window.troubles).toEqual([])
  })

  test('a colleague who is offline cannot be selected for a blind transfer, and is not available for a warm one', async () => {
    const { office, window, page } = await desk()
    const line = await office.line(undefined, { recording: true })
    await office.call(line)
    await button(page, 'Accept').click()

    await button(page, 'Transfer').click()
    await page.getByRole('textbox', { name: 'Name, team or number' }).fill('bea')
    const bea = page.getByRole('button', { name: /bea Agent.*Offline/ })
    await bea.waitFor()
    expect(await bea.isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'phone-transfer-offline')
    await page.getByText('Talk first').click()
    await bea.click()
    await page.getByText('bea Agent is not available').first().waitFor()
    await button(page, 'Cancel transfer').click()
    await button(page, 'Hold').waitFor()

    expect(window.troubles).toEqual([])
  })

  test('the recording of a call on hold cannot be resumed', async () => {
    const { office, window, page } = await desk()
    const line = await office.line(undefined, { recording: true })
    await office.call(line)
    await button(page, 'Accept').click()
    await expect.poll(() => button(page, 'Pause rec.').isEnabled()).toBe(true)

    await button(page, 'Hold').click()
    await page.getByText('On hold').waitFor()
    await expect.poll(() => button(page, 'Pause rec.').isDisabled()).toBe(true)
    expect(await button(page, 'Resume rec.').count()).toBe(0)
    await button(page, 'Resume').click()
    await expect.poll(() => button(page, 'Pause rec.').isEnabled()).toBe(true)

    expect(window.troubles).toEqual([])
  })

  test('the badge of To do shows two digits, and a voicemail of an answered call can be played', async () => {
    const { office, window, page } = await desk()
    const { a, ada } = office
    const line = await office.line()
    await office.db.insertInto('number_user').values({ number_id: line.id, user_id: ada, company_id: a.id }).execute()
    for (let n = 0; n < 11; n++) await addCall(office, a, { numberId: line.id })
    const call = await addCall(office, a, { numberId: line.id, userId: ada })
    for (const kind of ['recording', 'voicemail'] as const) await addSound(office, call, kind)
    await page.reload()

    await page.getByRole('tab', { name: /^To do.*12 unread/ }).waitFor()
    const badge = page.getByRole('tab', { name: /^To do/ }).getByText('12', { exact: true })
    const isCut = () => badge.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    expect(await isCut()).toBe(false)
    await page.setViewportSize({ width: 1024, height: 768 })
    const toDo = page.getByRole('tab', { name: /^To do/ })
    const [icon, beside] = [await toDo.locator('svg').boundingBox(), await badge.boundingBox()]
    expect(beside?.x).toBeGreaterThanOrEqual((icon?.x ?? 0) + (icon?.width ?? 0) - 1)
    expect(await isCut()).toBe(false)
    await picture(window, 'phone-to-do-badge-1024')
    await page.setViewportSize(narrow)
    await toDo.click()
    await page.getByText('Answered, then voicemail').click()
    await button(page, 'Play recording').waitFor()
    await button(page, 'Play voicemail').waitFor()
    await picture(window, 'phone-to-do-badge')

    expect(window.troubles).toEqual([])
  })

  test('a blind transfer keeps the note that was being typed', async () => {
    const { office, window, page } = await desk()
    const { bea } = office
    await office.connect(bea)
    const line = await office.line()

    const id = await office.call(line)
    await button(page, 'Accept').click()
    await page.getByLabel('Note').fill('Wants an offer')
    await button(page, 'Transfer').click()
    await page.getByRole('textbox', { name: 'Name, team or number' }).fill('bea')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Number, extension or name' }).waitFor()
    await page.getByText('Note saved').waitFor()
    await office.settle()
    await office.does(bea, { kind: 'answer' })

    const call = await office.show(id)
    expect(call).toMatchObject({ user: { id: bea }, transferred_by: { id: office.ada } })
    expect(call.comments).toMatchObject([{ content: 'Wants an offer' }])
    expect(window.troubles).toEqual([])
  })

  test('a note that could not be saved when the call ended is kept until it is saved', async () => {
    const { office, window, page } = await desk()
    const line = await office.line()
    const notes = '**/app/v1/calls/*/comments'

    const id = await office.call(line)
    await button(page, 'Accept').click()
    await page.getByLabel('Note').fill('Wants an offer')
    await page.route(notes, (route) => route.fulfill({ status: 503, json: { troubleshoot: 'Try again' } }))
    await button(page, 'Hang up').click()
    await page.getByText('Your last note was not saved').waitFor()
    await page.reload()
    await page.getByText('Your last note was not saved').waitFor()
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByText('Wants an offer').waitFor()
    expect((await office.show(id)).comments).toEqual([])
    await page.unroute(notes)
    await button(page, 'Save note').click()
    await page.getByText('Note saved').waitFor()
    await page.getByText('Wants an offer').waitFor({ state: 'detached' })

    expect((await office.show(id)).comments).toMatchObject([{ content: 'Wants an offer' }])
    expect(window.troubles.filter((trouble) => !trouble.includes('503'))).toEqual([])
  })

  test('the open history shows a new call, and tags and notes that other users add', async () => {
    const { office, window, page, tag } = await desk()
    const { a } = office
    const line = await office.line()
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByText('No calls yet').waitFor()

    const id = await office.call(line)
    await button(page, 'Accept').click()
    await button(page, 'Hang up').click()
    const row = page.getByRole('list', { name: 'Your calls' }).getByRole('button', { expanded: false }).first()
    await row.click()
    await a.api('POST', `/v1/calls/${id}/tags`, { tags: [tag.id] })
    await page.getByText('Invoice').waitFor()
    await a.api('POST', `/v1/calls/${id}/comments`, { content: 'Called twice before' })
    await page.getByText('Called twice before').waitFor()
    await picture(window, 'phone-history-live')

    expect(window.troubles).toEqual([])
  })

  test('a ring stops when a colleague answers, and disappears at once when declined', async () => {
    const { office, window, page } = await desk()
    const { bea } = office
    const line = await office.line()
    await office.connect(bea)

    await office.call(line)
    await button(page, 'Accept').waitFor()
    await office.does(bea, { kind: 'answer' })
    await page.getByText('Answered by a colleague').waitFor()
    await office.does(bea, { kind: 'hang_up' })

    await office.call(line)
    await button(page, 'Decline').click()
    await page.getByRole('textbox', { name: 'Number, extension or name' }).waitFor()
    expect(window.troubles).toEqual([])
  })

  test('a number from the API, a link or the keypad is dialled', async () => {
    const { office, window, page } = await desk()
    const { a, ada } = office
    const line = await office.line({ ring: ringTo([toTeam(office.team)]), box: voicemail })
    const field = page.getByRole('textbox', { name: 'Number, extension or name' })

    await a.api('POST', `/v1/users/${ada}/dial`, { to: '+33612345678' })
    await expect.poll(() => field.inputValue()).toBe('+33612345678')
    await page.goto('/phone/dial?to=tel:%2B33699000001')
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('+33699000001')
    await field.fill('06 12 34 56 78')
    await page.getByText('+33 6 12 34 56 78', { exact: true }).waitFor()
    expect(await button(page, 'Call').isDisabled()).toBe(false)
    await field.fill('06 12 34 56 7')
    await page.getByText('Enter it with + and the country code').waitFor()
    expect(await button(page, 'Call').isDisabled()).toBe(true)
    await field.fill('')
    await page.getByRole('button', { name: '0 +' }).click({ delay: 700 })
    for (const key of '33612345678')
      await page
        .getByRole('button', { name: new RegExp(`^${key}`) })
        .first()
        .click()
    await expect.poll(() => field.inputValue()).toBe('+33612345678')
    await page.getByLabel('Call from').selectOption(String(line.id))
    await page.keyboard.press('Tab')
    await button(page, 'Call').click()
    await page.getByText('Calling…').waitFor()
    await office.pass(4)
    await page.getByRole('timer', { name: 'Duration' }).getByText('0:0').waitFor()
    await button(page, 'Hang up').click()
    await field.waitFor()

    expect(window.troubles).toEqual([])
  })

  test('contacts are found and called from the Contacts screen, colleagues from Team', async () => {
    const { office, window, page } = await desk()
    const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
    await office.a.api('POST', '/v1/contacts', { first_name: 'Nora', last_name: 'Petit', phone_numbers })
    await page.getByRole('tab', { name: 'Contacts' }).click()
    const list = page.getByRole('list', { name: 'Contacts' })
    await list.getByRole('button', { name: /Nora Petit/ }).waitFor()
    await picture(window, 'phone-contacts-390')
    await list.getByRole('button', { name: /Nora Petit/ }).click()
    await page.getByRole('heading', { name: 'Nora Petit' }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'phone-contact-390')
    await button(page, 'All contacts').click()
    await list.waitFor()
    await openFromMore(page, 'Team')
    await page.getByRole('list', { name: 'Colleagues' }).getByText('bea Agent').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('tab', { name: 'Contacts' }).click()
    await list.getByRole('button', { name: /Nora Petit/ }).click()
    await button(page, 'Call Nora Petit').click()
    await page.getByRole('textbox', { name: 'Number, extension or name' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Number, extension or name' }).inputValue()).toContain('33612345678')
    expect(window.refused).toEqual([])
    expect(window.troubles).toEqual([])
  })

  test('every screen passes the accessibility checks, in light and dark mode', async () => {
    const { office, window, page } = await desk()
    await office.a.api('POST', `/v1/users/${office.ada}/dialer_campaign`, { phone_numbers: ['+33612345678'] })
    const look = async (screen: string) => {
      expect(await accessibilityViolations(page), screen).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      // The other rules do not depend on the colours.
      expect(await accessibilityViolations(page, { contrastOnly: true }), `${screen} in dark`).toEqual([])
      await picture(window, `phone-${screen}-dark`)
      await page.emulateMedia({ colorScheme: 'light' })
    }

    for (const screen of ['Keypad', 'To do', 'Calls', 'Contacts', 'Dialer', 'More']) {
      await page.getByRole('tab', { name: screen }).click()
      await page.getByRole('tabpanel').waitFor()
      await look(screen.toLowerCase())
    }
    await openFromMore(page, 'Settings')
    await look('settings')
    await office.call(await office.line())
    await button(page, 'Accept').waitFor()
    await look('ring')
    await button(page, 'Accept').click()
    await page.getByLabel('Note').waitFor()
    await look('call')
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(376)
    expect(window.troubles).toEqual([])
  })
})
