import { Button, Center } from '@mantine/core'
import { useEffect, useRef } from 'react'

interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => unknown
}

/** Loads the next page when the end of the list becomes visible; the button is for keyboards and after an error. */
export function MoreRows({ list }: { list: Paged }) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (!end.current || !canLoad) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage())
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [canLoad, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <Center ref={end} py="sm">
      <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </Center>
  )
}
