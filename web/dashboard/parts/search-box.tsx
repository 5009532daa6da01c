import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

/** Searches while typing; the text is in the URL. */
export function SearchBox({
  label,
  placeholder = label,
  width = 280,
  value: given,
  onChange,
  accepts = () => true,
}: {
  label: string
  placeholder?: string
  width?: number
  value: string
  onChange: (text: string) => void
  /** Other texts are incomplete: they do not change the list. */
  accepts?: (text: string) => boolean
}) {
  const [typed, setTyped] = useState(given)
  const [known, setKnown] = useState(given)
  // Changed elsewhere: browser history, a saved filter, or "Clear filters".
  if (given !== known) {
    setKnown(given)
    setTyped(given)
  }
  const look = useDebouncedCallback((text: string) => {
    if (!accepts(text)) return
    setKnown(text)
    onChange(text)
  }, 350)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} />}
      w={width}
      maxLength={255}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        look(event.currentTarget.value.trim())
      }}
    />
  )
}
