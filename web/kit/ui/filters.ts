import { useSearchParams } from 'react-router'

/** Parameters that change how the list is shown, not what is in it. */
const notFilters: readonly string[] = ['new', 'page', 'size', 'order', 'sort']

type Value = string | number | boolean | readonly string[] | null | undefined

/** Filters in the query of the URL: they survive a reload and the back button, and a link to the page includes them. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  const change = (values: Record<string, Value>) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries(values)) {
          after.delete(name)
          if (Array.isArray(value)) for (const one of value) after.append(name, one)
          else if (value !== null && value !== undefined && value !== '' && value !== false)
            after.set(name, String(value))
        }
        return after
      },
      { replace: true },
    )
  return {
    get: (name: string) => params.get(name),
    all: (name: string) => params.getAll(name),
    page: Math.max(1, Number(params.get('page')) || 1),
    /** Returns to the first page. */
    set: (values: Record<string, Value>) => change({ page: null, ...values }),
    /** For parameters that do not filter the list, such as the open item: the page number stays. */
    setOnly: change,
    setPage: (page: number) => change({ page: page > 1 ? page : null }),
    clear: () => setParams({}, { replace: true }),
    isEmpty: [...params.keys()].every((name) => notFilters.includes(name)),
    /** All filters as the query of a URL. */
    query: new URLSearchParams([...params].filter(([name]) => name !== 'page')).toString(),
    /** Replaces all filters by those of a query. */
    replace: (query: string) => setParams(new URLSearchParams(query), { replace: true }),
  }
}

/** A dialog that a link can open: `?new=1` in the URL of its page. */
export function useLinkedDialog(): [isOpen: boolean, { open: () => void; close: () => void }] {
  const filters = useFilters()
  return [
    filters.get('new') !== null,
    { open: () => filters.setOnly({ new: 1 }), close: () => filters.setOnly({ new: null }) },
  ]
}
