import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { hangUp, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { createTestUser, withPassword } from './people.ts'

const windows = [
  [1440, 900, 'light'],
  [1440, 900, 'dark'],
  [390, 844, 'light'],
  [390, 844, 'dark'],
] as const

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const prompt = () => toWav(new Int16Array(16_000).fill(900), 8_000).toString('base64')

inBrowser('the recording announcement', () => {
  test.each(windows)('is set for the company and for a number (%i × %i, %s)', async (width, height, scheme) => {
    const office = await openOffice(testApp)
    const { a } = office
    const ines = await createTestUser(office, 'Ines', 'owner')
    await a.own('POST', '/v1/sounds/uploads', { name: 'This call is recorded', data: prompt() })
    const line = await office.line(undefined, { recording: true })
    const window = await openWindow(office, { width, height, scheme })
    const { page, troubles } = window
    await enter(window, ines, '/dashboard/company/recording')

    const section = page.getByRole('region', { name: 'Recording announcement' })
    await section.getByRole('radio', { name: 'Consent required' }).check()
    await section.getByRole('button', { name: 'Add announcement' }).click()
    await section.getByText('Choose the audio of the announcement').waitFor()
    await section.getByRole('button', { name: 'Choose audio: American English' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use This call is recorded' }).click()
    await section.getByText('This call is recorded, 2 s').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, `recording-notice-${width}-${scheme}`)
    await section.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Recording announcement saved').waitFor()
    await page.goto(`${office.base}/dashboard/numbers/${line.id}/settings`)
    const own = page.getByRole('region', { name: 'Recording announcement' })
    await own.getByText('Consent required').waitFor()
    await own.getByText('Own setting').click()
    await own.getByRole('radio', { name: 'Announcement with opt-out' }).check()
    expect(await accessibilityViolations(page)).toEqual([])
    await own.scrollIntoViewIfNeeded()
    await picture(window, `recording-notice-number-${width}-${scheme}`)
    await own.getByRole('button', { name: 'Save announcement' }).click()
    await page.getByText('Recording announcement saved').waitFor()

    const saved = (await a.own('GET', `/v1/numbers/${line.id}/recording_notice`)).json
    expect([saved.recording_notice.mode, saved.company.mode]).toEqual(['opt_out', 'consent'])
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(troubles).toEqual([])
  })

  test.each(
    windows,
  )('the agent and the call page say why a call is not recorded (%i × %i, %s)', async (width, height, scheme) => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    const person = await withPassword(office, ada, 'ada@example.test')
    const ines = await createTestUser(office, 'Ines', 'owner')
    const { json } = await a.own('POST', '/v1/sounds/uploads', { name: 'Recorded', data: prompt() })
    const prompts = [{ language: 'en-US', url: json.sound.url }]
    const recording_notice = { mode: 'opt_out', key: '9', outbound: true, prompts }
    await a.own('PUT', '/v1/company/recording_notice', { recording_notice })
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: hangUp }, { recording: true })
    const window = await openWindow(office, { width, height, scheme })
    const { page, troubles } = window
    await enter(window, person, '/phone')
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await office.settle()

    const id = await office.call(line, { script: [{ press: '9' }] })
    await office.pass(2)
    await button(page, 'Accept').click()
    await page.getByText('Not recorded: the other party declined').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, `not-recorded-phone-${width}-${scheme}`)
    await button(page, 'Hang up').click()
    await expect.poll(async () => (await office.show(id)).status).toBe('done')

    const desk = await openWindow(office, { width, height, scheme })
    await enter(desk, ines, `/dashboard/calls/${id}`)
    await desk.page.getByText('Not recorded: the other party declined').first().waitFor()
    await desk.page.getByText(/the other party did not agree to be recorded/).waitFor()
    expect(await accessibilityViolations(desk.page)).toEqual([])
    await picture(desk, `not-recorded-call-${width}-${scheme}`)
    expect([...troubles, ...desk.troubles]).toEqual([])
  })
})
