import { useMediaQuery } from '@mantine/hooks'

export type Layout = 'column' | 'two panes' | 'three panes'

/** Embedded into another page the phone stays one column. */
export function useLayout(): Layout {
  const isWide = useMediaQuery('(min-width: 860px)', window.innerWidth >= 860, { getInitialValueInEffect: false })
  const hasThree = useMediaQuery('(min-width: 1180px)', window.innerWidth >= 1180, { getInitialValueInEffect: false })
  if (!isWide || window.parent !== window) return 'column'
  return hasThree ? 'three panes' : 'two panes'
}

/** The same outside of components. */
export const isColumnNow = () => window.parent !== window || window.innerWidth < 860
