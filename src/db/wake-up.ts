import { EventEmitter } from 'node:events'

/** In-process notifications: hints with ids only; a periodic sweep covers lost ones. */
export interface Bus {
  send(channel: string, payload: string): void
  listen(channel: string, listener: (payload: string) => void): () => void
}

export function localBus(): Bus {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  return {
    send: (channel, payload) => emitter.emit(channel, payload),
    listen(channel, listener) {
      emitter.on(channel, listener)
      return () => emitter.off(channel, listener)
    },
  }
}
