import { Text } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { EditDiscarded } from '../edits.ts'
import { ErrorAlert, errorMessage, mayRepeat } from './error-alert.tsx'
import { fieldOf } from './field-of.ts'

/**
 * Why a form was not saved. A message about one field stands at that field; other messages are shown here, with a button to
 * retry after an outage, which submits the form around it unless `retry` says how. The input stays.
 */
export function SaveError({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [field, setField] = useState<HTMLElement>()
  const [own, setOwn] = useState<HTMLFormElement | null>()
  const again = retry ?? (own ? () => own.requestSubmit() : undefined)
  useLayoutEffect(() => {
    setOwn(place.current?.closest('form'))
    const form = place.current?.closest<HTMLElement>('form, [role="dialog"], section, main')
    const input = form && fieldOf(form, error)
    const wrapper = input?.closest<HTMLElement>('.mantine-InputWrapper-root')
    if (!input || !wrapper) {
      setField(undefined)
      // In a long form the error would be out of view.
      place.current?.scrollIntoView({ block: 'nearest' })
      return
    }
    const note = document.createElement('div')
    wrapper.append(note)
    setField(note)
    input.setAttribute('aria-invalid', 'true')
    input.focus()
    return () => {
      input.removeAttribute('aria-invalid')
      note.remove()
    }
  }, [error])
  if (error === undefined || error === null || error instanceof EditDiscarded) return null
  return (
    <div ref={place}>
      {field ? (
        createPortal(
          <Text size="xs" c="var(--mantine-color-error)" mt={5} role="alert">
            {errorMessage(error)}
          </Text>,
          field,
        )
      ) : (
        <ErrorAlert
          error={error}
          {...(title !== undefined && { title })}
          {...(again && mayRepeat(error) && { retry: again })}
        />
      )}
    </div>
  )
}
