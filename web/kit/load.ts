import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { inCall } from './in-call.ts'
import { reach } from './reach.ts'
import { tabStorage } from './storage.ts'
import { notify } from './ui/toast.tsx'

// Parts of the apps are loaded when they are first shown. While the server is unreachable, loading waits. After a server
// upgrade the files of the old release no longer exist: the page is reloaded then, but never during a call.

const reloadedKey = 'hookswitch.reloaded'
/** A second reload would not help. */
const minReloadIntervalMs = 60_000

export type Part<P> = LazyExoticComponent<ComponentType<P>> & {
  /** Loads it before it is shown. */
  preload(): void
}

export function lazyPart<P>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  const part = lazy(() => loaded(load))
  // A failure shows when the part is shown: it is loaded again then.
  return Object.assign(part, { preload: () => void load().catch(() => {}) })
}

async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await reach.back()
    // The bundler's loader retries a script but requests a stylesheet only once.
    if (error instanceof Error && error.message.includes('CSS')) return reloadWhenIdle()
    return load().catch(reloadWhenIdle)
  }
}

async function reloadWhenIdle(): Promise<never> {
  if (Date.now() - Number(tabStorage.read(reloadedKey) ?? 0) < minReloadIntervalMs) {
    throw new Error('This part of the app could not be loaded. Reload the page.')
  }
  if (inCall.get()) notify('A new version of the app is available. It loads when the call has ended.')
  await inCall.ended()
  tabStorage.write(reloadedKey, String(Date.now()))
  window.location.reload()
  // Pending until the new page replaces this one.
  return new Promise<never>(() => {})
}
