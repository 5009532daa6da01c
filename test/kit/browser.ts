import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { describe, inject, onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'
import { isFullRun } from './depth.ts'

// A real Chromium with the real app. Any page error fails the test.

/** Browser tests; skipped with a notice where Chromium is missing. */
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
  // A fake microphone without a permission prompt; host names are not resolved over the network.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
]

let running: Promise<Browser> | undefined

/** For tests with microphone input; removed afterwards. */
async function browserWithMicrophone(microphone: string): Promise<Browser> {
  const audioFlags = [`--use-file-for-fake-audio-capture=${microphone}`, '--autoplay-policy=no-user-gesture-required']
  const browser = await chromium.launch({ executablePath: inject('chromium') ?? '', args: [...quiet, ...audioFlags] })
  onTestFinished(() => browser.close())
  return browser
}

/** One per worker: starting takes longer than a test. */
async function theBrowser(): Promise<Browser> {
  running ??= chromium.launch({ executablePath: inject('chromium') ?? '', args: quiet })
  return running
}

export interface Window {
  page: Page
  context: BrowserContext
  base: string
  /** Errors so far: script errors, policy violations, requests to other hosts. */
  troubles: string[]
  /** Requests of the page that the server refused: `GET /app/v1/… 404`. The console shows them as errors. */
  refused: string[]
}

export interface WindowOptions {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  /** IANA name; defaults to that of the machine. */
  timeZone?: string
  /** The server has a self-signed certificate. */
  ownCertificate?: boolean
  /** A WAV file played in a loop; defaults to a beep. */
  microphone?: string
}

/** A fresh browser profile with the app open. */
export async function openWindow(
  { base }: Pick<TestApp, 'base'>,
  { width = 1280, height = 800, scheme = 'light', timeZone, microphone, ownCertificate = false }: WindowOptions = {},
): Promise<Window> {
  const browser = await (microphone === undefined ? theBrowser() : browserWithMicrophone(microphone))
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: ownCertificate,
    ...(timeZone && { timezoneId: timeZone }),
  })
  onTestFinished(() => context.close())
  // Long enough for a slow machine, shorter than a test's own timeout: the error then names the locator.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // Chromium repeats requests when the machine's network changes, as tests do.
    const isOfPage = !/status of 4\d\d|net::ERR_NETWORK_CHANGED/.test(text)
    if (message.type() === 'error' && isOfPage) troubles.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob|about):/.test(url) && new URL(url).origin !== base) troubles.push(`request to ${url}`)
  })
  const refused: string[] = []
  page.on('response', (response) => {
    const request = response.request()
    if (response.status() < 400) return
    refused.push(`${request.method()} ${request.url().replace(base, '')} ${response.status()}`)
  })
  return { page, context, base, troubles, refused }
}

interface Credentials {
  email: string
  password: string
}

/** Signed in without the form; see sign-in.test.ts for the form. */
export async function enter({ page, context, base }: Window, person: Credentials, place: string): Promise<void> {
  const answer = await context.request.post('/app/v1/session', {
    data: { email: person.email, password: person.password },
    headers: { origin: base },
  })
  if (!answer.ok()) throw new Error(`${person.email} cannot sign in: ${await answer.text()}`)
  await page.goto(place)
}

export async function signInAs(
  { page }: Window,
  person: Credentials,
  place: '/dashboard' | '/phone' = '/dashboard',
): Promise<void> {
  await page.goto(place)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel(/^Password/).fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Screenshots for review, with TEST_SCREENSHOTS=1; not kept in git. */
export async function picture({ page }: Window, name: string): Promise<void> {
  if (!process.env.TEST_SCREENSHOTS) return
  await page.screenshot({ path: path.join('test', 'browser', 'screenshots', `${name}.png`) })
}

/** Navigates within the app, without loading it again. */
export async function follow(page: Page, place: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${place}'); dispatchEvent(new PopStateEvent('popstate'))`)
  // The previous page stays until the code of the next one is loaded.
  const section = place.split('/', 3).join('/')
  const link = `nav a[aria-current="page"]:is([href="${section}"], [href^="${section}/"])`
  await page.locator(link).waitFor({ state: 'attached' })
  await waitUntilLoaded(page)
}

/** A screen of the phone app that a column lists under More. */
export async function openFromMore(page: Page, screen: string): Promise<void> {
  await page.getByRole('tab', { name: /^More/ }).click()
  await page
    .getByRole('list', { name: 'More screens' })
    .getByRole('button', { name: new RegExp(`^${screen}`) })
    .click()
}

/** The page has its heading and is no longer loading. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const waiting = page.locator('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')
  await waiting.first().waitFor({ state: 'detached' })
}

const standard = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']

/** A script for the page: waits for the animations in progress, but not for those that repeat forever. */
const untilStill = `Promise.allSettled(
  document
    .getAnimations()
    .filter((one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished),
).then(() => undefined)`

/** Scripts for the page. A notification that fades out during the check would have too little contrast. */
const endTransitions = `
  globalThis.withoutTransitions = new CSSStyleSheet()
  withoutTransitions.replaceSync('*, ::before, ::after { transition: none !important }')
  document.adoptedStyleSheets.push(withoutTransitions)`
const allowTransitions = `
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== withoutTransitions)`

/** Accessibility violations. Contrast is slow and checked in a full run. */
export async function accessibilityViolations(page: Page, { contrastOnly = false } = {}): Promise<string[]> {
  if (contrastOnly && !isFullRun) return []
  await page.evaluate(endTransitions)
  await page.evaluate(untilStill)
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  if (contrastOnly) axe.withRules('color-contrast')
  else axe.withTags(standard)
  if (!isFullRun) axe.disableRules('color-contrast')
  const { violations } = await axe.analyze()
  await page.evaluate(allowTransitions)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
