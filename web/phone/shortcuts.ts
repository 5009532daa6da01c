import { createElement, type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../kit/load.ts'
import { usePhone } from './context.ts'
import { activeRings, isOffline } from './selectors.ts'

const Help = lazyPart(() => import('./screens/help.tsx'))

/** Handlers by key, such as `h` or `Ctrl+Shift+H`. */
type Keys = Record<string, () => unknown>

const registered: Keys[] = []

/** Registers the keys of a screen; returns the function that removes them, for an effect. */
export function onShortcut(keys: Keys): () => void {
  registered.push(keys)
  return () => void registered.splice(registered.indexOf(keys), 1)
}

/** Single keys work outside text fields, combinations everywhere. Returns the list that `?` opens. */
export function useShortcuts(): ReactNode {
  const { state, dispatch, act, choices } = usePhone()
  const [isShown, setShown] = useState(false)
  const [ring] = activeRings(state)
  useEffect(() => {
    if (!choices.shortcuts) return
    const onKeyDown = (event: KeyboardEvent) => {
      const name = nameOf(event)
      if (name === undefined) return
      if (name === '?') return setShown(true)
      // Accepting a second call would put the first one on hold.
      if (ring && name === 'a' && state.talks.length === 0 && !isOffline(state))
        return void act({ type: 'answer', key: ring.key })
      if (ring && name === 'Ctrl+Shift+D') {
        event.preventDefault()
        return dispatch({ type: 'declined', key: ring.key })
      }
      const keys = registered.findLast((one) => Object.hasOwn(one, name))
      if (!keys) return
      event.preventDefault()
      keys[name]?.()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
  return isShown ? createElement(Suspense, null, createElement(Help, { close: () => setShown(false) })) : null
}

/** The name as in the list; undefined when it is not a shortcut. On a Mac, Command counts as Ctrl. */
function nameOf(event: KeyboardEvent): string | undefined {
  if (event.repeat || event.altKey) return undefined
  if ((event.ctrlKey || event.metaKey) && event.shiftKey) return `Ctrl+Shift+${event.key.toUpperCase()}`
  if (event.ctrlKey || event.metaKey || isTyping(event.target)) return undefined
  return event.key
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
