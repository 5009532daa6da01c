import { useEffect, useRef } from 'react'

// Forms with unsaved changes. Leaving the page, or the tab, asks while there is one.

interface OpenForm {
  isChanged(): boolean
  /** A drawer closes with the query of the URL; a form on the page stays while only the query changes. */
  isDrawer: boolean
}

const forms = new Set<OpenForm>()
let saving = 0

export const unsaved = {
  add(form: OpenForm): () => void {
    forms.add(form)
    if (forms.size === 1) window.addEventListener('beforeunload', holdTab)
    return () => {
      forms.delete(form)
      if (forms.size === 0) window.removeEventListener('beforeunload', holdTab)
    }
  },
  /** Navigation by a form that is being saved asks nothing. */
  async during<T>(save: () => Promise<T>): Promise<T> {
    saving++
    try {
      return await save()
    } finally {
      saving--
    }
  },
  /** Whether leaving this location would discard changes. */
  isIn: (isSamePage: boolean) =>
    saving === 0 && [...forms].some((form) => (form.isDrawer || !isSamePage) && form.isChanged()),
}

const holdTab = (event: BeforeUnloadEvent) => {
  if (unsaved.isIn(false)) event.preventDefault()
}

/** For a form on a page that knows whether it has changed. */
export function useUnsaved(isChanged: boolean): void {
  const current = useRef(isChanged)
  current.current = isChanged
  useEffect(() => unsaved.add({ isChanged: () => current.current, isDrawer: false }), [])
}

/** All values of the fields, so that two states can be compared. */
export const fieldValues = (form: HTMLElement): string =>
  JSON.stringify(
    [...form.querySelectorAll<HTMLInputElement>('input, textarea, select')].map((field) =>
      field.type === 'checkbox' || field.type === 'radio' ? field.checked : field.value,
    ),
  )
