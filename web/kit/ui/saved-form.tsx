import { useState } from 'react'
import { EditDiscarded, sameValue } from '../edits.ts'
import { useUnsaved } from '../unsaved.ts'

export interface SavedForm<T> {
  form: T
  set: (part: Partial<T>) => void
  isChanged: boolean
  isBusy: boolean
  error: unknown
  save: () => Promise<void>
  discard: () => void
}

/**
 * A form on a page. Newer data from the server replaces its values only while the user has not changed them. `write` gets the
 * values, those that were loaded, and a function for what the server already has when a later request fails.
 */
export function useSavedForm<T extends object>(
  saved: T,
  write: (form: T, loaded: T, accept: (part: Partial<T>) => void) => Promise<unknown>,
): SavedForm<T> {
  const [state, setState] = useState({ loaded: saved, form: saved })
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { form, loaded } = state
  const isChanged = !sameValue(form, loaded)
  if (!isBusy && !isChanged && !sameValue(saved, loaded)) setState({ loaded: saved, form: saved })
  useUnsaved(isChanged)
  const discard = () => {
    setState((now) => ({ ...now, form: now.loaded }))
    setError(undefined)
  }
  const accept = (part: Partial<T>) => setState((now) => ({ ...now, loaded: { ...now.loaded, ...part } }))
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await write(form, loaded, accept)
      setState((now) => ({ ...now, loaded: form }))
    } catch (failure) {
      if (failure instanceof EditDiscarded) discard()
      else setError(failure)
    }
    setBusy(false)
  }
  return {
    form,
    set: (part) => setState((now) => ({ ...now, form: { ...now.form, ...part } })),
    isChanged,
    isBusy,
    error,
    save,
    discard,
  }
}
