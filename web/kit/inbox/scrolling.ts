import { useLayoutEffect, useRef } from 'react'

// Parts of a list of messages.

/** The heading above the first message of a day; `at` in milliseconds. */
export const dayOf = (at: number) =>
  new Date(at).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })

/**
 * Follows new items at the end, unless the user has scrolled up, and always what the user sends (`sent`, empty without any);
 * keeps the position when older items are added above.
 */
export function useScrolled(end: string, start: string | undefined, sent = '') {
  const log = useRef<HTMLDivElement>(null)
  const before = useRef({ height: 0, end: '', start, sent })
  useLayoutEffect(() => {
    const box = log.current
    if (!box) return
    const was = before.current
    const wasAtEnd = box.scrollTop + box.clientHeight >= was.height - 80
    const isSent = sent !== '' && sent !== was.sent
    if (was.end === '' || isSent || (was.end !== end && wasAtEnd)) box.scrollTop = box.scrollHeight
    else if (was.start !== start && was.end === end) box.scrollTop += box.scrollHeight - was.height
    before.current = { height: box.scrollHeight, end, start, sent }
  }, [end, start, sent])
  return log
}
