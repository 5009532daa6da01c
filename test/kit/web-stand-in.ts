import { onTestFinished } from 'vitest'
import { type Asked, type Provider, type Reply, startProvider } from './provider.ts'

export type { Asked, Reply } from './provider.ts'

// A provider's server for one test.

export interface StandIn extends Omit<Provider, 'open' | 'close'> {
  /** Unreachable. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
}

export async function standIn(how: (asked: Asked) => Reply): Promise<StandIn> {
  const provider = await startProvider(how)
  onTestFinished(provider.close)
  const { got, answer, until, close, open } = provider
  return { base: provider.base, got, answer, until, goOffline: close, goOnline: open }
}
