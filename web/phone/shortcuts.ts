import { createElement, type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../kit/load.ts'
import { usePhone } from './context.ts'
import { ringsHeard } from './model.ts'

const Help = lazyPart(() => import('./screens/help.tsx'))

export const shortcutList = [
  ['a', 'Accept the call that rings'],
  ['d', 'Decline it'],
  ['m', 'Mute and unmute'],
  ['h', 'Hold and resume'],
  ['k', 'Keypad'],
  ['t', 'Transfer'],
  ['i', 'Invite somebody'],
  ['r', 'Pause the recording, and go on'],
  ['e', 'End the call'],
  ['f', 'Finish wrap-up'],
  ['?', 'Show this list'],
] as const

type Keys = Record<string, () => unknown>

const listening: Keys[] = []

/** Keys of the screen that is shown; give the result back to an effect. */
export function onShortcut(keys: Keys): () => void {
  listening.push(keys)
  return () => void listening.splice(listening.indexOf(keys), 1)
}

/** Single keys, for whoever is not typing. Gives the list that `?` opens. */
export function useShortcuts(): ReactNode {
  const { state, dispatch, act, choices } = usePhone()
  const [isShown, setShown] = useState(false)
  const [ring] = ringsHeard(state)
  useEffect(() => {
    if (!choices.shortcuts) return
    const down = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
      if (event.key === '?') return setShown(true)
      if (ring && event.key === 'a') return void act({ type: 'answer', key: ring.key })
      if (ring && event.key === 'd') {
        dispatch({ type: 'declined', key: ring.key })
        return void act({ type: 'decline', key: ring.key })
      }
      const keys = listening.findLast((one) => Object.hasOwn(one, event.key))
      if (!keys) return
      event.preventDefault()
      keys[event.key]?.()
    }
    window.addEventListener('keydown', down)
    return () => window.removeEventListener('keydown', down)
  })
  return isShown ? createElement(Suspense, null, createElement(Help, { close: () => setShown(false) })) : null
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
