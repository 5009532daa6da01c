import { useSearchParams } from 'react-router'

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
    isEmpty: [...params.keys()].every((name) => name === 'page'),
  }
}
