import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { EditDiscarded } from '../edits.ts'
import { ErrorAlert, errorMessage, mayRepeat } from './error-alert.tsx'
import { FieldNote, wrapperOf } from './field-note.tsx'
import { fieldOf } from './field-of.ts'

/**
 * Why a form was not saved. A message about one field stands at that field; other messages are shown here, with a button to
 * retry after an outage, which submits the form around it unless `retry` says how. The input stays.
 */
export function SaveError({
  error,
  retry,
  title = 'Not saved',
}: {
  error: unknown
  retry?: () => void
  title?: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const [field, setField] = useState<HTMLElement>()
  const [edited, setEdited] = useState<unknown>()
  const [own, setOwn] = useState<HTMLFormElement | null>()
  const again = retry ?? (own ? () => own.requestSubmit() : undefined)
  useLayoutEffect(() => {
    setOwn(place.current?.closest('form'))
    const form = place.current?.closest<HTMLElement>('form, [role="dialog"], section, main')
    const input = form && fieldOf(form, error)
    if (!input || !wrapperOf(input)) {
      setField(undefined)
      // In a long form the error would be out of view.
      place.current?.scrollIntoView({ block: 'nearest' })
      return
    }
    setField(input)
    input.focus()
  }, [error])
  const onEdit = useCallback(() => setEdited(error), [error])
  if (error === undefined || error === null || error instanceof EditDiscarded) return null
  return (
    <div ref={place}>
      {field ? (
        edited !== error && <FieldNote field={field} message={errorMessage(error)} edited={onEdit} />
      ) : (
        <ErrorAlert error={error} title={title} {...(again && mayRepeat(error) && { retry: again })} />
      )}
    </div>
  )
}
