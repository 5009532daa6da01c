import { useLayoutEffect, useRef } from 'react'
import { span } from '../../kit/ui/format.ts'
import { liveClock } from './live-clock.ts'

interface ElapsedProps {
  /** Server time in seconds. */
  since: number
  format?: (seconds: number) => string
  className?: string | undefined
}

/** A duration that counts up. The text is written without rendering: hundreds of rows change it each second. */
export function Elapsed({ since, format = span, className }: ElapsedProps) {
  const text = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const write = () => {
      const words = format(Math.max(0, liveClock.now() - since))
      if (text.current && text.current.textContent !== words) text.current.textContent = words
    }
    write()
    return liveClock.watch(write)
  }, [since, format])
  return <span ref={text} className={className} />
}
