import { Kbd, Loader, Modal, Text, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import {
  actionEntries,
  type EntryGroup,
  matching,
  type PaletteEntry,
  pageEntries,
  resultGroups,
  tabEntries,
} from './entries.ts'
import classes from './palette.module.css'

/** Finds pages, actions and objects of the company; opened by Ctrl K or ⌘ K. */
export function CommandPalette({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      size={620}
      yOffset="10dvh"
      padding={0}
      // A class of Modal.Content would also apply to the layer around it.
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label="Search and commands">
        <Palette close={close} />
      </Modal.Content>
    </Modal.Root>
  )
}

const minText = 2
const delayMs = 50
const maxPages = 6

/** Results for the text as it is now: a reply to an earlier text is never shown. */
function useResults(text: string) {
  const [settled] = useDebouncedValue(text, delayMs)
  const isSearched = text.length >= minText
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['search', settled],
    queryFn: () => api.get('/v1/search', { query: { q: settled } }),
    enabled: settled.length >= minText,
    staleTime: 10_000,
    gcTime: 30_000,
    retry: false,
  })
  const isCurrent = settled === text
  return {
    results: isSearched && isCurrent ? data : undefined,
    error: isSearched && isCurrent && !isFetching ? error : null,
    isPending: isSearched && (!isCurrent || isFetching),
    refetch,
  }
}

function groupsOf(text: string, session: ReturnType<typeof useSession>, found: EntryGroup[]): EntryGroup[] {
  const menuPages = pageEntries(session)
  const pages = text === '' ? menuPages : matching([...menuPages, ...tabEntries(session)], text)
  const actions = matching(actionEntries(session), text)
  const groups =
    text === ''
      ? [
          { label: 'Actions', entries: actions },
          { label: 'Pages', entries: pages },
        ]
      : [{ label: 'Pages', entries: pages.slice(0, maxPages) }, { label: 'Actions', entries: actions }, ...found]
  return groups.filter(({ entries }) => entries.length > 0)
}

function Palette({ close }: { close: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string>()
  const text = typed.trim()
  const { results, error, isPending, refetch } = useResults(text)
  const groups = groupsOf(text, session, results ? resultGroups(results, text) : [])
  const entries = groups.flatMap((group) => group.entries)
  const active = entries.find(({ key }) => key === chosen) ?? entries[0]
  const optionId = (key: string) => `${id}-${key.replaceAll(/\W/g, '-')}`
  const activeId = active && optionId(active.key)
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  const open = ({ to, isOtherApp }: PaletteEntry) => {
    close()
    if (isOtherApp) window.location.assign(to)
    else void navigate(to)
  }
  const move = (step: number) => {
    const next = ((active ? entries.indexOf(active) : 0) + step + entries.length) % entries.length
    setChosen(entries[next]?.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      PageDown: () => setChosen(entries.at(-1)?.key),
      PageUp: () => setChosen(entries[0]?.key),
      Enter: () => active && open(active),
    }
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    step()
  }
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={18} className={classes.icon} aria-hidden />
        <input
          data-autofocus
          type="search"
          role="combobox"
          aria-label="Search"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="Search calls, contacts, users, numbers, pages…"
          className={classes.input}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value)
            setChosen(undefined)
          }}
          onKeyDown={onKeyDown}
        />
        {isPending && <Loader size="xs" role="status" aria-label="Searching" />}
      </div>
      <div className={classes.list}>
        {error && <ErrorAlert error={error} title="Search failed" retry={() => void refetch()} />}
        <div role="listbox" id={`${id}-list`} aria-label="Results">
          {groups.map(({ label, entries }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
            <div key={label} role="group" aria-labelledby={optionId(`group ${label}`)}>
              <div id={optionId(`group ${label}`)} className={classes.group}>
                {label}
              </div>
              {entries.map((entry) => (
                <Option
                  key={entry.key}
                  id={optionId(entry.key)}
                  entry={entry}
                  isActive={entry === active}
                  choose={() => setChosen(entry.key)}
                  open={() => open(entry)}
                />
              ))}
            </div>
          ))}
        </div>
        {entries.length === 0 && !error && !isPending && (
          <Empty title="No results">
            {text.length < minText
              ? 'Type at least two characters.'
              : 'Search by a part of a name, or by three or more digits of a phone number.'}
          </Empty>
        )}
      </div>
      <VisuallyHidden role="status">{isPending ? '' : count(entries.length, 'result')}</VisuallyHidden>
      <div className={classes.foot} aria-hidden>
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> to select
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> to open
        </span>
        <span>
          <Kbd size="xs">Esc</Kbd> to close
        </span>
      </div>
    </>
  )
}

interface OptionProps {
  id: string
  entry: PaletteEntry
  isActive: boolean
  choose: () => void
  open: () => void
}

function Option({ id, entry: { label, detail, icon: Icon }, isActive, choose, open }: OptionProps) {
  return (
    // The keyboard stays in the text field, which names the active option.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div id={id} role="option" aria-selected={isActive} className={classes.option} onMouseMove={choose} onClick={open}>
      <Icon size={18} stroke={1.7} className={classes.icon} aria-hidden />
      <Text size="sm" truncate className={classes.label}>
        {label}
      </Text>
      {detail && (
        <Text size="xs" c="dimmed" truncate className={classes.detail}>
          {detail}
        </Text>
      )}
    </div>
  )
}
