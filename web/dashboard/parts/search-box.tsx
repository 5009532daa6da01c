import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

/** Searches while typing; the text is in the URL. */
export function SearchBox({
  label,
  value: given,
  onChange,
}: {
  label: string
  value: string
  onChange: (text: string) => void
}) {
  const [typed, setTyped] = useState(given)
  const [known, setKnown] = useState(given)
  // Changed elsewhere: browser history, a saved filter, or "Clear filters".
  if (given !== known) {
    setKnown(given)
    setTyped(given)
  }
  const look = useDebouncedCallback((text: string) => {
    setKnown(text)
    onChange(text)
  }, 350)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      w={280}
      maxLength={255}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        look(event.currentTarget.value.trim())
      }}
    />
  )
}
