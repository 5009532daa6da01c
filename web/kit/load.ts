import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { inCall } from './in-call.ts'
import { reach } from './reach.ts'
import { tabDrawer } from './storage.ts'
import { say } from './ui/toast.tsx'

// Parts of the apps are loaded when they are first shown. While the server cannot be reached they wait for it. After an
// upgrade of the server the files of the old release are gone: the page is reloaded then, but never during a call.

const drawer = 'hookswitch.reloaded'
/** A second reload would not help. */
const notTwiceWithinMs = 60_000

export function lazyPart<P>(load: () => Promise<{ default: ComponentType<P> }>): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loaded(load))
}

async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await reach.back()
    // A script is fetched again, but the build's loader asks for a stylesheet only once.
    if (error instanceof Error && error.message.includes('CSS')) return reloadWhenIdle()
    return load().catch(reloadWhenIdle)
  }
}

async function reloadWhenIdle(): Promise<never> {
  if (Date.now() - Number(tabDrawer.read(drawer) ?? 0) < notTwiceWithinMs) {
    throw new Error('This part of the app could not be loaded. Reload the page.')
  }
  if (inCall.get()) say('A new version of the app is available. It loads when the call has ended.')
  await inCall.over()
  tabDrawer.write(drawer, String(Date.now()))
  window.location.reload()
  // Nothing is shown any more until the new page is there.
  return new Promise<never>(() => {})
}
