import { ActionIcon, Box, Group, Text, TextInput, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconCopy, IconDownload, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import {
  asText,
  type Hit,
  hitsIn,
  keyOf,
  type Speaker,
  type SpeakerNames,
  speakersOf,
  splitAt,
  splitAtWords,
  type TextSegment,
  type UtteranceShown,
  uncertainBelow,
  type WordShown,
} from '../../kit/conversation/transcript.ts'
import { span } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import classes from './conversation.module.css'

/** Transcript; clicking a word or a line plays from it, and the current ones are highlighted. */
export function Transcript({
  utterances,
  names,
  current,
  currentWord,
  seek,
  fileName,
}: {
  utterances: readonly UtteranceShown[]
  names: SpeakerNames
  /** -1: none. */
  current: number
  /** Index in the current line; -1: none. */
  currentWord: number
  /** Undefined without audio. */
  seek: ((seconds: number) => void) | undefined
  fileName: string
}) {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const speakers = useMemo(() => speakersOf(utterances, names), [utterances, names])
  const hits = useMemo(() => hitsIn(utterances, words), [utterances, words])
  const lines = useMemo(() => utterances.map((one, place) => piecesOf(one, place, hits)), [utterances, hits])
  const hit = hits[chosen]
  const step = (by: number) => hits.length > 0 && setChosen((chosen + by + hits.length) % hits.length)
  useScroll(list, hit?.index ?? -1)
  useScroll(list, current)
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      step(event.shiftKey ? -1 : 1)
    }
    if (event.key === 'Escape') setWords('')
  }
  return (
    <div>
      <Group gap={6} px="md" pt="sm" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label="Search transcript"
          placeholder="Search transcript"
          leftSection={<IconSearch size={14} />}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={keys}
        />
        {words.trim() !== '' && (
          <>
            <Text size="xs" c="dimmed" role="status" flex="none" miw={48} ta="center">
              {hits.length === 0 ? 'No results' : `${chosen + 1} of ${hits.length}`}
            </Text>
            <Small label="Previous match" run={() => step(-1)} disabled={hits.length < 2} icon={IconChevronUp} />
            <Small label="Next match" run={() => step(1)} disabled={hits.length < 2} icon={IconChevronDown} />
          </>
        )}
        <Small label="Copy transcript" run={() => copy(asText(utterances, speakers))} icon={IconCopy} />
        <Small
          label="Download transcript"
          run={() => download(fileName, asText(utterances, speakers))}
          icon={IconDownload}
        />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard */}
      <ul className={classes.transcript} ref={list} aria-label="Transcript" tabIndex={0}>
        {utterances.map((one, place) => (
          <Said
            key={`${one.start_time}:${keyOf(one)}:${one.text}`}
            said={one}
            speaker={speakers.get(keyOf(one))}
            isFirst={place === 0 || keyOf(one) !== keyOf(utterances[place - 1] ?? one)}
            isCurrent={place === current}
            currentWord={place === current ? currentWord : -1}
            pieces={lines[place] ?? []}
            chosen={hit?.index === place ? chosen : -1}
            seek={seek}
          />
        ))}
      </ul>
    </div>
  )
}

/** The text of a line, split at its hits and words. */
function piecesOf({ text, words }: UtteranceShown, place: number, hits: readonly Hit[]): TextSegment[] {
  const here = hits.filter((found) => found.index === place)
  const first = hits.findIndex((found) => found.index === place)
  const pieces = splitAt(text, here, first)
  return words ? splitAtWords(pieces, words) : pieces
}

const isUncertain = (word: WordShown | undefined) =>
  typeof word?.confidence === 'number' && word.confidence < uncertainBelow

export const hasUncertainWords = ({ words }: UtteranceShown) => words?.some(isUncertain) ?? false

