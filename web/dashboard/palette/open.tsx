import { ActionIcon, Group, Kbd, Text, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import classes from './palette.module.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** ⌘ K on Apple keyboards, where Ctrl K deletes to the end of the line, and Ctrl K on all others. */
function isShortcut(event: KeyboardEvent): boolean {
  const isModified = isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  return isModified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'
}

/** An open dialog keeps the keyboard, as does an editor with shortcuts of its own. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return true
  if (event.target instanceof HTMLElement && event.target.isContentEditable) return true
  return [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].some((dialog) => dialog.checkVisibility())
}

/** The state of the palette, which its shortcut opens and closes. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      if (isOpen) {
        event.preventDefault()
        setOpen(false)
      } else if (!isTaken(event)) {
        event.preventDefault()
        setOpen(true)
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isOpen])
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
}

export function SearchButton({ open }: { open: () => void }) {
  return (
    <>
      <UnstyledButton className={classes.button} onClick={open} aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}>
        <Group gap="xs" wrap="nowrap">
          <IconSearch size={16} aria-hidden />
          <Text size="sm" inherit>
            Search
          </Text>
        </Group>
        <Kbd size="xs" aria-hidden>
          {isApple ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="md" onClick={open} aria-label="Search">
        <IconSearch size={18} />
      </ActionIcon>
    </>
  )
}
