import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../kit/app.ts'
import { enter, follow, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { eventually } from '../kit/eventually.ts'
import { openOffice } from '../kit/phone.ts'
import { dashboardForms, type FormUnderTest, formGroups, onPage, openedBy } from './form-list.ts'
import { createTestUser } from './people.ts'

// Markup, SQL, a right-to-left override, a zero-width space and an emoji: shown and stored as typed.
const hostile = '<img src=x onerror=hacked=1>\'"; drop table a;-- \u202E\u200B😀'

const input = (form: Locator, label: string) =>
  form
    .locator('input:not([type="hidden"]), textarea')
    .and(form.getByLabel(label, { exact: true }).or(form.getByLabel(`${label} *`, { exact: true })))
    .first()

/** The error at a field. */
const noteAt = (field: Locator) =>
  field
    .locator('xpath=ancestor::div[contains(@class,"mantine-InputWrapper-root")][1]')
    .locator('[role="alert"], .mantine-InputWrapper-error')
    .first()

const isTooWide = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')

interface Screens {
  wide: Window
  narrow: Window
}

/** Fills in one form in several ways, and returns the problems. */
async function tryForm(one: FormUnderTest, { a }: Pick<TestApp, 'a'>, { wide, narrow }: Screens): Promise<string[]> {
  const { page } = wide
  const isDialog = one.open !== onPage
  const found: string[] = []
  const check = (isRight: boolean, problem: string) => isRight || found.push(`${one.title}: ${problem}`)
  let opened = 0
  const open = async () => {
    await follow(page, `/dashboard/${one.place}`)
    const form = await (one.open ?? openedBy(one.title, one.title))(page)
    await input(form, one.field).waitFor()
    opened += 1
    for (const [label, value] of Object.entries(one.others?.(opened) ?? {})) await input(form, label).fill(value)
    return form
  }
  /** Submits, and waits until the form is saved, or has an error at the field or elsewhere. */
  const save = async (form: Locator, at: string) => {
    const submit = form.getByRole('button', { name: one.submit, exact: true })
    await submit.click()
    const alert = form.locator('.mantine-Alert-root').first()
    const note = noteAt(input(form, at))
    const isSaved = async () =>
      isDialog ? !(await form.isVisible()) : form.locator('[type="submit"]:disabled:not([data-loading])').isVisible()
    // One question after the other: waiting for all of them would leave those that never come true asking for minutes.
    return eventually(async () => {
      if (await isSaved()) return 'saved'
      if (await note.isVisible()) return 'refused'
      return (await alert.isVisible()) ? `error elsewhere: ${await alert.textContent()}` : undefined
    })
  }
  const again = async () => {
    if (one.opens) await page.waitForURL(one.opens)
    await follow(page, '/dashboard/integrations')
    await follow(page, `/dashboard/${one.place}`)
  }

  const form = await open()
  const field = input(form, one.field)
  const before = (await one.stored(a)).length
  for (const blank of one.optional ? [] : ['', '   ']) {
    await field.fill(blank)
    const outcome = await save(form, one.field)
    check(outcome === 'refused', `a blank value is ${outcome}`)
  }
  await field.fill('Value')
  for (const [label, value] of Object.entries(one.invalid ?? {})) {
    const other = input(form, label)
    const valid = await other.inputValue()
    await other.fill(value)
    const outcome = await save(form, label)
    check(outcome === 'refused', `${label} "${value}" is ${outcome}`)
    if (label === Object.keys(one.invalid ?? {})[0]) await picture(wide, `form-${slug(one)}`)
    await other.fill(valid)
  }
  check((await one.stored(a)).length === before, 'stored despite an error')

  await field.fill(`  ${hostile}  `)
  const outcome = await save(form, one.field)
  check(outcome === 'saved', `a hostile value is ${outcome}`)
  const stored = await one.stored(a)
  check(stored.includes(one.kept?.(hostile) ?? hostile), `stored ${JSON.stringify(stored.at(-1))}`)
  await again()
  if (!one.hidden) await page.locator('main').getByText('onerror=hacked').first().waitFor()
  check(!(await isTooWide(page)), 'too wide with a hostile value')

  const second = await open()
  await input(second, one.field).fill('W'.repeat(3_000))
  const { length } = await input(second, one.field).inputValue()
  check(length < 3_000, 'the input has no maximum length')
  const long = await save(second, one.field)
  check(long === 'saved', `${length} characters are ${long}`)
  await again()
  await narrow.page.bringToFront()
  await follow(narrow.page, '/dashboard/integrations')
  await follow(narrow.page, `/dashboard/${one.place}`)
  for (const shown of [wide, narrow]) {
    const width = shown.page.viewportSize()?.width
    check(!(await isTooWide(shown.page)), `too wide at ${width} px`)
    await picture(shown, `form-${slug(one)}-long-${width}`)
  }
  // A page behind another one is drawn rarely, and a click waits until its target has not moved for two frames.
  await page.bringToFront()

  if (one.unique) {
    const third = await open()
    await input(third, one.field).fill(hostile)
    if (one.unique !== one.field) await input(third, one.unique).fill(one.others?.(1)[one.unique] ?? '')
    const twice = await save(third, one.unique)
    check(twice === 'refused', `a duplicate is ${twice}`)
    await third.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
  }
  return found
}

const slug = ({ title }: FormUnderTest) => title.toLowerCase().replaceAll(' ', '-')

inBrowser('the input of forms', () => {
  test.for(formGroups)('is checked at its field, trimmed, limited, and never runs: %s', async (group) => {
    const office = await openOffice(testApp)
    const { a } = office
    await a.own('PUT', '/v1/company/settings', { country: 'FR' })
    const owner = await createTestUser(office, 'Ines', 'owner')
    const line = await office.line()
    const { webhook } = (await a.api('POST', '/v1/webhooks', { url: 'https://example.com/hook' })).json
    const wide = await openWindow(office)
    await enter(wide, owner, '/dashboard')
    const narrow = { ...wide, page: await wide.context.newPage() }
    await narrow.page.setViewportSize({ width: 390, height: 844 })
    await narrow.page.goto('/dashboard/integrations')
    await wide.page.bringToFront()

    const problems: string[] = []
    const forms = dashboardForms({ number: line.id, user: office.ada, webhook: webhook.webhook_id })
    for (const form of forms[group]) problems.push(...(await tryForm(form, office, { wide, narrow })))

    expect(problems).toEqual([])
    for (const { page } of [wide, narrow]) expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(wide.troubles).toEqual([])
  })
})
