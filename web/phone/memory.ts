import { browserDrawer, tabDrawer } from '../kit/storage.ts'
import type { Memory, PhoneState } from './model.ts'
import { memoryOf } from './model.ts'

// What a reload must not lose and the server does not keep: typed notes, cards, the number on the dialpad. For the tab
// only, and gone with it.

const keyOf = (userId: number) => `hookswitch.phone.${userId}`

export function recall(userId: number): Memory | undefined {
  try {
    const text = tabDrawer.read(keyOf(userId))
    return text ? (JSON.parse(text) as Memory) : undefined
  } catch {
    return undefined
  }
}

export function keep(userId: number, state: PhoneState): void {
  tabDrawer.write(keyOf(userId), JSON.stringify(memoryOf(state)))
}

export function forget(userId: number): void {
  tabDrawer.remove(keyOf(userId))
}

/** Choices of this browser. */
export interface Choices {
  ringsAloud: boolean
  shortcuts: boolean
  /** Null: the one that the browser uses anyway. */
  microphone: string | null
  speaker: string | null
}

const choicesKey = 'hookswitch.phone.choices'
const usual: Choices = { ringsAloud: true, shortcuts: true, microphone: null, speaker: null }

export function readChoices(): Choices {
  try {
    return { ...usual, ...JSON.parse(browserDrawer.read(choicesKey) ?? '{}') }
  } catch {
    return usual
  }
}

export function saveChoices(choices: Choices): void {
  browserDrawer.write(choicesKey, JSON.stringify(choices))
}
