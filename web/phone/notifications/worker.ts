// The service worker of the phone app. Embedded in another site the phone has none: notifications belong to that site.

const script = '/phone/service-worker.js'

let ready: Promise<ServiceWorkerRegistration | undefined> | undefined

export const isEmbedded = () => window.parent !== window

/** Undefined where the browser has no service workers, such as in private windows. */
export function phoneWorker(): Promise<ServiceWorkerRegistration | undefined> {
  ready ??= register()
  return ready
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (isEmbedded() || !('serviceWorker' in navigator)) return undefined
  try {
    await navigator.serviceWorker.register(script, { scope: '/phone', updateViaCache: 'none' })
    return await navigator.serviceWorker.ready
  } catch {
    return undefined
  }
}
