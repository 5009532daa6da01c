import { useRef } from 'react'
import css from '../phone.module.css'

const keys = [
  ['1', ''],
  ['2', 'ABC'],
  ['3', 'DEF'],
  ['4', 'GHI'],
  ['5', 'JKL'],
  ['6', 'MNO'],
  ['7', 'PQRS'],
  ['8', 'TUV'],
  ['9', 'WXYZ'],
  ['*', ''],
  ['0', '+'],
  ['#', ''],
] as const

const longPressMs = 500

/** The twelve keys. With `withPlus`, a long press on 0 enters a plus. */
export function Pad({ press, withPlus = false }: { press: (key: string) => void; withPlus?: boolean }) {
  const timer = useRef<number>(undefined)
  const wasLong = useRef(false)
  const down = (key: string) => {
    wasLong.current = false
    if (key !== '0' || !withPlus) return
    timer.current = window.setTimeout(() => {
      wasLong.current = true
      press('+')
    }, longPressMs)
  }
  const up = () => window.clearTimeout(timer.current)
  const click = (key: string) => {
    if (!wasLong.current) press(key)
    wasLong.current = false
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={css.keys} role="group" aria-label="Keypad">
      {keys.map(([key, letters]) => (
        <button
          key={key}
          type="button"
          className={css.key}
          title={key === '0' && withPlus ? 'Hold for +' : undefined}
          onPointerDown={() => down(key)}
          onPointerUp={up}
          onPointerLeave={up}
          onContextMenu={(event) => event.preventDefault()}
          onClick={() => click(key)}
        >
          <span className={css.digit}>{key}</span>
          <span className={css.letters}>{key === '0' && !withPlus ? '' : letters}</span>
        </button>
      ))}
    </div>
  )
}
