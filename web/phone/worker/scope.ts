// The parts of a service worker that this app uses: the DOM types of the web apps do not include them.

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

export interface WorkerClient {
  url: string
  visibilityState: DocumentVisibilityState
  focus(): Promise<WorkerClient>
  postMessage(message: unknown): void
}

interface WorkerEvents {
  install: ExtendableEvent
  activate: ExtendableEvent
  fetch: ExtendableEvent & { request: Request; respondWith(response: Promise<Response>): void }
  push: ExtendableEvent & { data: { json(): unknown } | null }
  notificationclick: ExtendableEvent & { action: string; notification: Notification }
}

export interface WorkerScope {
  registration: ServiceWorkerRegistration
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WorkerClient[]>
    openWindow(url: string): Promise<WorkerClient | null>
  }
  skipWaiting(): Promise<void>
  addEventListener<K extends keyof WorkerEvents>(name: K, listener: (event: WorkerEvents[K]) => void): void
}
