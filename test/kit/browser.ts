import path from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { describe, inject, onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'

// A real Chromium in front of the real app. Whatever a page does that it must not fails the test that opened it.

/** Stories that need a browser; without one they are skipped, and the run has said so. */
export const inBrowser = (title: string, stories: () => void) =>
  describe.skipIf(inject('chromium') === null)(title, stories)

const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let running: Promise<Browser> | undefined

/** One for all tests of a worker: a start takes longer than a story. */
async function theBrowser(): Promise<Browser> {
  running ??= chromium.launch({ executablePath: inject('chromium') ?? '', args: quiet })
  return running
}

export interface Window {
  page: Page
  context: BrowserContext
  /** What went wrong so far: errors of scripts, violations of the policy, requests to others. */
  troubles: string[]
}

export interface WindowOptions {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
}

/** A fresh browser profile at the app's door. */
export async function openWindow(
  { base }: Pick<TestApp, 'base'>,
  { width = 1280, height = 800, scheme = 'light' }: WindowOptions = {},
): Promise<Window> {
  const browser = await theBrowser()
  const context = await browser.newContext({ baseURL: base, viewport: { width, height }, colorScheme: scheme })
  onTestFinished(() => context.close())
  // A slow machine is no failure: the test's own limit is the only one.
  context.setDefaultTimeout(0)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/status of 4\d\d/.test(text)) troubles.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob|about):/.test(url) && new URL(url).origin !== base) troubles.push(`request to ${url}`)
  })
  return { page, context, troubles }
}

export async function signInAs(
  { page }: Window,
  person: { email: string; password: string },
  place: '/dashboard' | '/phone' = '/dashboard',
): Promise<void> {
  await page.goto(place)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel(/^Password/).fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** For people to look at; not kept in git. */
export async function picture({ page }: Window, name: string): Promise<void> {
  await page.screenshot({ path: path.join('test', 'browser', 'screenshots', `${name}.png`) })
}