/** Scrolls the list to a line without moving the page. */
function useScroll(list: React.RefObject<HTMLUListElement | null>, place: number) {
  useEffect(() => {
    const line = list.current?.children[place]
    if (!list.current || !(line instanceof HTMLElement)) return
    const { scrollTop, clientHeight } = list.current
    const top = line.offsetTop - list.current.offsetTop
    if (top < scrollTop || top + line.offsetHeight > scrollTop + clientHeight)
      list.current.scrollTo({ top: top - clientHeight / 3, behavior: 'smooth' })
  }, [list, place])
}

/** Re-rendered on its own words only: during playback the current word changes several times per second. */
const Said = memo(function Said({
  said,
  speaker,
  isFirst,
  isCurrent,
  currentWord,
  pieces,
  chosen,
  seek,
}: {
  said: UtteranceShown
  speaker: Speaker | undefined
  isFirst: boolean
  isCurrent: boolean
  currentWord: number
  pieces: readonly TextSegment[]
  /** The number of the chosen hit; -1 if it is in another line. */
  chosen: number
  seek: ((seconds: number) => void) | undefined
}) {
  const color = speaker?.color ?? 'gray'
  const playFrom = seek && ((event: MouseEvent) => seek(startOf(said, event.target)))
  return (
    <Box
      component="li"
      className={classes.said}
      __vars={{
        '--speaker': `var(--mantine-color-${color}-light-color)`,
        '--speaker-ground': `var(--mantine-color-${color}-light)`,
      }}
      mod={{ first: isFirst, current: isCurrent, seeks: seek !== undefined }}
      {...(isCurrent && { 'aria-current': true })}
      // Selecting text is not a click.
      onClick={(event) => !window.getSelection()?.toString() && playFrom?.(event)}
    >
      {isFirst && <span className={classes.name}>{speaker?.name}</span>}
      {playFrom ? (
        <button type="button" className={classes.at} aria-label={`Play from ${span(said.start_time)}`}>
          {span(said.start_time)}
        </button>
      ) : (
        <span className={classes.at}>{span(said.start_time)}</span>
      )}
      <span className={classes.text}>
        {pieces.map((piece, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
          <Word key={nth} index={piece.word} words={said.words} isCurrent={piece.word === currentWord}>
            {piece.hit === undefined ? (
              piece.text
            ) : (
              <mark {...(piece.hit === chosen && { 'data-current': true })}>{piece.text}</mark>
            )}
            {piece.word !== pieces[nth + 1]?.word && isUncertain(said.words?.[piece.word ?? -1]) && (
              <VisuallyHidden className={classes.aside}> (uncertain)</VisuallyHidden>
            )}
          </Word>
        ))}
      </span>
    </Box>
  )
})

/** Of the word that was clicked, else of the line. */
function startOf({ start_time, words }: UtteranceShown, target: EventTarget): number {
  const place = target instanceof Element ? target.closest('[data-word]')?.getAttribute('data-word') : undefined
  return words?.[Number(place ?? -1)]?.start_time ?? start_time
}

/** A word, or a part of it; `index` is undefined for other text. */
function Word({
  index,
  words,
  isCurrent,
  children,
}: {
  index: number | undefined
  words: readonly WordShown[] | undefined
  isCurrent: boolean
  children: ReactNode
}) {
  if (index === undefined) return children
  const uncertain = isUncertain(words?.[index]) && { className: classes.uncertain, title: 'Uncertain' }
  return (
    <span data-word={index} {...(isCurrent && { 'data-current': true })} {...uncertain}>
      {children}
    </span>
  )
}

function Small({
  label,
  run,
  icon: Icon,
  disabled = false,
}: {
  label: string
  run: () => void
  icon: typeof IconCopy
  disabled?: boolean
}) {
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={disabled} onClick={run} flex="none">
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

function copy(text: string): void {
  // Browsers disable the clipboard API over plain HTTP.
  const write =
    navigator.clipboard?.writeText(text) ??
    Promise.reject(new Error('Clipboard not available. Download the transcript instead.'))
  write.then(
    () => notify('Transcript copied'),
    (error: unknown) => notifyError(error, 'Transcript not copied'),
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
