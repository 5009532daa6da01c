import { Badge, Button, Center, Checkbox, Group, Loader, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { CallLine } from './call-line.tsx'
import { AcrossFilters, useAcross } from './filters.tsx'

type Item = ResponseOf<'/v1/intelligence/action_items'>['action_items'][number]

/** Action items of all calls. */
export function ActionItemList() {
  const { filters, zone, asked } = useAcross()
  const isDone = filters.get('show') === 'done'
  const queries = useQueryClient()
  const key = ['action items', isDone, asked]
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      api.get('/v1/intelligence/action_items', { query: { ...asked, done: isDone || undefined, before: pageParam } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    enabled: asked !== undefined,
  })
  const put = async (id: number, done: boolean) => {
    await api.put('/v1/intelligence/action_items/{id}', { params: { id }, body: { done } })
    await queries.invalidateQueries({ queryKey: ['action items'] })
  }
  const mark = async ({ id, done }: Item) => {
    try {
      await put(id, !done)
      notifyWithUndo(done ? 'Action item reopened' : 'Action item done', () => put(id, done))
    } catch (failure) {
      notifyError(failure, 'Action item not changed')
    }
  }
  const items = data?.pages.flatMap((page) => page.action_items)
  return (
    <Stack gap="lg">
      <AcrossFilters filters={filters} zone={zone} />
      <SegmentedControl
        aria-label="Show"
        data={[
          { value: 'open', label: 'Open' },
          { value: 'done', label: 'Done' },
        ]}
        value={isDone ? 'done' : 'open'}
        onChange={(show) => filters.setOnly({ show: show === 'done' ? show : null })}
        style={{ alignSelf: 'flex-start' }}
      />
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!items && !error && (
        <Center>
          <Loader size="sm" role="status" aria-label="Loading action items" />
        </Center>
      )}
      {items?.length === 0 && (
        <Paper withBorder>
          <Empty title={isDone ? 'No action items done' : 'No open action items'}>
            Action items appear here when they are found in a transcript or added on the page of a call.
          </Empty>
        </Paper>
      )}
      {items && items.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Action items">
          {items.map((item) => (
            <Paper key={item.id} withBorder p="sm" component="li">
              <Group wrap="nowrap" align="flex-start">
                <Checkbox
                  mt={2}
                  aria-label={`Done: ${item.content}`}
                  checked={item.done}
                  onChange={() => void mark(item)}
                />
                <Stack gap={2}>
                  <Group gap={6}>
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {item.content}
                    </Text>
                    {item.ai_generated && (
                      <Badge size="xs" variant="light" color="gray" tt="none">
                        AI
                      </Badge>
                    )}
                  </Group>
                  <CallLine call={item.call} />
                </Stack>
              </Group>
            </Paper>
          ))}
        </Stack>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
    </Stack>
  )
}
