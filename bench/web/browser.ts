import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../test/kit/browser-path.ts'
import { print } from '../kit.ts'

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** A real Chromium; undefined with a notice where it is not installed. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = chromiumPath()
  if (executablePath) return chromium.launch({ executablePath, args: flags })
  print('Chromium is not installed: not measured')
  return undefined
}

/** A fresh profile, signed in; nothing is cached. */
export async function openProfile(browser: Browser, url: string, cookie: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  const cookies = cookie.split('; ').map((one) => {
    const [name = '', ...value] = one.split('=')
    return { name, value: value.join('='), url }
  })
  await context.addCookies(cookies)
  return context
}

export interface Loaded {
  /** From the navigation until the page shows its content and the main thread has been idle since. */
  interactiveMs: number
  /** Over the network, compressed. */
  bytes: number
  scripts: number
  /** CPU of the main thread until then. */
  cpuMs: number
}

/** Loads a page into an empty cache; interactive is the end of the last task before the content stays as it is. */
export async function loadPage(
  browser: Browser,
  at: { url: string; cookie: string; path: string; content: string },
): Promise<Loaded> {
  const context = await openProfile(browser, at.url, at.cookie)
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
  let bytes = 0
  let scripts = 0
  const kinds = new Map<string, string>()
  devTools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength
    if (kinds.get(requestId) === 'Script') scripts += encodedDataLength
  })
  await page.goto(at.path, { waitUntil: 'commit' })
  const interactiveMs = await page.evaluate<number>(untilInteractive(at.content))
  const { metrics } = await devTools.send('Performance.getMetrics')
  const cpuMs = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  await context.close()
  return { interactiveMs, bytes, scripts, cpuMs }
}

/** A script for the page: when the content is there and a frame was drawn, or the end of the last long task since. */
const untilInteractive = (content: string) => `new Promise((resolve) => {
  let longTaskEnd = 0
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTaskEnd = Math.max(longTaskEnd, startTime + duration)
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    if (!document.querySelector(${JSON.stringify(content)})) return requestAnimationFrame(look)
    requestAnimationFrame(() => {
      const shownAt = performance.now()
      // No long task for this long: it is idle, and the last one was the end of loading.
      const settle = () => {
        if (performance.now() - Math.max(shownAt, longTaskEnd) < 500) return setTimeout(settle, 100)
        resolve(Math.max(shownAt, longTaskEnd))
      }
      settle()
    })
  }
  look()
})`

export interface Frames {
  frames: number
  /** Frames that took longer than two at 60 per second: at least one was dropped. */
  late: number
  longestMs: number
  /** CPU of the main thread per second. */
  cpuPerSecond: number
}

/** A script for the page: the time between each two frames. */
const frameTimes = (ms: number) => `new Promise((resolve) => {
  const gaps = []
  const begin = performance.now()
  let last = begin
  const next = (at) => {
    gaps.push(at - last)
    last = at
    if (at - begin < ${ms}) requestAnimationFrame(next)
    else resolve(gaps.slice(1))
  }
  requestAnimationFrame(next)
})`

/** What the page draws during some seconds. */
export async function watchFrames(page: Page, seconds: number): Promise<Frames> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpu = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
  const before = await cpu()
  const gaps = await page.evaluate<number[]>(frameTimes(seconds * 1_000))
  const cpuPerSecond = ((await cpu()) - before) / seconds
  return {
    frames: gaps.length,
    late: gaps.filter((gap) => gap > 1_000 / 30).length,
    longestMs: Math.max(...gaps),
    cpuPerSecond,
  }
}
