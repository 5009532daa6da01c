import { Anchor, Button, Center, Loader, Mark, Paper, Stack, Text } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { SearchBox } from '../parts/search-box.tsx'
import { CallLine } from './call-line.tsx'
import { AcrossFilters, useAcross } from './filters.tsx'
import { marked } from './mark.ts'

type Result = ResponseOf<'/v1/intelligence/search'>['results'][number]

/** Search in all transcripts. */
export function TranscriptSearch() {
  const { filters, zone, asked } = useAcross()
  const text = filters.get('q') ?? ''
  return (
    <Stack gap="lg">
      <SearchBox label="Words in transcripts" value={text} onChange={(q) => filters.set({ q })} />
      <AcrossFilters filters={filters} zone={zone} />
      {text.trim().length < 2 ? (
        <Paper withBorder>
          <Empty title="Search all transcripts">
            Enter words that were said on a call. Calls with all of them are listed with the lines, the latest first.
          </Empty>
        </Paper>
      ) : (
        asked && <Results text={text} asked={asked} />
      )}
    </Stack>
  )
}

function Results({ text, asked }: { text: string; asked: object }) {
  const query = (before: number | null) => ({ ...asked, q: text, before })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['transcripts', text, asked],
    queryFn: ({ pageParam }) => api.get('/v1/intelligence/search', { query: query(pageParam) }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) {
    return (
      <Center>
        <Loader size="sm" role="status" aria-label="Searching" />
      </Center>
    )
  }
  const results = data.pages.flatMap((page) => page.results)
  if (results.length === 0) {
    return (
      <Paper withBorder>
        <Empty title="No results">Use fewer or other words, or a longer date range.</Empty>
      </Paper>
    )
  }
  return (
    <Stack gap="sm">
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Results">
        {results.map((result) => (
          <Paper key={result.call.id} withBorder p="md" component="li">
            <Found result={result} text={text} />
          </Paper>
        ))}
      </Stack>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
    </Stack>
  )
}

function Found({ result: { call, lines }, text }: { result: Result; text: string }) {
  return (
    <Stack gap={6}>
      <CallLine call={call} />
      {lines.map((line) => (
        <Text key={line.start_time} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Anchor
            component={Link}
            to={`/dashboard/calls/${call.id}?${new URLSearchParams({ at: String(line.start_time) })}`}
            size="sm"
            aria-label={`Open the call at ${span(line.start_time)}`}
          >
            {span(line.start_time)}
          </Anchor>{' '}
          <Text span c="dimmed">
            {line.speaker}:
          </Text>{' '}
          {marked(line.text, text).map(({ part, isHit, at }) => (isHit ? <Mark key={at}>{part}</Mark> : part))}
        </Text>
      ))}
    </Stack>
  )
}
