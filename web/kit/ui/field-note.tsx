import { Text } from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'

interface FieldNoteProps {
  field: HTMLElement
  message: string
  edited: (field: HTMLElement) => void
}

/** An error at its field, until the field is edited. */
export function FieldNote({ field, message, edited }: FieldNoteProps) {
  const [place, setPlace] = useState<HTMLElement>()
  useLayoutEffect(() => {
    const note = document.createElement('div')
    const wrapper = wrapperOf(field)
    wrapper?.append(note)
    setPlace(note)
    field.setAttribute('aria-invalid', 'true')
    const onEdit = () => edited(field)
    field.addEventListener('input', onEdit)
    // A selection from a list changes the value without an `input` event.
    const watch = new MutationObserver(onEdit)
    watch.observe(field, { attributeFilter: ['value'] })
    return () => {
      watch.disconnect()
      field.removeEventListener('input', onEdit)
      field.removeAttribute('aria-invalid')
      note.remove()
    }
  }, [field, edited])
  if (!place) return null
  return createPortal(
    <Text size="xs" c="var(--mantine-color-error)" mt={5} role="alert">
      {message}
    </Text>,
    place,
  )
}

/** The element around a field, its label and its description. */
export const wrapperOf = (field: HTMLElement) => field.closest<HTMLElement>('.mantine-InputWrapper-root')
