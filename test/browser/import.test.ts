import { expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/features/accounts/api-keys/actions.ts'
import { faultyProxy } from '../imports/faulty-proxy.ts'
import { type OpenApp, testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { freePort } from '../kit/databases.ts'
import { openDemo } from '../sandbox/demo.ts'
import { createTestUser } from './people.ts'

const place = '/dashboard/company/import'

/** A server with the demo company, a proxy in front of it, and an owner of an empty company of another server. */
async function twoServers(open: OpenApp) {
  const source = await openDemo(open)
  const key = await createKey(source.app.services, source.seeded.main.companyId, { name: 'Import', createdBy: null })
  const target = await open()
  return {
    source,
    target,
    key,
    proxy: await faultyProxy(source.base, false),
    owner: await createTestUser(target, 'Ada', 'owner'),
  }
}

async function fillIn({ page }: Window, url: string, key: { apiId: string; apiToken: string }) {
  await page.getByLabel('Server URL').fill(url)
  await page.getByLabel('API ID').fill(key.apiId)
  await page.getByRole('textbox', { name: 'API token' }).fill(key.apiToken)
}

/** Of an import; its counts read one row. */
const isPage = (path: string, list: string) => path.startsWith(`/v1/${list}?`) && path.includes('per_page=50')

/** At both widths, in both color schemes. */
async function pictures(target: Parameters<typeof openWindow>[0], owner: Parameters<typeof enter>[1], name: string) {
  for (const scheme of ['light', 'dark'] as const) {
    const window = await openWindow(target, { width: 1440, height: 1000, scheme })
    await enter(window, owner, place)
    await waitUntilLoaded(window.page)
    await picture(window, `import-${name}-${scheme}-1440`)
    await window.page.setViewportSize({ width: 390, height: 1000 })
    await window.page.reload()
    await waitUntilLoaded(window.page)
    await picture(window, `import-${name}-${scheme}-390`)
    expect(await window.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await accessibilityViolations(window.page)).toEqual([])
  }
}

inBrowser('Settings > Import', () => {
  test('an owner checks a source, starts the import, stops and continues it, and reads the report', async () => {
    const { source, target, key, proxy, owner } = await twoServers(testApp)
    const window = await openWindow(target, { width: 1440, height: 1000 })
    const { page } = window
    await enter(window, owner, place)
    await page.getByText('No imports yet').waitFor()
    await picture(window, 'import-empty')
    await page.getByRole('button', { name: 'New import' }).click()

    const check = page.getByRole('button', { name: 'Check source' })
    await check.click()
    expect(await page.getByText('This field is required').count()).toBe(3)
    await fillIn(window, proxy.url, key)
    await check.click()
    const counts = page.getByRole('table', { name: 'Objects of the source' })
    const calls = (await source.main('GET', '/v1/calls')).json.meta.total
    await counts.getByRole('row', { name: `Calls ${calls}` }).waitFor()
    await picture(window, 'import-counts')
    expect(await accessibilityViolations(page)).toEqual([])
    expect((await target.a.own('GET', '/v1/company_imports')).json.imports).toEqual([])

    // The source answers no request for calls until the progress was seen.
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    proxy.hold = (path) => (isPage(path, 'calls') ? released : undefined)
    await page.getByRole('button', { name: 'Start import' }).click()
    const progress = page.getByRole('table', { name: 'Progress' })
    const rowOf = (kind: string) => progress.getByRole('row').filter({ hasText: kind })
    await rowOf('Contacts').getByText('Complete').waitFor()
    await rowOf('Calls').getByText('Waiting').waitFor()
    expect(await page.getByText(key.apiToken).count()).toBe(0)
    expect(await page.content()).not.toContain(key.apiToken)
    await pictures(target, owner, 'progress')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    release()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Complete', { exact: true }).first().waitFor()
    await rowOf('Calls').getByText('Complete').waitFor()
    expect((await rowOf('Calls').getByRole('cell').allInnerTexts()).slice(-4)).toEqual([String(calls), '0', '0', '0'])
    const report = page.getByRole('table', { name: 'Report' })
    await report.getByText('send an invitation').first().waitFor()
    await report.getByText('new signing secret').first().waitFor()
    await pictures(target, owner, 'report')
    expect((await target.a.api('GET', '/v1/calls')).json.meta.total).toBe(calls)
    expect(window.troubles).toEqual([])
  })

  test('updating existing objects asks for confirmation, and the earlier import stays listed', async () => {
    const { source, target, key, proxy, owner } = await twoServers(testApp)
    const [tag] = (await source.main('GET', '/v1/tags')).json.tags
    await target.a.api('POST', '/v1/tags', { name: tag.name, color: '#123456' })
    const window = await openWindow(target, { width: 1440, height: 1000 })
    const { page } = window
    const colorHere = async () =>
      (await target.a.api('GET', '/v1/tags')).json.tags.find(({ name }: { name: string }) => name === tag.name).color
    await enter(window, owner, place)
    for (const merges of [false, true]) {
      await page.getByRole('button', { name: 'New import' }).click()
      await fillIn(window, proxy.url, key)
      await page.getByRole('button', { name: 'Check source' }).click()
      const start = page.getByRole('button', { name: 'Start import' })
      await start.waitFor()
      if (merges) await page.getByRole('switch', { name: 'Update existing objects' }).check()
      await start.click()
      if (merges) {
        const question = page.getByRole('dialog', { name: 'Update existing objects?' })
        await question.waitFor()
        await picture(window, 'import-confirm')
        await question.getByRole('button', { name: 'Start import' }).click()
      } else expect(await page.getByRole('dialog').count()).toBe(0)
      await page.getByRole('button', { name: 'New import' }).waitFor()
      if (!merges) expect(await colorHere()).toBe('#123456')
    }

    await page.getByText('Existing objects are updated').waitFor()
    await page.getByRole('table', { name: 'Earlier imports' }).getByText('Complete').waitFor()
    expect(await colorHere()).toBe(tag.color)
    expect(window.troubles).toEqual([])
  })

  test('an owner imports contacts from a CSV file and sees which rows were rejected', async () => {
    const target = await testApp()
    const owner = await createTestUser(target, 'Ada', 'owner')
    const window = await openWindow(target, { width: 1440, height: 1000, scheme: 'dark' })
    const { page } = window
    await enter(window, owner, place)
    await page.getByRole('button', { name: 'New import' }).click()
    await page.getByText('CSV files', { exact: true }).click()
    const check = page.getByRole('button', { name: 'Check source' })
    const upload = (text: string) =>
      page
        .locator('input[type=file]')
        .nth(1)
        .setInputFiles({ name: 'contacts.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await check.click()
    await page.getByText('must have a file that is not empty').waitFor()
    await upload('first_name\nGrace\n')
    await check.click()
    await page.getByText('the column phone_numbers is missing').waitFor()
    await upload('first_name,phone_numbers\nGrace,+33199001122\nZoe,\n')
    await check.click()
    await page.getByRole('table', { name: 'Objects of the source' }).getByRole('row', { name: 'Contacts 2' }).waitFor()
    await picture(window, 'import-csv')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.getByText('The contact has no valid phone number').waitFor()
    await page.getByRole('heading', { name: 'CSV files' }).waitFor()
    await picture(window, 'import-csv-report')
    expect((await target.a.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
    expect(window.troubles).toEqual([])
  })

  test('a wrong token, an unreachable source and a key that is revoked during the import are explained', async () => {
    const { source, target, key, proxy, owner } = await twoServers(testApp)
    const window = await openWindow(target, { width: 390, height: 1000, scheme: 'dark' })
    const { page } = window
    await enter(window, owner, place)
    await page.getByRole('button', { name: 'New import' }).click()
    const check = page.getByRole('button', { name: 'Check source' })
    const noteAt = (label: string) =>
      page.locator('.mantine-InputWrapper-root', { has: page.getByLabel(label) }).getByRole('alert')

    await fillIn(window, proxy.url, { ...key, apiToken: 'wrong' })
    await check.click()
    await noteAt('API ID').or(noteAt('API token')).getByText('The other server rejected this API token').waitFor()
    await picture(window, 'import-wrong-token')
    const port = await freePort()
    await fillIn(window, `http://127.0.0.1:${port}`, key)
    await check.click()
    await noteAt('Server URL').getByText('The server at this URL cannot be read').waitFor()
    await picture(window, 'import-unreachable')
    await page.getByLabel('Server URL').fill('phone')
    await check.click()
    await noteAt('Server URL').getByText('Enter a complete URL').waitFor()
    await page.getByLabel('Server URL').fill('ftp://phone.example.com')
    await check.click()
    await noteAt('Server URL').getByText('base URL').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])

    // The key is deleted at the source after the import has started.
    proxy.hold = (path) =>
      isPage(path, 'contacts') ? revokeKey(source.app.services, source.seeded.main.companyId, key.id) : undefined
    await fillIn(window, proxy.url, key)
    await check.click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.getByText('The import failed').waitFor()
    await page.getByText('the source rejected the API key', { exact: false }).waitFor()
    await picture(window, 'import-failed')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue' }).waitFor()
  })
})
