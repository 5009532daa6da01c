import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { conversation, evaluatedCall, onEverywhere, spokenCall } from '../kit/conversations.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { createTestUser, withPassword } from './people.ts'

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Dark mode and small screens: nothing is unreadable or cut off. */
async function everyLook(window: Window, name: string) {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  await picture(window, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark`).toEqual([])
  await picture(window, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 376, height: 1_400 })
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
  await expect.poll(width).toBeLessThanOrEqual(376)
  await picture(window, `${name}-narrow`)
  await page.setViewportSize({ width: 1280, height: 1_400 })
}

/** As if an engine had reported them: a second per word, the second word of each line uncertain. */
async function addWordTimes({ db, a }: TestApp, callId: number): Promise<void> {
  const query = db.selectFrom('transcript').select('utterances').where('call_id', '=', callId)
  const { utterances } = await query.where('company_id', '=', a.id).executeTakeFirstOrThrow()
  const timed = JSON.parse(utterances ?? '[]').map((one: { text: string }) => ({
    ...one,
    words: one.text.split(' ').flatMap((_, place) => [place * 100, 100, place === 1 ? 30 : 95]),
  }))
  const row = { utterances: JSON.stringify(timed) }
  await db.updateTable('transcript').set(row).where('call_id', '=', callId).where('company_id', '=', a.id).execute()
}

inBrowser('a conversation in the dashboard', () => {
  test('a supervisor plays and searches a transcript, and reviews the evaluation', async () => {
    const app = await testApp()
    const { a } = app
    const { id } = await evaluatedCall(app)
    const supervisor = await createTestUser(app, 'Sam', 'supervisor')
    const window = await openWindow(app, { height: 1_400 })
    const { page, troubles } = window

    await enter(window, supervisor, `/dashboard/calls/${id}`)
    await waitUntilLoaded(page)
    const transcript = page.getByRole('list', { name: 'Transcript' })
    await transcript.getByText('My crates are broken and I am unhappy').waitFor()
    await part(page, 'Summary').getByText('Crates', { exact: true }).waitFor()
    await part(page, 'Predicted CSAT').getByText('Broken crates').waitFor()
    await part(page, 'Complaints').getByText('1 of 2 topics covered').waitFor()
    await part(page, 'Recording').getByRole('slider').waitFor()
    await everyLook(window, 'conversation')

    await button(page, 'Play from 0:04').click()
    await transcript.locator('[aria-current="true"]', { hasText: 'My crates' }).waitFor()
    await button(page, 'Pause').click()

    await page.getByRole('textbox', { name: 'Search transcript' }).fill('CRÀTES')
    await page.getByText('1 of 1').waitFor()
    expect(await transcript.locator('mark').allTextContents()).toEqual(['crates'])

    await page.getByRole('textbox', { name: 'New action item' }).fill('Refund the crates')
    await page.keyboard.press('Enter')
    await part(page, 'Action items').getByText('Sam Test').waitFor()
    await button(page, 'Mark as covered: Discount').click()
    await part(page, 'Complaints').getByText('2 of 2 topics covered').waitFor()

    await button(page, 'Edit Reason').click()
    await page.getByRole('textbox', { name: 'Reason', exact: true }).fill('Crates came broken')
    await button(page, 'Save Reason').click()
    await part(page, 'For the CRM').getByText('edited').waitFor()

    const unhappy = { kind: 'topic', name: 'Sadness', active: true, topic: { keywords: ['unhappy'] } }
    await a.own('POST', '/v1/intelligence/guides', unhappy)
    await button(page, 'Regenerate').click()
    const asked = page.waitForResponse((response) => response.url().endsWith('/rerun'))
    await page.getByRole('menuitem', { name: 'Analysis only' }).click()
    await asked
    await app.settle()
    await part(page, 'Summary').getByText('Sadness', { exact: true }).waitFor()

    const evaluation = part(page, 'Evaluation')
    await evaluation.getByText('10 of 20 points · 50 %').first().waitFor()
    await evaluation.getByRole('button', { name: 'Review' }).click()
    const question = (name: string) => page.getByRole('group', { name })
    await question('Asks for the order?').getByText('Yes', { exact: true }).click()
    await evaluation.getByText('20 of 20 points · 100 %').first().waitFor()
    // By keys alone: arrows choose, Ctrl + Enter saves.
    await question('Friendly?').getByRole('radio', { name: 'N/A' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await evaluation.getByText('21 of 25 points · 84 %').first().waitFor()
    await page.getByRole('textbox', { name: 'Feedback' }).fill('Well done')
    await everyLook(window, 'evaluation')
    await page.getByRole('textbox', { name: 'Feedback' }).press('Control+Enter')
    await evaluation.getByText('reviewed by Sam Test').waitFor()

    const { json } = await a.own('GET', `/v1/calls/${id}/evaluations`)
    expect(json).toMatchObject({
      ai_generated: false,
      evaluations: [{ reviewer_user_id: supervisor.id, score: { score_points: 21, total_points: 25 } }],
    })
    expect(troubles).toEqual([])
  })

  test('playback follows the words, a click on a word plays it, and uncertain words are marked', async () => {
    const app = await testApp()
    const { id } = await evaluatedCall(app)
    await addWordTimes(app, id)
    const supervisor = await createTestUser(app, 'Sam', 'supervisor')
    const window = await openWindow(app, { height: 1_400 })
    const { page, troubles } = window

    await enter(window, supervisor, `/dashboard/calls/${id}`)
    await waitUntilLoaded(page)
    await part(page, 'Recording').getByRole('slider').waitFor()
    const transcript = page.getByRole('list', { name: 'Transcript' })
    const line = transcript.getByRole('listitem').filter({ hasText: 'My crates' })
    expect(await line.getByTitle('Uncertain').allTextContents()).toEqual(['crates (uncertain)'])

    await page.getByRole('textbox', { name: 'Search transcript' }).fill('ates are br')
    await page.getByText('1 of 1').waitFor()
    expect((await line.locator('mark').allTextContents()).join('')).toBe('ates are br')

    await line.locator('mark', { hasText: 'br' }).click()
    await line.locator('[data-word][data-current]').first().waitFor()
    await button(page, 'Pause').click()
    await everyLook(window, 'word-times')
    expect(troubles).toEqual([])
  })

  test('the agent and a supervisor read the live transcript of a call', async () => {
    const office = await openOffice(testApp)
    const { a, ada, pass } = office
    await a.own('PUT', '/v1/intelligence/settings', onEverywhere)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const agent = await withPassword(office, ada, 'ada@example.test')
    const supervisor = await createTestUser(office, 'Sam', 'supervisor')
    const phone = await openWindow(office, { width: 376, height: 760 })
    const board = await openWindow(office)
    await enter(board, supervisor, '/dashboard/live')
    await enter(phone, agent, '/phone')
    await phone.page.getByRole('tab', { name: 'Keypad' }).waitFor()

    await office.call(line, {
      script: [{ hear: 2 }, { say: 'My invoice is wrong', seconds: 3 }, { wait: 60 }, { hang_up: true }],
    })
    await phone.page.getByRole('button', { name: /^Accept/ }).click()
    await phone.page.getByRole('timer', { name: 'Duration' }).waitFor()
    await pass(10)

    await phone.page.getByRole('list', { name: 'Live transcript' }).getByText('My invoice is wrong').waitFor()
    expect(await accessibilityViolations(phone.page)).toEqual([])
    await picture(phone, 'phone-live-words')
    await board.page.getByRole('button', { name: /^Live transcript of call/ }).click()
    await board.page.getByRole('list', { name: 'Live transcript' }).getByText('My invoice is wrong').waitFor()
    expect(await accessibilityViolations(board.page)).toEqual([])
    await picture(board, 'live-words')

    await pass(120)
    await phone.page.getByRole('tab', { name: 'Calls' }).click()
    const calls = phone.page.getByRole('list', { name: 'Your calls' })
    await calls.getByRole('button', { expanded: false }).first().click()
    await phone.page.getByRole('region', { name: 'Transcript' }).getByText('My invoice is wrong').first().waitFor()
    await picture(phone, 'phone-history-words')
    expect([...phone.troubles, ...board.troubles]).toEqual([])
  })

  test('a missing transcript is explained', async () => {
    const app = await testApp()
    const id = await spokenCall(app, conversation)
    const admin = await createTestUser(app, 'Ines', 'admin')
    const window = await openWindow(app)
    const { page, troubles } = window

    await enter(window, admin, `/dashboard/calls/${id}`)
    await page.getByText('No transcript: conversation intelligence is off for this number.').waitFor()
    await part(page, 'Conversation').getByRole('link', { name: 'Settings' }).waitFor()
    await waitUntilLoaded(page)
    await picture(window, 'conversation-off')

    expect(troubles).toEqual([])
  })
})
