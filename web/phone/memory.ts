import { browserStorage, tabStorage } from '../kit/storage.ts'
import type { Memory, PhoneState } from './model.ts'
import { phoneMemory } from './selectors.ts'

// State that survives a reload and is not stored on the server: draft notes, insight cards, suggestions, the number on the keypad. Stored
// per tab.

const keyOf = (userId: number) => `hookswitch.phone.${userId}`

export function recall(userId: number): Memory | undefined {
  try {
    const text = tabStorage.read(keyOf(userId))
    return text ? (JSON.parse(text) as Memory) : undefined
  } catch {
    return undefined
  }
}

export function keep(userId: number, state: PhoneState): void {
  tabStorage.write(keyOf(userId), JSON.stringify(phoneMemory(state)))
}

export function forget(userId: number): void {
  tabStorage.remove(keyOf(userId))
}

/** Settings of this browser. */
export interface Choices {
  /** Whether calls ring audibly; a stored name kept for compatibility. */
  ringsAloud: boolean
  shortcuts: boolean
  /** Null: the default device. */
  microphone: string | null
  speaker: string | null
  /** System notifications; the browser must permit them as well. */
  notifications: boolean
  /** Where the ringtone plays; null: the default device. */
  ringDevice: string | null
  /** From 0 to 100. */
  ringVolume: number
}

const choicesKey = 'hookswitch.phone.choices'
const defaultChoices: Choices = {
  ringsAloud: true,
  shortcuts: true,
  microphone: null,
  speaker: null,
  notifications: true,
  ringDevice: null,
  ringVolume: 50,
}

export function readChoices(): Choices {
  try {
    return { ...defaultChoices, ...JSON.parse(browserStorage.read(choicesKey) ?? '{}') }
  } catch {
    return defaultChoices
  }
}

export function saveChoices(choices: Choices): void {
  browserStorage.write(choicesKey, JSON.stringify(choices))
}
