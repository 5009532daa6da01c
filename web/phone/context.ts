import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { InboxStore } from '../kit/inbox/store.tsx'
import type { LiveConnection, Request } from '../kit/live.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import type { DirectStore } from './direct-messages/store.ts'
import type { Choices } from './memory.ts'
import type { PhoneEvent, PhoneState } from './model.ts'
import type { PhoneAudio, SoundState } from './sound.ts'
import type { Store } from './store.ts'

/** Shared by all screens. */
export interface PhoneParts {
  store: Store
  live: LiveConnection
  sound: PhoneAudio
  /** The window supervises calls only. */
  isSupervision: boolean
  inbox: InboxStore
  /** Drafts and unsent messages to colleagues. */
  direct: DirectStore
  choices: Choices
  setChoices(choices: Choices): void
  /** Sends a message to the page that embeds the phone. */
  notifyPage(name: string, value?: unknown): void
}

export const PhoneContext = createContext<PhoneParts | undefined>(undefined)

export interface Phone extends PhoneParts {
  state: PhoneState
  dispatch(event: PhoneEvent): void
  /** Sends a request and shows an error if it fails. Resolves to whether it succeeded. */
  act(request: Request): Promise<boolean>
}

export function usePhone(): Phone {
  const parts = useContext(PhoneContext)
  if (!parts) throw new Error('usePhone is used outside PhoneContext')
  const { store } = parts
  const state = useSyncExternalStore(store.watch, store.get)
  const act = async (request: Request) => {
    try {
      const reply = await parts.sound.ask(request)
      if (reply.ok) return true
      notifyError(new Error(reply.why))
    } catch (error) {
      notifyError(error)
    }
    return false
  }
  return { ...parts, state, dispatch: store.dispatch, act }
}

export const useSound = ({ sound }: Phone): SoundState => useSyncExternalStore(sound.watch, sound.get)

/** The time of this machine, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return now
}
