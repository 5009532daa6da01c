import { Box, Button } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import css from './live.module.css'
import { isAtEnd, type LiveLine } from './live.ts'
import { keyOf, type SpeakerNames, speakersOf } from './transcript.ts'

/** Follows the newest line, unless the user has scrolled up; a button then returns to the end. */
export function LiveTranscript({ lines, names }: { lines: readonly LiveLine[]; names: SpeakerNames }) {
  const list = useRef<HTMLUListElement>(null)
  const [follows, setFollows] = useState(true)
  const scrollToEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight })
  const last = lines.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is scrolled into view
  useLayoutEffect(() => {
    if (follows) void scrollToEnd()
  }, [last?.at, last?.text, lines.length, follows])
  const speakers = speakersOf(lines, names)
  return (
    <Box pos="relative">
      <ul
        className={css.lines}
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
        aria-label="Live transcript"
        aria-live="off"
        onScroll={({ currentTarget }) => setFollows(isAtEnd(currentTarget))}
      >
        {lines.map((line, index) => {
          const speaker = speakers.get(keyOf(line))
          const before = lines[index - 1]
          return (
            <Box
              component="li"
              key={`${line.at}:${line.text}`}
              className={css.line}
              __vars={{ '--speaker': `var(--mantine-color-${speaker?.color ?? 'gray'}-light-color)` }}
            >
              {(!before || keyOf(before) !== keyOf(line)) && <span className={css.name}>{speaker?.name}</span>}
              {line.text}
            </Box>
          )
        })}
      </ul>
      {!follows && (
        <Button size="compact-xs" className={css.down ?? ''} onClick={() => setFollows(true)}>
          Jump to latest
        </Button>
      )}
    </Box>
  )
}
