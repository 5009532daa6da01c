import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { hangUp, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { createTestUser, withPassword } from './people.ts'

inBrowser('live page', () => {
  test('an owner sets a threshold, sees the alert and today’s figures, and puts them on the wall', async () => {
    const office = await openOffice(testApp)
    const { ada, bea, pass } = office
    const owner = await createTestUser(office, 'Ines', 'owner')
    await office.connect(ada, bea)
    const ring = ringTo([toUser(ada)], { max_wait_seconds: 600, branches: { no_answer: 'end' } })
    const line = await office.line({ ring, end: hangUp })
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const window = await openWindow(office, { width: 1440, height: 900 })
    const { page, troubles } = window
    await enter(window, owner, '/dashboard/live')
    const level = page.getByRole('group', { name: 'Answered within 20 s' })
    await level.getByText('1 of 1 call', { exact: true }).waitFor()
    // One call is no rate.
    expect(await level.getByText(/target$/).count()).toBe(0)

    await page.getByRole('button', { name: 'Targets and alerts' }).click()
    const drawer = page.getByRole('dialog', { name: 'Targets and alerts' })
    await drawer.getByLabel('Longest wait', { exact: true }).check()
    await drawer.getByLabel('Longest wait in seconds').fill('30')
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'live-settings')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Targets and alerts saved').waitFor()
    await drawer.waitFor({ state: 'hidden' })

    await office.call(line, { from: '+33612340000' })
    for (let passed = 0; passed < 60; passed += 10) await pass(10)
    await page.getByRole('group', { name: 'Alerts' }).getByText('A caller has been waiting').waitFor()
    await page.getByRole('navigation').getByRole('img', { name: '1 alert' }).waitFor()

    const wall = await openWindow(office, { width: 1920, height: 1080, scheme: 'dark' })
    await enter(wall, owner, '/dashboard/wallboard')
    await wall.page.getByRole('alert').getByText('A caller has been waiting').waitFor()
    const figure = wall.page.getByRole('region', { name: 'Callers waiting' })
    await figure.getByText('1', { exact: true }).waitFor()
    await wall.page.getByRole('region', { name: 'Answered within 20 s' }).getByText('1 of 1 call ·').waitFor()
    // Readable from 5 m: digits of at least a tenth of the height of the screen.
    const box = await figure.getByText('1', { exact: true }).boundingBox()
    expect(box?.height).toBeGreaterThan(108)
    const cut = `[...document.querySelectorAll('main section > div')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)`
    expect(await wall.page.evaluate<string[]>(cut)).toEqual([])
    expect(await accessibilityViolations(wall.page)).toEqual([])
    await picture(wall, 'wallboard-dark')
    await wall.page.getByRole('button', { name: 'Switch to light mode' }).click()
    await wall.page.getByRole('button', { name: 'Switch to dark mode' }).waitFor()
    await picture(wall, 'wallboard-light')

    // The last figures stay during an outage, and follow again afterwards.
    await wall.context.setOffline(true)
    await wall.page.getByText('Reconnecting…').waitFor()
    await figure.getByText('1', { exact: true }).waitFor()
    await wall.context.setOffline(false)
    await wall.page.getByText('Reconnecting…').waitFor({ state: 'hidden' })

    await waitUntilLoaded(page)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'live')
    expect(troubles).toEqual([])
    expect(wall.troubles.filter((trouble) => !trouble.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })

  for (const [width, height, scheme] of [
    [1440, 900, 'light'],
    [390, 844, 'dark'],
  ] as const) {
    test(`a supervisor who listens sees the contact and does not become available (${width} px)`, async () => {
      const office = await openOffice(testApp)
      const { a, ada, cem, availability } = office
      await a.api('PUT', `/v2/users/${cem}`, { role_ids: ['supervisor'] })
      const sam = await withPassword(office, cem, 'cem@example.test')
      await a.api('POST', '/v1/contacts', {
        first_name: 'Nora',
        last_name: 'Petit',
        phone_numbers: [{ label: 'Work', value: '+33612345678' }],
      })
      await office.connect(ada)
      const line = await office.line({ ring: ringTo([toUser(ada), toUser(sam.id)]), box: hangUp })
      await office.call(line)
      await office.does(ada, { kind: 'answer' })
      const window = await openWindow(office, { width, height, scheme })
      const { page } = window
      await enter(window, sam, '/dashboard/live')
      const calls = page.getByRole('region', { name: 'Active calls' })
      await calls.getByRole('link', { name: 'Nora Petit' }).waitFor()
      await calls.getByText('+33 6 12 34 56 78').waitFor()
      await page.getByRole('region', { name: 'Agents' }).getByText('On a call with Nora Petit').waitFor()
      await picture(window, `live-contact-${width}`)

      const [phone] = await Promise.all([
        page.waitForEvent('popup'),
        calls.getByRole('button', { name: /^Listen to call/ }).click(),
      ])
      await phone.setViewportSize({ width, height })
      const card = phone.getByRole('region', { name: 'Supervision' })
      await card.getByText('Listening to Nora Petit (+33 6 12 34 56 78), ada').waitFor()
      await card.getByText('No one can hear you. Calls do not ring in this window.').waitFor()
      expect(await availability(sam.id)).toBe('offline')
      await picture({ ...window, page: phone }, `listening-${width}`)
      expect(await accessibilityViolations(phone)).toEqual([])

      // Ada is on a call and Sam offline: no phone can be rung.
      const second = await office.call(line, { from: '+33612340000' })
      await office.pass(2)
      expect((await office.show(second)).missed_call_reason).toBe('no_available_agent')

      await phone.reload()
      await card.getByText('Not listening to a call').waitFor()
      expect(await availability(sam.id)).toBe('offline')
      await picture({ ...window, page: phone }, `not-listening-${width}`)
      await card.getByRole('link', { name: 'Use as phone' }).click()
      await phone.getByRole('button', { name: 'Status: Available' }).waitFor()
      await card.waitFor({ state: 'detached' })
      expect(await availability(sam.id)).toBe('available')
      expect(window.troubles).toEqual([])
    })
  }

  test('a supervisor sets an agent unavailable, listens to a simulated call, and signs an agent out', async () => {
    const office = await openOffice(testApp)
    const { ada, bea } = office
    const sam = await createTestUser(office, 'Sam', 'supervisor')
    const dario = await createTestUser(office, 'Dario', 'agent')
    await office.connect(ada, bea)
    const ring = ringTo([toUser(ada)], { branches: { no_answer: 'end' } })
    const line = await office.line({ ring, end: hangUp })
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const phone = await openWindow(office, { width: 390, height: 844 })
    await enter(phone, dario, '/phone')
    const window = await openWindow(office, { width: 390, height: 844, scheme: 'dark' })
    const { page, troubles } = window
    await enter(window, sam, '/dashboard/live')

    const agents = page.getByRole('region', { name: 'Agents' })
    await agents.getByText('Available · 1').waitFor()
    await agents.getByRole('button', { name: /^Actions for bea/i }).click()
    await page.getByRole('menuitem', { name: 'For 30 minutes' }).click()
    await page.getByText(/^bea .*: unavailable$/i).waitFor()
    await agents.getByText('Unavailable · 1').waitFor()
    await picture(window, 'live-narrow')

    await agents.getByRole('button', { name: 'Actions for Dario Test' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Dario Test signed out').waitFor()
    await phone.page.getByRole('button', { name: 'Sign in' }).waitFor()

    const [{ key }] = (await office.a.own('GET', '/v1/live')).json.calls
    await page.goto(`/phone?listen=${key}&mode=whisper`)
    const card = page.getByRole('region', { name: 'Supervision' })
    await card.getByText('Simulated calls have no audio').waitFor()
    await card.getByText('Only the agents can hear you').waitFor()
    await card.getByText('Barge in').click()
    await page.getByRole('button', { name: 'Leave call' }).waitFor()

    expect(troubles).toEqual([])
  })
})
