import { useSearchParams } from 'react-router'

type Value = string | number | boolean | readonly string[] | null | undefined

/** What a page shows, kept in its address: it survives a reload, the way back, and being sent to a colleague. */
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
    /** Another choice begins again at the first page. */
    set: (values: Record<string, Value>) => change({ page: null, ...values }),
    /** Something beside the list, such as what is open: the page stays. */
    setOnly: change,
    setPage: (page: number) => change({ page: page > 1 ? page : null }),
    clear: () => setParams({}, { replace: true }),
    isEmpty: [...params.keys()].every((name) => name === 'page'),
  }
}
