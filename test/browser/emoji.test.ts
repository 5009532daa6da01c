import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser, withPassword } from './people.ts'

// The server stores notes and tag names without emoji. The apps say so at the field.

const hint = 'Emoji are not stored. The text is saved without them.'
const refusal = 'Add text: emoji are not stored.'

inBrowser('emoji', () => {
  test('in the note of a call are announced before they are removed; a note of emoji only is not saved', async () => {
    const office = await openOffice(testApp)
    const line = await office.line()
    const window = await openWindow(office, { width: 390, height: 844 })
    const { page } = window
    await enter(window, await withPassword(office, office.ada, 'ada@example.test'), '/phone')
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await office.settle()
    const id = await office.call(line)
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    const note = page.getByLabel('Note')
    const save = page.getByRole('button', { name: 'Save note' })

    await note.fill('🔥')
    await page.getByText(refusal).waitFor()
    expect(await save.isDisabled()).toBe(true)
    expect(await note.getAttribute('aria-invalid')).toBe('true')
    await picture(window, 'phone-note-emoji-only')
    await note.fill('Hot lead 🔥')
    await page.getByText(hint).waitFor()
    await page.getByText(refusal).waitFor({ state: 'detached' })
    await picture(window, 'phone-note-emoji')
    expect(await accessibilityViolations(page)).toEqual([])
    await save.click()
    await page.getByText('Note saved').waitFor()

    expect((await office.show(id)).comments.map(({ content }: { content: string }) => content)).toEqual(['Hot lead'])
    expect([window.troubles, window.refused]).toEqual([[], []])
  })

  test('in the name of a tag and in a note of the dashboard have the same hint', async () => {
    const office = await openOffice(testApp)
    const call = await office.call(await office.line(), { patience: 3 })
    await office.pass(10)
    const window = await openWindow(office, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, await createTestUser(office, 'Ines', 'owner'), '/dashboard/tags')
    await page.getByRole('button', { name: 'New tag' }).click()
    const name = page.getByLabel('Name')

    await name.fill('🎉🎉')
    await page.getByRole('button', { name: 'Create tag' }).click()
    await page.getByText(refusal).waitFor()
    await picture(window, 'tag-emoji-only')
    await name.fill('VIP 🎉')
    await page.getByText(hint).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Create tag' }).click()
    await page.getByText('Tag created').waitFor()
    await page.goto(`/dashboard/calls/${call}`)
    await page.getByRole('textbox', { name: 'Note' }).fill('😀')
    await page.getByText(refusal).waitFor()
    expect(await page.getByRole('button', { name: 'Add note' }).isDisabled()).toBe(true)

    const { tags } = (await office.a.api('GET', '/v1/tags')).json
    expect(tags.map((tag: { name: string }) => tag.name)).toEqual(['VIP'])
    expect([window.troubles, window.refused]).toEqual([[], []])
  })
})
