import { type ComponentPropsWithRef, type FormEvent, useCallback, useState } from 'react'
import { numberProblem } from '../phone-number.ts'
import { FieldNote, wrapperOf } from './field-note.tsx'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

interface FieldIssue {
  field: Field
  message: string
}

/**
 * A form that is submitted only with valid input: missing and malformed values are reported at their fields. Spaces are no
 * value.
 */
export function CheckedForm({ onSubmit, children, ...form }: ComponentPropsWithRef<'form'>) {
  const [issues, setIssues] = useState<FieldIssue[]>([])
  const edited = useCallback(
    (field: HTMLElement) => setIssues((before) => before.filter((issue) => issue.field !== field)),
    [],
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    // React also reports the forms of dialogs that this form opens.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    const found = fieldsOf(event.currentTarget).flatMap((field) => {
      const message = issueOf(field)
      return message === undefined ? [] : [{ field, message }]
    })
    setIssues(found)
    found[0]?.field.focus()
    if (found.length === 0) onSubmit?.(event as Parameters<NonNullable<typeof onSubmit>>[0])
  }
  return (
    <form {...form} noValidate onSubmit={submit}>
      {children}
      {issues
        .filter(({ field }) => field.isConnected && !hasOwnError(field))
        .map(({ field, message }, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fields have no other identity, and their order is fixed
          <FieldNote key={nth} field={field} message={message} edited={edited} />
        ))}
    </form>
  )
}

const fieldsOf = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (element): element is Field =>
      element.matches('input:not([type="hidden"]), textarea, select') && !element.matches(':disabled'),
  )

/** The field shows an error of its own, such as one that depends on other fields. */
const hasOwnError = (field: Field) => wrapperOf(field)?.querySelector('.mantine-InputWrapper-error') !== null

const isBlank = (field: Field) =>
  field.type === 'password' ? field.value === '' : field.type !== 'checkbox' && field.value.trim() === ''

/** The server knows which numbers exist. */
const isDialable = (text: string) => /\d/.test(text) && !/\p{L}/u.test(text)

function issueOf(field: Field): string | undefined {
  if (field.required && isBlank(field)) return 'This field is required'
  if (field.type === 'tel' && !isBlank(field) && !isDialable(field.value)) return numberProblem()
  const { validity } = field
  if (validity.valid) return undefined
  if (validity.valueMissing) return 'This field is required'
  if (validity.typeMismatch && field.type === 'email') return 'Enter an email address'
  if (validity.typeMismatch && field.type === 'url') return 'Enter a complete URL, such as https://example.com'
  if (validity.patternMismatch && field.title) return field.title
  return field.validationMessage
}
