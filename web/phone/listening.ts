import type { LiveConnection } from '../kit/live.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import type { Listening } from './model.ts'
import type { PhoneAudio } from './sound.ts'
import type { Store } from './store.ts'

// Supervision of a call: listen (inaudible), whisper (audible to agents only), or barge in (a participant).

interface Parts {
  store: Pick<Store, 'dispatch'>
  live: Pick<LiveConnection, 'ask'>
  sound: Pick<PhoneAudio, 'ask'>
}

export type Mode = Listening['mode'] | 'join'

/** Starts supervision; also used to retry after the audio was lost. */
export async function listenTo(parts: Parts, key: string, mode: Mode): Promise<void> {
  const { store } = parts
  store.dispatch({ type: 'listening', listening: { key, mode: mode === 'join' ? 'listen' : mode, phase: 'starting' } })
  if (!(await supervise(parts, key, mode))) return store.dispatch({ type: 'listening', listening: null })
  store.dispatch({ type: 'listening', listening: mode === 'join' ? null : { key, mode, phase: 'on' } })
}

/** Changes the mode; after barging in the supervisor is a participant. */
export async function listenAs(parts: Parts, before: Listening, mode: Mode): Promise<void> {
  const { store, live } = parts
  const { key } = before
  if (mode === 'join') {
    store.dispatch({ type: 'listening', listening: { ...before, phase: 'starting' } })
    const isOn = await supervise(parts, key, mode)
    return store.dispatch({ type: 'listening', listening: isOn ? null : before })
  }
  // The audio is connected already.
  if (await supervise({ ...parts, sound: live }, key, mode)) {
    store.dispatch({ type: 'listening', listening: { ...before, mode } })
  }
}

export async function stopListening({ store, live }: Parts, { key }: Listening): Promise<void> {
  store.dispatch({ type: 'listening', listening: null })
  await live.ask({ type: 'supervise', key, mode: null }).catch(() => {
    // Without a connection the server ends supervision itself.
  })
}

async function supervise({ sound }: Parts, key: string, mode: Mode): Promise<boolean> {
  try {
    const reply = await sound.ask({ type: 'supervise', key, mode })
    if (reply.ok) return true
    notifyError(new Error(reply.why))
  } catch (error) {
    notifyError(error)
  }
  return false
}
