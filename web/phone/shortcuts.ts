import { createElement, type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../kit/load.ts'
import { usePhone } from './context.ts'
import { ringsHeard } from './model.ts'

const Help = lazyPart(() => import('./screens/help.tsx'))

/**
 * A key that ends, declines, holds or transfers a call takes Ctrl and Shift (Command and Shift on a Mac): text that is
 * typed while the cursor is outside a field must not do it.
 */
export const shortcutList = [
  ['A', 'Accept the ringing call'],
  ['Ctrl+Shift+D', 'Decline the ringing call'],
  ['M', 'Mute or unmute'],
  ['Ctrl+Shift+H', 'Hold or resume'],
  ['K', 'Keypad'],
  ['Ctrl+Shift+X', 'Transfer'],
  ['I', 'Add participant'],
  ['R', 'Pause or resume the recording'],
  ['Ctrl+Shift+E', 'End the call'],
  ['F', 'Finish wrap-up'],
  ['?', 'Show this list'],
] as const

/** By `h`, or by `Ctrl+Shift+H`. */
type Keys = Record<string, () => unknown>

const listening: Keys[] = []

/** Keys of the screen that is shown; give the result back to an effect. */
export function onShortcut(keys: Keys): () => void {
  listening.push(keys)
  return () => void listening.splice(listening.indexOf(keys), 1)
}

/** Single keys work outside text fields, combinations everywhere. Returns the list that `?` opens. */
export function useShortcuts(): ReactNode {
  const { state, dispatch, act, choices } = usePhone()
  const [isShown, setShown] = useState(false)
  const [ring] = ringsHeard(state)
  useEffect(() => {
    if (!choices.shortcuts) return
    const down = (event: KeyboardEvent) => {
      const name = nameOf(event)
      if (name === undefined) return
      if (name === '?') return setShown(true)
      if (ring && name === 'a') return void act({ type: 'answer', key: ring.key })
      if (ring && name === 'Ctrl+Shift+D') {
        event.preventDefault()
        dispatch({ type: 'declined', key: ring.key })
        return void act({ type: 'decline', key: ring.key })
      }
      const keys = listening.findLast((one) => Object.hasOwn(one, name))
      if (!keys) return
      event.preventDefault()
      keys[name]?.()
    }
    window.addEventListener('keydown', down)
    return () => window.removeEventListener('keydown', down)
  })
  return isShown ? createElement(Suspense, null, createElement(Help, { close: () => setShown(false) })) : null
}

/** As in the list; undefined when the key is not for us. Command is Ctrl on a Mac. */
function nameOf(event: KeyboardEvent): string | undefined {
  if (event.repeat || event.altKey) return undefined
  if ((event.ctrlKey || event.metaKey) && event.shiftKey) return `Ctrl+Shift+${event.key.toUpperCase()}`
  if (event.ctrlKey || event.metaKey || isTyping(event.target)) return undefined
  return event.key
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
