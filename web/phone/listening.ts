import type { Live } from '../kit/live.ts'
import { sayTrouble } from '../kit/ui/toast.tsx'
import type { Listening } from './model.ts'
import type { Sound } from './sound.ts'
import type { Store } from './store.ts'

// A supervisor on a call of others: unheard, heard by our people only, or on it like everybody else.

interface Parts {
  store: Pick<Store, 'dispatch'>
  live: Pick<Live, 'ask'>
  sound: Pick<Sound, 'ask'>
}

export type Mode = Listening['mode'] | 'join'

/** Also once more, after the sound broke off. */
export async function listenTo(parts: Parts, key: string, mode: Mode): Promise<void> {
  const { store } = parts
  store.dispatch({ type: 'listening', listening: { key, mode: mode === 'join' ? 'listen' : mode, phase: 'starting' } })
  if (!(await supervise(parts, key, mode))) return store.dispatch({ type: 'listening', listening: null })
  store.dispatch({ type: 'listening', listening: mode === 'join' ? null : { key, mode, phase: 'on' } })
}

/** From one way to another; whoever joins is on the call from then on. */
export async function listenAs(parts: Parts, before: Listening, mode: Mode): Promise<void> {
  const { store, live } = parts
  const { key } = before
  if (mode === 'join') {
    store.dispatch({ type: 'listening', listening: { ...before, phase: 'starting' } })
    const isOn = await supervise(parts, key, mode)
    return store.dispatch({ type: 'listening', listening: isOn ? null : before })
  }
  // The sound is there already.
  if (await supervise({ ...parts, sound: live }, key, mode)) {
    store.dispatch({ type: 'listening', listening: { ...before, mode } })
  }
}

export async function stopListening({ store, live }: Parts, { key }: Listening): Promise<void> {
  store.dispatch({ type: 'listening', listening: null })
  await live.ask({ type: 'supervise', key, mode: null }).catch(() => {
    // Without a connection the sound ends by itself.
  })
}

async function supervise({ sound }: Parts, key: string, mode: Mode): Promise<boolean> {
  try {
    const reply = await sound.ask({ type: 'supervise', key, mode })
    if (reply.ok) return true
    sayTrouble(new Error(reply.why))
  } catch (error) {
    sayTrouble(error)
  }
  return false
}
